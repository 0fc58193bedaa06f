"""Drive what reads a register from the flip-flop itself, on both of its outputs, without the buffers ABC put there.

ABC sees a register's output as an input of the logic: it knows neither how strong a flip-flop is nor that many have
the inverted output, too. So it buffers them as it does ports, and inverts them with gates. Here, in the mapped netlist,
every tree of buffers and inverters behind a flip-flop goes, if the flip-flop's outputs may drive all that reads it:
readers of the value move to the one output, readers of its inverse to the other, or, where there is no other, behind
one inverter. Sizing then decides how strong the flip-flop has to be. No function changes: each reader still sees the
same register, inverted or not as before.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from aesmith.technology.cell import Cell, CellKind, input_capacitance
from aesmith.technology.library import Library
from aesmith.timing.static import default_conditions

_Pin = tuple[str, str]
"""A cell of the netlist and one of its pins."""

_DEFAULT_LIMIT = 24
"""Inputs of NAND2 gates that an output may drive where the library states no limit: what the recipes allow."""


def without_register_buffers(text: str, top: str, library: Library) -> str | None:
    """The netlist of Yosys' JSON `text`, whose module is `top`, with its registers' readers on the flip-flops.

    None if there was nothing to change. What drives an output port keeps the port's net. Other modules, which are the
    library's cells, are left out.
    """
    module = json.loads(text)["modules"][top]
    return json.dumps({"modules": {top: module}}) if _Netlist(module, library).free_registers() else None


@dataclass
class _Tree:
    """What stands behind an output: buffers and inverters, and the pins and ports that read their output.

    `readers[True]` and `ports[True]` are those that see the output's inverse.
    """

    gates: list[str] = field(default_factory=list)
    readers: dict[bool, list[_Pin]] = field(default_factory=lambda: {False: [], True: []})
    ports: dict[bool, list[int]] = field(default_factory=lambda: {False: [], True: []})


class _Netlist:
    """A module as Yosys writes it, with the readers of each net."""

    def __init__(self, module: Any, library: Library) -> None:
        self.cells: dict[str, Any] = module["cells"]
        self.library = library
        self.port_nets = {net for port in module["ports"].values() for net in port["bits"] if not isinstance(net, str)}
        self.port_load = default_conditions(library).output_load_ff
        self.readers: dict[int, list[_Pin]] = {}
        for name, cell in self.cells.items():
            for pin, nets in cell["connections"].items():
                if pin in library.cell(cell["type"]).inputs:
                    for net in nets:
                        self.readers.setdefault(net, []).append((name, pin))
        numbers = [net for cell in self.cells.values() for nets in cell["connections"].values() for net in nets]
        self.next_net = 1 + max((net for net in numbers if not isinstance(net, str)), default=1)

    def free_registers(self) -> bool:
        """Free every register that can be; whether there was one."""
        registers = [name for name, cell in self.cells.items() if self._cell(name).kind is CellKind.FLIP_FLOP]
        freed = [self._free(name) for name in registers]
        return any(freed)

    def _cell(self, name: str) -> Cell:
        return self.library.cell(self.cells[name]["type"])

    def _read(self, net: int) -> bool:
        return net in self.port_nets or bool(self.readers.get(net))

    def _free(self, register: str) -> bool:
        cell, connections = self._cell(register), self.cells[register]["connections"]
        outputs = cell.register_outputs
        used = [pin for pin in outputs.values() if any(self._read(net) for net in connections.get(pin, ()))]
        if len(used) != 1:
            return False
        pin = used[0]
        net = connections[pin][0]
        inverted = {other: sense for sense, other in outputs.items()}[pin]
        tree = self._tree(net)
        here, there = (tree.readers[False], tree.ports[False]), (tree.readers[True], tree.ports[True])
        kept = None
        if any(there) and (not inverted) not in outputs:
            kept = next(gate for gate in tree.gates if _passes(self._cell(gate)))
            here[0].append((kept, self._cell(kept).inputs[0]))
        if not set(tree.gates) - {kept} or not self._drives(cell, pin, *here):
            return False
        other = (register, outputs.get(not inverted, "")) if kept is None else (kept, self._cell(kept).outputs[0])
        if any(there) and not self._drives(self._cell(other[0]), other[1], *there):
            return False
        for gate in tree.gates:
            if gate != kept:
                del self.cells[gate]
        for output in outputs.values():
            connections.pop(output, None)
        self._connect((register, pin), *here)
        if any(there):
            self._connect(other, *there)
        return True

    def _tree(self, net: int) -> _Tree:
        """Buffers and inverters behind a net, with what reads them."""
        tree = _Tree()
        pending = [(net, False)]
        while pending:
            here, inverse = pending.pop()
            if here in self.port_nets:
                tree.ports[inverse].append(here)
            for name, pin in self.readers.get(here, ()):
                polarity = _passes(self._cell(name))
                if polarity is None:
                    tree.readers[inverse].append((name, pin))
                else:
                    tree.gates.append(name)
                    output = self._cell(name).outputs[0]
                    pending += [(beyond, inverse ^ polarity) for beyond in self.cells[name]["connections"][output]]
        return tree

    def _drives(self, cell: Cell, output: str, readers: list[_Pin], ports: list[int]) -> bool:
        """Whether an output of a cell may drive these pins and ports; of ports only one, whose net it takes."""
        pins = [self._cell(name).pins[pin] for name, pin in readers]
        limit = cell.pins[output].max_capacitance
        if limit is None:
            limit = _DEFAULT_LIMIT * input_capacitance(self.library.nand2)
        load = len(ports) * self.port_load + sum(max(pin.rise, pin.fall) for pin in pins)
        return len(ports) <= 1 and load <= limit

    def _connect(self, driver: _Pin, readers: list[_Pin], ports: list[int]) -> None:
        """Put the readers and the port on this pin: on the port's net, or on a new one."""
        net = ports[0] if ports else self.next_net
        self.next_net += 1
        for name, pin in (driver, *readers):
            self.cells[name]["connections"][pin] = [net]
        self.cells[driver[0]]["port_directions"][driver[1]] = "output"
        self.readers[net] = list(readers)


def _passes(cell: Cell) -> bool | None:
    """Whether a gate is an inverter (True) or a buffer (False); None if it is neither."""
    if cell.kind is not CellKind.LOGIC or len(cell.inputs) != 1 or cell.function is None:
        return None
    return {0b10: False, 0b01: True}.get(cell.function.truth_table(cell.inputs))
