"""A library cell as the simulation sees it: truth tables over its variables, and power groups by state.

The variables of a cell are its input pins in order; a register has its state as one more, and a clock gate its latch.
Tables are integers: bit i is the value where variable k is bit k of i.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from aesmith.errors import RequestError
from aesmith.technology.boolean import BooleanFunction
from aesmith.technology.cell import Cell, CellKind, InternalPower, LatchedGate
from aesmith.timing.graph import FALL, RISE

Cube = tuple[tuple[int, bool], ...]
"""A product of literals (variable, whether inverted)."""


@dataclass(frozen=True)
class Cover:
    """A function as the OR of `cubes`, or (`parity`) as the XOR of the literals of its only cube; then inverted if
    `inverted`. No cube is the constant 0; a cube without literals is 1."""

    cubes: tuple[Cube, ...]
    parity: bool
    inverted: bool

    @property
    def literals(self) -> int:
        """Number of literals, the measure of what an evaluation costs."""
        return sum(len(cube) for cube in self.cubes)


@lru_cache(maxsize=4096)
def cover(table: int, count: int) -> Cover:
    """The cheaper of the irredundant covers of a function of `count` variables and of its complement."""
    ones = (1 << (1 << count)) - 1
    if parity := _parity(table, count, ones):
        return parity
    plain = Cover(_irredundant(table, table, count), False, False)
    inverted = Cover(_irredundant(ones ^ table, ones ^ table, count), False, True)
    return min(plain, inverted, key=lambda found: (found.literals, len(found.cubes), found.inverted))


def column(variable: int, count: int) -> int:
    """The table of one variable."""
    return sum(1 << case for case in range(1 << count) if case >> variable & 1)


def _parity(table: int, count: int, ones: int) -> Cover | None:
    """The function as a XOR, if it is one of two variables or more."""
    support = [k for k in range(count) if (table & column(k, count)) >> (1 << k) != table & ~column(k, count) & ones]
    if len(support) < 2:
        return None
    value = 0
    for k in support:
        value ^= column(k, count)
    if table not in (value, ones ^ value):
        return None
    return Cover((tuple((k, False) for k in support),), True, table != value)


def _irredundant(lower: int, upper: int, count: int) -> tuple[Cube, ...]:
    """Cubes that cover `lower` within `upper`, none of them superfluous (Minato and Morreale's recursion)."""
    return _cover_between(lower, upper, count, count)[0]


def _cover_between(lower: int, upper: int, variables: int, count: int) -> tuple[tuple[Cube, ...], int]:
    """The cubes over the first `variables` variables, and the table of what they cover."""
    ones = (1 << (1 << count)) - 1
    if lower == 0:
        return (), 0
    if upper == ones:
        return ((),), ones
    k = variables - 1
    high, step = column(k, count), 1 << k

    def at_zero(table: int) -> int:
        kept = table & ~high & ones
        return kept | kept << step

    def at_one(table: int) -> int:
        kept = table & high
        return kept | kept >> step

    low_0, low_1, up_0, up_1 = at_zero(lower), at_one(lower), at_zero(upper), at_one(upper)
    zero_cubes, zero_table = _cover_between(low_0 & ~up_1, up_0, k, count)
    one_cubes, one_table = _cover_between(low_1 & ~up_0, up_1, k, count)
    rest = low_0 & ~zero_table | low_1 & ~one_table
    both_cubes, both_table = _cover_between(rest, up_0 & up_1, k, count)
    cubes = (
        *(((k, True), *cube) for cube in zero_cubes),
        *(((k, False), *cube) for cube in one_cubes),
        *both_cubes,
    )
    return cubes, (zero_table & ~high & ones) | one_table & high | both_table


MAX_VARIABLES = 8
LATCH = "(latch)"
"""The variable of a clock gate that is no pin."""
_REGISTERS = (CellKind.FLIP_FLOP, CellKind.ENABLE, CellKind.SCAN)


@dataclass(frozen=True)
class PowerClass:
    """Transitions that take the same energy: of `pin` with the edge `edge`; for an output caused by the edge
    `cause_edge` of variable `cause`, for an input caused by itself. `group` is the library's power group for it, None
    where the library has none; it holds then no energy."""

    pin: str
    edge: int
    cause: int
    cause_edge: int
    group: InternalPower | None


@dataclass(frozen=True)
class Classes:
    """`number[k]` is the index in `classes` of transition k, -1 for one that cannot happen or takes no energy.

    Transitions of an output are (edge * variables + cause) << variables | state, of the inputs
    cause << variables | state; the state is the one after the transition, and where several changes at a time lead to
    one that `cause` alone cannot reach, a usual class of edge and cause stands for it. `by_state` tells whether the
    class depends on more than edge and cause."""

    classes: tuple[PowerClass, ...]
    number: tuple[int, ...]
    by_state: bool


class CellModel:
    """Tables of one cell. Raises RequestError for a cell with more than MAX_VARIABLES variables, and for a clock gate
    that is no latch and AND."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.sequential = cell.kind in _REGISTERS
        self.gate = _gate(cell) if cell.kind is CellKind.CLOCK_GATE else None
        register = cell.register if self.sequential else None
        held = (register.state,) if register else (LATCH,) if self.gate else ()
        self.variables: tuple[str, ...] = (*cell.inputs, *held)
        self.count = len(self.variables)
        if self.count > MAX_VARIABLES:
            raise RequestError(
                f"library: power simulation takes cells of up to {MAX_VARIABLES} inputs and states; "
                f"{cell.name} has {self.count}"
            )
        self._ones = (1 << (1 << self.count)) - 1
        self._values = {name: column(k, self.count) for k, name in enumerate(self.variables)}
        if register:
            self._values[register.inverse] = self._values[register.state] ^ self._ones
        # What shows a tester that a clock gate is open is a pin that nothing reads.
        read = (self.gate.output,) if self.gate else cell.outputs
        self.outputs = {name: self._output(name) for name in read}
        self._values |= {name: table for name, table in self.outputs.items() if name not in self._values}

    @property
    def holds(self) -> bool:
        """Whether the cell has a variable of its own, which is its last one."""
        return self.sequential or self.gate is not None

    @property
    def state(self) -> int:
        """The variable that is a register's state, or a clock gate's latch."""
        return self.count - 1

    @property
    def clock(self) -> str | None:
        """The clock pin of a register or a clock gate."""
        if self.gate is not None:
            return self.gate.clock
        register = self.cell.register if self.sequential else None
        return register.clocked_on.inputs[0] if register else None

    @cached_property
    def next_state(self) -> int:
        """Table of the state after a clock edge; clear goes before preset."""
        register = self.cell.register
        assert register is not None
        return self._forced(self.table(register.next_state))

    def loading(self, gates: int) -> int:
        """Table of the state after a clock edge behind so many clock gates: their latches are further variables, and
        where one is closed the state is held."""
        size, opened = 1 << self.count, (1 << gates) - 1
        return self.next_state << size * opened | sum(self.held_state << size * way for way in range(opened))

    @cached_property
    def held_state(self) -> int:
        """Table of the state between clock edges: what clear and preset leave of it. A clock gate's latch follows its
        enables while the clock is 0."""
        if self.gate is not None:
            clock, latch = self._values[self.gate.clock], self._values[LATCH]
            return clock & latch | ~clock & self._one_of(self.gate, self.gate.enables)
        return self._forced(self._values[self.variables[self.state]])

    @cached_property
    def asynchronous(self) -> tuple[int, ...]:
        """The variables that clear or preset depend on; all inputs of a clock gate."""
        if self.gate is not None:
            return tuple(range(len(self.cell.inputs)))
        register = self.cell.register
        functions = [register.clear, register.preset] if register else []
        return tuple(
            sorted({self.variables.index(name) for function in functions if function for name in function.inputs})
        )

    def table(self, function: BooleanFunction) -> int:
        """Table of a function of the cell's pins and states."""
        return function.evaluate(self._values, self._ones)

    def output_classes(self, pin: str) -> Classes:
        """Power classes of the transitions of an output."""
        groups = [group for group in self.cell.internal_power if group.pin == pin]
        classes: dict[PowerClass, int] = {}
        number: list[int] = []
        by_state = False
        for edge in (RISE, FALL):
            for cause in range(self.count):
                candidates = [group for group in groups if self._caused(group, cause)]
                found: dict[int, int] = {}
                for state in range(1 << self.count):
                    if self._happens(pin, edge, cause, state):
                        cause_edge = RISE if state >> cause & 1 else FALL
                        made = PowerClass(pin, edge, cause, cause_edge, self._choose(candidates, state))
                        found[state] = classes.setdefault(made, len(classes))
                by_state |= len(set(found.values())) > 1
                usual = next(iter(found.values()), -1)
                number += [found.get(state, usual) for state in range(1 << self.count)]
        return Classes(tuple(classes), tuple(number), by_state)

    def input_classes(self) -> Classes:
        """Power classes of the transitions of the inputs, those that move no output included."""
        classes: dict[PowerClass, int] = {}
        number = []
        for cause, name in enumerate(self.variables):
            groups = [group for group in self.cell.internal_power if group.pin == name and group.related_pin is None]
            for state in range(1 << self.count):
                edge = RISE if state >> cause & 1 else FALL
                group = self._choose(groups, state)
                # A gated clock moves with the clock: what is said of a clock that moves alone holds before and after.
                if self.gate is not None and group is not self._choose(groups, state ^ 1 << cause):
                    group = None
                found = PowerClass(name, edge, cause, edge, group)
                number.append(classes.setdefault(found, len(classes)) if group else -1)
        return Classes(tuple(classes), tuple(number), True)

    def leakage(self) -> tuple[float, ...]:
        """Leakage in nW in each state; the mean of the groups that hold, the cell's own figure where none does."""
        groups = [(self._ones if leak.when is None else self.table(leak.when), leak) for leak in self.cell.leakage]
        found = []
        for state in range(1 << self.count):
            holding = [leak for table, leak in groups if table >> state & 1]
            exact = [leak.nanowatts for leak in holding if leak.when is not None]
            values = exact or [leak.nanowatts for leak in holding]
            found.append(sum(values) / len(values) if values else self.cell.cell_leakage or 0.0)
        return tuple(found)

    def _one_of(self, gate: LatchedGate, cases: frozenset[tuple[int, ...]]) -> int:
        """Table of the levels of a clock gate's inputs that are one of these cases."""
        places = [self.variables.index(name) for name in gate.inputs]
        return sum(
            1 << state for state in range(1 << self.count) if tuple(state >> place & 1 for place in places) in cases
        )

    def _output(self, name: str) -> int:
        if self.gate is not None:
            opened = self._values[LATCH] | self._one_of(self.gate, self.gate.bypasses)
            return self._values[self.gate.clock] & opened
        function = self.cell.pins[name].function
        if function is None:
            raise RequestError(f"library: cell {self.cell.name} states no function for its output {name}")
        return self.table(function)

    def _forced(self, table: int) -> int:
        register = self.cell.register
        assert register is not None
        preset = self.table(register.preset) if register.preset else 0
        clear = self.table(register.clear) if register.clear else 0
        return (table | preset) & ~clear & self._ones

    def _caused(self, group: InternalPower, cause: int) -> bool:
        """Whether a group of an output is for transitions caused by this variable; a state stands for its clock."""
        if group.related_pin is None:
            return True
        register = self.cell.register
        if self.sequential and cause == self.state:
            assert register is not None
            return group.related_pin in register.clocked_on.inputs
        return group.related_pin == self.variables[cause]

    def _happens(self, pin: str, edge: int, cause: int, state: int) -> bool:
        """Whether the output makes this edge when `cause` alone changes and leads to `state`."""
        table = self.outputs[pin]
        return table >> state & 1 == (edge == RISE) and table >> (state ^ 1 << cause) & 1 == (edge == FALL)

    def _choose(self, groups: Sequence[InternalPower], state: int) -> InternalPower | None:
        """The group whose condition holds, else the one without a condition."""
        return _first(
            group for group in groups if group.when is not None and self.table(group.when) >> state & 1
        ) or _first(group for group in groups if group.when is None)


def _gate(cell: Cell) -> LatchedGate:
    if cell.gate is None:
        raise RequestError(f"library: clock gate {cell.name} must be a latch and an AND by its statetable")
    return cell.gate


def _first(groups: Iterable[InternalPower]) -> InternalPower | None:
    return next(iter(groups), None)
