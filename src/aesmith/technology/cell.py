"""The model of a library cell: pins, functions, timing arcs, power, registers.

Units everywhere: ns, fF, V, nW (leakage), fJ (internal energy of one transition); area in the library's own unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from aesmith.technology.boolean import Function
from aesmith.technology.tables import Table


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


class Direction(StrEnum):
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
    the library's range if it gives one, else its rise/fall figure, else the plain one (OpenSTA's choice)."""

    name: str
    direction: Direction
    capacitance: float
    rise: float
    fall: float
    function: Function | None
    clock: bool
    tristate: bool
    max_capacitance: float | None
    max_transition: float | None


@dataclass(frozen=True, eq=False)
class TimingArc:
    """A timing group: from `related_pin` to `pin`. `type` is Liberty's timing_type (`combinational` if absent).

    Tables that the library does not give are None. `when` is the condition under which the arc holds.
    """

    pin: str
    related_pin: str
    type: str
    sense: Sense
    when: Function | None
    cell_rise: Table | None
    cell_fall: Table | None
    rise_transition: Table | None
    fall_transition: Table | None
    rise_constraint: Table | None
    fall_constraint: Table | None


@dataclass(frozen=True, eq=False)
class InternalPower:
    """Energy inside the cell, fJ, when `pin` rises or falls: caused by `related_pin`, or by the pin itself if None."""

    pin: str
    related_pin: str | None
    when: Function | None
    rise: Table | None
    fall: Table | None


@dataclass(frozen=True, eq=False)
class Leakage:
    """Leakage in nW in the states where `when` holds."""

    when: Function | None
    nanowatts: float


@dataclass(frozen=True, eq=False)
class Register:
    """An ff or latch group. For a latch `clocked_on` is its enable and `next_state` its data."""

    state: str
    inverse: str
    clocked_on: Function
    next_state: Function
    clear: Function | None
    preset: Function | None
    latch: bool


@dataclass(frozen=True, eq=False)
class Cell:
    """A library cell. `pins` are in the library's order, power pins left out."""

    name: str
    area: float
    kind: CellKind
    pins: dict[str, Pin]
    arcs: tuple[TimingArc, ...]
    register: Register | None
    internal_power: tuple[InternalPower, ...]
    leakage: tuple[Leakage, ...]
    cell_leakage: float | None
    dont_use: bool

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names of the input pins."""
        return tuple(pin.name for pin in self.pins.values() if pin.direction is Direction.INPUT)

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Names of the output pins."""
        return tuple(pin.name for pin in self.pins.values() if pin.direction is Direction.OUTPUT)

    @property
    def function(self) -> Function | None:
        """The function of the only output; None for cells with none or several, and where none is given."""
        return self.pins[self.outputs[0]].function if len(self.outputs) == 1 else None

    @property
    def synthesisable(self) -> bool:
        """Whether synthesis may use the cell. Tie cells always: some libraries mark them `dont_use` although nothing
        else can drive a constant."""
        return self.kind is CellKind.TIE or (not self.dont_use and self.kind in (CellKind.LOGIC, CellKind.FLIP_FLOP))

    def arcs_to(self, pin: str) -> tuple[TimingArc, ...]:
        """The timing arcs that end at this pin."""
        return tuple(arc for arc in self.arcs if arc.pin == pin)
