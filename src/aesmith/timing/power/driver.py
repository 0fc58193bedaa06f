"""A core driven through its block interface, 64 lanes in step, every result compared with the golden model."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import SIZE_CODES
from aesmith.errors import CheckError
from aesmith.reference.golden import decrypt_blocks, encrypt_blocks
from aesmith.timing.power.arrays import ALL_LANES, LANES, Blocks, Words, everywhere, to_blocks
from aesmith.timing.power.port_driver import Clocking, PortDriver, turned
from aesmith.timing.power.simulator import Simulator


@dataclass(frozen=True)
class Masks:
    """What masks shares and is offered as fresh bits. Without `fresh` these are 0: what is computed is the same."""

    random: np.random.Generator
    fresh: bool = True

    def words(self, bits: int) -> Words:
        """A word of 64 lanes, drawn, for each bit of a port."""
        return self.random.integers(0, ALL_LANES, bits, dtype=np.uint64, endpoint=True)

    def fresh_bits(self, bits: int) -> Words:
        """A word of 64 lanes for each of the fresh bits of a clock."""
        return self.words(bits) if self.fresh else np.zeros(bits, dtype=np.uint64)

    def shared(self, words: Words, shares: int) -> Words:
        """The bits of a port in so many shares, share 0 first, whose sum `words` are."""
        others = self.words((shares - 1) * len(words)).reshape(shares - 1, len(words))
        return np.concatenate([np.bitwise_xor.reduce(others, axis=0, initial=0) ^ words, *others])


_RANDOM_BITS = "random.random bits"
_SEED = "seed.seed"


@dataclass
class _Sent:
    """A channel into the core: beats waiting, and whether one is offered now."""

    beats: deque[Blocks]
    offered: bool = False


class BlockDriver(PortDriver):
    """Drives keys and blocks into a core and takes results out, without a pause on the output.

    A core whose key size is chosen with the key gets its longest keys, as its figures of time have it. One that takes
    a key with each block gets the last key with each. `masks` are for a core that takes shares: each key and each block
    is shared anew, and a new word of fresh bits is there in each clock, or a seed of them after reset. Without them
    all these come from a fixed seed.
    """

    def __init__(
        self,
        simulator: Simulator,
        design: CoreDesign,
        direction: Direction,
        clocking: Clocking,
        masks: Masks | None = None,
    ) -> None:
        super().__init__(simulator, design.name, design.ports, clocking)
        self.direction = direction
        self.accepted = 0
        """Blocks of which the first beat has been taken."""
        self.checked = 0
        """Results compared with the golden model, lanes not counted."""
        self.on_accept: Callable[[int], None] | None = None
        """Called at the edge at which the first beat of a block is taken, with the number of blocks before it."""
        self._design = design
        self._block_bytes = design.block_width // 8
        self._whole_key = max(design.key_bits) // 8
        self._key_bytes = self._whole_key if design.block_width == 128 else self._block_bytes
        self._key_with_block = design.ports.key_with_block
        self._keys = _Sent(deque())
        self._blocks = _Sent(deque())
        self._key_beats: list[Blocks] = []
        self._block_beats: list[Blocks] = []
        self._key: Blocks | None = None
        self._expected: deque[tuple[Blocks, Blocks]] = deque()
        self._received: list[Blocks] = []
        self._block_key: Blocks | None = None
        self._masks = masks or Masks(np.random.default_rng(1))

    def reset(self) -> None:
        """Reset the core; what was under way in it is forgotten."""
        self._keys, self._blocks = _Sent(deque()), _Sent(deque())
        self._key_beats, self._block_beats, self._received = [], [], []
        self._expected.clear()
        self.accepted = 0
        idle = {"key.valid": False, "block.valid": False, "result.ready": True}
        more = {"random.valid": True, "seed.valid": False, "clear.clear": False}
        way = {"block.direction": self.direction is Direction.DECRYPT}
        payloads: dict[str, Words] = {}
        if "key.key size" in self._ports:
            code = SIZE_CODES[8 * self._whole_key]
            bits = [everywhere(bool(code >> k & 1)) for k in range(self._ports["key.key size"].bits)]
            payloads["key.key size"] = np.concatenate(bits)
        if _RANDOM_BITS in self._ports:
            payloads[_RANDOM_BITS] = self._masks.fresh_bits(self._ports[_RANDOM_BITS].bits)
        self.begin(idle | more | way, payloads)
        if _SEED in self._ports:
            self.drive(_SEED, self._masks.words(self._ports[_SEED].bits))
            self.period({"seed.valid": self.line("seed.valid", True)})
            self.period({"seed.valid": self.line("seed.valid", False)})

    def send_key(self, keys: Blocks) -> None:
        """Offer a key in each lane, (64, bytes); it is taken at once where it goes with blocks."""
        if self._key_with_block:
            self._key = keys
            return
        self._keys.beats.extend(_beats(keys, self._key_bytes))

    def send_block(self, blocks: Blocks) -> None:
        """Offer a block in each lane, (64, 16)."""
        self._blocks.beats.extend(_beats(blocks, self._block_bytes))

    @property
    def keys_waiting(self) -> int:
        """Beats of keys that the core has not taken."""
        return len(self._keys.beats)

    @property
    def blocks_waiting(self) -> int:
        """Beats of blocks that the core has not taken."""
        return len(self._blocks.beats)

    @property
    def blocks_inside(self) -> int:
        """Results that are due."""
        return len(self._expected)

    def run_until(self, done: Callable[[], bool]) -> None:
        """Clock until `done`. Raises CheckError if the core computes anything wrong, or nothing happens any more."""
        patience = 16 * self._design.latency_cycles + 512
        quiet_since = self.periods
        seen = self._progress()
        while not done():
            self.step()
            if self._progress() != seen:
                seen, quiet_since = self._progress(), self.periods
            if self.periods - quiet_since > patience:
                raise CheckError(
                    f"power of {self._design.name}: nothing has passed the core's ports for {patience} clocks"
                )

    def step(self) -> None:
        """One clock: transfers as the handshakes stand, then the edge, then what is offered next."""
        key_taken = self._keys.offered and self.says("key.ready")
        block_taken = self._blocks.offered and self.says("block.ready")
        if self.says("result.valid"):
            result = self._ports["result.result"]
            shares = self.simulator.port(result.name).reshape(result.shares, result.width)
            self._take_result(turned(to_blocks(np.bitwise_xor.reduce(shares, axis=0)), result))
        if key_taken:
            self._key_beats.append(self._keys.beats.popleft())
            if sum(beat.shape[1] for beat in self._key_beats) == self._whole_key:
                self._key = np.concatenate(self._key_beats, axis=1)
                self._key_beats = []
        if block_taken:
            self._take_block(self._blocks.beats.popleft())
        changes: dict[str, Words] = {}
        # A key comes before the blocks that were sent after it, and after those sent before it.
        self._offer("key", self._keys, changes, allowed=True)
        self._offer("block", self._blocks, changes, allowed=not self._keys.beats or bool(self._block_beats))
        self.period(changes)

    def _progress(self) -> tuple[int, int, int]:
        return len(self._keys.beats), len(self._blocks.beats), self.checked

    def _take_block(self, beat: Blocks) -> None:
        if not self._block_beats:
            if self.on_accept is not None:
                self.on_accept(self.accepted)
            self.accepted += 1
            self._block_key = self._key
        self._block_beats.append(beat)
        if sum(taken.shape[1] for taken in self._block_beats) == 16:
            assert self._block_key is not None
            self._expected.append((self._block_key, np.concatenate(self._block_beats, axis=1)))
            self._block_beats = []

    def _take_result(self, beat: Blocks) -> None:
        self._received.append(beat)
        if sum(taken.shape[1] for taken in self._received) < 16:
            return
        result = np.concatenate(self._received, axis=1)
        self._received = []
        if not self._expected:
            raise CheckError(f"power of {self._design.name}: the netlist gives a result that no block was sent for")
        keys, blocks = self._expected.popleft()
        compute = encrypt_blocks if self.direction is Direction.ENCRYPT else decrypt_blocks
        right = compute(keys, blocks)
        wrong = np.flatnonzero((result != right).any(axis=1))
        if len(wrong):
            lane = int(wrong[0])
            block, key, found, due = (row[lane].tobytes().hex() for row in (blocks, keys, result, right))
            raise CheckError(
                f"power of {self._design.name}: at a clock period of {self.clocking.period} ps the netlist computes "
                f"{len(wrong)} of {LANES} blocks wrong, so its power means nothing; {self.direction} of {block} under "
                f"{key} gave {found}, not {due}"
            )
        self.checked += 1

    def _offer(self, name: str, channel: _Sent, changes: dict[str, Words], *, allowed: bool) -> None:
        offer = bool(channel.beats) and allowed
        if offer:
            changes[f"{name}.{name}"] = self.carried(f"{name}.{name}", channel.beats[0])
            if name == "block" and self._key_with_block:
                assert self._key is not None
                key = _beats(self._key, self._block_bytes)[len(self._block_beats)]
                changes["block.key"] = self.carried("block.key", key)
        if offer != channel.offered:
            changes[f"{name}.valid"] = self.line(f"{name}.valid", offer)
        channel.offered = offer

    def carried(self, role: str, content: Blocks) -> Words:
        """The same, in shares if the port has them."""
        return self._masks.shared(super().carried(role, content), self._ports[role].shares)

    def period(self, changes: Mapping[str, Words]) -> None:
        """The same, with new fresh bits if those of the clock before were taken."""
        if _RANDOM_BITS in self._ports and self.says("random.ready"):
            changes = {**changes, _RANDOM_BITS: self._masks.fresh_bits(self._ports[_RANDOM_BITS].bits)}
        super().period(changes)


def _beats(data: Blocks, width: int) -> list[Blocks]:
    """The beats of keys or blocks, first byte first."""
    return [data[:, first : first + width] for first in range(0, data.shape[1], width)]
