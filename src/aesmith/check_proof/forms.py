"""Forms: what a bit holds, for all keys and blocks at once; and FIPS-197 on forms.

A form is a sum over GF(2) of *atoms*, as an integer: bit 0 is the constant 1, bit v atom v. Atoms are bits of keys,
bits of blocks, and functions of one byte that FIPS-197 puts through an S-box (a *space*), each with its truth table:
bit n of a table is the function of byte n. Each atom stands for one function of keys and blocks. So bits of equal forms
are equal, which is all that soundness needs; and None is a bit of which nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from aesmith.errors import CheckError

Form = int | None
Byte = list[int]
"""8 forms; bit i is the coefficient of x^i."""
Ages = tuple[tuple[int, int], ...]
"""New numbers of keys or blocks, as (old, new)."""

_TABLES = [sum(1 << n for n in range(256) if n >> bit & 1) for bit in range(8)]
_ONES = (1 << 256) - 1


class AtomGroup(NamedTuple):
    """What atoms and spaces belong to: a key, a block, the key schedule of a key, or the cipher under a key."""

    what: str
    key: int
    bits: int
    block: int
    decrypt: bool


class Atom(NamedTuple):
    """Bit `place` of a key or block, or a function of the byte at that place of the group, with its truth table."""

    group: AtomGroup
    place: int
    table: int | None


class Echelon(dict[int, tuple[int, int]]):
    """Vectors over GF(2), each with its image, by the highest bit."""

    def reduce(self, vector: int, image: int = 0) -> tuple[int, int]:
        """What is left of a vector when rows are added to it, and the image with theirs added."""
        while (row := self.get(vector.bit_length() - 1)) is not None:
            vector, image = vector ^ row[0], image ^ row[1]
        return vector, image

    def insert(self, vector: int, image: int) -> None:
        """Adds a vector. Raises CheckError if it is a sum of others."""
        vector, image = self.reduce(vector, image)
        if not vector:
            raise CheckError("the bits of a byte that AES substitutes depend on each other")
        self[vector.bit_length() - 1] = (vector, image)


class ByteSpace:
    """The functions of one byte, given by its 8 forms: from forms to tables, and back."""

    def __init__(self, group: AtomGroup, index: int, byte: Byte) -> None:
        self.group, self.index, self.tables, self.forms = group, index, Echelon(), Echelon()
        for form, table in zip([1, *byte], [_ONES, *_TABLES], strict=True):
            self.tables.insert(form, table)
            self.forms.insert(table, form)


def atoms_of(form: int) -> list[int]:
    """The numbers of the atoms of a form, the constant left out."""
    return [one.start() for one in re.finditer("1", f"{form:b}"[::-1]) if one.start()]


class Forms:
    """All atoms, and what is made of them."""

    def __init__(self) -> None:
        self._atoms: list[Atom] = [Atom(AtomGroup("one", 0, 0, 0, False), 0, None)]
        self._bits: dict[AtomGroup, list[int]] = {}
        self._spaces: dict[AtomGroup, list[ByteSpace]] = {}
        self._leading: dict[int, list[ByteSpace]] = {}
        self._not_of_keys = 0
        self.product, self.schedule, self.result = cache(self._product), cache(self._schedule), cache(self._result)

    def key(self, number: int, bits: int) -> list[Byte]:
        """The bytes of a key, the first first."""
        return self._input(AtomGroup("key", number, bits, 0, False), bits)

    def block(self, number: int) -> list[Byte]:
        """The bytes of a block."""
        return self._input(AtomGroup("block", 0, 0, number, False), 128)

    def _input(self, group: AtomGroup, count: int) -> list[Byte]:
        if group not in self._bits:
            self._bits[group] = [self._new(Atom(group, index, None)) for index in range(count)]
        bits = self._bits[group]
        return [bits[i : i + 8] for i in range(0, count, 8)]

    def _new(self, atom: Atom) -> int:
        form = 1 << len(self._atoms)
        self._atoms.append(atom)
        self._not_of_keys |= 0 if atom.group.what == "key" else form
        return form

    def _substitute(self, group: AtomGroup, byte: Byte, *, inverse: bool = False) -> Byte:
        """The S-box of a byte, which becomes the next space of its group."""
        members = self._spaces.setdefault(group, [])
        space = ByteSpace(group, len(members), byte)
        members.append(space)
        for lead in space.tables:
            self._leading.setdefault(lead, []).append(space)
        return [self._function(space, table) for table in s_box_tables(inverse)]

    def _function(self, space: ByteSpace, table: int) -> int:
        """The form of a function of a byte, with a new atom if it is no sum of functions that have a form."""
        rest, form = space.forms.reduce(table)
        if rest:
            atom = self._new(Atom(space.group, space.index, rest))
            space.forms.insert(rest, atom)
            space.tables.insert(atom, rest)
            self._leading[atom.bit_length() - 1] = [space]
            form ^= atom
        return form

    def _product(self, a: int, b: int) -> Form:
        """The product of two forms that are no constants; None if they are not functions of one byte."""
        if a == b or a ^ b == 1:
            return a if a == b else 0
        for space in self._leading.get(a.bit_length() - 1, []) + self._leading.get(b.bit_length() - 1, []):
            (rest_a, left), (rest_b, right) = space.tables.reduce(a), space.tables.reduce(b)
            if not rest_a and not rest_b:
                return self._function(space, left & right)
        return None

    def is_of_key_bits(self, form: Form) -> bool:
        """Whether a form is a sum of bits of keys, and no constant."""
        return form is not None and form > 1 and not form & self._not_of_keys

    def named(self, atom: Atom) -> int:
        """The form of an atom of these or other forms. Raises CheckError if there is no such."""
        what, key, bits, block, decrypt = atom.group
        match what:
            case "key":
                self.key(key, bits)
            case "block":
                self.block(block)
            case "schedule":
                self.schedule(key, bits)
            case "cipher":
                self.result(block, key, bits, decrypt)
            case _:
                raise CheckError(f"there are no atoms of {what!r}")
        if atom.table is None:
            return self._bits[atom.group][atom.place]
        return self._function(self._spaces[atom.group][atom.place], atom.table)

    def aged(self, form: Form, keys: Ages, blocks: Ages, images: dict[int, Form]) -> Form:
        """A form with other numbers of keys and blocks; None if it has to do with one that has none.

        `images` keeps what was found, for calls with the same numbers.
        """
        if form is None or form < 2:
            return form
        if form not in images:
            image: Form = form & 1
            for number in atoms_of(form):
                atom = 1 << number
                if atom not in images:
                    images[atom] = self._aged_atom(self._atoms[number], dict(keys), dict(blocks))
                one = images[atom]
                image = None if image is None or one is None else image ^ one
            images[form] = image
        return images[form]

    def _aged_atom(self, atom: Atom, keys: dict[int, int], blocks: dict[int, int]) -> Form:
        group = atom.group
        if group.what != "block":
            if group.key not in keys:
                return None
            group = group._replace(key=keys[group.key])
        if group.what in ("block", "cipher"):
            if group.block not in blocks:
                return None
            group = group._replace(block=blocks[group.block])
        return self.named(atom._replace(group=group))

    def _schedule(self, key: int, bits: int) -> list[list[Byte]]:
        """The round keys (FIPS-197, 5.2), and further ones to the end of the key length after them: cores go there."""
        group, length, constant = AtomGroup("schedule", key, bits, 0, False), bits // 32, 1
        given = self.key(key, bits)
        words = [given[4 * i : 4 * i + 4] for i in range(length)]
        while len(words) < 4 * (length + 7) + length:
            word = words[-1]
            if len(words) % length == 0:
                word = [self._substitute(group, byte) for byte in word[1:] + word[:1]]
                word[0] = [form ^ (constant >> bit & 1) for bit, form in enumerate(word[0])]
                constant = times(constant, 2)
            elif length == 8 and len(words) % 8 == 4:
                word = [self._substitute(group, byte) for byte in word]
            words.append(_plus(words[-length], word))
        return [[byte for word in words[i : i + 4] for byte in word] for i in range(0, 4 * (length + 7), 4)]

    def _result(self, block: int, key: int, bits: int, decrypt: bool) -> list[Byte]:
        """The block that AES makes of a block (FIPS-197, 5.1 and 5.3), spaces in the order of the S-boxes there."""
        group, keys = AtomGroup("cipher", key, bits, block, decrypt), self.schedule(key, bits)
        state = _plus(self.block(block), keys[-1] if decrypt else keys[0])
        for round_key in keys[-2::-1] if decrypt else keys[1:]:
            if decrypt:
                shifted = [state[(i - 4 * (i % 4)) % 16] for i in range(16)]
                state = _plus([self._substitute(group, byte, inverse=True) for byte in shifted], round_key)
                state = state if round_key is keys[0] else _mix(state, (14, 11, 13, 9))
            else:
                state = [self._substitute(group, byte) for byte in state]
                state = [state[(i + 4 * (i % 4)) % 16] for i in range(16)]
                state = _plus(state if round_key is keys[-1] else _mix(state, (2, 3, 1, 1)), round_key)
        return state


def times(a: int, b: int) -> int:
    """The product of two elements of GF(2^8) (FIPS-197, 4.2)."""
    product = 0
    for bit in range(8):
        product ^= (b >> bit & 1) * a
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
    return product


@cache
def s_box_tables(inverse: bool) -> list[int]:
    """The truth tables of the 8 bits of the S-box (FIPS-197, 5.1.1), or of its inverse."""
    box = []
    for n in range(256):
        inverted = next((c for c in range(256) if times(n, c) == 1), 0)
        turns = [(inverted << turn | inverted >> (8 - turn)) & 0xFF for turn in range(5)]
        box.append(turns[0] ^ turns[1] ^ turns[2] ^ turns[3] ^ turns[4] ^ 0x63)
    if inverse:
        box = [box.index(n) for n in range(256)]
    return [sum(1 << n for n in range(256) if box[n] >> bit & 1) for bit in range(8)]


def _plus(state: Sequence[Byte], other: Sequence[Byte]) -> list[Byte]:
    return [[x ^ y for x, y in zip(a, b, strict=True)] for a, b in zip(state, other, strict=True)]


def _mix(state: Sequence[Byte], factors: Sequence[int]) -> list[Byte]:
    """MixColumns, or its inverse: row r of a column is the sum of factors[(i - r) % 4] times row i."""
    mixed = [[0] * 8 for _ in range(16)]
    for place in range(16):
        for i in range(4):
            for bit, form in enumerate(state[place - place % 4 + i]):
                product = times(factors[(i - place) % 4], 1 << bit)
                mixed[place] = [t ^ (product >> row & 1) * form for row, t in enumerate(mixed[place])]
    return mixed
