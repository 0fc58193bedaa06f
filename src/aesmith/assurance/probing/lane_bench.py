"""A masked core driven through its block interface, many cases at a time, with fixed secrets or with drawn ones.

A case is a bit of a word. Every word has a class: 0 draws key and block for each case, 1 has the block whose inputs of
all inversions in round 1 are zero under a fixed key, 2 has another fixed block under that key. Keys and blocks are
shared anew for each case, and each word of fresh bits that is taken is followed by a new one; a core that makes its
own has a seed in each case, once. Keys, blocks and results go in as many beats as their channels need. What the core's
control does must be the same in all cases, which is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aesmith.assurance.leakage.classes import zero_block
from aesmith.assurance.probing.lanes import AND, MUX, NOT, OR, XOR, settle
from aesmith.assurance.proof.netlist import TRUE, Netlist, NetlistOp
from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import BLOCK_BITS, ByteOrder, Channel, Meaning, PayloadKind, PortDeclaration, PortDirection
from aesmith.errors import CheckError, RequestError
from aesmith.reference.golden import decrypt_blocks, encrypt_blocks
from aesmith.timing.power.arrays import ALL_LANES, Blocks, Bytes, Words

WORDS = 32
"""Words of 64 cases that go through a netlist together."""

CASES = 64 * WORDS

CLASSES: tuple[str, ...] = ("random", "zero in round 1", "drawn")

_TURNS = (0, 1, 0, 2)
"""The classes of words, in turn."""

_OPERATIONS = {
    NetlistOp.NOT: NOT,
    NetlistOp.AND: AND,
    NetlistOp.OR: OR,
    NetlistOp.XOR: XOR,
    NetlistOp.MUX: MUX,
}


class LaneNetlist:
    """A netlist whose registers step with its clock. `level` has a row of words for each net."""

    def __init__(self, netlist: Netlist, random: np.random.Generator) -> None:
        self.level = np.zeros((netlist.net_count, WORDS), dtype=np.uint64)
        self.level[TRUE] = ALL_LANES
        self._q = np.array([register.q for register in netlist.registers], dtype=np.int64)
        self._d = np.array([register.d for register in netlist.registers], dtype=np.int64)
        for register in netlist.registers:
            at_first = drawn(random, 1)[0] if register.reset is None else ALL_LANES * np.uint64(register.reset)
            self.level[register.q] = at_first
        rows = [
            (_OPERATIONS[gate.op], *gate.inputs, *[0] * (3 - len(gate.inputs)), gate.output) for gate in netlist.gates
        ]
        self._gates = np.array(rows, dtype=np.int32).reshape(-1, 5)

    def settle(self) -> None:
        """Let all that inputs and registers say go through the gates."""
        settle(self._gates, self.level)

    def clock(self) -> None:
        """Registers take what is at their data pins."""
        self.level[self._q] = self.level[self._d]


def drawn(random: np.random.Generator, bits: int) -> Words:
    """A row of words for each bit, drawn."""
    return random.integers(0, ALL_LANES, (bits, WORDS), dtype=np.uint64, endpoint=True)


def check_sampled(design: CoreDesign) -> None:
    """Raise RequestError for a core without shares, for one that takes neither fresh bits nor a seed of them, and for
    one with values at ports, whose wires show them."""
    if not design.in_shares or not any(payload.kind is PayloadKind.RANDOM for payload in design.ports.payloads):
        raise RequestError(
            f"{design.name}: sampled are cores with shares and a channel of fresh bits, or of their seed"
        )
    if any(payload.kind is PayloadKind.DATA for payload in design.ports.payloads):
        raise RequestError(
            f"{design.name}: sampled are cores with shares at all ports: wires that read values show them"
        )


@dataclass(frozen=True)
class _Beat:
    """A transfer of a channel: what each of its payloads carries, by the payload's meaning, in no shares yet."""

    channel: Channel
    values: dict[Meaning, Words]


class LaneBench:
    """Blocks through a core, one at a time, each with a key of its own.

    `lanes` is the netlist under it; `classes` are those of words. Raises what `check_sampled` raises.
    """

    def __init__(self, netlist: Netlist, design: CoreDesign, seed: int) -> None:
        self._design, self._netlist = design, netlist
        self._ports: dict[str, PortDeclaration] = {port.role: port for port in design.ports}
        self._key_bits = max(design.key_bits)
        check_sampled(design)
        random = np.random.default_rng([seed, 0, 3])
        self.lanes = LaneNetlist(netlist, random)
        self.classes: Bytes = np.array([_TURNS[word % len(_TURNS)] for word in range(WORDS)], dtype=np.uint8)
        self._direction = design.directions[0]
        self._key = random.integers(0, 256, self._key_bits // 8, dtype=np.uint8).tobytes()
        other = random.integers(0, 256, 16, dtype=np.uint8).tobytes()
        self._blocks = (zero_block(self._key, self._direction, 1), other)
        taking = [c for c in design.ports.channels if c.direction is PortDirection.INPUT]
        # A key that has a channel goes before the block.
        carrying = [c for m in (Meaning.KEY, Meaning.BLOCK) for c in taking if c.find(m)]
        self._carrying = tuple(dict.fromkeys(carrying))
        self._seeds = next((c for c in taking if c.find(Meaning.SEED)), None)
        self._reset(random)

    def run(self, seed: tuple[int, ...], on_clock: Callable[[int], None] | None = None, *, check: bool = False) -> int:
        """A key and a block in each case, to the block's result and one clock more; the number of the clock of them in
        which the block, or its first beat, was taken. The first run begins with a seed where there is one to give.

        `on_clock` is called with the number of each clock, from 0, once all has settled in it. With `check` results are
        compared with AES. Raises CheckError if they differ, if cases differ in time, and if no result comes.
        """
        random = np.random.default_rng(seed)
        keys = self._secret(random, self._key_bits, (self._key, self._key))
        blocks = self._secret(random, BLOCK_BITS, self._blocks)
        beats = self._beats(keys, blocks, random)
        result = self._ports["result.result"]
        lanes, number, taken, found = self.lanes, 0, -1, list[Words]()
        offered = next(beats, None)
        self._offer(offered, random)
        ended = patience = 16 * self._design.latency_cycles + 512
        while number <= ended:
            lanes.settle()
            if on_clock is not None:
                on_clock(number)
            accepted = offered is not None and self._says(f"{offered.channel.name}.ready")
            if taken >= 0 and ended == patience and self._says("result.valid"):
                found.append(lanes.level[list(self._netlist.outputs[result.name])])
                if len(found) * result.width == BLOCK_BITS:
                    ended = number + 1
                    if check:
                        self._compare(keys, blocks, found)
            fresh = self._says("random.ready")
            lanes.clock()
            if fresh:
                self._fresh(random)
            if accepted:
                assert offered is not None
                if taken < 0 and offered.channel.find(Meaning.BLOCK):
                    taken = number
                self._withdraw(offered.channel)
                offered = next(beats, None)
                self._offer(offered, random)
            number += 1
        if ended == patience:
            raise CheckError(f"{self._design.name}: no result came in {patience} clocks of sampling")
        return taken

    def _beats(self, keys: Words, blocks: Words, random: np.random.Generator) -> Iterator[_Beat]:
        """All that is sent to a core for a block, in turn."""
        if self._seeds is not None:
            channel, self._seeds = self._seeds, None
            yield _Beat(channel, {Meaning.SEED: drawn(random, channel.data.bits)})
        for channel in self._carrying:
            whole = {m: value for m, value in ((Meaning.BLOCK, blocks), (Meaning.KEY, keys)) if channel.find(m)}
            widths = {m: self._port(channel, m).width for m in whole}
            for number in range(channel.beats(len(whole[channel.data.meaning]))):
                ends = {m: len(value) - number * widths[m] for m, value in whole.items()}
                yield _Beat(channel, {m: value[ends[m] - widths[m] : ends[m]] for m, value in whole.items()})

    def _reset(self, random: np.random.Generator) -> None:
        for channel in (*self._carrying, *([self._seeds] if self._seeds else [])):
            self._withdraw(channel)
        for role in ("result.ready", "random.valid"):
            self._line(role, says=True)
        if "clear.clear" in self._ports:
            self._line("clear.clear", says=False)
        if "block.direction" in self._ports:
            self._line("block.direction", says=self._direction is Direction.DECRYPT)
        self._fresh(random)

    def _secret(self, random: np.random.Generator, bits: int, fixed: tuple[bytes, bytes]) -> Words:
        """A value of so many bits in each case, bit 0 of its last byte first."""
        words = drawn(random, bits)
        for number, value in enumerate(fixed, 1):
            whole = int.from_bytes(value, "big")
            for bit in range(bits):
                words[bit, self.classes == number] = ALL_LANES if whole >> bit & 1 else 0
        return words

    def _offer(self, beat: _Beat | None, random: np.random.Generator) -> None:
        """A beat on its channel, in shares of which all but the first are drawn."""
        if beat is None:
            return
        for meaning, value in beat.values.items():
            port = self._port(beat.channel, meaning)
            others = drawn(random, (port.shares - 1) * port.width).reshape(port.shares - 1, port.width, WORDS)
            first = _turned(value, port) ^ np.bitwise_xor.reduce(others, axis=0)
            self._put(port.role, np.concatenate([first, *others]))
        self._line(f"{beat.channel.name}.valid", says=True)

    def _withdraw(self, channel: Channel) -> None:
        """Nothing on a channel: zeros, and no valid."""
        for load in channel.payloads:
            if load.kind is not PayloadKind.CONTROL:
                self._put(self._port(channel, load.meaning).role, np.zeros((load.bits, WORDS), dtype=np.uint64))
        self._line(f"{channel.name}.valid", says=False)

    def _fresh(self, random: np.random.Generator) -> None:
        role = f"random.{Meaning.RANDOM}"
        if role in self._ports:
            self._put(role, drawn(random, self._ports[role].bits))

    def _port(self, channel: Channel, meaning: Meaning) -> PortDeclaration:
        return self._ports[f"{channel.name}.{meaning}"]

    def _put(self, role: str, words: Words) -> None:
        self.lanes.level[list(self._netlist.inputs[self._ports[role].name])] = words

    def _line(self, role: str, *, says: bool) -> None:
        if role in self._ports:
            active = says == bool(self._ports[role].active)
            self._put(role, np.full((1, WORDS), ALL_LANES if active else 0, dtype=np.uint64))

    def _says(self, role: str) -> bool:
        """Whether the line with this role is active, in all cases alike; one that is not there always is."""
        if role not in self._ports:
            return True
        port = self._ports[role]
        row = self.lanes.level[self._netlist.outputs[port.name][0]]
        if (row != row[0]).any() or row[0] not in (np.uint64(0), ALL_LANES):
            raise CheckError(
                f"{self._design.name}: {port.name} differs between cases; what a core does must not depend in time on "
                "key or data"
            )
        return bool(row[0]) == bool(port.active)

    def _compare(self, keys: Words, blocks: Words, beats: Sequence[Words]) -> None:
        """Hold the sums of the shares of a result's beats against AES."""
        port = self._ports["result.result"]
        sums = (np.bitwise_xor.reduce(words.reshape(port.shares, port.width, WORDS), axis=0) for words in beats)
        found = np.concatenate([_turned(words, port) for words in sums][::-1])
        compute = encrypt_blocks if self._direction is Direction.ENCRYPT else decrypt_blocks
        wrong = (_bytes(found) != compute(_bytes(keys), _bytes(blocks))).any(axis=1).sum()
        if wrong:
            raise CheckError(f"{self._design.name}: {wrong} of {CASES} sampled blocks are computed wrongly")


def _turned(words: Words, port: PortDeclaration) -> Words:
    """A value in the order of the port, or back from it."""
    if port.byte_order is not ByteOrder.FIRST_BYTE_LOW:
        return words
    return words.reshape(-1, 8, WORDS)[::-1].reshape(-1, WORDS)


def _bytes(words: Words) -> Blocks:
    """The value of each case, a row of bytes, from words a bit."""
    bits: NDArray[np.uint8] = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")
    return np.packbits(bits[::-1].T, axis=1)
