"""That an engine of a mode does what the mode says, around any block cores that keep the block interface.

The engine stands as it is delivered, its top included, but for the cores: in their place are modules of the same name
whose outputs are free. What the cores promise (`core_promises`), what a message is answered by (`ctr_reference`) and
what is claimed (`ctr_claims`) is SystemVerilog beside it, in `templates/`. It is elaborated with the engine, and the
claims are proved by induction over clocks (`induction.py`). The encryption is any function of key and block: one pair
of them, which is any, has a name for its value, and of the others nothing is known.

That the cores keep their promises, with AES as the function, is what `prove` shows of each core.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path

from aesmith.assurance.engines.aiger import GaveUp
from aesmith.assurance.engines.induction import CLAIM, DUTY, LEMMA, REACHED, Beginning, Induction
from aesmith.assurance.proof import prove as cores
from aesmith.assurance.proof.behaviour import Progress
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import Counterexample, Netlist, compile_words
from aesmith.assurance.proof.report import Interface, Limits, Part, ProofReport, ShownCounterexample, Verdict
from aesmith.cores.design import CoreDesign, SourceFile, hash_of
from aesmith.cores.ports import PortDirection, Ports
from aesmith.cores.wrapper import declarations
from aesmith.errors import CheckError, RequestError
from aesmith.flow.yosys import yosys_version
from aesmith.modes.ctr_engine import CtrEngine
from aesmith.modes.engine import StreamEngine
from aesmith.scratch import write_whole

CLAIMS = (
    "For all messages, keys, commands and stalls, any function E of key and block, and all cores that compute it "
    "behind the block interface, each within any bounds: every beat that leaves is the reference's, in its order, "
    "none lost, repeated or invented. It is text + E(key, counter block), where bytes that do not count are 0, under "
    "the last key taken before the message's command, the counter incremented modulo 2^w; keep, last and user are the "
    "message's, and a wrong message ends with its code. A beat that is offered stays until it is taken, and while "
    "none is, all lines are 0. The cores are offered what the block interface allows. An answer that is due is "
    "offered after at most v + 1 clocks; a beat that has come with its command is served after at most v + b + 2 "
    "clocks in which the receiver is ready; a key is taken after at most k clocks when no command is left: v, b and k "
    "bound the cores' waits for a result, a block and a key."
)
REACHED_TEXT = "What is claimed comes about: a block that is encrypted leaves, and a wrong message ends with its code."
TIMING = "No handshake, and no line that says where a message ends, depends on a key, text, counter or core's result."
CORE = "The cores keep their promises, with AES as the function E: the proof of one, whose files are in core/."

ASSUMPTIONS = (
    "The sources and the claims mean what Yosys' SystemVerilog front end elaborates them to.",
    "The user offers a key until it is taken, and the same one; nothing is assumed of commands, beats and ready.",
    "Before the first clock, reset was given; what registers without reset hold then is unknown.",
    "ABC's solver, CaDiCaL, is right when it says that a formula has no solution; its runs are computed anew.",
    "The reference, ctr_reference.sv, is what the documents say of messages; core_promises.sv, what they say of cores.",
    "Waits of cores are bounded, by fewer than 2,048 clocks for keys and 1,024 for blocks and results.",
    "Of a message bytes are counted modulo 2^64, and a counter of 60 bits or more is never said to come round.",
)

_TEMPLATES = ("core_promises", "ctr_reference", "ctr_claims")
_TOP = "ctr_claims"
_HOW = "induction over clocks, ABC with CaDiCaL"
_PIN = {
    f"{channel}.{line}": f"{channel}_{line}_i" for channel in ("key", "block", "result") for line in ("valid", "ready")
}
_PIN |= {f"{channel}.{channel}": f"{channel}_i" for channel in ("key", "block", "result")}
"""Pins of `core_promises`, by what the core's ports are that go to them."""
_RESULT = r"u_dut\.gen_core\[\d+\]\.u_core\.block_o"
_LINES = (
    *("key_ready_o", "s_axis_cmd_tready", "s_axis_tready", "m_axis_tvalid", "m_axis_tlast", "m_axis_tkeep"),
    *("core_key_valid", "core_block_valid", "core_result_ready"),
)
_RUN_CLOCKS, _RUN_SECONDS, _DEEPEST = 24, 240.0, 10
"""Clocks of a run that refutes, seconds to look for it, and bits of a counter of which all blocks are sent for one."""


@dataclass(frozen=True)
class EngineInterface(Interface):
    """What was proved: the engine in words."""

    title: str = ""

    def __str__(self) -> str:
        return f"{self.title}; keys of {', '.join(map(str, self.key_bits))} bits"


@dataclass(frozen=True)
class ClaimsDesign:
    """An engine with free cores, and what is claimed of it, as a design to elaborate."""

    engine: CtrEngine

    @property
    def name(self) -> str:
        """The engine's."""
        return self.engine.name

    @property
    def top(self) -> str:
        """The module of the claims."""
        return _TOP

    @property
    def ports(self) -> Ports:
        """The engine's."""
        return self.engine.ports

    @property
    def source_hash(self) -> str:
        """Of all sources, the claims' included."""
        return hash_of(self.sources)

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
        theirs = list(self.engine.core.sources)
        if list(self.engine.sources[: len(theirs)]) != theirs:
            raise CheckError(f"{self.name}: its core's sources are not those of {self.engine.core.name}")
        return list(self.engine.sources[len(theirs) :])

    @property
    def sources(self) -> list[SourceFile]:
        """The free core, the engine, what is claimed."""
        folder = resources.files("aesmith.assurance") / "templates"
        texts = {name: (folder / f"{name}.sv.txt").read_text(encoding="utf-8") for name in _TEMPLATES}
        claims = texts[_TOP].replace("ENGINE u_dut", f"{self.engine.top} u_dut")
        engine = self.engine
        pins = [
            f"      .{_PIN[role]}(u_dut.gen_core[core].u_core.{name}),\n" for role, name in _roles(engine.core).items()
        ]
        claims = claims.replace("      CORE_PINS\n", "".join(pins))
        values = {"KeyBits": engine.core.key_bits[0], "Cores": engine.cores, "Entries": engine.entries}
        for name, value in (values | {"CounterBits": engine.counter_bits}).items():
            claims = re.sub(rf"(parameter int unsigned {name} = )\d+", rf"\g<1>{value}", claims, count=1)
        texts[_TOP] = claims
        return [_free(engine.core), *self.own, *(SourceFile(f"{name}.sv", text) for name, text in texts.items())]


def _roles(core: CoreDesign) -> dict[str, str]:
    """The core's ports that have a part in its promises, by what they are."""
    return {port.role: port.name for port in core.ports if port.role in _PIN}


def _free(core: CoreDesign) -> SourceFile:
    """A module with a core's name and ports, whose outputs are new in each clock: x is free in a proof."""
    lines = [f"module {core.top} (", declarations(core.ports), ");"]
    for port in core.ports:
        if port.direction is PortDirection.OUTPUT:
            lines.append(f"  assign {port.name} = {{{port.width}{{rst_ni}}}} & {port.width}'bx;")
    return SourceFile(f"{core.top}.sv", "\n".join([*lines, "endmodule", ""]))


def prove_claims(
    engine: CtrEngine, folder: Path, limits: Limits, progress: Progress | None = None
) -> tuple[tuple[Part, ...], Counterexample | None]:
    """The parts of the proof of an engine around its cores, and the run that refutes it, if one does."""
    began = time.monotonic()

    def part(name: str, statement: str, how: str, verdict: Verdict, detail: str) -> Part:
        nonlocal began
        seconds, began = time.monotonic() - began, time.monotonic()
        return Part(name, statement, how, verdict, seconds, detail)

    try:
        design = ClaimsDesign(engine)
        netlist = elaborate(design, folder, limits.seconds)
    except CheckError as error:
        return (part("sources", cores.READABLE, "elaboration", Verdict.REFUSED, str(error)),), None
    induction = Induction(netlist, folder, limits.seconds)
    step = None if progress is None else (lambda done, count: progress("claims", done, count))
    open_ = induction.not_shown(step)
    claims, lemmas = (len(induction.named(*kind)) for kind in ((CLAIM, DUTY), (LEMMA,)))
    size = f"{claims} claims and {lemmas} lemmas, {len(netlist.registers)} registers"
    if open_:
        if progress is not None:
            progress("run", 0, 1)
        run = _refuting(induction, engine)
        if run is not None:
            detail = f"{run.rule} is false in clock {run.clocks - 1} of a run from reset"
            return (part("claims", CLAIMS, _HOW, Verdict.REFUTED, detail),), run
        return (part("claims", CLAIMS, _HOW, Verdict.OPEN, open_),), None
    shown = part("claims", CLAIMS, _HOW, Verdict.PROVED, f"{size}; start and step")
    reached, clocks = Verdict.PROVED, []
    for name in induction.named(REACHED):
        try:
            found = induction.run_to([name], _RUN_CLOCKS)
        except GaveUp:
            found = None
        if found is None:
            reached = Verdict.OPEN
        else:
            clocks.append(str(found.clocks))
    detail = f"runs from reset of {' and '.join(clocks)} clocks" if clocks else "no run was found"
    about = part("reached", REACHED_TEXT, "ABC bmc3", reached, detail)
    told, verdict = "their cones, through any number of clocks, have no bit of data", Verdict.PROVED
    try:
        if odd := data_in_timing(netlist):
            told, verdict = f"{odd} depends on data", Verdict.REFUTED
    except CheckError as error:
        told, verdict = str(error), Verdict.OPEN
    return (shown, about, part("timing", TIMING, "structure", verdict, told)), None


def _refuting(induction: Induction, engine: CtrEngine) -> Counterexample | None:
    """A run from reset that shows a claim to be false; behind a message of all blocks but two, if that is short."""
    beginnings: list[Beginning | None] = [None]
    if engine.counter_bits <= _DEEPEST:
        beginnings.append(_long_message(induction.netlist, engine))
    for behind in beginnings:
        try:
            run = induction.run_to(induction.named(CLAIM, DUTY), _RUN_CLOCKS, behind, _RUN_SECONDS)
        except GaveUp:
            continue
        if run is not None:
            return run
    return None


def _long_message(netlist: Netlist, engine: CtrEngine) -> Beginning:
    """A key, a command, a message's blocks up to the last but two that its counter serves; cores give 0, at once."""
    named = netlist.names
    levels = dict.fromkeys(netlist.input_bits, 0)

    def set_all(name: str, level: int = 1) -> None:
        levels.update(dict.fromkeys(netlist.inputs.get(name, ()), level))

    for name in ("key_valid_i", "m_axis_tready", "s_axis_tkeep"):
        set_all(name)
    command = netlist.inputs["s_axis_cmd_tdata"]
    levels.update({command[bit]: 1 for bit in (28, *range(192, 256))})
    levels[netlist.inputs["s_axis_tuser"][1]] = 1
    drivers = {gate.output: gate for gate in netlist.gates}

    def free(name: str) -> int:
        net = named[name][0]
        while net not in netlist.free:
            net = next(each for each in drivers[net].inputs if each > 1)
        return net

    places, roles = [f"u_dut.gen_core[{core}].u_core" for core in range(engine.cores)], _roles(engine.core)
    for place in places:
        levels[free(f"{place}.{roles['key.ready']}")] = levels[free(f"{place}.{roles['block.ready']}")] = 1
    results = [free(f"{place}.{roles['result.valid']}") for place in places]
    counts = [named[f"gen_promises[{core}].u_promises.count_q"] for core in range(engine.cores)]
    patient = {net for name in ("most_key_q", "most_block_q", "most_result_q") for net in named[name][:8]}
    state = [each.reset or int(each.q in patient) for each in netlist.registers]
    places_of = {each.q: n for n, each in enumerate(netlist.registers)}
    step, first, inputs = compile_words(netlist, 1), tuple(state), []
    for clock in range(4 + 2**engine.counter_bits - 2):
        set_all("key_valid_i", int(clock == 0))
        set_all("s_axis_cmd_tvalid", int(clock == 1))
        set_all("s_axis_tvalid", int(clock > 1))
        for result, count in zip(results, counts, strict=True):
            levels[result] = int(any(state[places_of[net]] for net in count))
        inputs.append(tuple(levels[net] for net in netlist.input_bits))
        state = step(inputs[-1], state)[1]
    return Beginning(first, tuple(inputs))


def data_in_timing(netlist: Netlist) -> str:
    """A line of control that data reaches, empty if none is; lines and data are those inside the engine.

    Raises CheckError if one of them is not found.
    """
    before = {gate.output: gate.inputs for gate in netlist.gates}
    before |= {register.q: (register.d,) for register in netlist.registers}
    data = {net for name in ("key_i", "s_axis_tdata") for net in netlist.inputs[name]}
    data |= set(netlist.inputs["s_axis_cmd_tdata"][64:192])
    results = [nets for name, nets in netlist.names.items() if re.fullmatch(_RESULT, name)]
    lines = [f"u_dut.{name}" for name in _LINES]
    if not results or (lacking := [name for name in lines if name not in netlist.names]):
        raise CheckError(f"{netlist.name}: {lacking[0] if results else 'a result'} is not found in the netlist")
    data.update(net for nets in results for net in nets)
    for name in lines:
        waiting = list(netlist.names[name])
        seen = set(waiting)
        while waiting:
            net = waiting.pop()
            if net in data:
                return name
            new = {each for each in before.get(net, ()) if each not in seen}
            seen |= new
            waiting += new
    return ""


def engine_of_ctr(engine: StreamEngine) -> CtrEngine:
    """The engine, if it is one of CTR. Raises RequestError if not."""
    if not isinstance(engine, CtrEngine):
        raise RequestError(
            f"--prove: of cores and engines of CTR only, and {engine.preset} is an engine; its core is "
            f"{engine.core.preset}, and nothing is proved of the mode {engine.mode}"
        )
    return engine


def prove_engine(
    design: StreamEngine, folder: Path, limits: Limits | None = None, progress: Progress | None = None
) -> ProofReport:
    """Prove an engine and its core, leaving every file of the proof in `folder`, which is made.

    An engine that is refused or refuted is no error: the report says so. Raises RequestError for an engine of another
    mode than CTR, ToolError if Yosys or ABC is missing or fails.
    """
    engine = engine_of_ctr(design)
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("report.json", "report.md"):
        (folder / name).unlink(missing_ok=True)
    limits = limits or Limits()
    if progress is not None:
        progress("elaboration", 0, 1)
    parts, run = prove_claims(engine, folder, limits, progress)
    if all(part.verdict is Verdict.PROVED for part in parts):
        core_began = time.monotonic()
        core = cores.prove(engine.core, folder / "core", limits, progress)
        told = "; ".join(f"{part.name}: {part.verdict}" for part in core.parts)
        parts += (
            Part("core", CORE, "the proof of cores", core.verdict, time.monotonic() - core_began, told, ("core",)),
        )
    shown = None
    if run is not None:
        waveform = folder / f"{engine.name}-counterexample.vcd"
        waveform.write_text(run.waveform())
        shown = ShownCounterexample(run.rule, run.clocks, waveform)
    report = ProofReport(
        engine.name,
        engine.source_hash,
        EngineInterface(engine.key_bits, tuple(map(str, engine.directions)), 1, (1,), engine.title),
        {source.name: hashlib.sha256(source.text.encode()).hexdigest() for source in engine.sources},
        parts,
        ASSUMPTIONS,
        shown,
        {"aesmith": metadata.version("aesmith"), "pyosys": yosys_version()},
        round(time.monotonic() - began, 3),
    )
    write_whole(folder / "report.json", json.dumps(report.as_json(), indent=2, ensure_ascii=False), "report")
    write_whole(folder / "report.md", report.as_markdown(), "report")
    return report
