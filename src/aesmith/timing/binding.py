"""A netlist bound to its library: every instance to its cell, every net to its driver, in an order of evaluation.

This is where a netlist that cannot be timed is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from aesmith.cores.ports import SCAN_ENABLE_PORT
from aesmith.errors import CheckError, RequestError
from aesmith.technology.cell import Cell, CellKind, LatchedGate
from aesmith.technology.library import Library
from aesmith.timing.netlist import CONSTANT_0, CONSTANT_1, CellNetlist

_REGISTERS = (CellKind.FLIP_FLOP, CellKind.ENABLE, CellKind.SCAN)
_HANDLED = (CellKind.LOGIC, CellKind.DELAY, CellKind.TIE, CellKind.CLOCK_GATE, *_REGISTERS)
_LAUNCHES = {"rising_edge": True, "falling_edge": False}


@dataclass(frozen=True, eq=False)
class BoundNetlist:
    """`cells[i]` is the cell of instance i. `order` has the instances so that every driver of a combinational one comes
    before it (registers first). `constants` maps nets that never change to their value. `clock` is the clock's net,
    or None where nothing is clocked; `rising` tells the edge.

    The clock is ideal, behind clock gates too: in `netlist`, what a gate drives is on the clock's net itself, and the
    gate's output on none. What is left of a gate is the check of its enable. `given` is the netlist as it came, with
    what gates drive on nets of their own.
    """

    netlist: CellNetlist
    given: CellNetlist
    library: Library
    cells: tuple[Cell, ...]
    order: tuple[int, ...]
    constants: dict[int, bool]
    clock: int | None
    rising: bool

    def is_register(self, instance: int) -> bool:
        """Whether an instance is a flip-flop."""
        return self.cells[instance].kind in _REGISTERS

    @cached_property
    def clock_gates(self) -> tuple[int, ...]:
        """The instances that are clock gates."""
        return tuple(index for index, cell in enumerate(self.cells) if cell.kind is CellKind.CLOCK_GATE)

    def gates_before(self, register: int) -> Iterator[int]:
        """The clock gates between the clock and a flip-flop; it loads where all of them are open."""
        if not self.clock_gates:
            return
        instances, cells = self.given.instances, self.cells
        driver = {instances[gate].pins.get(pin): gate for gate in self.clock_gates for pin in cells[gate].outputs}
        [clock] = {arc.related_pin for arc in cells[register].arcs if arc.type in _LAUNCHES}
        net: int | None = instances[register].pins[clock]
        while (gate := driver.get(net)) is not None:
            yield gate
            latched = cells[gate].gate
            if latched and latched.bypasses and not self._only_gates(gate, latched):
                raise RequestError(
                    f"netlist {self.netlist.name}: clock gate {instances[gate].name} can be bypassed: its test pins "
                    f"must be tied; they are among {', '.join(latched.inputs)}"
                )
            net = instances[gate].pins[latched.clock] if latched else None

    def _only_gates(self, instance: int, gate: LatchedGate) -> bool:
        """Whether what is constant keeps the latch of a clock gate from being bypassed."""
        pins = self.given.instances[instance].pins
        scan = self.given.ports.get(SCAN_ENABLE_PORT)
        still = self.constants | dict.fromkeys(() if scan is None else scan.nets, False)
        known = [still.get(pins[pin]) for pin in gate.inputs]
        return not any(
            all(value is None or value == level for value, level in zip(known, levels, strict=True))
            for levels in gate.bypasses
        )


def bind(netlist: CellNetlist, library: Library) -> BoundNetlist:
    """Bind a netlist to its library.

    Raises RequestError for a cell the library lacks, a pin the cell lacks, a latch or tristate cell, and
    for clocks that are not one edge of one input port; CheckError for an undriven input, a net with two drivers, and a
    combinational loop. Each names the culprit.
    """
    cells = tuple(_cell(netlist, library, index) for index in range(len(netlist.instances)))
    given, netlist = netlist, _without_gates(netlist, cells)
    drivers = _drivers(netlist, cells)
    _check_driven(netlist, cells, drivers)
    order = _order(netlist, cells, drivers)
    clock, rising = _clock(netlist, cells)
    return BoundNetlist(netlist, given, library, cells, order, _constants(netlist, cells, order), clock, rising)


def _cell(netlist: CellNetlist, library: Library, index: int) -> Cell:
    instance = netlist.instances[index]
    cell = library.cells.get(instance.cell)
    if (aside := library.set_aside.get(instance.cell)) is not None:
        raise RequestError(
            f"netlist {netlist.name}: instance {instance.name} is of cell {instance.cell}, which is set aside in "
            f"library {library.name}: {aside.reason}"
        )
    if cell is None:
        raise RequestError(
            f"netlist {netlist.name}: instance {instance.name} is of cell {instance.cell}, "
            f"which library {library.name} does not have; map it to this library, or name the one it was mapped to"
        )
    if cell.kind not in _HANDLED:
        raise RequestError(
            f"netlist {netlist.name}: instance {instance.name} is a {cell.kind} cell ({cell.name}); "
            "timing takes logic, tie cells, flip-flops and clock gates"
        )
    if unknown := [pin for pin in instance.pins if pin not in cell.pins]:
        raise RequestError(
            f"netlist {netlist.name}: instance {instance.name}: cell {cell.name} has no pin {unknown[0]}; "
            f"its pins are {', '.join(cell.pins)}"
        )
    return cell


def _without_gates(netlist: CellNetlist, cells: tuple[Cell, ...]) -> CellNetlist:
    """The netlist with the nets that clock gates drive joined to the nets that drive the gates."""
    before: dict[int, int] = {}
    for instance, cell in zip(netlist.instances, cells, strict=True):
        if cell.kind is CellKind.CLOCK_GATE:
            clocks = {arc.related_pin for pin in cell.outputs for arc in cell.arcs_to(pin)}
            gated = [(cell.gate.output, cell.gate.clock)] if cell.gate else product(cell.outputs, clocks)
            before |= {
                instance.pins[pin]: instance.pins[clock]
                for pin, clock in gated
                if pin in instance.pins and clock in instance.pins
            }
    if not before:
        return netlist

    def root(net: int) -> int:
        # Bounded, since gates in a ring have no root.
        for _ in before:
            net = before.get(net, net)
        return net

    instances = tuple(
        replace(
            instance,
            pins={
                pin: root(net)
                for pin, net in instance.pins.items()
                if cell.kind is not CellKind.CLOCK_GATE or pin not in cell.outputs
            },
        )
        for instance, cell in zip(netlist.instances, cells, strict=True)
    )
    return replace(netlist, instances=instances)


def _drivers(netlist: CellNetlist, cells: tuple[Cell, ...]) -> dict[int, int]:
    """Which instance drives each net; -1 for input ports and constants."""
    drivers = {CONSTANT_0: -1, CONSTANT_1: -1}
    for port in netlist.inputs:
        for net in port.nets:
            if net in drivers:
                raise CheckError(
                    f"netlist {netlist.name}: {netlist.nets[net]} has two drivers, one is port {port.name}"
                )
            drivers[net] = -1
    for index, (instance, cell) in enumerate(zip(netlist.instances, cells, strict=True)):
        for pin in cell.outputs:
            if pin not in instance.pins:
                continue
            net = instance.pins[pin]
            if net in drivers:
                raise CheckError(
                    f"netlist {netlist.name}: {netlist.nets[net]} has two drivers, one is {instance.name}/{pin}"
                )
            drivers[net] = index
    return drivers


def _check_driven(netlist: CellNetlist, cells: tuple[Cell, ...], drivers: dict[int, int]) -> None:
    for instance, cell in zip(netlist.instances, cells, strict=True):
        for pin in cell.inputs:
            driven = instance.pins.get(pin)
            if driven is None or driven not in drivers:
                where = (
                    "is not connected" if driven is None else f"is on net {netlist.nets[driven]}, which nothing drives"
                )
                raise CheckError(f"netlist {netlist.name}: input {pin} of {instance.name} ({cell.name}) {where}")
    for port in netlist.outputs:
        for bit, net in enumerate(port.nets):
            if net not in drivers:
                raise CheckError(f"netlist {netlist.name}: nothing drives the output {port.bits[bit]}")


def _order(netlist: CellNetlist, cells: tuple[Cell, ...], drivers: dict[int, int]) -> tuple[int, ...]:
    """Instances in order of evaluation (Kahn's algorithm)."""
    waiting = [0] * len(cells)
    followers: list[list[int]] = [[] for _ in cells]
    for index, (instance, cell) in enumerate(zip(netlist.instances, cells, strict=True)):
        if cell.kind in _REGISTERS:
            continue
        for pin in cell.inputs:
            driver = drivers[instance.pins[pin]]
            if driver >= 0:
                waiting[index] += 1
                followers[driver].append(index)
    order = [index for index, count in enumerate(waiting) if count == 0]
    for index in order:
        for follower in followers[index]:
            waiting[follower] -= 1
            if waiting[follower] == 0:
                order.append(follower)
    if len(order) < len(cells):
        loop = _loop(netlist, cells, drivers, waiting)
        raise CheckError(f"netlist {netlist.name} has a combinational loop: {' -> '.join(loop)}")
    return tuple(order)


def _loop(netlist: CellNetlist, cells: tuple[Cell, ...], drivers: dict[int, int], waiting: list[int]) -> list[str]:
    """Names of the instances of one loop, found by walking from driver to driver among those never evaluated."""
    here = next(index for index, count in enumerate(waiting) if count > 0)
    seen: list[int] = []
    while here not in seen:
        seen.append(here)
        pins = netlist.instances[here].pins
        sources = [drivers[pins[pin]] for pin in cells[here].inputs]
        here = next(source for source in sources if source >= 0 and waiting[source] > 0)
    cycle = [*seen[seen.index(here) :], here]
    return [netlist.instances[index].name for index in reversed(cycle)]


def _clock(netlist: CellNetlist, cells: tuple[Cell, ...]) -> tuple[int | None, bool]:
    """The one clock net and its edge."""
    inputs = {net for port in netlist.inputs for net in port.nets}
    found: dict[tuple[int, bool], str] = {}
    for instance, cell in zip(netlist.instances, cells, strict=True):
        for arc in cell.arcs:
            if arc.type not in _LAUNCHES:
                continue
            net = instance.pins[arc.related_pin]
            if net not in inputs:
                raise RequestError(
                    f"netlist {netlist.name}: the clock of {instance.name} is {netlist.nets[net]}; "
                    "it must be an input port itself, without gates on the way"
                )
            found.setdefault((net, _LAUNCHES[arc.type]), instance.name)
    if len(found) > 1:
        listed = ", ".join(
            f"{netlist.nets[net]} {'rising' if rising else 'falling'} ({name})" for (net, rising), name in found.items()
        )
        raise RequestError(f"netlist {netlist.name}: must have one clock edge, not several: {listed}")
    return next(iter(found), (None, True))


def _constants(netlist: CellNetlist, cells: tuple[Cell, ...], order: tuple[int, ...]) -> dict[int, bool]:
    """Nets that never change: the constants themselves, tie cells, and what follows from them."""
    constants = {CONSTANT_0: False, CONSTANT_1: True}
    for index in order:
        cell, pins = cells[index], netlist.instances[index].pins
        if cell.kind in _REGISTERS:
            continue
        known = {pin: constants[pins[pin]] for pin in cell.inputs if pins[pin] in constants}
        if cell.inputs and not known:
            continue
        for pin in cell.outputs:
            function = cell.pins[pin].function
            if pin in pins and function is not None and (value := function.given(known).constant) is not None:
                constants[pins[pin]] = value
    return constants
