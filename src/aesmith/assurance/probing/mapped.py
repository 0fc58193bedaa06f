"""Whether a mapped netlist shows its probes nothing that the sources do not show.

Let each register of the netlist always hold what a register of the sources holds, or its complement, and let all that
a wire's logic reads in the netlist lie within what some wire's logic reads in the sources. Then any probes of the
netlist read no more than as many probes of the sources, in one clock and in several: what is shown of the sources holds
of the netlist.

Which registers agree is proved (`correspondence.py`). What logic reads is taken from the cells as they are wired, with
nothing simplified: the data pin of each flip-flop, the outputs, and outputs of cells that nothing reads. Pins that say
when, those of clock gates and resets, must read nothing but what is public.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from aesmith.assurance.proof.correspondence import CONSTANT, Correspondence, Unlike
from aesmith.assurance.proof.mapped import side_by_side
from aesmith.assurance.proof.netlist import FALSE, TRUE, Netlist, NetlistOp
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import PayloadKind
from aesmith.errors import CheckError
from aesmith.flow.yosys import run_script
from aesmith.technology.cell import Cell, CellKind
from aesmith.technology.library import Library
from aesmith.yosys_json import ONE, ZERO, Module, ModuleCell, read_json

NAMED = 3
"""Registers that are named where several are refused."""


@dataclass(frozen=True)
class MappedProbing:
    """What was looked at: flip-flops that agree with registers of the sources, and what wires read."""

    registers: int
    cones: int

    def __str__(self) -> str:
        return (
            f"{self.registers:,} flip-flops are registers of the sources, {self.cones:,} wires read no more than there"
        )


def check_mapped(
    design: CoreDesign, library: Library, netlist: Path, folder: Path, timeout_s: float = 1800.0
) -> MappedProbing:
    """Compare what probes of a netlist and of the sources read; files stay in `folder`, which is made.

    Raises CheckError, naming them, for registers that are none of the sources, for wires that read more than any in the
    sources, for pins that say when and depend on a share or a fresh bit, and for what `prove_mapped` refuses or does
    not show; ToolError if Yosys or ABC is missing or fails.
    """
    found = side_by_side(design, library, netlist, folder, timeout_s)
    found.propose()
    _check_registers(netlist.name, found)
    try:
        found.prove()
    except Unlike as reason:
        _check_registers(netlist.name, found)
        raise CheckError(f"{netlist.name}: is not shown to be the core: {reason}") from reason
    _check_registers(netlist.name, found)
    cells, flat = _cells(design, folder), read_json(folder / "netlist.json").module(design.top)
    secret = [load.port for load in design.ports.payloads if load.kind in (PayloadKind.SHARE, PayloadKind.RANDOM)]
    leaves = _Leaves(found, frozenset(secret), _public(secret, found.product.sources))
    return _Cells(netlist.name, cells, flat, library).compare(found, leaves)


def _check_registers(name: str, found: Correspondence) -> None:
    """Refuse registers of the netlist in whose class there is none of the sources, and no constant."""
    lost = []
    for each in found.classes:
        if not any(index == CONSTANT or found.bits[index].of_sources for index, _ in each):
            lost += [found.bits[index].name for index, _ in each]
    if lost:
        more = f" and {len(lost) - NAMED} more are" if len(lost) > NAMED else " is" if len(lost) == 1 else " are"
        raise CheckError(f"{name}: {', '.join(lost[:NAMED])}{more} no register of the sources")


def _cells(design: CoreDesign, folder: Path) -> Module:
    """The netlist's cells as they are wired, after `side_by_side` has put it into the folder."""
    commands = [
        "read_liberty -lib -ignore_miss_func library.lib",
        "read_verilog mapped.v",
        f"hierarchy -check -top {design.top}",
        "flatten",
        "write_json cells.json",
    ]
    run_script(commands, folder / "cells.log")
    return read_json(folder / "cells.json").module(design.top)


def _public(secret: Iterable[str], sources: Netlist) -> set[int]:
    """The registers of the sources, by net, that no share and no fresh bit reaches through any number of clocks."""
    readers: dict[int, list[int]] = defaultdict(list)
    for gate in sources.gates:
        for net in gate.inputs:
            readers[net].append(gate.output)
    for register in sources.registers:
        readers[register.d].append(register.q)
    waiting = [net for name in secret for net in sources.inputs.get(name, ())]
    reached = set(waiting)
    while waiting:
        new = set(readers[waiting.pop()]) - reached
        reached |= new
        waiting += new
    return {register.q for register in sources.registers} - reached


@dataclass
class _Leaves:
    """What probes read, as masks: a bit for each class of registers and each input bit that is not public."""

    found: Correspondence
    secret: frozenset[str]
    public: set[int]
    names: list[str] = field(default_factory=list)
    bits: dict[object, int] = field(default_factory=dict)
    of_class: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nets = {index: net for net, index in self.found.product.registers.items()}
        for each in self.found.classes:
            own = [index for index, _ in each if index in nets]
            open_ = any(index == CONSTANT for index, _ in each) or any(nets[index] in self.public for index in own)
            mask = 0 if open_ else self.bit(("class", each[0][0]), self.found.bits[(own or [each[0][0]])[0]].name)
            self.of_class |= {index: mask for index, _ in each if index != CONSTANT}

    def bit(self, key: object, name: str) -> int:
        """The mask of one leaf."""
        if key not in self.bits:
            self.bits[key] = 1 << len(self.names)
            self.names.append(name)
        return self.bits[key]

    def inputs(self, ports: Mapping[str, Sequence[int]]) -> dict[int, int]:
        """The masks of nets of inputs."""
        return {
            net: self.bit((name, i), f"{name}[{i}]") if name in self.secret else 0
            for name, nets in ports.items()
            for i, net in enumerate(nets)
        }

    def text(self, mask: int) -> str:
        """The names of leaves."""
        found = [name for i, name in enumerate(self.names) if mask >> i & 1]
        return ", ".join(found[:NAMED]) + (f" and {len(found) - NAMED} more" if len(found) > NAMED else "")


def _source_cones(leaves: _Leaves) -> list[int]:
    """What data pins of registers read in the sources, and outputs."""
    product = leaves.found.product
    sources = product.sources
    reads = {FALSE: 0, TRUE: 0, **dict.fromkeys(sources.free, 0), **leaves.inputs(sources.inputs)}
    reads |= {r.q: leaves.of_class.get(product.registers.get(r.q, -1), 0) for r in sources.registers}
    for gate in sources.gates:
        mask = 0
        for net in gate.inputs:
            mask |= reads[net]
        reads[gate.output] = mask
    outputs = [reads[net] for nets in sources.outputs.values() for net in nets]
    return outputs + [reads[register.pin] for register in sources.registers]


@dataclass
class _Cells:
    """The netlist's cells as they are wired, and what their outputs read. `flat` has the names of their pins."""

    name: str
    module: Module
    flat: Module
    library: Library

    def compare(self, found: Correspondence, leaves: _Leaves) -> MappedProbing:
        """Raises CheckError for the first wire that reads more than any of the sources."""
        registers = self._flip_flops(found)
        given = {port.name: port.nets for port in self.module.ports.values() if port.direction == "input"}
        reads = {ZERO: 0, ONE: 0, **leaves.inputs(given)}
        logic: dict[int, ModuleCell] = {}
        wires, when = self._outputs(), list[tuple[str, int]]()
        for cell in self.module.cells.values():
            kind = self.library.cell(cell.type)
            outputs = cell.nets("output")
            pins = [(pin, f"{pin} of {cell.name}", net) for pin in kind.inputs for net in cell.pins[pin]]
            if cell.name in registers:
                reads |= dict.fromkeys(outputs, leaves.of_class[registers[cell.name]])
                of_time = _says_when(kind)
                when += [(what, net) for pin, what, net in pins if pin in of_time]
                wires += [(what, net) for pin, what, net in pins if pin not in of_time]
            elif kind.gate is not None:
                reads |= dict.fromkeys(outputs, 0)
                when += [(what, net) for _, what, net in pins]
            else:
                logic |= dict.fromkeys(outputs, cell)
        read = {net for cell in self.module.cells.values() for net in cell.nets("input")}
        wires += [(f"{self.module.label(net)}, which nothing reads,", net) for net in logic if net not in read]
        self._propagate(logic, reads)
        for what, net in when:
            if reads[net]:
                told = f"{what} says when a register takes its value, and depends on {leaves.text(reads[net])}"
                raise CheckError(f"{self.name}: {told}")
        cones = sorted(set(_source_cones(leaves)), key=int.bit_count, reverse=True)
        for what, net in wires:
            if reads[net] and all(reads[net] & ~cone for cone in cones):
                extra = min((reads[net] & ~cone for cone in cones), key=int.bit_count)
                told = f"{what} reads more than any wire of the sources, such as {leaves.text(extra)}"
                raise CheckError(f"{self.name}: {told}")
        return MappedProbing(len(registers), len(wires))

    def _outputs(self) -> list[tuple[str, int]]:
        outputs = (port for port in self.module.ports.values() if port.direction == "output")
        return [(f"{port.name}[{i}]", net) for port in outputs for i, net in enumerate(port.nets)]

    def _flip_flops(self, found: Correspondence) -> dict[str, int]:
        """Each flip-flop with its index among the registers compared."""
        index = {bit.q: i for i, bit in enumerate(found.bits) if not bit.of_sources}
        driver = {gate.output: gate for gate in found.product.mapped.gates}
        registers = {}
        for cell in self.module.cells.values():
            kind = self.library.cell(cell.type)
            if kind.kind is CellKind.LATCH:
                raise CheckError(f"{self.name}: {cell.name} is a latch, and no clock gate of the library")
            if kind.register is None or kind.gate is not None:
                continue
            for pin in kind.register_outputs.values():
                named = self.flat.names.get(f"{cell.name}.{pin}")
                q = -1 if named is None else named.nets[0]
                while q in driver and driver[q].op is NetlistOp.NOT:
                    q = driver[q].inputs[0]
                if q in index:
                    registers[cell.name] = index[q]
            if cell.name not in registers:
                raise CheckError(f"{self.name}: flip-flop {cell.name} is none that an output depends on")
        return registers

    def _propagate(self, logic: Mapping[int, ModuleCell], reads: dict[int, int]) -> None:
        """Add what each output of a cell of logic reads: all that its inputs do."""
        try:
            before = {net: set(cell.nets("input")) & logic.keys() for net, cell in logic.items()}
            order = list(TopologicalSorter(before).static_order())
        except CycleError as error:
            raise CheckError(f"{self.name}: has a combinational loop, of which nothing is shown") from error
        for net in order:
            mask = 0
            for source in logic[net].nets("input"):
                if source not in reads:
                    raise CheckError(f"{self.name}: {logic[net].name} reads a net that nothing drives")
                mask |= reads[source]
            reads[net] = mask


def _says_when(cell: Cell) -> set[str]:
    """The pins of a flip-flop that are its clock and its reset."""
    register = cell.register
    if register is None:
        return set()
    parts = (register.clocked_on, register.clear, register.preset)
    return {pin for part in parts if part is not None for pin in part.support}
