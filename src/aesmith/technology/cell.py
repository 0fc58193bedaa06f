"""The model of a library cell: pins, functions, timing arcs, power, registers, and its typical delays.

Units everywhere: ns, fF, V, nW (leakage), fJ (internal energy of one transition); area in the library's own unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from aesmith.technology.boolean import BooleanFunction

Values = NDArray[np.float64]

ASYNCHRONOUS = ("clear", "preset")
"""Timing types of the arcs from asynchronous clear and preset to the output."""


class CellKind(StrEnum):
    """What a cell is for. Synthesis uses the first three only."""

    LOGIC = "logic"
    FLIP_FLOP = "flip-flop"
    TIE = "tie"
    LATCH = "latch"
    SCAN = "scan"
    ENABLE = "enable flip-flop"
    CLOCK_GATE = "clock gate"
    TRISTATE = "tristate"
    DELAY = "delay"
    SPECIAL = "power management"
    PHYSICAL = "physical"


class PinDirection(StrEnum):
    """Direction of a pin."""

    INPUT = "input"
    OUTPUT = "output"
    INOUT = "inout"
    INTERNAL = "internal"


class Sense(StrEnum):
    """How an arc's output edge follows its input edge."""

    POSITIVE = "positive_unate"
    NEGATIVE = "negative_unate"
    NON_UNATE = "non_unate"


@dataclass(frozen=True, eq=False)
class Pin:
    """A pin. `capacitance` is the plain figure; `rise` and `fall` what a rising or falling edge sees: the upper end of
    the library's range if it gives one, else its rise/fall figure, else the plain one (OpenSTA's choice). `nominal` has
    the rise/fall figures whether there is a range or not."""

    name: str
    direction: PinDirection
    capacitance: float
    rise: float
    fall: float
    function: BooleanFunction | None
    clock: bool
    tristate: bool
    max_capacitance: float | None
    max_transition: float | None
    nominal: tuple[float, float]


@dataclass(frozen=True, eq=False)
class CellTable:
    """A characterisation table: values[i, j] at rows[i], columns[j], linear between the points and beyond them.

    An axis of length 1 means that the value does not depend on it.

    Delay, transition and power tables: rows = input transition (ns), columns = output load (fF).
    Constraint tables: rows = transition of the related (clock) pin (ns), columns = of the constrained pin (ns).
    Values are ns, or fJ in power tables.
    """

    rows: Values
    columns: Values
    values: Values

    def at(self, row: float, column: float) -> float:
        """The value at a point, linear within the nearest cell of the table and beyond its edges."""
        i, x = _place(self.rows, row)
        j, y = _place(self.columns, column)
        near = self.values[i : i + 2, j : j + 2]
        across = near[:, 0] if near.shape[1] == 1 else near[:, 0] + (near[:, 1] - near[:, 0]) * y
        return float(across[0] if len(across) == 1 else across[0] + (across[1] - across[0]) * x)


@dataclass(frozen=True, eq=False)
class TimingArc:
    """A timing group: from `related_pin` to `pin`. `type` is Liberty's timing_type (`combinational` if absent).

    Tables that the library does not give are None. `when` is the condition under which the arc holds.
    """

    pin: str
    related_pin: str
    type: str
    sense: Sense
    when: BooleanFunction | None
    cell_rise: CellTable | None
    cell_fall: CellTable | None
    rise_transition: CellTable | None
    fall_transition: CellTable | None
    rise_constraint: CellTable | None
    fall_constraint: CellTable | None


@dataclass(frozen=True, eq=False)
class InternalPower:
    """Energy inside the cell, fJ, when `pin` rises or falls: caused by `related_pin`, or by the pin itself if None."""

    pin: str
    related_pin: str | None
    when: BooleanFunction | None
    rise: CellTable | None
    fall: CellTable | None


@dataclass(frozen=True, eq=False)
class Leakage:
    """Leakage in nW in the states where `when` holds."""

    when: BooleanFunction | None
    nanowatts: float


@dataclass(frozen=True, eq=False)
class CellRegister:
    """An ff or latch group. For a latch `clocked_on` is its enable and `next_state` its data. `both` is what the two
    states are while clear and preset are active (clear_preset_var1 and 2; empty where the library does not say)."""

    state: str
    inverse: str
    clocked_on: BooleanFunction
    next_state: BooleanFunction
    clear: BooleanFunction | None
    preset: BooleanFunction | None
    latch: bool
    both: tuple[str, ...] = ("", "")

    @property
    def resets(self) -> bool:
        """Whether a flip-flop can be made what it is with 0 at its data pin, asynchronously."""
        inverted = self.next_state.truth_table(self.next_state.support) == 0b01
        return (self.preset if inverted else self.clear) is not None


@dataclass(frozen=True)
class SetAside:
    """Why a cell of a library cannot be used, in words that name the pin and the value; and what is known of it: the
    function of its only output, and its area."""

    reason: str
    function: BooleanFunction | None
    area: float | None


@dataclass(frozen=True)
class LatchedGate:
    """What a clock gate's groups say: `output` is `clock` and a latch that is open while `clock` is 0.

    The latch then follows the other inputs: it is 1 for the levels of `enables`, in the order of `inputs`. For the
    levels of `bypasses` the output is `clock`, whatever the latch holds. `enable` and `test` are the pins that the
    library marks as the enable and as test pins.
    """

    clock: str
    output: str
    inputs: tuple[str, ...]
    enables: frozenset[tuple[int, ...]]
    bypasses: frozenset[tuple[int, ...]] = frozenset()
    enable: str | None = None
    test: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Cell:
    """A library cell. `pins` are in the library's order, power pins left out.

    `gate` is there for a clock gate whose groups and functions are those of a latch and an AND. Where `power_defect`
    says what is wrong with its power, the cell has none, and no netlist with it can be asked for power.
    """

    name: str
    area: float
    kind: CellKind
    pins: dict[str, Pin]
    arcs: tuple[TimingArc, ...]
    register: CellRegister | None
    internal_power: tuple[InternalPower, ...]
    leakage: tuple[Leakage, ...]
    cell_leakage: float | None
    dont_use: bool
    gate: LatchedGate | None = None
    power_defect: str | None = None

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names of the input pins."""
        return tuple(pin.name for pin in self.pins.values() if pin.direction is PinDirection.INPUT)

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Names of the output pins."""
        return tuple(pin.name for pin in self.pins.values() if pin.direction is PinDirection.OUTPUT)

    @property
    def function(self) -> BooleanFunction | None:
        """The function of the only output; None for cells with none or several, and where none is given."""
        return self.pins[self.outputs[0]].function if len(self.outputs) == 1 else None

    @cached_property
    def register_outputs(self) -> dict[bool, str]:
        """The outputs of a flip-flop or latch: that of its state (False) and that of its inverse (True), if there."""
        if self.register is None:
            return {}
        state, inverse = self.register.state, self.register.inverse
        found: dict[bool, str] = {}
        for name in self.outputs:
            function = self.pins[name].function
            if function is not None and function.support in ((state,), (inverse,)):
                inverted = function.truth_table(function.support) == 0b01
                found.setdefault((function.support == (inverse,)) ^ inverted, name)
        return found

    @property
    def synthesisable(self) -> bool:
        """Whether synthesis may use the cell. Tie cells always: some libraries mark them `dont_use` although nothing
        else can drive a constant."""
        return self.kind is CellKind.TIE or (not self.dont_use and self.kind in (CellKind.LOGIC, CellKind.FLIP_FLOP))

    def arcs_to(self, pin: str) -> tuple[TimingArc, ...]:
        """The timing arcs that end at this pin."""
        return tuple(arc for arc in self.arcs if arc.pin == pin)


def input_capacitance(cell: Cell) -> float:
    """Mean capacitance (fF) of the cell's input pins."""
    return sum(cell.pins[name].capacitance for name in cell.inputs) / max(len(cell.inputs), 1)


def mean_delay(cell: Cell, slew: float, load: float) -> float:
    """Mean delay (ns) over arcs and edges, asynchronous ones apart, at this input transition (ns) and load (fF)."""
    return _mean([table for arc in _synchronous(cell) for table in (arc.cell_rise, arc.cell_fall)], slew, load)


def mean_transition(cell: Cell, slew: float, load: float) -> float:
    """Mean output transition (ns) over arcs and edges at this input transition (ns) and load (fF)."""
    return _mean(
        [table for arc in _synchronous(cell) for table in (arc.rise_transition, arc.fall_transition)], slew, load
    )


def chain_transition(cell: Cell, load: float) -> float:
    """The output transition (ns) in a long chain of such cells, each with this load (fF)."""
    slew = 0.0
    for _ in range(4):
        slew = mean_transition(cell, slew, load)
    return slew


def intrinsic_delay(cell: Cell) -> float:
    """Mean delay (ns) with no input transition to speak of and four of the cell's own inputs as load."""
    return mean_delay(cell, 0.0, 4 * input_capacitance(cell))


def _synchronous(cell: Cell) -> list[TimingArc]:
    return [arc for arc in cell.arcs if arc.type not in ASYNCHRONOUS]


def _mean(tables: list[CellTable | None], slew: float, load: float) -> float:
    values = [table.at(slew, load) for table in tables if table is not None]
    return sum(values) / max(len(values), 1)


def _place(axis: Values, value: float) -> tuple[int, float]:
    """Index of the table cell a value falls in, and how far into it (0 to 1; outside beyond the edges)."""
    if len(axis) == 1:
        return 0, 0.0
    index = min(max(int(np.searchsorted(axis, value, side="right")) - 1, 0), len(axis) - 2)
    return index, float((value - axis[index]) / (axis[index + 1] - axis[index]))
