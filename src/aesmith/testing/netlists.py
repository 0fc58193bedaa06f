"""Verilog read by Yosys, for tests: a core's sources as generic gates, or a netlist of library cells as it was written.

Of a core, Yosys elaborates and flattens the sources and changes nothing else; numpy evaluates gates and flip-flops, one
bit of a word a stimulus. That starts in seconds, where Verilator compiles for half a minute. Only what Verilator finds
out about SystemVerilog itself is left to `aesmith verify`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Op, Wire
from aesmith.circuits.cost import LogicDepth, longest_path
from aesmith.cores.design import CoreDesign
from aesmith.flow.yosys import read_commands, run_script, write_sources
from aesmith.scratch import work_folder
from aesmith.technology.liberty import read_text
from aesmith.technology.library import Library
from aesmith.timing.netlist import CellNetlist, read_netlist
from aesmith.yosys_json import ONE, UNDEFINED, ZERO, ModuleCell, read_json

Words = NDArray[np.uint64]

_GATES = {
    "$_AND_": (Op.AND, "AB"),
    "$_OR_": (Op.OR, "AB"),
    "$_XOR_": (Op.XOR, "AB"),
    "$_XNOR_": (Op.XNOR, "AB"),
    "$_NAND_": (Op.NAND, "AB"),
    "$_NOR_": (Op.NOR, "AB"),
    "$_NOT_": (Op.NOT, "A"),
    "$_MUX_": (Op.MUX, "SAB"),
}

_GATE_MODEL = "_clock_gate.sv"


@dataclass(frozen=True)
class GateCircuit:
    """The gates as a circuit: inputs are the ports, then the flip-flops; outputs the ports, then the flip-flops, then
    the enables of gated clocks. `gates` are, of each flip-flop, the number of its enable, or -1."""

    circuit: Circuit
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]
    flip_flops: int
    gates: tuple[int, ...]

    def step(self, state: Words, ports: Mapping[str, Words]) -> tuple[Words, dict[str, Words]]:
        """One clock: the next state and the values of the output ports (rows are bits, least significant first)."""
        rows = [ports.get(name, np.zeros((width, state.shape[1]), np.uint64)) for name, width in self.inputs.items()]
        values = self.circuit.evaluate(np.concatenate([*rows, state]))
        found, at = {}, 0
        for name, width in self.outputs.items():
            found[name] = values[at : at + width]
            at += width
        taken, enables = values[at : at + self.flip_flops], values[at + self.flip_flops :]
        gated = np.array([gate >= 0 for gate in self.gates])
        loads = enables[[gate for gate in self.gates if gate >= 0]]
        taken[gated] = (loads & taken[gated]) | (~loads & state[gated])
        return taken, found

    def longest_path(self) -> LogicDepth:
        """The longest path from a flip-flop to a flip-flop or a clock gate."""
        ports, state = sum(self.outputs.values()), self.circuit.input_width - self.flip_flops
        return longest_path(self.circuit, range(state, self.circuit.input_width), self.circuit.output_nodes[ports:])


def gate_circuit(design: CoreDesign, work_dir: Path) -> GateCircuit:
    """The netlist of a design's sources. Raises ToolError if Yosys does not accept them."""
    work_dir.mkdir(parents=True, exist_ok=True)
    # With its enable in the place of the clock that it opens, a flip-flop's clock says when it loads.
    opened = re.compile(r"  logic enable_q;.*?assign clk_o = [^;]*;", re.DOTALL)
    sources = tuple(
        replace(source, text=opened.sub("  assign clk_o = enable_i;", source.text))
        if source.name.endswith(_GATE_MODEL)
        else source
        for source in design.sources
    )
    design = replace(design, sources=sources)
    script = [
        *read_commands(design, write_sources(design, work_dir), keep_hierarchy=False),
        "proc",
        "flatten",
        "async2sync",
        "opt_expr",
        "opt_muxtree",
        "opt_clean",
        "techmap",
        "dffunmap",
        "simplemap",
        "opt_expr",
        "clean",
        "write_json netlist.json",
    ]
    run_script(script, work_dir / "elaborate.log")
    module = read_json(work_dir / "netlist.json").module(design.top)
    module.drivers()
    cells = [cell for cell in module.cells.values() if cell.type != "$scopeinfo"]
    registers = [cell for cell in cells if cell.type == "$_DFF_P_"]
    ports = {
        direction: {port.name: port.nets for port in module.ports.values() if port.direction == direction}
        for direction in ("input", "output")
    }
    builder = CircuitBuilder(design.top)
    wires: dict[int, Wire] = {}
    for name, nets in ports["input"].items():
        wires.update(zip(nets, builder.input(name, len(nets)), strict=True))
    wires.update(zip((cell.pins["Q"][0] for cell in registers), builder.input("state", len(registers)), strict=True))
    wires |= {ZERO: builder.zero(), ONE: builder.one(), UNDEFINED: builder.zero()}
    _place(builder, wires, [cell for cell in cells if cell.type != "$_DFF_P_"])
    for name, nets in ports["output"].items():
        builder.output(name, [wires[net] for net in nets])
    builder.output("next", [wires[cell.pins["D"][0]] for cell in registers])
    (clock,) = module.ports["clk_i"].nets
    clocks = [cell.pins["C"][0] for cell in registers]
    enables = [net for net in dict.fromkeys(clocks) if net != clock]
    if enables:
        builder.output("enables", [wires[net] for net in enables])
    return GateCircuit(
        builder.build(),
        {name: len(bits) for name, bits in ports["input"].items()},
        {name: len(bits) for name, bits in ports["output"].items()},
        len(registers),
        tuple(-1 if net == clock else enables.index(net) for net in clocks),
    )


def _place(builder: CircuitBuilder, wires: dict[int, Wire], cells: list[ModuleCell]) -> None:
    drivers = {cell.pins["Y"][0]: cell for cell in cells}
    for root in drivers:
        pending = [root]
        while pending:
            net = pending[-1]
            if net in wires:
                pending.pop()
                continue
            op, names = _GATES[drivers[net].type]
            sources = [drivers[net].pins[name][0] for name in names]
            if missing := [source for source in sources if source not in wires]:
                pending.extend(missing)
            else:
                wires[net] = builder.gate(op, *(wires[source] for source in sources))


def parse_netlist(text: str, library: Library, top: str | None = None) -> CellNetlist:
    """The module of `text`, or `top` of several. Raises ToolError if Yosys does not read it, and what `read_netlist`
    raises."""
    return _parse(text, library.path, top)


@cache
def _parse(text: str, library: Path, top: str | None) -> CellNetlist:
    with work_folder("netlist") as folder:
        (folder / "library.lib").write_text(read_text(library))
        (folder / "netlist.v").write_text(text)
        cells = "read_liberty -overwrite -lib -ignore_miss_func library.lib"
        run_script([cells, "read_verilog netlist.v", "write_json netlist.json"], folder / "yosys.log")
        return read_netlist(folder / "netlist.json", top)
