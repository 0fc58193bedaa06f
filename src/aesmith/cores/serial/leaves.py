"""The leaf circuits that byte-serial cores share: their S-box in its stages, and their round constants.

An S-box is cut for what stands before and after it. The cuts that the presets have are stored, because the search for
gates worth computing twice takes seconds: `python -m aesmith.cores.serial.leaves` finds and writes them anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path

from aesmith.circuits.circuit import Circuit, Op
from aesmith.circuits.cost import LEVELS
from aesmith.circuits.pipeline import Arrival, Required, StagedCircuit, pipeline
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import SourceFile
from aesmith.cores.sources import leaf_source
from aesmith.fields import aes
from aesmith.sboxes import table
from aesmith.sboxes.catalogue import sbox, sbox_circuit
from aesmith.sboxes.entry import Function

STORED = "boyar2012-derived"
"""The S-box whose cuts are stored, for 2 to 5 stages."""

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

_BEFORE_SBOX = Arrival(time=7)
_AFTER_SBOX = Required(time=7)
"""The data path in the S-box's first stage (AddRoundKey, ShiftRows, selection) and in its last (MixColumns)."""


def search(circuit: Circuit, stages: int) -> StagedCircuit:
    """Cut an S-box, some gates being computed twice. Raises RequestError if it has not so many stages."""
    return pipeline(
        circuit,
        stages=stages,
        model=_DELAYS,
        arrivals={"x": _BEFORE_SBOX},
        required={"y": _AFTER_SBOX},
        duplicate=True,
    )


@cache
def staged_sbox(circuit: Circuit, stages: int) -> StagedCircuit:
    """An S-box (x, and perhaps decrypt, to y) in its stages. Raises RequestError if it has not so many."""
    entry = _stored().get(f"{_digest(circuit)} {stages}")
    if entry is None:
        return search(circuit, stages)
    gates, registers = (tuple(tuple(nodes) for nodes in entry[name]) for name in ("gates", "registers"))
    arrival = (_BEFORE_SBOX,) * circuit.input_width
    return StagedCircuit(circuit, gates, registers, arrival, (_AFTER_SBOX,) * circuit.output_width)


def _digest(circuit: Circuit) -> str:
    """What tells a circuit from another: node numbers mean nothing without it."""
    gates = [(gate.op.value, gate.args) for gate in circuit.gates]
    return hashlib.sha256(repr((circuit.input_width, gates, circuit.output_nodes)).encode()).hexdigest()


@cache
def _stored() -> dict[str, dict[str, list[list[int]]]]:
    text = (resources.files("aesmith.cores.serial") / "data" / _FILE).read_text(encoding="utf-8")
    entries: dict[str, dict[str, list[list[int]]]] = json.loads(text)
    return entries


def sbox_source(
    name: str, sbox_name: str, stages: int, function: Function = Function.FORWARD, module: str = "sbox"
) -> SourceFile:
    """The S-box as module `<name>_<module>`: clk_i, enable_i, x_i, and y_o `stages` - 1 clocks later.

    Raises RequestError if the catalogue has no such S-box or it cannot be cut into so many stages.
    """
    staged = staged_sbox(sbox_circuit(sbox_name, function), stages)
    header = f"S-box {sbox_name}: {sbox(sbox_name).publication}."
    return SourceFile(f"{name}_{module}.sv", staged_systemverilog(staged, header, f"{name}_{module}", enable=True))


def round_constants_source(name: str, rounds: Sequence[int]) -> SourceFile:
    """Module `<name>_round_constants`: round counter x (4 bits) to the constant of the key-schedule step in that round.

    `rounds[x]` is the step (1 for the first), 0 for none.
    """
    constants = [aes.round_constant(step) if step else 0 for step in rounds]
    circuit = table.lookup("round_constants", constants + [0] * (16 - len(constants)), 8)
    return leaf_source(name, "round_constants", circuit, "Round constants (FIPS-197 section 5.2) by round counter.")


def main() -> None:
    """Search, and write the file."""
    circuit = sbox(STORED).circuit(Function.FORWARD)
    found = {stages: search(circuit, stages) for stages in range(2, 6)}
    entries = {
        f"{_digest(circuit)} {stages}": {"gates": cut.gates, "registers": cut.registers}
        for stages, cut in found.items()
    }
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(entry)}" for key, entry in entries.items())
    (Path(__file__).parent / "data" / _FILE).write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
