"""From a design's sources to the netlist that is proved."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from aesmith.assurance.proof.netlist import FALSE, TRUE, UNDEFINED, Gate, Netlist, Op, Register, in_order
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError
from aesmith.flow.frontend import read_commands, write_sources
from aesmith.flow.yosys import run_script

CLOCK, RESET = "clk_i", "rst_ni"

_LOWER = (
    "proc",
    "flatten",
    "opt_expr",
    # The front end writes an asynchronous reset as a load of a constant.
    "opt_dff -nodffe -nosdff",
    "opt_clean",
    "techmap",
    "simplemap",
    "dfflegalize -cell $_DFF_P_ x -cell $_DFF_PN0_ x -cell $_DFF_PN1_ x -cell $_DLATCH_N_ x",
    "simplemap",
    "opt_expr",
    "opt_merge",
    "opt_clean",
    "write_json netlist.json",
    "write_verilog -noattr netlist.v",
)

_GATES = {
    "$_NOT_": (Op.NOT, "A"),
    "$_AND_": (Op.AND, "AB"),
    "$_OR_": (Op.OR, "AB"),
    "$_XOR_": (Op.XOR, "AB"),
    "$_MUX_": (Op.MUX, "SAB"),
}
_REGISTERS = {"$_DFF_P_": None, "$_DFF_PN0_": 0, "$_DFF_PN1_": 1}
_LATCH = "$_DLATCH_N_"
_CONSTANTS = {"0": FALSE, "1": TRUE, "x": UNDEFINED, "z": UNDEFINED}


def elaborate(design: CoreDesign, work_dir: Path, timeout_s: float = 600.0) -> Netlist:
    """The gates and registers of a design; Yosys' files stay in `work_dir`, which is made.

    Raises ToolError if Yosys fails, CheckError for what no synchronous design of one clock has.
    """
    work_dir.mkdir(parents=True, exist_ok=True)
    read = read_commands(design, write_sources(design, work_dir), keep_hierarchy=False)
    run_script([*read, *_LOWER], work_dir / "elaborate.log", timeout_s=timeout_s)
    return read_netlist(json.loads((work_dir / "netlist.json").read_text())["modules"][design.top], design.top)


def read_netlist(module: Mapping[str, Any], name: str) -> Netlist:
    """A module of Yosys' JSON, lowered to single-bit gates, as a netlist."""
    cells: list[dict[str, Any]] = list(module["cells"].values())
    ports = {
        direction: {
            port: _nets(value["bits"]) for port, value in module["ports"].items() if value["direction"] == direction
        }
        for direction in ("input", "output")
    }
    clock = ports["input"].pop(CLOCK, (UNDEFINED,))[0]
    reset = ports["input"].pop(RESET, (UNDEFINED,))[0]
    names = {
        net: _nets(value["bits"])
        for net, value in module["netnames"].items()
        if not value["hide_name"] and net not in (CLOCK, RESET)
    }
    latches = {_net(cell, "Q"): cell for cell in cells if cell["type"] == _LATCH}
    gates: list[Gate] = []
    registers: list[Register] = []
    labels = _labels(names)
    enables: dict[int, int] = {}
    for cell in cells:
        kind = cell["type"]
        if kind in _GATES:
            op, pins = _GATES[kind]
            gate = Gate(op, tuple(_net(cell, pin) for pin in pins), _net(cell, "Y"))
            held = [net for net in gate.inputs if net in latches]
            if clock in gate.inputs and op is Op.AND and held and _net(latches[held[0]], "E") == clock:
                enables[gate.output] = _net(latches[held[0]], "D")
            else:
                gates.append(gate)
        elif kind not in _REGISTERS and kind != _LATCH:
            raise CheckError(f"{name}: has a cell {kind}, which the proofs know nothing of")
    free = max(
        [
            UNDEFINED,
            *(gate.output for gate in gates),
            *labels,
            *(_net(c, "Q") for c in cells if "Q" in c["connections"]),
        ]
    )
    for cell in cells:
        if cell["type"] not in _REGISTERS:
            continue
        if "R" in cell["connections"] and _net(cell, "R") != reset:
            raise CheckError(f"{name}: a register is reset by something else than {RESET}")
        d, q, source = _net(cell, "D"), _net(cell, "Q"), _net(cell, "C")
        if source in enables:
            # A gated clock: the register keeps its value in clocks in which the gate is closed.
            free += 1
            gates.append(Gate(Op.MUX, (enables[source], q, d), free))
            d = free
        elif source != clock:
            raise CheckError(f"{name}: a register is clocked by something else than {CLOCK} or a clock gate of it")
        registers.append(Register(labels.get(q, f"register {q}"), d, q, _REGISTERS[cell["type"]]))
    registers.sort(key=lambda register: _natural(register.name))
    known = {FALSE, TRUE, UNDEFINED, *(gate.output for gate in gates), *(register.q for register in registers)}
    known.update(bit for bits in ports["input"].values() for bit in bits)
    seen = {net: bits for net, bits in names.items() if known.issuperset(bits)}
    return Netlist(name, ports["input"], ports["output"], in_order(gates, name), tuple(registers), seen)


def _nets(bits: Iterable[int | str]) -> tuple[int, ...]:
    # Yosys numbers nets from 2; its constants are texts.
    return tuple(_CONSTANTS[bit] if isinstance(bit, str) else bit + 1 for bit in bits)


def _net(cell: Mapping[str, Any], pin: str) -> int:
    return _nets(cell["connections"][pin])[0]


def _labels(names: Mapping[str, tuple[int, ...]]) -> dict[int, str]:
    """A name for each net: of the names it has, one of a register where there is one, and the shortest."""
    labels: dict[int, str] = {}
    for name, bits in sorted(names.items(), key=lambda item: (not item[0].endswith("_q"), len(item[0]), item[0])):
        for i, bit in enumerate(bits):
            labels.setdefault(bit, f"{name}[{i}]" if len(bits) > 1 else name)
    return labels


def _natural(label: str) -> tuple[str, int]:
    stem, _, index = label.rstrip("]").rpartition("[")
    return (stem, int(index)) if stem and index.isdigit() else (label, 0)
