"""What cores of 8, 16 and 32 bits share: leaf circuits, which are their S-box in its stages, MixColumns and round
constants; and ports where a key comes with each block, and a store of keys beside such a core.

An S-box is cut for what stands before and after it (`AroundSbox`). The cuts that the presets have are stored, because
the search for gates worth computing twice takes seconds: `python -m aesmith.cores.narrow` finds and writes them anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path

from aesmith.circuits.circuit import Circuit, Op
from aesmith.circuits.cost import LEVELS
from aesmith.circuits.linear.named import named_map
from aesmith.circuits.pipeline import Arrival, Required, StagedCircuit, pipeline
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.ports import Line, Meaning, Ports
from aesmith.cores.sources import leaf_source, packaged_sources
from aesmith.cores.wrapper import attach, declarations
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.sboxes import table
from aesmith.sboxes.catalogue import sbox, sbox_circuit
from aesmith.sboxes.entry import Function

STORED = "boyar2012-derived"
"""The S-box of most cores whose cuts are stored."""

_FILE = "cuts.json"
_DELAYS = replace(
    LEVELS,
    name="relative delays",
    delay=dict(LEVELS.delay)
    | dict.fromkeys((Op.XOR, Op.XNOR), 2.0)
    | dict.fromkeys((Op.NAND, Op.NOR), 0.7)
    | dict.fromkeys((Op.AND, Op.OR), 1.0)
    | dict.fromkeys((Op.NAND3, Op.NOR3), 0.9)
    | dict.fromkeys((Op.AND3, Op.OR3), 1.3)
    | {Op.XOR3: 4.0, Op.MUX: 2.4},
)
"""Areas in GE, delays relative to an AND gate: no library's, and near enough to those of all that were tried."""


@dataclass(frozen=True)
class AroundSbox:
    """The data path in the S-box's first stage (`before`) and in its last (`after`), in delays of an AND gate."""

    before: int
    after: int


BYTES = AroundSbox(before=7, after=7)
"""8 bits: AddRoundKey, ShiftRows and selection before it; MixColumns after it."""

PAIRS = AroundSbox(before=11, after=7)
"""16 bits: AddRoundKey and a selection that drives both S-boxes before it; ShiftRows, or SubWord's sum, after it."""

COLUMNS = AroundSbox(before=13, after=5)
"""32 bits: MixColumns, AddRoundKey and selection before it; ShiftRows and its sum in the key schedule after it."""

WORDS_BOTH_WAYS = AroundSbox(before=16, after=5)
"""32 bits in both directions: a choice of directions besides."""

PRESETS = {
    (STORED, Function.FORWARD, BYTES): range(2, 6),
    (STORED, Function.FORWARD, PAIRS): range(2, 3),
    (STORED, Function.FORWARD, COLUMNS): range(2, 5),
    ("maximov2019", Function.COMBINED, WORDS_BOTH_WAYS): range(2, 3),
}
"""S-boxes, what stands around them, and the numbers of stages whose cuts are stored."""


def with_block(ports: Ports, width: int) -> Ports:
    """The ports with the key in the channel of the block: so many bits of it with each beat."""
    key, block, result = (ports.channel(name) for name in ("key", "block", "result"))
    payloads = tuple(replace(payload, width=width) for payload in key.payloads)
    return replace(ports, channels=(replace(block, payloads=block.payloads + payloads), result))


def search(circuit: Circuit, stages: int, surroundings: AroundSbox = BYTES) -> StagedCircuit:
    """Cut an S-box, some gates being computed twice. Raises RequestError if it has not so many stages."""
    return pipeline(
        circuit,
        stages=stages,
        model=_DELAYS,
        arrivals={"x": Arrival(time=surroundings.before)},
        required={"y": Required(time=surroundings.after)},
        duplicate=True,
    )


@cache
def staged_sbox(circuit: Circuit, stages: int, surroundings: AroundSbox = BYTES) -> StagedCircuit:
    """An S-box (x, and perhaps decrypt, to y) in its stages. Raises RequestError if it has not so many."""
    entry = _stored().get(_entry(circuit, stages, surroundings))
    if entry is None:
        return search(circuit, stages, surroundings)
    gates, registers = (tuple(tuple(nodes) for nodes in entry[name]) for name in ("gates", "registers"))
    # The direction input is valid from the start.
    when = {"x": Arrival(time=surroundings.before)}
    arrival = tuple(when.get(port.name, Arrival()) for port in circuit.inputs for _ in range(port.width))
    required = (Required(time=surroundings.after),) * circuit.output_width
    return StagedCircuit(circuit, gates, registers, arrival, required)


def _entry(circuit: Circuit, stages: int, surroundings: AroundSbox) -> str:
    return f"{_digest(circuit)} {stages} {surroundings.before} {surroundings.after}"


def _digest(circuit: Circuit) -> str:
    """What tells a circuit from another: node numbers mean nothing without it."""
    gates = [(gate.op.value, gate.args) for gate in circuit.gates]
    return hashlib.sha256(repr((circuit.input_width, gates, circuit.output_nodes)).encode()).hexdigest()


@cache
def _stored() -> dict[str, dict[str, list[list[int]]]]:
    text = (resources.files("aesmith.cores") / "data" / _FILE).read_text(encoding="utf-8")
    entries: dict[str, dict[str, list[list[int]]]] = json.loads(text)
    return entries


def sbox_source(
    name: str,
    sbox_name: str,
    stages: int,
    function: Function = Function.FORWARD,
    module: str = "sbox",
    *,
    surroundings: AroundSbox = BYTES,
) -> SourceFile:
    """The S-box as module `<name>_<module>`: clk_i, enable_i, x_i, and y_o `stages` - 1 clocks later.

    Raises RequestError if the catalogue has no such S-box or it cannot be cut into so many stages.
    """
    staged = staged_sbox(sbox_circuit(sbox_name, function), stages, surroundings)
    header = f"S-box {sbox_name}: {sbox(sbox_name).publication}."
    return SourceFile(f"{name}_{module}.sv", staged_systemverilog(staged, header, f"{name}_{module}", enable=True))


def mix_columns_source(name: str, levels: int | None = None) -> SourceFile:
    """Module `<name>_mix_columns`: a column x_i (32 bits, byte 0 is row 0) to MixColumns of it, y_o.

    It has the fewest known gates, of circuits of at most so many `levels` if they are given.
    """
    program = named_map("mixcolumns").program(levels)
    header = f"MixColumns of one column (FIPS-197 section 5.1.3) in {program.xors} XOR gates; byte 0 is row 0."
    return leaf_source(name, "mix_columns", program.circuit("mix_columns"), header)


def round_constants_source(name: str, rounds: Sequence[int]) -> SourceFile:
    """Module `<name>_round_constants`: round counter x (4 bits) to the constant of the key-schedule step in that round.

    `rounds[x]` is the step (1 for the first), 0 for none.
    """
    constants = [aes.round_constant(step) if step else 0 for step in rounds]
    circuit = table.lookup("round_constants", constants + [0] * (16 - len(constants)), 8)
    return leaf_source(name, "round_constants", circuit, "Round constants (FIPS-197 section 5.2) by round counter.")


_KEY_KEEPERS = {8: "serial_key_keeper", 16: "serial_pair_key_keeper"}
"""The store of keys beside a core to which a key comes with each block, by the width of its beats."""


def with_key_kept(design: CoreDesign) -> CoreDesign:
    """The design behind the block interface: one to which a key comes with each block, with a store of keys beside it.

    This is what of such a core is simulated and proved; any other design is returned as it is. Its files come after
    the design's own. Raises RequestError for widths other than 8 and 16, and for a core that can be cleared: the store
    can not.
    """
    if not design.ports.key_with_block:
        return design
    keeper = _KEY_KEEPERS.get(design.block_width)
    if keeper is None or design.ports.clearable:
        what = "clear" if design.ports.clearable else "block_width"
        beats = " or ".join(map(str, _KEY_KEEPERS))
        raise RequestError(
            f"{what}: a core to which a key comes with each block is verified with {beats}-bit beats, and not cleared"
        )
    key = design.ports.payload(Meaning.KEY)
    if key.shares > 1 and (design.block_width, design.key_bits) != (8, (128,)):
        raise RequestError("block_width: must be 8 for a masked core whose key of 128 bits comes with each block")
    shares = f",\n    .Shares  ({key.shares})" if key.shares > 1 else ""
    parameters = f"#(\n    .KeyBytes({max(design.key_bits) // 8}){shares}\n  ) " if design.block_width == 8 else ""
    name, ports = f"{design.name}_with_key_kept", design.ports_with_key_kept
    signals = {port.role: Line(port.name, port.active) for port in ports if not port.role.startswith("key.")}
    sent = {"block.valid": "sent_valid", "block.ready": "sent_ready", "block.key": "sent_key"}
    lines = [
        f"// {design.name} behind the block interface: the last key that was sent goes with each block.",
        f"module {name} (",
        declarations(ports),
        ");",
        "  logic sent_valid, sent_ready;",
        f"  logic [{key.bits - 1}:0] sent_key;",
        "",
        f"  {name}_{keeper} {parameters}u_key_keeper (",
        *(f"    .{pin}," for pin in ("clk_i", "rst_ni", "key_valid_i", "key_ready_o", "key_i")),
        *(f"    .{pin}," for pin in ("block_valid_i", "block_ready_o")),
        "    .sent_valid_o(sent_valid),",
        "    .sent_ready_i(sent_ready),",
        "    .sent_key_o  (sent_key)",
        "  );",
        attach(design.top, design.ports, {**signals, **sent}),
        "endmodule",
    ]
    store = packaged_sources(name, (keeper,))
    top = SourceFile(f"{name}.sv", "\n".join(lines) + "\n")
    return replace(design, name=name, ports=ports, sources=(*design.sources, *store, top))


def main() -> None:
    """Search, and write the file."""
    entries = {}
    for (name, function, surroundings), numbers in PRESETS.items():
        circuit = sbox_circuit(name, function)
        for stages in numbers:
            cut = search(circuit, stages, surroundings)
            entries[_entry(circuit, stages, surroundings)] = {"gates": cut.gates, "registers": cut.registers}
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(entry)}" for key, entry in entries.items())
    (Path(__file__).parent / "data" / _FILE).write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
