"""Exact symbolic arithmetic on the bits of an AES computation.

A *form* is a sum over GF(2) of 1 and of variables, as an integer: bit 0 is the constant, bit v variable v. Variables
are the bits of keys and blocks, and functions of single bytes: every nonlinear step of AES is one byte wide. A *space*
is such a byte: the span of its 8 forms. Functions on a space are truth tables of 256 entries; each is written as a sum
of the byte's own bits and of function variables, independent of each other, so that two functions on one byte are equal
if and only if their forms are. So any circuit of an S-box, in any field, basis or number of stages, gives the same
forms as the S-box of FIPS-197, if it computes the same.

What is not a function of one known byte is UNKNOWN: nothing is assumed of it, and nothing follows from it.

Forms also have numbers. Equal forms have equal numbers, and a form and its complement differ in the lowest bit: numbers
are compared, copied and inverted without a look at the forms, which are long. 0 and 1 are the constants. Every negative
number is UNKNOWN, of which the complement is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from aesmith.errors import CheckError

_ALL = (1 << 256) - 1


class Unknown:
    """A bit of which nothing is known. A sum with it is unknown."""

    def __xor__(self, other: object) -> Unknown:
        return self

    __rxor__ = __xor__

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()

Form = Any
"""An integer, or UNKNOWN. (Not a union: forms are added with `^` throughout, which type checkers refuse on unions.)"""


def _coordinate_tables() -> tuple[int, ...]:
    return tuple(sum(1 << word for word in range(256) if word >> bit & 1) for bit in range(8))


_COORDINATES = _coordinate_tables()


@cache
def _truth_tables(table: tuple[int, ...], offset: int) -> tuple[int, ...]:
    """The truth tables of the 8 bits of `table[byte ^ offset]`."""
    return tuple(sum(1 << case for case in range(256) if table[case ^ offset] >> bit & 1) for bit in range(8))


def _shifted(table: int, offset: int) -> int:
    """The truth table of what has `table`, taken of `byte ^ offset`."""
    for bit, ones in enumerate(_COORDINATES):
        if offset >> bit & 1:
            table = (table & ones) >> (1 << bit) | (table & ~ones) << (1 << bit)
    return table


@dataclass
class Space:
    """A byte that nonlinear functions are taken of.

    `forms` are its 8 independent forms, which are coordinates 0 to 7 of the truth tables; the byte itself is these and
    `constant`. `functions` maps each function variable to its table; `mask` has a one for each of them. `basis` maps
    the highest entry of an echelon of tables to (table, form). `rows` maps the highest variable of an echelon of the
    forms to (form, mask of the coordinates that sum up to it).
    """

    number: int
    forms: tuple[int, ...]
    constant: int
    tokens: tuple[int, ...]
    group: Hashable
    index: int
    functions: dict[int, int] = field(default_factory=dict)
    mask: int = 0
    basis: dict[int, tuple[int, int]] = field(default_factory=dict)
    known: dict[int, int] = field(default_factory=dict)
    rows: dict[int, tuple[int, int]] = field(default_factory=dict)


class Algebra:
    """Variables, spaces and the operations on forms. Every variable belongs to tokens: the keys and blocks it is of.

    `unknown_factors`, where it is a list, gets the known factors of products that are unknown.
    """

    def __init__(self) -> None:
        self._next = 1
        self._spaces: list[Space] = []
        self._leading: dict[int, list[Space]] = {}
        self._owner: dict[int, int] = {}
        self._of_token: dict[int, int] = {}
        self._products: dict[tuple[int, int], Form] = {}
        self._inputs: dict[int, tuple[Hashable, int]] = {}
        self._bits: dict[Hashable, list[int]] = {}
        self._groups: dict[Hashable, list[Space]] = {}
        self.unknown_factors: list[int] | None = None

    def inputs(self, count: int, token: int, group: Hashable) -> list[int]:
        """New variables, as forms: the bits of a key or a block. `group` is what `renamed` knows them by."""
        bits = self._variables(count, (token,))
        self._bits[group] = bits
        for index, bit in enumerate(bits):
            self._inputs[bit.bit_length() - 1] = (group, index)
        return bits

    @property
    def variable_count(self) -> int:
        """One more than the highest variable."""
        return self._next

    def _variables(self, count: int, tokens: Sequence[int]) -> list[int]:
        first = self._next
        self._next += count
        mask = ((1 << count) - 1) << first
        for token in tokens:
            self._of_token[token] = self._of_token.get(token, 0) | mask
        return [1 << first + i for i in range(count)]

    def mask_of(self, token: int) -> int:
        """All variables that are of a token, as one form."""
        return self._of_token.get(token, 0)

    def conjunction(self, a: Form, b: Form) -> Form:
        """The product of two forms; UNKNOWN where they are not functions of one known byte."""
        if a is UNKNOWN or b is UNKNOWN:
            known = b if a is UNKNOWN else a
            if known == 0:
                return 0
            self._note(known)
            return UNKNOWN
        if a < 2:
            return b if a else 0
        if b < 2:
            return a if b else 0
        pair = (a, b) if a < b else (b, a)
        found = self._products.get(pair)
        if found is None:
            found = self._products[pair] = self._multiply(*pair)
        if found is UNKNOWN:
            self._note(a, b)
        return found

    def _note(self, *factors: Form) -> None:
        if self.unknown_factors is not None:
            self.unknown_factors += [factor for factor in factors if factor is not UNKNOWN]

    def input_bits(self, form: int) -> list[tuple[Any, int]] | None:
        """The bits of keys and blocks that a form is the sum of, as (group, index); None if it is no such sum."""
        bits, rest = [], form ^ (form & 1)
        while rest:
            variable = rest.bit_length() - 1
            rest ^= 1 << variable
            if variable not in self._inputs:
                return None
            bits.append(self._inputs[variable])
        return bits

    def select(self, choice: Form, when_0: Form, when_1: Form) -> Form:
        """`when_1` where `choice` is 1, else `when_0`."""
        if when_0 is not UNKNOWN and when_0 == when_1:
            return when_0
        if choice is UNKNOWN:
            return UNKNOWN
        return when_0 ^ self.conjunction(choice, when_0 ^ when_1)

    def lookup(
        self, table: Sequence[int], byte: Sequence[Form], tokens: tuple[int, ...], group: Hashable
    ) -> list[Form]:
        """The 8 forms of `table[byte]`; bit 0 first on both sides. The byte becomes a space of these tokens.

        The bytes of a group are numbered in the order of the calls. Raises CheckError for a byte that is not 8
        independent forms or shares some with another space: no byte of AES does, for a key and block of free choice.
        """
        space = self._new_space(byte, tokens, group)
        return [self._form(space, truth) for truth in _truth_tables(tuple(table), space.constant)]

    def renamed(self, form: int, rename: Callable[[Hashable], Hashable], known: dict[int, int]) -> int:
        """The form with every group of variables replaced by the group that `rename` gives for it.

        Groups that stand for each other must have been made by the same calls. `known` keeps the images of variables
        for further calls with the same `rename`.
        """
        image, rest = form & 1, form & ~1
        while rest:
            variable = rest.bit_length() - 1
            rest ^= 1 << variable
            if variable not in known:
                known[variable] = self._renamed_variable(variable, rename)
            image ^= known[variable]
        return image

    def _renamed_variable(self, variable: int, rename: Callable[[Hashable], Hashable]) -> int:
        if variable in self._inputs:
            group, index = self._inputs[variable]
            return self._bits[rename(group)][index]
        space = self._spaces[self._owner[variable]]
        return self._form(self._groups[rename(space.group)][space.index], space.functions[variable])

    def named(self, variable: int) -> tuple[Any, int, int | None]:
        """A variable by group, index and table: a bit of inputs (None), or a function of the byte of that index.

        Bit n of the table is the function's value for byte n.
        """
        if variable in self._inputs:
            return (*self._inputs[variable], None)
        space = self._spaces[self._owner[variable]]
        return space.group, space.index, _shifted(space.functions[variable], space.constant)

    def _new_space(self, byte: Sequence[int], tokens: tuple[int, ...], group: Hashable) -> Space:
        linear = tuple(form & ~1 for form in byte)
        constant = sum((form & 1) << bit for bit, form in enumerate(byte))
        members = self._groups.setdefault(group, [])
        space = Space(len(self._spaces), linear, constant, tokens, group, len(members))
        members.append(space)
        space.basis[255] = (_ALL, 1)
        for bit, form in enumerate(linear):
            self._insert(space.basis, _COORDINATES[bit], form)
            if not self._insert(space.rows, form, 1 << bit):
                raise CheckError("the bits of a byte depend on each other")
        # Two spans have an element in common only if they have its highest variable in common.
        others = {other.number: other for lead in space.rows for other in self._leading.get(lead, ())}
        for other in others.values():
            both = dict(other.rows)
            if not all(self._insert(both, form, 0) for form in linear):
                raise CheckError("two bytes share a form")
        self._spaces.append(space)
        for lead in space.rows:
            self._leading.setdefault(lead, []).append(space)
        return space

    def _space_of(self, form: int) -> Space | None:
        """The space that a form is an element of."""
        linear = form ^ (form & 1)
        for space in self._leading.get(linear.bit_length() - 1, ()):
            if self._word(space, linear) is not None:
                return space
        return None

    @staticmethod
    def _word(space: Space, form: int) -> int | None:
        """Which of a space's coordinates sum up to a form without constant, as a mask; None if none do."""
        word = 0
        while form:
            row = space.rows.get(form.bit_length() - 1)
            if row is None:
                return None
            form ^= row[0]
            word ^= row[1]
        return word

    def _table(self, space: Space, form: int) -> int | None:
        """The truth table of a form on a space; None if it is no function of that byte alone."""
        own = form & space.mask
        constant = form & 1
        word = self._word(space, form ^ own ^ constant)
        if word is None:
            return None
        table = _ALL if constant else 0
        for bit in range(8):
            if word >> bit & 1:
                table ^= _COORDINATES[bit]
        while own:
            variable = own.bit_length() - 1
            own ^= 1 << variable
            table ^= space.functions[variable]
        return table

    def _candidates(self, form: int) -> list[Space]:
        found = self._space_of(form)
        spaces = [] if found is None else [found]
        owner = self._owner.get(form.bit_length() - 1)
        if owner is not None:
            spaces.append(self._spaces[owner])
        return spaces

    def _multiply(self, a: int, b: int) -> Form:
        if a == b:
            return a
        if a ^ b == 1:
            return 0
        for space in self._candidates(a) + self._candidates(b):
            left, right = self._table(space, a), self._table(space, b)
            if left is not None and right is not None:
                return self._form(space, left & right)
        return UNKNOWN

    def _form(self, space: Space, table: int) -> int:
        """The form of a function on a space, with a new variable if it depends on no combination of those there are."""
        form = space.known.get(table)
        if form is None:
            form = 0
            rest = table
            while rest:
                row = space.basis.get(rest.bit_length() - 1)
                if row is None:
                    variable = self._variables(1, space.tokens)[0]
                    self._insert_variable(space, rest, variable)
                    form ^= variable
                    break
                rest ^= row[0]
                form ^= row[1]
            space.known[table] = form
        return form

    def _insert_variable(self, space: Space, table: int, variable: int) -> None:
        number = variable.bit_length() - 1
        space.functions[number] = table
        space.mask |= variable
        self._owner[number] = space.number
        space.basis[table.bit_length() - 1] = (table, variable)

    @staticmethod
    def _insert(echelon: dict[int, tuple[int, int]], vector: int, image: int) -> bool:
        """Adds a vector and what it stands for to an echelon by highest bit; False if the echelon spans it."""
        while vector:
            row = echelon.get(vector.bit_length() - 1)
            if row is None:
                echelon[vector.bit_length() - 1] = (vector, image)
                return True
            vector ^= row[0]
            image ^= row[1]
        return False


UNKNOWN_NUMBER = -1


class FormNumbers:
    """The numbers of all forms met so far."""

    def __init__(self) -> None:
        self._forms: list[int] = [0]
        self._indices: dict[int, int] = {0: 0}

    def number(self, form: Form) -> int:
        """The number of a form; a new one if it has none."""
        if form is UNKNOWN:
            return UNKNOWN_NUMBER
        constant: int = form & 1
        linear: int = form ^ constant
        index = self._indices.get(linear)
        if index is None:
            index = self._indices[linear] = len(self._forms)
            self._forms.append(linear)
        return 2 * index + constant

    def numbers(self, forms: Iterable[Form]) -> tuple[int, ...]:
        """The numbers of forms, in their order."""
        return tuple(self.number(form) for form in forms)

    def form(self, number: int) -> Form:
        """The form that has a number."""
        return UNKNOWN if number < 0 else self._forms[number >> 1] ^ (number & 1)
