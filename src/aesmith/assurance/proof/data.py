"""What registers hold: keys, blocks and what AES makes of them as forms, and states of data registers by number.

FIPS-197 on forms is written from the standard, in the order of the standard; a byte is a list of 8 forms, bit i the
coefficient of x^i, and `tokens` and `group` are those of `Algebra.lookup`. Each form is made once, and each clock of
each state asked once, for all walks over cores of one kind.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any, Generic, TypeVar

from aesmith.assurance.proof.algebra import UNKNOWN_NUMBER, Algebra, Form, FormNumbers
from aesmith.assurance.proof.interface import BlockPorts, Job, Key
from aesmith.assurance.proof.symbolic import ClusterLibrary, Numbers, SymbolicNetlist
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix

Byte = list[Form]
State = list[Byte]
"""16 bytes; byte 4c + r is row r of column c."""


@cache
def _times(coefficient: int) -> BitMatrix:
    return aes.FIELD.multiplication(coefficient)


def _add(a: Byte, b: Byte) -> Byte:
    return [x ^ y for x, y in zip(a, b, strict=True)]


def _apply(matrix: BitMatrix, byte: Byte) -> Byte:
    image: Byte = []
    for row in matrix.rows:
        total: Form = 0
        for bit, form in enumerate(byte):
            if row >> bit & 1:
                total = total ^ form
        image.append(total)
    return image


def _add_round_key(state: State, key: State) -> State:
    return [_add(a, b) for a, b in zip(state, key, strict=True)]


def _shift_rows(state: State) -> State:
    return [state[4 * ((column + row) % 4) + row] for column in range(4) for row in range(4)]


def _inverse_shift_rows(state: State) -> State:
    return [state[4 * ((column - row) % 4) + row] for column in range(4) for row in range(4)]


def _mix(state: State, coefficients: Sequence[int]) -> State:
    mixed: State = []
    for column in range(4):
        for row in range(4):
            total: Byte = [0] * 8
            for i in range(4):
                total = _add(total, _apply(_times(coefficients[(i - row) % 4]), state[4 * column + i]))
            mixed.append(total)
    return mixed


def key_expansion(algebra: Algebra, key: State, tokens: tuple[int, ...], group: Hashable) -> list[State]:
    """The round keys of a key of 16, 24 or 32 bytes (FIPS-197 section 5.2).

    The expansion is taken one key length beyond the last round key: a core that makes a key length in a step may do so
    too, and come back.
    """
    length = len(key) // 4
    count = 4 * (length + 7)
    words = [key[4 * i : 4 * i + 4] for i in range(length)]
    for i in range(length, count + length):
        word = words[i - 1]
        if i % length == 0:
            word = [algebra.lookup(aes.SBOX, byte, tokens, group) for byte in [*word[1:], word[0]]]
            constant = aes.round_constant(i // length)
            word[0] = [bit ^ (constant >> place & 1) for place, bit in enumerate(word[0])]
        elif length > 6 and i % length == 4:
            word = [algebra.lookup(aes.SBOX, byte, tokens, group) for byte in word]
        words.append([_add(a, b) for a, b in zip(words[i - length], word, strict=True)])
    return [[byte for word in words[i : i + 4] for byte in word] for i in range(0, count, 4)]


def encrypt(
    algebra: Algebra, round_keys: Sequence[State], block: State, tokens: tuple[int, ...], group: Hashable
) -> State:
    """The ciphertext (FIPS-197 section 5.1)."""
    state = _add_round_key(block, round_keys[0])
    for number, key in enumerate(round_keys[1:], start=1):
        state = _shift_rows([algebra.lookup(aes.SBOX, byte, tokens, group) for byte in state])
        if number < len(round_keys) - 1:
            state = _mix(state, aes.MIX_COLUMNS)
        state = _add_round_key(state, key)
    return state


def decrypt(
    algebra: Algebra, round_keys: Sequence[State], block: State, tokens: tuple[int, ...], group: Hashable
) -> State:
    """The plaintext (FIPS-197 section 5.3)."""
    state = _add_round_key(block, round_keys[-1])
    for number, key in reversed(list(enumerate(round_keys[:-1]))):
        state = [algebra.lookup(aes.INVERSE_SBOX, byte, tokens, group) for byte in _inverse_shift_rows(state)]
        state = _add_round_key(state, key)
        if number:
            state = _mix(state, aes.INVERSE_MIX_COLUMNS)
    return state


Group = tuple[str, Key, int, bool]
_NO_KEY = Key(0, 0)


Renaming = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...], tuple[int, ...], tuple[int, ...]]
"""New numbers of keys and of blocks, as (old, new); the keys and the blocks that are forgotten."""


class Tokens:
    """Numbered keys and blocks as forms of one algebra."""

    def __init__(self) -> None:
        self.algebra = Algebra()
        self.numbers = FormNumbers()
        self.clusters = ClusterLibrary(self.algebra, self.numbers)
        self._keys: dict[Key, State] = {}
        self._blocks: dict[int, State] = {}
        self._round_keys: dict[Key, list[State]] = {}
        self._results: dict[tuple[Key, int, bool], State] = {}
        self._images: dict[Hashable, dict[int, int]] = {}
        self._renamed: dict[Renaming, dict[int, int]] = {}

    def key(self, key: Key) -> State:
        """The bytes of a key."""
        if key not in self._keys:
            self._keys[key] = self._fresh(key.bits // 8, _of_key(key.number), ("key", key, 0, False))
        return self._keys[key]

    def block(self, number: int) -> State:
        """The bytes of a block."""
        if number not in self._blocks:
            self._blocks[number] = self._fresh(16, _of_block(number), ("block", _NO_KEY, number, False))
        return self._blocks[number]

    def round_keys(self, key: Key) -> list[State]:
        """The key expansion."""
        if key not in self._round_keys:
            group = ("schedule", key, 0, False)
            tokens = (_of_key(key.number),)
            self._round_keys[key] = key_expansion(self.algebra, self.key(key), tokens, group)
        return self._round_keys[key]

    def result(self, job: Job) -> State:
        """What AES makes of a block."""
        asked = (job.key, job.block, job.decrypt)
        if asked not in self._results:
            tokens = (_of_key(job.key.number), _of_block(job.block))
            cipher = decrypt if job.decrypt else encrypt
            group = ("cipher", job.key, job.block, job.decrypt)
            keys = self.round_keys(job.key)
            self._results[asked] = cipher(self.algebra, keys, self.block(job.block), tokens, group)
        return self._results[asked]

    def of_keys(self, number: int) -> int:
        """All variables that a key has a part in, as one form."""
        return self.algebra.mask_of(_of_key(number))

    def of_blocks(self, number: int) -> int:
        """All variables that a block has a part in, as one form."""
        return self.algebra.mask_of(_of_block(number))

    def of_all_blocks(self) -> int:
        """All variables that any block has a part in, as one form."""
        mask = 0
        for number in self._blocks:
            mask |= self.of_blocks(number)
        return mask

    def renamed(self, numbers: Iterable[int], renaming: Renaming) -> list[int]:
        """The numbers of forms after a renaming; each is found once for all cores that share these tokens."""
        images = self._renamed.setdefault(renaming, {})
        wanted = tuple(numbers)
        if new := set(wanted) - images.keys():
            keys, blocks, dead_keys, dead_blocks = renaming
            rename = self.renaming(dict(keys), dict(blocks), dead_keys, dead_blocks)
            images.update((number, rename(number)) for number in new)
        return [images[number] for number in wanted]

    def renaming(
        self, keys: dict[int, int], blocks: dict[int, int], dead_keys: Iterable[int], dead_blocks: Iterable[int]
    ) -> Callable[[int], int]:
        """The function on numbers of forms that renumbers keys and blocks, and forgets what is of a dead one."""
        dead = 0
        for number in dead_keys:
            dead |= self.of_keys(number)
        for number in dead_blocks:
            dead |= self.of_blocks(number)
        same = all(old == new for numbers in (keys, blocks) for old, new in numbers.items())
        renumber = self.renumbering(keys, blocks)

        def image(number: int) -> int:
            if number < 2:
                return number
            form = self.numbers.form(number)
            if form & dead:
                return UNKNOWN_NUMBER
            return number if same else self.numbers.number(renumber(form))

        return image

    def renumbering(self, keys: dict[int, int], blocks: dict[int, int]) -> Callable[[Form], Form]:
        """The function that takes a form to the one in which keys and blocks have other numbers."""
        known = self._images.setdefault((tuple(keys.items()), tuple(blocks.items())), {})

        def rename(group: Any) -> Hashable:
            what, key, block, direction = group
            new_key = key if what == "block" else Key(keys[key.number], key.bits)
            new_block = blocks[block] if what in ("block", "cipher") else block
            return self._made((what, new_key, new_block, direction))

        return lambda form: self.algebra.renamed(form, rename, known)

    def _made(self, group: Group) -> Group:
        """The group itself, after its variables were made."""
        what, key, block, direction = group
        if what == "key":
            self.key(key)
        elif what == "block":
            self.block(block)
        elif what == "schedule":
            self.round_keys(key)
        else:
            self.result(Job(block, key, direction, 0))
        return group

    def _fresh(self, count: int, token: int, group: Group) -> State:
        bits = self.algebra.inputs(8 * count, token, group)
        return [list(bits[8 * i : 8 * i + 8]) for i in range(count)]


def _of_key(number: int) -> int:
    return 2 * number


def _of_block(number: int) -> int:
    return 2 * number + 1


T = TypeVar("T")

_CHUNK = 256
"""Registers of a state that are kept together: in a pipeline few stages differ from one state to the next."""


class Interned(Generic[T]):
    """Values by number, equal ones by the same."""

    def __init__(self) -> None:
        self._values: list[T] = []
        self._numbers: dict[T, int] = {}

    def number(self, value: T) -> int:
        """The number of a value; a new one if it has none."""
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self._values)
            self._values.append(value)
        return number

    def __getitem__(self, number: int) -> T:
        return self._values[number]

    def __len__(self) -> int:
        return len(self._values)


class DataStates:
    """The states of one netlist's data registers."""

    def __init__(self, symbolic: SymbolicNetlist, ports: BlockPorts, tokens: Tokens) -> None:
        self._symbolic, self._ports, self._tokens = symbolic, ports, tokens
        self._states = Interned[Numbers]()
        self._chunks = Interned[Numbers]()
        self._steps: dict[tuple[int, Numbers, Numbers, Numbers], tuple[Numbers, int]] = {}
        self._images: dict[Renaming, dict[int, int]] = {}
        self._beats: dict[tuple[int, int, int], tuple[State, Numbers]] = {}

    def __len__(self) -> int:
        return len(self._states)

    def number(self, held: Iterable[int]) -> int:
        """The number of the state in which the registers hold forms of these numbers."""
        plain = [number if number >= 0 else UNKNOWN_NUMBER for number in held]
        return self._states.number(
            tuple([self._chunks.number(tuple(plain[i : i + _CHUNK])) for i in range(0, len(plain), _CHUNK)])
        )

    def held(self, state: int) -> Iterator[int]:
        """The numbers of the forms that the registers hold."""
        return chain.from_iterable(self._chunks[number] for number in self._states[state])

    def step(self, state: int, boundary: Numbers, key: Numbers = (), block: Numbers = ()) -> tuple[Numbers, int]:
        """The outputs and the state after a clock, for levels of control and payloads (empty: no transfer)."""
        asked = (state, boundary, key, block)
        found = self._steps.get(asked)
        if found is None:
            payload = self._ports.payload(key, block, UNKNOWN_NUMBER)
            outputs, after = self._symbolic.data(boundary, payload, tuple(self.held(state)))
            found = self._steps[asked] = (outputs, self.number(after))
        return found

    def renamed(self, state: int, renaming: Renaming) -> int:
        """The state with keys and blocks renumbered, and the dead forgotten."""
        images = self._images.setdefault(renaming, {})
        image = images.get(state)
        if image is None:
            image = images[state] = self.number(self._tokens.renamed(self.held(state), renaming))
        return image

    def beat(self, state: State, beat: int, beats: int) -> Numbers:
        """One of `beats` beats of a key, a block or a result, as numbers in the order of the port's bits."""
        # Keys, blocks and results are few and asked for in each clock; the state itself keeps its identity its own.
        asked = id(state), beat, beats
        if asked not in self._beats:
            width = len(state) // beats
            bytes_of_it = state[width * beat : width * (beat + 1)]
            numbers = self._tokens.numbers.numbers(bit for byte in reversed(bytes_of_it) for bit in byte)
            self._beats[asked] = (state, numbers)
        return self._beats[asked][1]
