"""Values of a masked circuit as sums over GF(2) of variables and products, and what a tuple of them says of secrets.

A variable is a secret bit or uniform: all uniform ones are independent of each other and of the secrets. A tuple is
simplified by one-time pads: a uniform bit that occurs in it in sums alone, in no product, makes one element uniform
and independent of all the others. That element is added to the others that have the bit, and dropped. Both steps keep
what the tuple tells of the secrets, in both directions, so that this loses nothing and assumes nothing. What is left is
enumerated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from aesmith.circuits.circuit import CircuitGate, Op

Value = frozenset[int]
"""A sum of terms: 0 is the constant 1, an even number a variable, an odd one a product of two values."""

ONE: Value = frozenset((0,))
NOTHING: Value = frozenset()


@dataclass
class ProbeAlgebra:
    """The variables and products there are."""

    secret: int = 0
    _variables: dict[tuple[object, ...], int] = field(default_factory=dict)
    _names: list[tuple[object, ...]] = field(default_factory=list)
    _products: dict[tuple[Value, Value], int] = field(default_factory=dict)
    _factors: list[tuple[Value, Value]] = field(default_factory=list)
    _within: list[int] = field(default_factory=list)

    def variable(self, *name: object, secret: bool = False) -> Value:
        """The variable of that name; uniform, or secret."""
        number = self._variables.setdefault(name, len(self._variables))
        if number == len(self._names):
            self._names.append(name)
        if secret:
            self.secret |= 1 << number
        return frozenset((2 * number + 2,))

    def product(self, a: Value, b: Value) -> Value:
        """a·b. The constants of both are multiplied out, so that equal products are found to be equal."""
        if not a or not b:
            return NOTHING
        if a == b:
            return a
        left, right = a - ONE, b - ONE
        total = NOTHING
        if left == right:
            total = left
        elif left and right:
            key = (left, right) if hash(left) <= hash(right) else (right, left)
            number = self._products.setdefault(key, len(self._factors))
            if number == len(self._factors):
                self._factors.append(key)
                self._within.append(self.support(left) | self.support(right))
            total = frozenset((2 * number + 1,))
        if 0 in a:
            total ^= right
        if 0 in b:
            total ^= left
        return total ^ ONE if 0 in a and 0 in b else total

    def gate(self, gate: CircuitGate, args: Sequence[Value]) -> Value:
        """What a gate makes of its arguments' values."""
        if gate.op in (Op.XOR, Op.XNOR, Op.XOR3):
            total = ONE if gate.op is Op.XNOR else NOTHING
            for arg in args:
                total ^= arg
            return total
        if gate.op in (Op.ZERO, Op.ONE):
            return ONE if gate.op is Op.ONE else NOTHING
        if gate.op is Op.NOT:
            return args[0] ^ ONE
        if gate.op is Op.MUX:
            return args[1] ^ self.product(args[0], args[1] ^ args[2])
        flip = ONE if gate.op in (Op.OR, Op.NOR, Op.OR3, Op.NOR3) else NOTHING
        total = ONE
        for arg in args:
            total = self.product(total, arg ^ flip)
        return total ^ ONE if gate.op in (Op.NAND, Op.OR, Op.NAND3, Op.OR3) else total

    def renamed(self, value: Value, of: Callable[[tuple[object, ...]], Value], known: dict[Value, Value]) -> Value:
        """A value with what `of` gives for the name of each variable in its place; `known` keeps what is found."""
        if value not in known:
            total = NOTHING
            for term in value:
                if term & 1:
                    left, right = (self.renamed(factor, of, known) for factor in self._factors[term >> 1])
                    total ^= self.product(left, right)
                else:
                    total ^= of(self._names[(term >> 1) - 1]) if term else ONE
            known[value] = total
        return known[value]

    def support(self, value: Value) -> int:
        """The variables that occur in a value, as a mask."""
        mask = 0
        for term in value:
            mask |= self._within[term >> 1] if term & 1 else (1 << (term >> 1) - 1 if term else 0)
        return mask

    def simplified(self, values: Iterable[Value]) -> set[Value]:
        """What one-time pads leave of a tuple of values."""
        left = {value - ONE for value in values} - {NOTHING}
        while True:
            multiplied = linear = 0
            for value in left:
                for term in value:
                    if term & 1:
                        multiplied |= self._within[term >> 1]
                    elif term:
                        linear |= 1 << (term >> 1) - 1
            pads = linear & ~multiplied & ~self.secret
            if not pads:
                return left
            pad = 2 * (pads & -pads).bit_length()
            padded = [value for value in left if pad in value]
            dropped = min(padded, key=lambda value: (len(value), sorted(value)))
            left = (left.difference(padded) | {value ^ dropped for value in padded}) - {NOTHING}

    def tells(self, values: Iterable[Value], most_variables: int) -> bool | None:
        """Whether the joint distribution of a tuple depends on secrets; None: it has too many variables to say.

        Parts of it that have no variable in common are independent of each other, and are enumerated one by one.
        """
        told: bool | None = False
        for part, mask in self._parts(self.simplified(values)):
            if not mask & self.secret:
                continue
            present = [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
            if len(present) > most_variables:
                told = None
                continue
            secrets = [bit for bit in present if self.secret >> bit & 1]
            uniform = [bit for bit in present if not self.secret >> bit & 1]
            if varies(self._columns(part, [*uniform, *secrets]), len(secrets), range(1 << len(secrets)), 0):
                return True
        return told

    def _parts(self, values: Iterable[Value]) -> list[tuple[set[Value], int]]:
        """A tuple in parts without a variable in common, each with its variables."""
        parts: list[tuple[set[Value], int]] = []
        for value in values:
            joined, mask = {value}, self.support(value)
            apart = []
            for part, within in parts:
                if within & mask:
                    joined |= part
                    mask |= within
                else:
                    apart.append((part, within))
            parts = [*apart, (joined, mask)]
        return parts

    def _columns(self, values: Collection[Value], order: Sequence[int]) -> list[np.ndarray]:
        """Each value for every assignment of the variables; bit k of an assignment is variable `order[k]`."""
        cases = np.arange(1 << len(order), dtype=np.uint32)
        columns = {2 * bit + 2: (cases >> np.uint32(place) & 1).astype(bool) for place, bit in enumerate(order)}
        columns[0] = np.ones(len(cases), dtype=bool)

        def column(value: Value) -> np.ndarray:
            total = np.zeros(len(cases), dtype=bool)
            for term in value:
                if term not in columns:
                    left, right = self._factors[term >> 1]
                    columns[term] = column(left) & column(right)
                total ^= columns[term]
            return total

        return [column(value) for value in sorted(values, key=sorted)]


def varies(columns: Sequence[np.ndarray], given: int, rows: Iterable[int], like: int) -> bool:
    """Whether the distribution of a tuple over the low bits of a case depends on those of its `given` highest bits.

    Row r, the cases with the given bits r, is compared with row r & `like`, for each of `rows`.
    """
    numbers = np.zeros(len(columns[0]) if columns else 1 << given, dtype=np.uint64)
    for start in range(0, len(columns), 40):
        for place, column in enumerate(columns[start : start + 40]):
            numbers |= column.astype(np.uint64) << np.uint64(place + 24)
        numbers = np.unique(numbers, return_inverse=True)[1].astype(np.uint64)
    table = np.sort(numbers.reshape(1 << given, -1), axis=1)
    wanted = np.fromiter(rows, dtype=np.int64)
    return bool((table[wanted] != table[wanted & like]).any())
