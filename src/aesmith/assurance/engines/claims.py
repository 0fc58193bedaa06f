"""An engine with free cores, and beside it what is claimed of it, as a design to elaborate.

The engine stands as it is delivered, its top included, but for the cores: in their place are modules of the same name
whose outputs are free. What is claimed is SystemVerilog in `templates/`: what cores promise (`core_promises`), what a
message is answered by (`message_reference`, and a file a mode), and the claims of engines of one structure, with lemmas
on their own registers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources

from aesmith.cores.design import CoreDesign, Design, Direction, SourceFile, hash_of
from aesmith.cores.ports import BLOCK_BITS, SCAN_ENABLE_PORT, Meaning, PortDirection, Ports
from aesmith.cores.sources import has_clock_gates, with_scan_enable
from aesmith.cores.wrapper import declarations
from aesmith.errors import CheckError, RequestError
from aesmith.modes.byte_engine import ByteEngine
from aesmith.modes.cmac_engine import CmacEngine
from aesmith.modes.counter_engine import CounterEngine
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import StreamEngine
from aesmith.modes.engine_top import CorePlace
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.multi_mode import MESSAGE_MODES
from aesmith.modes.multi_mode_engine import GcmAheadEngine, MultiModeEngine
from aesmith.modes.xts_engine import XtsEngine

PROVED_MODES = ("CTR", "CMAC", "GCM", "XTS")
"""The modes whose engines of one mode can be proved."""

_PIN = {
    f"{channel}.{line}": f"{channel}_{line}_i" for channel in ("key", "block", "result") for line in ("valid", "ready")
}
_PIN |= {f"{channel}.{channel}": f"{channel}_i" for channel in ("key", "block", "result")}
"""Pins of `core_promises`, by what the core's ports are that go to them."""


_BEHIND_SLOTS = {
    "key_valid_i": "u_dut.u_engine.key_valid_i",
    "key_ready": "u_dut.u_engine.key_ready_o",
    "key_i": "u_dut.slot_key",
    "s_axis_cmd_tvalid": "u_dut.u_engine.s_axis_cmd_tvalid",
    "command_ready": "u_dut.u_engine.s_axis_cmd_tready",
    "s_axis_cmd_tdata": "u_dut.u_engine.s_axis_cmd_tdata",
}
"""Keys and commands in the claims, and where they are in an engine behind slots for keys."""


@dataclass(frozen=True)
class ClaimedStructure:
    """Which files say what is claimed of an engine, and what stands in them for names and lemmas of its own."""

    files: tuple[str, ...]
    """Templates in compile order, the claims last."""
    front: str
    """The path to the engine's queues and keys."""
    command: tuple[str, ...]
    """What the queue of commands holds of one, from its highest bits on: the reference's names, and what of these."""
    parameters: Mapping[str, int]
    """Of the claims and the mode, beside those that all engines have."""
    names: Mapping[str, str]
    """More text in the claims, and what it stands for."""
    free: tuple[str, ...] = ()
    """Files of the engine in whose modules' place are modules with free outputs."""


def _ctr(engine: CtrEngine) -> ClaimedStructure:
    """An engine of CTR, whose answers wait in a text ring for the results of cores in turn."""
    bits = engine.counter_bits
    return ClaimedStructure(
        ("core_promises", "ctr_mode", "message_frame", "message_reference", "ring_claims"),
        "u_dut.u_engine",
        ("refusal", "iv", "size"),
        {"Cores": engine.cores, "Entries": engine.entries, "Queue": 2, "CounterBits": bits},
        {"CORE_DECRYPTS": _decrypts(engine.core_places[0]), "COUNTER_BITS": str(bits)},
    )


def _xts(engine: XtsEngine) -> ClaimedStructure:
    """An engine of XTS, whose core of tweaks takes keys and blocks in words or whole."""
    inside = {"TWEAK": "u_tweak", "RING": "u_ring", "TURNS": "u_turns"}
    texts, tweaks = engine.core_places
    key, block = tweaks.core.ports.payload(Meaning.KEY).width, tweaks.core.block_width
    return ClaimedStructure(
        ("stream_promises", "message_frame", "word_promises", "xts_reference", "xts_claims"),
        "u_dut.u_engine.u_front",
        ("refusal", "encrypt", "refusal == '0", "size"),
        {
            **{name: engine.module_parameters[name] for name in ("KeyBits", "Entries", "Encrypts", "Decrypts")},
            **{"KeyWordBits": key, "WordBits": block, "Cores": engine.cores, "Queue": 2},
        },
        {f"{name}.": f"u_dut.u_engine.{path}." for name, path in inside.items()}
        | {
            "REF.": "u_reference.",
            "CORE_DECRYPTS": _decrypts(texts),
            "TWEAK_DECRYPTS": _decrypts(tweaks),
            "      TWEAK_PINS\n": _pins(tweaks),
            "KEY_WORD": "u_dut.gen_tweak.u_key.word_q" if tweaks.key_words else "1'b0",
            "BLOCK_WORD": "u_dut.u_engine.u_tweak.gen_words.word_q" if block < engine.block_bits else "1'b0",
        },
    )


_RELEASE_PORTS = (
    *("claim_release_o", "claim_waits_o", "claim_release_stays_o", "claim_release_quiet_o"),
    *("[6:0] lemma_release_o", "reached_release_o"),
)
"""What is claimed besides where text waits for its verdict."""


def _multi_mode(engine: MultiModeEngine) -> ClaimedStructure:
    """An engine of several modes, or of GCM with counters ahead: what comes about is asked for each mode."""
    ahead = isinstance(engine, GcmAheadEngine)
    kind = "gcm_ahead" if ahead else "multi_mode"
    modes = [mode for mode in MESSAGE_MODES.values() if mode.name in engine.modes]
    reached = {"code": "left & inner_user[3]"}
    for mode in modes:
        of_mode = f"left & star{'' if ahead else f' & REF.mode_q[{mode.number}]'} & ~REF.first_q"
        if mode.shows_text:
            reached[f"{mode.name}_text"] = f"{of_mode} & REF.shows_text & REF.kind_q == 2'd2"
        if mode.tags:
            behind = f"{of_mode} & REF.over_q & REF.code_q == '0 & REF.text_bytes_q != '0"
            reached[f"{mode.name}_tag"] = f"{behind} & inner_user == 4'b0011"
            reached[f"{mode.name}_authentic"] = f"{behind} & inner_user == 4'b0010"
    within = "" if ahead else "gen_ghash."
    step = f"u_dut.u_engine.{within}u_step." if engine.leaves else ""
    beat: tuple[str, ...] = ("out_valid", "m_axis_tready", "out_text", "out_keep", "out_last", "out_user")
    free, release, release_ports = (
        [source.name for source in engine.leaves],
        "  assign {waits, releases, memory_kept} = 3'b001;\n",
        "",
    )
    if engine.holds_text:
        beat = tuple(f"ENG.out_{line}" for line in ("valid", "ready", "data", "keep", "last", "user"))
        free.append(memory_of(engine).name)
        release, release_ports = (
            template("release_claims"),
            "".join(f"  output logic {line},\n" for line in _RELEASE_PORTS),
        )
    return ClaimedStructure(
        ("stream_promises", f"{kind}_reference", *["release_reference"] * engine.holds_text, f"{kind}_claims"),
        "u_dut.u_engine",
        (),
        {"Cores": engine.cores, **engine.module_parameters},
        {
            "  REACHED_PORTS\n": ",\n".join(f"  output logic reached_{name}_o" for name in reached) + "\n",
            "  RELEASE_PORTS\n": release_ports,
            "  RELEASE_CLAIMS\n": release,
            "INNER_BEAT": f"{{{', '.join(beat)}}}",
            "RELEASE.": "u_dut.u_engine.gen_verified.u_release.",
            "  REACHED\n": "".join(f"  assign reached_{name}_o = {what};\n" for name, what in reached.items()),
            "{STEP_Y, STEP_D, STEP_H}": f"{{{step}y_i, {step}d_i, {step}h_i}}" if step else "{step_y, step_d, step_h}",
            "GHASH_STEP": f"8'(u_dut.u_engine.{within}step_q)" if step else "8'd0",
            "CORE_DECRYPTS": _decrypts(engine.core_places[0]),
            **({"(REF.gcm | REF.ccm)": "1'b1"} if ahead else {}),
            "ENG.": "u_dut.u_engine.",
            "REF.": "u_reference.",
        },
        free=tuple(free),
    )


def structure_of(engine: StreamEngine) -> ClaimedStructure:
    """What is claimed of an engine. Raises RequestError if nothing is claimed of its mode, or of several lanes."""
    if engine.lanes > 1:
        raise RequestError(
            f"--prove: of engines of one lane only, and {engine.preset} has {engine.lanes}; nothing is proved of "
            f"counters of lanes, sections in lanes, and cores in step: use stream_bits of {BLOCK_BITS} or less"
        )
    if engine.least_tag:
        raise RequestError(
            f"--prove: of engines that take all tags of their modes, and {engine.preset} has min_tag = "
            f"{engine.least_tag}, of which nothing is proved"
        )
    if isinstance(engine, CtrEngine):
        return _ctr(engine)
    if isinstance(engine, CmacEngine):
        key, block = engine.core.ports.payload(Meaning.KEY).width, engine.core.block_width
        return ClaimedStructure(
            ("word_promises", "message_frame", "cmac_reference", "cmac_claims"),
            "u_dut.u_engine.u_front",
            ("refusal", "encrypt", "tag", "size"),
            {"KeyWordBits": key, "WordBits": block, "Queue": 1},
            {
                "KEY_WORD": "u_dut.gen_core[0].u_key.word_q" if key < engine.core.key_bits[0] else "1'b0",
                "BLOCK_WORD": "u_dut.u_engine.gen_words.word_q" if block < engine.block_bits else "1'b0",
            },
        )
    if isinstance(engine, GcmEngine) and engine.ghash_stages == 1 and engine.ring == "registers":
        inside = {
            "RING": "u_ring",
            "WALK": "u_ring.u_walk",
            "GHASH": "u_ghash",
            "RELEASE": "u_release",
            "SENDER": "u_sender",
        }
        inside |= {"TURNS": "u_turns", "HASHES": "u_hashes"}
        return ClaimedStructure(
            ("stream_promises", "message_frame", "gcm_reference", "gcm_claims"),
            "u_dut.u_engine",
            ("refusal", "encrypt", "tag", "streamed", "iv[95:0]", "size"),
            {"Cores": engine.cores, "Queue": 2, **engine.module_parameters},
            {f"{name}.": f"u_dut.u_engine.{path}." for name, path in inside.items()} | {"REF.": "u_reference."},
            free=tuple(source.name for source in engine.leaves),
        )
    if isinstance(engine, XtsEngine):
        return _xts(engine)
    if isinstance(engine, MultiModeEngine):
        return _multi_mode(engine)
    if isinstance(engine, ByteEngine):
        return ClaimedStructure(
            ("word_promises", f"byte_{engine.mode}_reference", f"byte_{engine.mode}_claims"),
            "u_dut.u_engine",
            (),
            engine.module_parameters,
            {"ENG.": "u_dut.u_engine.", "REF.": "u_reference."},
        )
    if isinstance(engine, CounterEngine):
        return ClaimedStructure(
            ("stream_promises", "counter_reference", "counter_claims"),
            "u_dut.u_engine",
            (),
            engine.module_parameters,
            {"CORE_DECRYPTS": _decrypts(engine.core_places[0]), "ENG.": "u_dut.u_engine.", "REF.": "u_reference."},
        )
    what = f"the mode {engine.mode}"
    if isinstance(engine, GcmEngine):
        what = "a GHASH in stages" if engine.ghash_stages > 1 else "a ring in memory"
    raise RequestError(
        f"--prove: of cores, engines of {', '.join(PROVED_MODES)} and those of several modes only, and "
        f"{engine.preset} is an engine; its core is {engine.core.preset}, and nothing is proved of {what}"
    )


@dataclass(frozen=True)
class ClaimsDesign:
    """An engine with free cores, and what is claimed of it, as a design to elaborate.

    Raises RequestError for an engine of a mode of which nothing is claimed.
    """

    engine: StreamEngine

    @property
    def name(self) -> str:
        """The engine's."""
        return self.engine.name

    @property
    def structure(self) -> ClaimedStructure:
        """What is claimed."""
        return structure_of(self.engine)

    @property
    def top(self) -> str:
        """The module of the claims."""
        return self.structure.files[-1]

    @property
    def ports(self) -> Ports:
        """The engine's but for a scan enable, at which claims have 0."""
        return replace(self.engine.ports, scan_enable=None)

    @property
    def source_hash(self) -> str:
        """Of all sources, the claims' included."""
        return hash_of(self.sources)

    @property
    def delivered(self) -> Sequence[SourceFile]:
        """The sources that others read, too: the engine's, its cores included."""
        return self.engine.sources

    @property
    def block_bits(self) -> int:
        """The engine's."""
        return self.engine.block_bits

    @property
    def cycles_per_block(self) -> float:
        """The engine's."""
        return self.engine.cycles_per_block

    @property
    def latency_cycles(self) -> int:
        """The engine's."""
        return self.engine.latency_cycles

    @property
    def own(self) -> list[SourceFile]:
        """The engine's sources without its cores'. Raises CheckError if the cores' are not among them."""
        theirs = [source for core in delivered_cores(self.engine) for source in core.sources]
        if list(self.engine.sources[: len(theirs)]) != theirs:
            names = " and ".join(place.core.name for place in self.engine.core_places)
            raise CheckError(f"{self.name}: its cores' sources are not those of {names}")
        return list(self.engine.sources[len(theirs) :])

    @property
    def free_cores(self) -> list[SourceFile]:
        """Modules with the cores' names and ports, and free outputs."""
        return [free_module(core) for core in delivered_cores(self.engine)]

    @property
    def sources(self) -> list[SourceFile]:
        """The free cores, the engine, what is claimed."""
        structure, engine = self.structure, self.engine
        core = engine.core
        texts = {name: template(name) for name in structure.files}
        names = {
            "      CORE_PINS\n": _pins(engine.core_places[0]),
            "  FRAME_LEMMAS\n": template("frame_lemmas"),
            **structure.names,
            **instance_of(engine),
            "FRONT.": f"{structure.front}.",
            "FRAME.": "u_reference.u_frame.",
        }
        for place in (0, 1):
            held = rf"u_reference.u_frame.\g<0>_q[{place}]"
            parts = (re.sub(r"^\w+", held, name) for name in structure.command)
            names[f"COMMAND_{place}"] = f"{{{', '.join(parts)}}}"
        for name, text in names.items():
            texts[self.top] = texts[self.top].replace(name, text)
        for file in (self.top, structure.files[1]):
            texts[file] = with_parameters(texts[file], {"KeyBits": core.key_bits[0]} | dict(structure.parameters))
        if engine.key_slots > 1:
            texts[self.top] = _behind_slots(texts[self.top], (engine.key_slots - 1).bit_length())
        texts[self.top] = with_key_sizes(texts[self.top], engine)
        own = [_freed(source) if source.name in structure.free else source for source in self.own]
        return [*self.free_cores, *own, *(SourceFile(f"{name}.sv", text) for name, text in texts.items())]


def _behind_slots(text: str, slot_bits: int) -> str:
    """Claims of what an engine does with keys and commands that come to it from slots."""
    ports, instance, claims = text.partition("    .error_o(error)\n  );\n")
    port = "  input  logic s_axis_cmd_tvalid,\n"
    ports = ports.replace(port, f"  input  logic [{slot_bits - 1}:0] key_slot_i,\n{port}")
    ports = ports.replace("  output logic assumed_o,\n", "  output logic [1:0] ready_o,\n  output logic assumed_o,\n")
    ports = ports.replace("    .s_axis_cmd_tvalid,\n", "    .key_slot_i,\n    .s_axis_cmd_tvalid,\n")
    instance += "  assign ready_o = {key_ready, command_ready};\n"
    for name, there in _BEHIND_SLOTS.items():
        claims = re.sub(rf"(?<![.\w]){name}\b", there, claims)
    return f"{ports}{instance}{claims}"


def with_key_sizes(text: str, engine: StreamEngine) -> str:
    """Claims of an engine whose keys have one of several sizes: a key is, to them, one word with its size above it."""
    size = engine.ports.channel("key").find(Meaning.KEY_SIZE)
    if size is None:
        return text
    width = engine.ports.payload(Meaning.KEY).width
    whole = width + size.width
    text = with_parameters(text, {"KeyBits": whole})
    text = text.replace(
        "    .key_i,\n", f"    .key_i(key_i[{width - 1}:0]),\n    .{size.port}(key_i[{whole - 1}:{width}]),\n"
    )
    text = text.replace("u_dut.slot_key", "{u_dut.slot_key_bits, u_dut.slot_key}")
    core = rf"(\.key_i\()(u_dut\.\S+\.)({engine.core.ports.payload(Meaning.KEY).port})\)"
    return re.sub(core, rf"\1{{\2{size.port}, \2\3}})", text)


def instance_of(engine: StreamEngine) -> dict[str, str]:
    """What begins the engine's instance in claims, and stands there for its name: one that is cleared never is."""
    tied = ["clear_i"] * engine.clear + [SCAN_ENABLE_PORT] * engine.scan_enable
    return {"ENGINE u_dut (\n": f"{engine.top} u_dut (\n" + "".join(f"    .{port}(1'b0),\n" for port in tied)}


def delivered_cores(engine: StreamEngine) -> list[CoreDesign]:
    """The core of each place as it is among the engine's sources: with a scan enable if that reaches it."""
    cores = [place.core for place in engine.core_places]
    return [with_scan_enable(core) if engine.scan_enable and has_clock_gates(core) else core for core in cores]


def with_parameters(text: str, values: Mapping[str, int]) -> str:
    """A module with other values of its parameters."""
    for name, value in values.items():
        parameter = rf"(parameter (?:bit|int unsigned) {name} = )(?:1'b)?\d+"
        text = re.sub(parameter, rf"\g<1>{value}", text, count=1)
    return text


def memory_of(engine: StreamEngine) -> SourceFile:
    """The module in which text waits for its verdict, as it is delivered. Raises CheckError if it is not there."""
    name = f"{engine.name}_release_memory.sv"
    found = [source for source in engine.sources if source.name == name]
    if not found:
        raise CheckError(f"{engine.name}: {name} is not among its sources")
    return found[0]


def template(name: str) -> str:
    """The text of what is claimed, or promised, in a file of that name."""
    return (resources.files("aesmith.assurance") / "templates" / f"{name}.sv.txt").read_text(encoding="utf-8")


def roles_of(core: CoreDesign) -> dict[str, str]:
    """The core's ports that have a part in its promises, by what they are."""
    return {port.role: port.name for port in core.ports if port.role in _PIN}


def _pins(place: CorePlace) -> str:
    """Pins of a module of promises, and the ports of the cores of that place that go to them."""
    return "".join(f"      .{_PIN[role]}(u_dut.{place.path}.{name}),\n" for role, name in roles_of(place.core).items())


def _decrypts(place: CorePlace) -> str:
    """Whether a core of that place is told to decrypt."""
    if len(place.core.directions) > 1:
        return f"u_dut.{place.path}.{place.core.ports.role('block.direction').name}"
    return f"1'b{place.core.directions == (Direction.DECRYPT,):d}"


def _freed(source: SourceFile) -> SourceFile:
    """A module with its output new in each clock: a sum with x is free, whatever the other part is."""
    head, _, _ = source.text.partition(");\n")
    output = re.search(r"output (?:logic|wire) \[(\d+):0\] (\w+)\n", head)
    other = re.search(r"input  (?:logic|wire) \[\d+:0\] (\w+),", head)
    if output is None or other is None:
        raise CheckError(f"{source.name}: no output is found in it")
    width = int(output[1]) + 1
    if "  input  wire enable_i,\n" in head:  # a memory: what it gives is new when it is read
        reads = f"always_ff @(posedge clk_i) if (enable_i & ~write_i) read_q <= {width}'bx;"
        body = f"  logic [{output[1]}:0] read_q;\n  {reads}\n  assign {output[2]} = read_q;\nendmodule\n"
        return SourceFile(source.name, f"{head});\n{body}")
    return SourceFile(source.name, f"{head});\n  assign {output[2]} = {width}'({other[1]}) ^ {width}'bx;\nendmodule\n")


def free_module(design: Design) -> SourceFile:
    """A module with a design's name and ports, whose outputs are new in each clock: x is free in a proof."""
    lines = [f"module {design.top} (", declarations(design.ports), ");"]
    for port in design.ports:
        if port.direction is PortDirection.OUTPUT:
            lines.append(f"  assign {port.name} = {{{port.width}{{rst_ni}}}} & {port.width}'bx;")
    return SourceFile(f"{design.top}.sv", "\n".join([*lines, "endmodule", ""]))
