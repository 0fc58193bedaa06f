"""A cell library: its cells, and those a synthesis needs, found by function and never by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path

from aesmith.errors import RequestError
from aesmith.technology.boolean import parse_function
from aesmith.technology.cell import Cell, CellKind, LatchedGate, Sense, SetAside

_NAND2 = "!(a & b)"
_SHOWN = 3


@dataclass(frozen=True)
class Corner:
    """Operating conditions: V and degrees Celsius."""

    name: str
    process: float
    voltage: float
    temperature: float


@dataclass(frozen=True)
class WireLoad:
    """Liberty's guess of wires by fan-out: length of wire at each fan-out, length more for each one beyond the last
    (`slope`), and the capacitance of a unit of length, in the library's unit."""

    name: str
    capacitance: float
    slope: float
    lengths: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class WireLoads:
    """The guesses of a library, and which of them counts: `default`, or by the area of the netlist the one of the row
    (from, to, name) of `by_area`. ABC sizes gates by it; no figure has it."""

    loads: tuple[WireLoad, ...] = ()
    default: str = ""
    by_area: tuple[tuple[float, float, str], ...] = ()


@dataclass(frozen=True)
class TiePin:
    """A cell output that is always 1 or always 0."""

    cell: Cell
    pin: str


@dataclass(frozen=True)
class ClockGate:
    """An integrated clock gate for registers of the rising edge: its cell and its pins' names.

    `ties` are the levels of its test pins at which it only gates; they are tied to them. `scan` is the one of them that
    opens it at the other level, whatever its enable; None if no single one does.
    """

    cell: Cell
    clock: str
    enable: str
    output: str
    ties: Mapping[str, int]
    scan: str | None = None


@dataclass(frozen=True, eq=False)
class Library:
    """A cell library at one corner.

    `name` is what the user calls it, `title` what the file does; `digest` is the SHA-256 of the (unpacked) text, of
    all `files` together, of which `path` is the first. Areas are in the library's own unit; divide by
    `gate_equivalent` for GE. `slew_thresholds` are the percentages between which its transition times are measured.
    `set_aside` has the cells that cannot be used, each with its reason. `load_unit` is the library's unit of
    capacitance in fF, `max_transition` its limit for all pins (ns) if it states one. `wire_defect` is why its guess of
    wires is set aside.
    """

    name: str
    title: str
    path: Path
    digest: str
    corner: Corner
    cells: Mapping[str, Cell]
    slew_thresholds: tuple[float, float]
    files: tuple[Path, ...] = ()
    set_aside: Mapping[str, SetAside] = field(default_factory=dict)
    load_unit: float = 1.0
    max_transition: float | None = None
    wire_loads: WireLoads = WireLoads()
    wire_defect: str | None = None

    def cell(self, name: str) -> Cell:
        """The cell of this name. Raises RequestError if there is none, or it is set aside."""
        if name in self.cells:
            return self.cells[name]
        aside = self.set_aside.get(name)
        if aside is not None:
            raise RequestError(f"library {self.name}: cell {name} is set aside: {aside.reason}")
        raise RequestError(f"library {self.name}: has no cell {name}")

    def check_netlist(self, text: str, where: str) -> None:
        """Raise RequestError if the Verilog of a netlist names a cell that is set aside; `where` begins the error."""
        for name, aside in self.set_aside.items():
            if re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text):
                raise RequestError(
                    f"{where}: has cell {name}, which is set aside in library {self.name}: {aside.reason}"
                )

    @cached_property
    def without_power(self) -> Mapping[str, str]:
        """The cells whose power cannot be used, each with the reason."""
        return {cell.name: cell.power_defect for cell in self.cells.values() if cell.power_defect is not None}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user is to know of what was read: a line for the cells set aside, one for those without power."""
        asides = {name: aside.reason for name, aside in self.set_aside.items()}
        lines = []
        if asides:
            every = len(self.cells) + len(asides)
            lines.append(f"library {self.name}: set aside {len(asides)} of {every} cells: {_listed(asides)}")
        if lacking := self.without_power:
            lines.append(f"library {self.name}: set aside the power of {_cells(lacking)}: {_listed(lacking)}")
        if self.wire_defect is not None:
            lines.append(f"library {self.name}: set aside its wire loads: {self.wire_defect}")
        return tuple(lines)

    def cells_computing(self, expression: str) -> tuple[Cell, ...]:
        """Usable one-output logic cells that compute this Liberty expression (input names and order do not matter),
        smallest first; of equal area the one with the least input capacitance first."""
        wanted = parse_function(expression, "function").signature
        return _by_area(
            cell
            for cell in self.cells.values()
            if cell.kind is CellKind.LOGIC
            and cell.synthesisable
            and cell.function is not None
            and len(cell.inputs) == wanted[0]
            and cell.function.signature == wanted
        )

    def smallest(self, expression: str) -> Cell | None:
        """The smallest usable cell that computes this expression, or None."""
        return next(iter(self.cells_computing(expression)), None)

    @cached_property
    def nand2(self) -> Cell:
        """The smallest two-input NAND.

        Raises RequestError if there is none, or if one that is set aside may be smaller.
        """
        found = self._required(_NAND2, "a two-input NAND: it is the gate equivalent")
        signature = parse_function(_NAND2, "function").signature
        for name, aside in self.set_aside.items():
            smaller = aside.area is None or aside.area < found.area
            if smaller and aside.function is not None and aside.function.signature == signature:
                raise RequestError(
                    f"liberty: {self.path}: cell {name}: {aside.reason}; the cell is a two-input NAND, and the "
                    "smallest of these is the gate equivalent: mend it, or take it out"
                )
        return found

    @property
    def gate_equivalent(self) -> float:
        """Area of 1 GE in the library's unit."""
        return self.nand2.area

    def area_ge(self, cell: Cell | str) -> float:
        """Area of a cell in GE."""
        return (self.cell(cell) if isinstance(cell, str) else cell).area / self.gate_equivalent

    @cached_property
    def inverters(self) -> tuple[Cell, ...]:
        """Inverters, smallest first."""
        return self.cells_computing("!a")

    @cached_property
    def buffers(self) -> tuple[Cell, ...]:
        """Buffers, smallest first; delay cells left out."""
        return self.cells_computing("a")

    @cached_property
    def flip_flops(self) -> tuple[Cell, ...]:
        """D flip-flops without scan or enable: those clocked on the rising edge first, of these those without clear
        and preset first, then the smaller first."""
        usable = [cell for cell in self.cells.values() if cell.kind is CellKind.FLIP_FLOP and cell.synthesisable]
        return tuple(sorted(usable, key=_flip_flop_order))

    @property
    def flip_flop(self) -> Cell:
        """The flip-flop of choice for a plain register: the first of `flip_flops`."""
        if not self.flip_flops:
            raise self._lacks("a D flip-flop without scan or enable")
        return self.flip_flops[0]

    @cached_property
    def tie_high(self) -> TiePin | None:
        """The smallest cell output that is always 1."""
        return self._tie(True)

    @cached_property
    def tie_low(self) -> TiePin | None:
        """The smallest cell output that is always 0."""
        return self._tie(False)

    @cached_property
    def clock_gate(self) -> ClockGate | None:
        """The smallest integrated clock gate without test pins, or, where all have some, of those with the fewest.

        Nothing but a design that asks for one ever uses it, so `dont_use`, which some libraries put on all of theirs,
        does not count."""
        return min(self._clock_gates, key=_gate_order, default=None)

    @cached_property
    def scan_clock_gate(self) -> ClockGate | None:
        """The smallest integrated clock gate that a test pin opens, of those with the fewest; as `clock_gate` if none
        has such a pin."""
        found = [gate for gate in self._clock_gates if gate.scan is not None]
        return min(found, key=_gate_order, default=self.clock_gate)

    @cached_property
    def _clock_gates(self) -> tuple[ClockGate, ...]:
        return tuple(gate for cell in self.cells.values() if (gate := _clock_gate(cell)) is not None)

    @cached_property
    def not_for_synthesis(self) -> tuple[str, ...]:
        """Names of the cells synthesis must not use (scan, latches, clock gates, tristate, delay, power, fill, ...)."""
        return tuple(cell.name for cell in self.cells.values() if not cell.synthesisable)

    def check_for_synthesis(self) -> None:
        """Raise RequestError if the library lacks a cell that synthesis cannot do without."""
        self._required("!a", "an inverter")
        self._required("a", "a buffer")
        _ = self.nand2
        if not self.cells_computing("a ^ b") and not self.cells_computing("!(a ^ b)"):
            raise self._lacks("a two-input XOR or XNOR")
        _ = self.flip_flop
        if not any(cell.register is not None and cell.register.resets for cell in self.flip_flops):
            raise self._lacks("a D flip-flop with asynchronous clear")

    def _required(self, expression: str, what: str) -> Cell:
        found = self.smallest(expression)
        if found is None:
            raise self._lacks(what)
        return found

    def _lacks(self, what: str) -> RequestError:
        asides = {name: aside.reason for name, aside in self.set_aside.items()}
        return RequestError(
            f"liberty: {', '.join(map(str, self.files))} (library {self.title}) lacks {what}; a library for synthesis "
            "must have an inverter, a buffer, a two-input NAND, a two-input XOR or XNOR, and a D flip-flop with "
            "asynchronous clear" + (f"; set aside are {_listed(asides)}" if asides else "")
        )

    def _tie(self, value: bool) -> TiePin | None:
        found = [
            TiePin(cell, pin)
            for cell in self.cells.values()
            if cell.kind is CellKind.TIE
            for pin in cell.outputs
            if (function := cell.pins[pin].function) is not None and function.constant is value
        ]
        return min(found, key=lambda tie: (tie.cell.area, tie.cell.name), default=None)


def _cells(names: Mapping[str, str]) -> str:
    return f"{len(names)} cell{'s' * (len(names) > 1)}"


def _listed(reasons: Mapping[str, str]) -> str:
    """The first of these cells with their reasons, and how many more there are."""
    shown = [f"{name} ({reason})" for name, reason in list(reasons.items())[:_SHOWN]]
    more = len(reasons) - len(shown)
    return ", ".join(shown) + (f", and {more} more (`aesmith library show` lists them)" if more else "")


def _clock_gate(cell: Cell) -> ClockGate | None:
    """The cell as a clock gate, if it is one: its output rises with the clock, the enable counts at that edge."""
    if cell.kind is not CellKind.CLOCK_GATE:
        return None
    if cell.gate is not None:
        return _with_ties(cell, cell.gate)
    if len(cell.inputs) != 2 or len(cell.outputs) != 1:
        return None
    output = cell.outputs[0]
    setups = {arc.pin: arc.related_pin for arc in cell.arcs if arc.type == "setup_rising"}
    follows = {arc.related_pin for arc in cell.arcs_to(output) if arc.sense is Sense.POSITIVE}
    for enable, clock in setups.items():
        if enable != clock and clock in follows and {enable, clock} == set(cell.inputs):
            return ClockGate(cell, clock, enable, output, {})
    return None


def _with_ties(cell: Cell, gate: LatchedGate) -> ClockGate | None:
    """The clock gate with its test pins tied so that the enable alone opens it, if that can be; to 0 where either level
    will do. Of pins that the library does not tell apart, the last one is the test pin."""
    enables = [gate.enable] if gate.enable else [pin for pin in gate.inputs if pin not in gate.test]
    for enable in enables:
        others = [pin for pin in gate.inputs if pin != enable]
        for levels in product((0, 1), repeat=len(others)):
            ties = dict(zip(others, levels, strict=True))
            closed, opened = (tuple((ties | {enable: level})[pin] for pin in gate.inputs) for level in (0, 1))
            if opened in gate.enables and closed not in gate.enables and not gate.bypasses & {closed, opened}:
                return ClockGate(cell, gate.clock, enable, gate.output, ties, _scan_pin(gate, enable, ties))
    return None


def _scan_pin(gate: LatchedGate, enable: str, ties: Mapping[str, int]) -> str | None:
    """The pin, else tied, that opens a clock gate at its other level: one marked as a test pin before others."""
    for pin in sorted(ties, key=lambda name: name not in gate.test):
        opened = {**ties, pin: 1 - ties[pin]}
        cases = [tuple((opened | {enable: level})[name] for name in gate.inputs) for level in (0, 1)]
        if all(case in gate.enables or case in gate.bypasses for case in cases):
            return pin
    return None


def _gate_order(gate: ClockGate) -> tuple[int, float, str]:
    return len(gate.ties), gate.cell.area, gate.cell.name


def _by_area(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    return tuple(
        sorted(cells, key=lambda cell: (cell.area, sum(cell.pins[p].capacitance for p in cell.inputs), cell.name))
    )


def _flip_flop_order(cell: Cell) -> tuple[bool, bool, float, str]:
    register = cell.register
    assert register is not None
    falling = register.clocked_on.sense(register.clocked_on.inputs[0]) < 0
    return falling, register.clear is not None or register.preset is not None, cell.area, cell.name
