"""Keys, blocks and what AES makes of them, as forms, each made once: shared by all walks over cores of one kind."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from aesmith.assurance.proof.algebra import Algebra, Form
from aesmith.assurance.proof.automaton import Job, Key
from aesmith.assurance.proof.cipher import State, decrypt, encrypt, key_expansion
from aesmith.assurance.proof.forms import UNKNOWN_NUMBER, FormNumbers
from aesmith.assurance.proof.symbolic import ClusterLibrary

Group = tuple[str, Key, int, bool]
_NO_KEY = Key(0, 0)


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
