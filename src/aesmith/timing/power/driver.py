"""Netlists driven through their ports, 64 lanes in step, every result compared with a model.

A core gets keys and blocks through its block interface. An engine gets messages through its streams, each lane one of
its own under a key of its own; all are of one shape, so that an engine, whose time depends on shapes alone, takes and
gives beats in all lanes at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import SIZE_CODES, ByteOrder, PortDeclaration, Ports
from aesmith.errors import CheckError
from aesmith.modes.engine import COMMAND, INPUT, OUTPUT, StreamEngine
from aesmith.modes.stream import Beat, StreamedMessage
from aesmith.reference.golden import decrypt_blocks, encrypt_blocks
from aesmith.timing.power.arrays import ALL_LANES, LANES, Blocks, Words, everywhere, to_blocks, to_words
from aesmith.timing.power.simulator import Simulator

_RESET = "reset"
_SETTLING_PERIODS = 2
_INWARD = ("key", COMMAND, INPUT)
_PATIENCE = 4096

Payloads = Mapping[str, Words]
"""What the payloads of a channel carry, by their roles."""


@dataclass(frozen=True)
class Clocking:
    """Ticks of a clock period, and from its active edge to the change of the inputs, which come from registers too."""

    period: int
    input_delay: int


class PortDriver:
    """Says and asks what stands at the ports of a design, and clocks it; `name` is what errors call it."""

    def __init__(self, simulator: Simulator, name: str, ports: Ports, clocking: Clocking) -> None:
        self.simulator = simulator
        self.clocking = clocking
        self.periods = 0
        self._name = name
        self._ports = {port.role: port for port in ports}

    def says(self, role: str) -> bool:
        """Whether the line with this role is active. Raises CheckError unless it is in all lanes, or in none."""
        port = self._ports[role]
        word = self.simulator.port(port.name)[0]
        if word not in (np.uint64(0), ALL_LANES):
            raise CheckError(
                f"power of {self._name}: {port.name} differs between stimuli at a clock period of "
                f"{self.clocking.period} ps; what a design does must not depend in time on key or data"
            )
        return bool(word) == bool(port.active)

    def line(self, role: str, active: bool) -> Words:
        """The words of a line that is active in all lanes, or in none."""
        return everywhere(active == bool(self._ports[role].active))

    def carried(self, role: str, content: Blocks) -> Words:
        """The words of a payload that carries these bytes, (64, n), first byte first."""
        return to_words(turned(content, self._ports[role]))

    def drive(self, role: str, words: Words) -> None:
        """Set the port with this role now."""
        self.simulator.drive(self._ports[role].name, words)

    def begin(self, lines: Mapping[str, bool], payloads: Mapping[str, Words]) -> None:
        """Reset the design. Of these lines and payloads those that it has stand there from the beginning."""
        words = {role: self.line(role, active) for role, active in lines.items() if role in self._ports}
        for role, content in (words | {_RESET: self.line(_RESET, True)}).items():
            self.drive(role, content)
        for role, content in payloads.items():
            self.drive(role, content)
        for _ in range(_SETTLING_PERIODS):
            self.period({})
        self.period({_RESET: self.line(_RESET, False)})

    def period(self, changes: Mapping[str, Words]) -> None:
        """One clock period, in which inputs change: the words of ports by their roles."""
        simulator, clocking = self.simulator, self.clocking
        simulator.begin_period()
        simulator.clock_edge(active=True)
        delay = 0 if simulator.zero_delay else min(clocking.input_delay, clocking.period // 2)
        if delay:
            simulator.advance(delay)
        for role, words in changes.items():
            self.drive(role, words)
        simulator.advance(clocking.period // 2 - delay)
        simulator.clock_edge(active=False)
        simulator.advance(clocking.period - clocking.period // 2)
        simulator.end_period()
        self.periods += 1


def turned(content: Blocks, port: PortDeclaration) -> Blocks:
    """Bytes in the order of the port, or back from it."""
    return content[:, ::-1] if port.byte_order is ByteOrder.FIRST_BYTE_LOW else content


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


_KEY_SIZE = "key.key size"
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
        if _KEY_SIZE in self._ports:
            code = SIZE_CODES[8 * self._whole_key]
            bits = [everywhere(bool(code >> k & 1)) for k in range(self._ports[_KEY_SIZE].bits)]
            payloads[_KEY_SIZE] = np.concatenate(bits)
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


class MessageDriver(PortDriver):
    """Drives keys and messages into an engine and takes what it answers, without a pause on any channel."""

    def __init__(self, simulator: Simulator, engine: StreamEngine, clocking: Clocking) -> None:
        super().__init__(simulator, engine.name, engine.ports, clocking)
        self.accepted = 0
        """Messages whose command has been taken."""
        self.checked = 0
        """Beats of output compared with the model, lanes not counted."""
        self.on_accept: Callable[[int], None] | None = None
        """Called at the edge at which a command is taken, with the number of messages before it."""
        self._engine = engine
        self._waiting: dict[str, deque[Payloads]] = {}
        self._offered: set[str] = set()
        self._due: deque[list[Beat]] = deque()
        self.reset()

    def reset(self) -> None:
        """Reset the engine; what was under way in it is forgotten."""
        self._waiting = {channel: deque() for channel in _INWARD}
        self._offered.clear()
        self._due.clear()
        self._sessions = [self._engine.session() for _ in range(LANES)]
        self.accepted = 0
        clear = {"clear.clear": False} if "clear.clear" in self._ports else {}
        self.begin({f"{channel}.valid": False for channel in _INWARD} | {f"{OUTPUT}.ready": True} | clear, {})

    def send_key(self, keys: Sequence[bytes]) -> None:
        """Offer a key in each lane, all of one size."""
        whole = self._ports["key.key"].bits // 8
        payloads = {"key.key": self.carried("key.key", _rows([key.ljust(whole, b"\0") for key in keys]))}
        if _KEY_SIZE in self._ports:
            payloads[_KEY_SIZE] = self._word(_KEY_SIZE, SIZE_CODES[8 * len(keys[0])])
        self._waiting["key"].append(payloads)

    def send(self, keys: Sequence[bytes], messages: Sequence[StreamedMessage]) -> None:
        """Offer a message in each lane, all of one shape; under these keys they are answered."""
        words = [message.command.word for message in messages]
        of_command = self._ports[f"{COMMAND}.{COMMAND}"].bits // 8
        commands = _rows([word.to_bytes(of_command, "little") for word in words])
        self._waiting[COMMAND].append({f"{COMMAND}.{COMMAND}": self.carried(f"{COMMAND}.{COMMAND}", commands)})
        for beats in zip(*(message.beats for message in messages), strict=True):
            one = beats[0]
            assert all((beat.keep, beat.user, beat.last) == (one.keep, one.user, one.last) for beat in beats)
            payloads = {f"{INPUT}.stream": self.carried(f"{INPUT}.stream", _rows([beat.data for beat in beats]))}
            for name, value in (("keep", one.keep), ("user", one.user), ("last", int(one.last))):
                payloads[f"{INPUT}.{name}"] = self._word(f"{INPUT}.{name}", value)
            self._waiting[INPUT].append(payloads)
        lanes = zip(self._sessions, keys, messages, strict=True)
        answers = [session(key, sent)[0] for session, key, sent in lanes]
        self._due.extend(map(list, zip(*answers, strict=True)))

    @property
    def waiting(self) -> Mapping[str, int]:
        """Transfers into the engine that it has not taken, by channel."""
        return {channel: len(queue) for channel, queue in self._waiting.items()}

    @property
    def due(self) -> int:
        """Beats of output that are to come."""
        return len(self._due)

    def run_until(self, done: Callable[[], bool]) -> None:
        """Clock until `done`. Raises CheckError if the engine gives anything wrong, or nothing happens any more."""
        engine = self._engine
        patience = _PATIENCE + engine.silent_cycles + 16 * max(p.core.latency_cycles for p in engine.core_places)
        quiet, seen = 0, self._progress()
        while not done():
            self.step()
            quiet = 0 if self._progress() != seen else quiet + 1
            seen = self._progress()
            if quiet > patience:
                raise CheckError(f"power of {self._name}: nothing has passed the ports for {patience} clocks")

    def step(self) -> None:
        """One clock: transfers as the handshakes stand, then the edge, then what is offered next."""
        if self.says(f"{OUTPUT}.valid"):
            self._take()
        for channel in [channel for channel in self._offered if self.says(f"{channel}.ready")]:
            self._waiting[channel].popleft()
            if channel == COMMAND:
                if self.on_accept is not None:
                    self.on_accept(self.accepted)
                self.accepted += 1
        changes: dict[str, Words] = {}
        for channel in _INWARD:
            offer = bool(self._waiting[channel])
            if offer:
                changes.update(self._waiting[channel][0])
            if offer != (channel in self._offered):
                changes[f"{channel}.valid"] = self.line(f"{channel}.valid", offer)
            (self._offered.add if offer else self._offered.discard)(channel)
        self.period(changes)

    def _progress(self) -> tuple[int, ...]:
        return (*self.waiting.values(), self.checked)

    def _word(self, role: str, value: int) -> Words:
        return np.concatenate([everywhere(bool(value >> bit & 1)) for bit in range(self._ports[role].bits)])

    def _take(self) -> None:
        if not self._due:
            raise CheckError(f"power of {self._name}: the netlist gives a beat that no message has")
        due = self._due.popleft()
        data = self._ports[f"{OUTPUT}.stream"]
        found = turned(to_blocks(self.simulator.port(data.name)), data)
        wrong = (found != _rows([beat.data for beat in due])).any(axis=1)
        for name, values in (
            ("keep", [beat.keep for beat in due]),
            ("user", [beat.user for beat in due]),
            ("last", [int(beat.last) for beat in due]),
        ):
            bits = self.simulator.port(self._ports[f"{OUTPUT}.{name}"].name)
            for lane, value in enumerate(values):
                wrong[lane] |= any(int(word) >> lane & 1 != value >> bit & 1 for bit, word in enumerate(bits))
        if wrong.any():
            lane = int(np.flatnonzero(wrong)[0])
            raise CheckError(
                f"power of {self._name}: at a clock period of {self.clocking.period} ps beat {self.checked} of output "
                f"is wrong in {int(wrong.sum())} of {LANES} lanes, so its power means nothing; must be "
                f"{due[lane].data.hex()}, and is {found[lane].tobytes().hex()}"
            )
        self.checked += 1


def _rows(texts: Sequence[bytes]) -> Blocks:
    return np.array([list(text) for text in texts], dtype=np.uint8)
