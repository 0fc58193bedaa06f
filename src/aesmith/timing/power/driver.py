"""A core driven through its block interface, 64 lanes in step, every result compared with the golden model."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import SIZE_CODES, ByteOrder, PortDeclaration
from aesmith.errors import CheckError
from aesmith.reference.golden import decrypt_blocks, encrypt_blocks
from aesmith.timing.power.arrays import ALL_LANES, LANES, Blocks, Words, everywhere, to_blocks, to_words
from aesmith.timing.power.simulator import Simulator

_SETTLING_PERIODS = 2


@dataclass(frozen=True)
class Clocking:
    """Ticks of a clock period, and from its active edge to the change of the inputs, which come from registers too."""

    period: int
    input_delay: int


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


class BlockDriver:
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
        self.simulator = simulator
        self.clocking = clocking
        self.direction = direction
        self.accepted = 0
        """Blocks of which the first beat has been taken."""
        self.checked = 0
        """Results compared with the golden model, lanes not counted."""
        self.periods = 0
        self.on_accept: Callable[[int], None] | None = None
        """Called at the edge at which the first beat of a block is taken, with the number of blocks before it."""
        self._design = design
        self._ports = {port.role: port for port in design.ports}
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
        says_at_first = {"reset": True, "key.valid": False, "block.valid": False, "result.ready": True}
        for role, says in (says_at_first | {"random.valid": True, "seed.valid": False}).items():
            if role in self._ports:
                self._drive(role, says)
        if "clear.clear" in self._ports:
            self._drive("clear.clear", False)
        if "block.direction" in self._ports:
            self._drive("block.direction", self.direction is Direction.DECRYPT)
        if "key.key size" in self._ports:
            code = SIZE_CODES[8 * self._whole_key]
            bits = [everywhere(bool(code >> k & 1)) for k in range(self._ports["key.key size"].bits)]
            self.simulator.drive(self._ports["key.key size"].name, np.concatenate(bits))
        if _RANDOM_BITS in self._ports:
            fresh = self._ports[_RANDOM_BITS]
            self.simulator.drive(fresh.name, self._masks.fresh_bits(fresh.bits))
        for _ in range(_SETTLING_PERIODS):
            self._period({})
        self._period({"reset": False})
        if _SEED in self._ports:
            seed = self._ports[_SEED]
            self.simulator.drive(seed.name, self._masks.words(seed.bits))
            self._period({"seed.valid": True})
            self._period({"seed.valid": False})

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
        key_taken = self._keys.offered and self._says("key.ready")
        block_taken = self._blocks.offered and self._says("block.ready")
        if self._says("result.valid"):
            result = self._ports["result.result"]
            shares = self.simulator.port(result.name).reshape(result.shares, result.width)
            self._take_result(_turned(to_blocks(np.bitwise_xor.reduce(shares, axis=0)), result))
        if key_taken:
            self._key_beats.append(self._keys.beats.popleft())
            if sum(beat.shape[1] for beat in self._key_beats) == self._whole_key:
                self._key = np.concatenate(self._key_beats, axis=1)
                self._key_beats = []
        if block_taken:
            self._take_block(self._blocks.beats.popleft())
        changes: dict[str, bool | Blocks] = {}
        # A key comes before the blocks that were sent after it, and after those sent before it.
        self._offer("key", self._keys, changes, allowed=True)
        self._offer("block", self._blocks, changes, allowed=not self._keys.beats or bool(self._block_beats))
        self._period(changes)

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

    def _offer(self, name: str, channel: _Sent, changes: dict[str, bool | Blocks], *, allowed: bool) -> None:
        offer = bool(channel.beats) and allowed
        if offer:
            changes[f"{name}.{name}"] = channel.beats[0]
            if name == "block" and self._key_with_block:
                assert self._key is not None
                changes["block.key"] = _beats(self._key, self._block_bytes)[len(self._block_beats)]
        if offer != channel.offered:
            changes[f"{name}.valid"] = offer
        channel.offered = offer

    def _says(self, role: str) -> bool:
        """Whether the line with this role is active, in all lanes alike."""
        port = self._ports[role]
        word = self.simulator.port(port.name)[0]
        if word not in (np.uint64(0), ALL_LANES):
            raise CheckError(
                f"power of {self._design.name}: {port.name} differs between stimuli at a clock period of "
                f"{self.clocking.period} ps; what a core does must not depend in time on key or data"
            )
        return bool(word) == bool(port.active)

    def _drive(self, role: str, content: bool | Blocks) -> None:
        """What the port with this role says in all lanes, or carries in each."""
        port = self._ports[role]
        if isinstance(content, bool):
            self.simulator.drive(port.name, everywhere(content == bool(port.active)))
        else:
            self.simulator.drive(port.name, self._masks.shared(to_words(_turned(content, port)), port.shares))

    def _period(self, changes: dict[str, bool | Blocks]) -> None:
        """One clock period, in which inputs change: what each says or carries by its role."""
        simulator, clocking = self.simulator, self.clocking
        fresh = self._ports.get(_RANDOM_BITS)
        taken = fresh is not None and self._says("random.ready")
        simulator.begin_period()
        simulator.clock_edge(active=True)
        delay = 0 if simulator.zero_delay else min(clocking.input_delay, clocking.period // 2)
        if delay:
            simulator.advance(delay)
        for role, content in changes.items():
            self._drive(role, content)
        if fresh is not None and taken:
            simulator.drive(fresh.name, self._masks.fresh_bits(fresh.bits))
        simulator.advance(clocking.period // 2 - delay)
        simulator.clock_edge(active=False)
        simulator.advance(clocking.period - clocking.period // 2)
        simulator.end_period()
        self.periods += 1


def _turned(content: Blocks, port: PortDeclaration) -> Blocks:
    """Bytes in the order of the port, or back from it."""
    return content[:, ::-1] if port.byte_order is ByteOrder.FIRST_BYTE_LOW else content


def _beats(data: Blocks, width: int) -> list[Blocks]:
    """The beats of keys or blocks, first byte first."""
    return [data[:, first : first + width] for first in range(0, data.shape[1], width)]
