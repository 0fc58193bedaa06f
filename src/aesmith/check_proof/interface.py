"""The block interface as an automaton that runs beside a circuit: what each clock is for it, and what it must show.

Keys and blocks have numbers by age: 0 is the last key taken and the oldest block under way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from aesmith.errors import CheckError

SHOWN = ("key_ready_o", "block_ready_o", "block_valid_o")
PROMISES = (
    "a whole block until its result is offered",
    "a whole block until the end of its result",
    "a key until it is taken",
    "a block until it or a key is taken",
)


_KNOWN: tuple[tuple[Any, ...], ...] = ((128, 192, 256), ("encrypt", "decrypt"))


class Given(NamedTuple):
    """The control inputs of a clock. `size` is that of the key in bits; while none is offered, minus any code."""

    key_valid: bool
    size: int
    block_valid: bool
    decrypt: bool
    ready: bool

    def level(self, port: str) -> int:
        """What stands on an input."""
        code = (128, 192, 256).index(self.size) if self.key_valid else -self.size
        levels = {"key_valid_i": self.key_valid, "key_bits_i": code, "block_valid_i": self.block_valid}
        return int((levels | {"decrypt_i": self.decrypt, "block_ready_i": self.ready})[port])


class CoreClaim(NamedTuple):
    """What a core is said to be: its key sizes in bits, ascending; its directions; the bits of a beat of a block; and
    whether it has a clear."""

    key_bits: tuple[int, ...]
    directions: tuple[str, ...]
    width: int
    clear: bool = False

    @classmethod
    def of(cls, certificate: Mapping[str, Any]) -> CoreClaim:
        """What a certificate claims. Raises CheckError for what no core can be."""
        claim = cls(tuple(certificate["key_bits"]), tuple(certificate["directions"]), certificate["block_width"])
        sizes, ways = ([each for each in every if each in some] for every, some in zip(_KNOWN, claim[:2], strict=True))
        if not (sizes and ways) or (tuple(sizes), tuple(ways)) != claim[:2] or claim.width not in (8, 16, 32, 64, 128):
            raise CheckError(
                "key_bits must be some of 128, 192 and 256, directions of encrypt and decrypt, in this order, and "
                f"block_width 8, 16, 32, 64 or 128, not {claim.key_bits}, {claim.directions} and {claim.width}"
            )
        return claim._replace(clear=bool(certificate.get("clear")))

    def check_ports(self, *has: Mapping[str, Sequence[int]]) -> None:
        """Raises CheckError unless inputs and outputs are those of such a core; clock, reset and clear are left out."""
        inputs = dict.fromkeys(("key_valid_i", "block_valid_i", "block_ready_i"), 1)
        inputs |= {"key_i": self.key_bits[-1] if self.width == 128 else self.width, "block_i": self.width}
        inputs |= {"key_bits_i": 2} if len(self.key_bits) > 1 else {}
        inputs |= {"decrypt_i": 1} if len(self.directions) > 1 else {}
        asked = [inputs, dict.fromkeys(SHOWN, 1) | {"block_o": self.width}]
        found = [{name: len(nets) for name, nets in ports.items()} for ports in has]
        if found != asked:
            raise CheckError(f"the sources have ports of the widths {found}, and what is claimed asks for {asked}")

    @property
    def beats(self) -> int:
        """Transfers of a block."""
        return 128 // self.width

    def key_beats(self, bits: int) -> int:
        """Transfers of a key."""
        return max(1, bits // self.width) if self.width < 128 else 1

    def inputs(self) -> Iterator[Given]:
        """All control inputs: while nothing is offered any direction and any code of a size, too."""
        both = (False, True)
        ways = both if len(self.directions) > 1 else ("decrypt" in self.directions,)
        idle = (0, -1, -2, -3) if len(self.key_bits) > 1 else (0,)
        for key_valid, block_valid, way, ready in product(both, both, ways, both):
            for size in self.key_bits if key_valid else idle:
                yield Given(key_valid, size, block_valid, way, ready)


class BlockUnderWay(NamedTuple):
    """A block by number, the key it came under by number and bits, and the beats of it that came and that left."""

    block: int
    key: int
    bits: int
    decrypt: bool
    came: int
    left: int


class InterfaceState(NamedTuple):
    """What the interface knows: the last key taken (number, bits), the one that arrives (and its beats that came), the
    blocks under way from the oldest; whether a result was offered and not taken; and of what senders have offered and
    was not taken the size of the key, and the direction of the block (encrypt 1, decrypt 2), 0 for none.
    """

    key: tuple[int, int] | None = None
    arriving: tuple[int, int, int] | None = None
    blocks: tuple[BlockUnderWay, ...] = ()
    offered: bool = False
    key_waits: int = 0
    block_waits: int = 0

    @classmethod
    def of(cls, row: Sequence[Any]) -> InterfaceState:
        """The state that a certificate has as lists."""
        key, arriving, blocks, *flags = row
        under_way = tuple(BlockUnderWay(*block) for block in blocks)
        return cls(key and tuple(key), arriving and tuple(arriving), under_way, *flags)

    def keys(self) -> list[int]:
        """Numbers of keys that matter: the last one taken, those of blocks from the youngest, the one that arrives."""
        keys = [self.key, *(block[1:] for block in reversed(self.blocks)), self.arriving]
        return list(dict.fromkeys(key[0] for key in keys if key is not None))

    def may_get(self, given: Given, claim: CoreClaim) -> bool:
        """Whether senders that keep the handshake may give these inputs."""
        begun = bool(self.blocks) and self.blocks[-1].came < claim.beats
        if begun and given.block_valid and given.decrypt != self.blocks[-1].decrypt:
            return False
        size = self.key_waits or (self.arriving[1] if self.arriving else given.size)
        if given.size != size if given.key_valid else self.key_waits:
            return False
        return not self.block_waits or (given.block_valid and 1 + given.decrypt == self.block_waits)


class InterfaceClock(NamedTuple):
    """What a clock is: the key (number, bits, beat) and the block that come, whose beat is that which `came` says, and
    the block whose result stands on `block_o`, None for none; the state after it; the numbers of keys and of blocks
    after it by those before; and what the clock counts for each promise, None where it is kept.
    """

    key: tuple[int, int, int] | None
    block: BlockUnderWay | None
    result: BlockUnderWay | None
    after: InterfaceState
    keys: tuple[tuple[int, int], ...]
    blocks: tuple[tuple[int, int], ...]
    counts: tuple[int | None, ...]


def clock_of(state: InterfaceState, given: Given, claim: CoreClaim, shown: tuple[bool, ...]) -> InterfaceClock:
    """A clock in which a core shows these levels of SHOWN. Raises CheckError, naming it, for a rule that is broken."""
    key, arriving, under_way = state.key, state.arriving, list(state.blocks)
    key_comes, block_comes, valid = given.key_valid and shown[0], given.block_valid and shown[1], shown[2]
    whole = bool(under_way) and under_way[0].came == claim.beats
    begun = bool(under_way) and under_way[-1].came < claim.beats
    if valid and not whole:
        raise CheckError("a result is offered, and no whole block is under way")
    if state.offered and not valid:
        raise CheckError("a result that was offered and not taken is no longer offered")
    if block_comes and not begun and key is None:
        raise CheckError("a block is taken before there is a key")
    stalled = valid and not given.ready
    starved = (begun and not given.block_valid) or (arriving is not None and not given.key_valid)
    one = 0 if stalled or starved else 1
    ended = valid and given.ready and under_way[0].left == claim.beats - 1
    counts = (
        1 if whole and not valid else None,
        one if whole and not ended else None,
        one if given.key_valid and not key_comes else None,
        one if given.block_valid and key is not None and not block_comes and not key_comes else None,
    )
    new_key, new_block, result = None, None, under_way[0] if valid else None
    if block_comes:
        if not begun and key is not None:
            number = _unused({block.block for block in under_way})
            under_way.append(BlockUnderWay(number, *key, given.decrypt, 0, 0))
        new_block = under_way[-1]
        under_way[-1] = new_block._replace(came=new_block.came + 1)
    if key_comes:
        new_key = arriving or (_unused(state.keys()), given.size, 0)
        arriving = (*new_key[:2], new_key[2] + 1)
        if arriving[2] == claim.key_beats(arriving[1]):
            key, arriving = arriving[:2], None
    if valid and given.ready:
        under_way[0] = under_way[0]._replace(left=under_way[0].left + 1)
        under_way = under_way[ended:]
    key_waits = given.size if given.key_valid and not key_comes else 0
    block_waits = 1 + given.decrypt if given.block_valid and not block_comes else 0
    after = InterfaceState(key, arriving, tuple(under_way), stalled, key_waits, block_waits)
    keys = {number: age for age, number in enumerate(after.keys())}
    blocks = {block.block: age for age, block in enumerate(under_way)}
    aged = after._replace(
        key=key and (keys[key[0]], key[1]),
        arriving=arriving and (keys[arriving[0]], *arriving[1:]),
        blocks=tuple(block._replace(block=blocks[block.block], key=keys[block.key]) for block in under_way),
    )
    return InterfaceClock(new_key, new_block, result, aged, tuple(keys.items()), tuple(blocks.items()), counts)


def _unused(numbers: Collection[int]) -> int:
    return next(number for number in range(len(numbers) + 1) if number not in numbers)
