"""The check of a certificate of a walk: that its states are an inductive invariant in which no rule is broken.

From each listed state, under all inputs that senders may give, the circuit runs for one clock and the block interface
beside it. No rule may be broken, and what follows must be a listed state. So every run after reset stays in listed
states, and keeps every rule in every clock. A rank, what a promise may still count from a state, falls with each clock
that counts: so no more clocks count than the highest.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, TypeVar

from aesmith.check_proof.circuit import CheckedCircuit
from aesmith.check_proof.clock import CircuitClock, Levels, Payloads, as_index, at_place, few, one_beat
from aesmith.check_proof.forms import Ages, Form
from aesmith.check_proof.interface import PROMISES, SHOWN, CoreClaim, Given, InterfaceClock, InterfaceState, clock_of
from aesmith.errors import CheckError

T = TypeVar("T", bound=Hashable)


class WalkCheck:
    """A circuit, what it is said to be, and the certificate of a walk over its states."""

    def __init__(self, circuit: CheckedCircuit, claim: CoreClaim, certificate: Mapping[str, Any]) -> None:
        self._claim, self._certificate = claim, certificate
        self._clock = CircuitClock(circuit, claim, certificate)
        self._forms = self._clock.forms
        self._images: dict[tuple[Ages, Ages], dict[int, Form]] = {}
        self._read_certificate()
        self._control_clock, self._interface_clock = cache(self._clock.run_control), cache(self._run_interface)
        self._data_clock, self._aged_row = cache(self._run_data), cache(self._number_after)

    def _read_certificate(self) -> None:
        """Rows of forms, interface states, states and ranks as lists, and the numbers of all but ranks by value."""
        self._rows = [self._clock.listed(row) for row in self._certificate["data"]]
        self._interfaces = [InterfaceState.of(row) for row in self._certificate["interface"]]
        listed = self._certificate["states"]
        self._states = [(self._clock.check_control(row[0]), as_index(row[1]), as_index(row[2])) for row in listed]
        self._ranks = [tuple(map(as_index, row[3:])) for row in listed]
        self._row_numbers = numbers_of("row", self._rows)
        self._interface_numbers = numbers_of("interface state", self._interfaces)
        self._numbers = numbers_of("state", self._states)
        for what, rows, count in (("row", self._rows, len(self._clock.data)), ("state", self._ranks, len(PROMISES))):
            for number, row in enumerate(rows):
                if len(row) != count:
                    raise CheckError(f"{what} {number} has {len(row)} registers or ranks, and not {count}")

    def check(self) -> tuple[int, int, dict[str, int]]:
        """The states, the clocks, and the bounds. Raises CheckError, naming it, for what does not hold."""
        for start in self._starts():
            if start not in self._numbers:
                raise CheckError(f"a state after reset is not listed: {self._nearest(start, None)}")
        bounds = dict(zip(PROMISES, (1 + max(ranks) for ranks in zip(*self._ranks, strict=True)), strict=True))
        if self._certificate["bounds"] != bounds:
            raise CheckError(f"the bounds claimed are not those of the ranks, {bounds}")
        inputs, clocks = list(self._claim.inputs()), 0
        for number, (_, _, interface) in enumerate(self._states):
            valid: dict[Given, Form] = {}
            for given in inputs:
                if self._interfaces[interface].may_get(given, self._claim):
                    clocks += 1
                    with at_place(f"state {number}", given):
                        self._check_clock(number, given, valid)
        return len(self._states), clocks, bounds

    def _check_clock(self, number: int, given: Given, valid: dict[Given, Form]) -> None:
        control, row, interface = self._states[number]
        shown, read, control_after = self._control_clock(control, given)
        for name, level in zip(SHOWN, shown, strict=True):
            if level is None:
                raise CheckError(f"{name} is not known from what the state lists")
        if valid.setdefault(given._replace(ready=False), shown[2]) != shown[2]:
            raise CheckError("block_valid_o waits for block_ready_i")
        clock, payloads = self._interface_clock(interface, given, shown)
        output, shows_key, _ = self._data_clock(row, read, payloads)
        if clock.result is None and shows_key:
            raise CheckError("block_o shows bits of a key while no result is offered")
        if clock.result is not None and output != self._expected(clock):
            raise CheckError("a result that is offered is not known to be that of AES")
        asked = (row, read, payloads, clock.keys, clock.blocks)
        after = (control_after, self._aged_row(*asked), self._interface_numbers.get(clock.after))
        if after not in self._numbers:
            raise CheckError(f"the state that follows is not listed: {self._nearest(after, self._run_ages(*asked))}")
        counts = zip(PROMISES, self._ranks[number], clock.counts, self._ranks[self._numbers[after]], strict=True)
        for promise, rank, count, rank_after in counts:
            if count is not None and rank < count + rank_after:
                raise CheckError(f"the rank does not fall as it must, of {promise!r}: from {rank} to {rank_after}")

    def _nearest(self, state: tuple[str, int | None, int | None], row: Levels | None) -> str:
        """How a state differs from one that is listed, of those with its interface state the nearest in control."""
        control, number, interface = state
        near = [other for other in self._states if other[2] == interface]
        if not near:
            return "no state has its interface state"
        like = min(
            near, key=lambda other: (sum(a != b for a, b in zip(other[0], control, strict=True)), other[1] != number)
        )
        names = self._clock.differing("control", like[0], control, "")
        if like[1] != number and row is not None:
            names += self._clock.differing("data", self._rows[like[1]], row, "")
        return f"state {self._numbers[like]} is like it but for {few(names) or 'its row'}"

    def _starts(self) -> Iterator[tuple[str, int | None, int | None]]:
        """The states after reset. Nothing is known of what reset leaves alone, but for registers that are split."""
        names = self._clock.names["control"]
        split = [names.index(name) for name in self._certificate["split"]]
        if any(self._clock.control[place].reset is not None for place in split):
            raise CheckError("a register is split that has a level after reset")
        row = self._row_numbers.get(tuple(register.reset for register in self._clock.data))
        for levels in product("01", repeat=len(split)):
            control = ["-" if register.reset is None else str(register.reset) for register in self._clock.control]
            for place, level in zip(split, levels, strict=True):
                control[place] = level
            yield "".join(control), row, self._interface_numbers.get(InterfaceState())

    def _run_interface(self, interface: int, given: Given, shown: Levels) -> tuple[InterfaceClock, Payloads]:
        clock = clock_of(self._interfaces[interface], given, self._claim, tuple(level == 1 for level in shown))
        payloads: Payloads = ()
        # The bytes that AES substitutes must be known before the core meets them.
        if clock.key is not None:
            self._forms.schedule(*clock.key[:2])
            payloads += (("key_i", *clock.key),)
        if clock.block is not None:
            self._forms.result(*clock.block[:4])
            payloads += (("block_i", clock.block.block, 128, clock.block.came),)
        return clock, payloads

    def _run_data(self, row: int, read: Levels, payloads: Payloads) -> tuple[Levels, bool, Levels]:
        """`block_o`, whether it shows a key, and the data registers after the clock."""
        output, after = self._clock.run_data(self._rows[row], read, payloads)
        return output, self._clock.shows_key(output), after

    def _expected(self, clock: InterfaceClock) -> Levels:
        assert clock.result is not None
        return one_beat(self._forms.result(*clock.result[:4]), clock.result.left, self._claim.beats)

    def _number_after(self, row: int, read: Levels, payloads: Payloads, keys: Ages, blocks: Ages) -> int | None:
        """The number of the row after a clock, if it is listed."""
        return self._row_numbers.get(self._run_ages(row, read, payloads, keys, blocks))

    def _run_ages(self, row: int, read: Levels, payloads: Payloads, keys: Ages, blocks: Ages) -> Levels:
        """The row after a clock, keys and blocks numbered anew."""
        after, images = self._data_clock(row, read, payloads)[2], self._images.setdefault((keys, blocks), {})
        return tuple(self._forms.aged(form, keys, blocks, images) for form in after)


def numbers_of(what: str, listed: Sequence[T]) -> dict[T, int]:
    """The number of each that is listed. Raises CheckError if something is so twice."""
    numbers: dict[T, int] = {}
    for number, one in enumerate(listed):
        if numbers.setdefault(one, number) != number:
            raise CheckError(f"{what} {number} is listed twice: it is {what} {numbers[one]}")
    return numbers
