"""The driver: a step is a clock, on all channels of the block interface at once.

At a falling edge it sets the inputs for the coming rising edge, and hands what happened at the last one to the monitor.
Clocks in which no input would change and nothing moves may be one step: they pass inside the simulator. A channel keeps
valid and payload until they are taken; while it has nothing to offer it drives the complement of its last payload, so
that a core that samples without valid goes wrong.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any

from cocotb.triggers import FallingEdge, RisingEdge, ValueChange

from aesmith.assurance.plan import CoreFacts
from aesmith.assurance.simulator import (
    BLOCK_READY,
    BLOCK_VALID,
    CHAIN,
    CLEAR,
    DECRYPT,
    IDLE_SHOWN,
    KEY_READY,
    KEY_VALID,
    RANDOM,
    RESULT_READY,
    RESULT_VALID,
    RUN,
)
from aesmith.assurance.testbench.monitor import Monitor, RuleError

MOST = (1 << 31) - 1
"""More clocks than any scenario has."""


def _beats(value: bytes, width: int) -> list[int]:
    """A value in words of `width` bits, byte 0 in the highest bits of the first."""
    size = width // 8
    return [int.from_bytes(value[at : at + size], "big") for at in range(0, len(value), size)]


class Source:
    """Offers beats (payload, decrypt) in order; pauses before a beat with probability `pause` a clock."""

    def __init__(self, random: Random, width: int) -> None:
        self.beats: deque[tuple[int, bool]] = deque()
        self.valid = False
        self.pause = 0.0
        self._random = random.random
        self._mask = (1 << width) - 1
        self._idle = (self._mask, True)

    @property
    def draws(self) -> bool:
        """Whether chance decides what stands on the channel in the coming clock."""
        return not self.valid and bool(self.beats) and self.pause > 0

    def drive(self) -> tuple[int, bool]:
        """What stands on the channel in the coming clock."""
        if not self.valid and self.beats and not (self.pause and self._random() < self.pause):
            self.valid = True
        return self.beats[0] if self.valid else self._idle

    def taken(self) -> int:
        """The beat was transferred: its payload."""
        payload, decrypt = self.beats.popleft()
        self.valid = False
        self._idle = (payload ^ self._mask, not decrypt)
        return payload

    def clear(self) -> None:
        """Drop what was still to be offered."""
        self.beats.clear()
        self.valid = False


class Bench:
    """The core under test, and what stands on its channels.

    `clock` counts rising edges. `ready` and `pause` (a probability) steer the output channel, `random_pause` the fresh
    bits of a masked core, `patient` lets a core stand still, `same_clock` counts the clocks in which a key and a block
    were accepted together.
    """

    def __init__(self, dut: Any, facts: CoreFacts, random: Random) -> None:
        self.facts = facts
        self.random = random
        self.monitor = Monitor(facts)
        self.keys = Source(random, facts.key_width)
        self.blocks = Source(random, facts.block_width)
        self.ready = True
        self.pause = 0.0
        self.random_pause = 0.0
        self.patient = False
        self.clock = 0
        self.same_clock = 0
        self._quiet = 0
        self._dut = dut
        self._edge, self._wake = FallingEdge(dut.clk), ValueChange(dut.wake)
        self._control = self._key = self._block = self._most = -1

    async def _set(self, control: int, key: int | None = None, block: int | None = None, most: int = 1) -> int:
        """Drive the inputs until something moves, for at most so many clocks: the clocks that passed."""
        if control != self._control:
            self._dut.control.value = self._control = control
        if key is not None and key != self._key:
            self._dut.key.value = self._key = key
        if block is not None and block != self._block:
            self._dut.block.value = self._block = block
        if most != self._most:
            self._dut.most.value = self._most = most
        await self._wake
        passed = int(self._dut.passed.value) if most > 1 else 1
        self.clock += passed
        return passed

    async def reset(self, clocks: int = 2) -> None:
        """Reset the core for some clocks; whatever was under way is forgotten."""
        self._forget()
        for number in range(clocks):
            await self._set(RESULT_READY)
            if number and int(self._dut.handshake.value) & RESULT_VALID:
                raise RuleError(f"{self.facts.names['result.valid']} is high in reset")

    async def clear(self) -> None:
        """Clear the core in one clock, while what is offered stands on its channels; all of it is forgotten."""
        key, _ = self.keys.drive()
        block, decrypt = self.blocks.drive()
        offered = (self.keys.valid and KEY_VALID) | (self.blocks.valid and BLOCK_VALID) | (decrypt and DECRYPT)
        await self._set(RUN | RANDOM | CLEAR | RESULT_READY | offered, key, block)
        if int(self._dut.handshake.value) & (KEY_READY | BLOCK_READY | RESULT_VALID):
            raise RuleError(f"a line of the core is high in a clock with {self.facts.names['clear.clear']}")
        self._forget()

    def _forget(self) -> None:
        for source in (self.keys, self.blocks):
            source.clear()
            source.pause = 0.0
        self.ready, self.pause, self.random_pause, self.patient = True, 0.0, 0.0, False
        self.monitor.reset()
        self._quiet = 0

    async def step(self, most: int = 1) -> int:
        """Clocks on all channels until something moves, at most `most`; returns how many passed.

        One clock where chance has to decide the next one, and no more than until the core is taken to be stuck.
        """
        if self.keys.draws or self.blocks.draws or (self.ready and self.pause) or self.random_pause:
            most = 1
        elif most > 1 and not self.patient:
            most = min(most, max(1, self.facts.patience + 1 - self._quiet))
        key, _ = self.keys.drive()
        block, decrypt = self.blocks.drive()
        ready = self.ready and not (self.pause and self.random.random() < self.pause)
        offered = not (self.random_pause and self.random.random() < self.random_pause)
        key_valid, block_valid = self.keys.valid, self.blocks.valid
        control = (
            RUN
            | (offered and RANDOM)
            | (key_valid and KEY_VALID)
            | (block_valid and BLOCK_VALID)
            | (ready and RESULT_READY)
            | (decrypt and DECRYPT)
        )
        passed = await self._set(control, key, block, most)
        handshake = int(self._dut.handshake.value)
        self._quiet += passed
        if handshake & RESULT_VALID:
            self.monitor.result(self.clock, int(self._dut.result.value), ready)
            if ready:
                self._quiet = 0
        else:
            self.monitor.no_result()
        if handshake & IDLE_SHOWN:
            result, valid = (self.facts.names[f"result.{what}"] for what in ("result", "valid"))
            raise RuleError(f"{result} was not 0 in a clock without {valid}: a quiet output shows results only")
        block_moved = block_valid and handshake & BLOCK_READY
        if block_moved:
            self.monitor.block_taken(self.clock, self.blocks.taken(), decrypt)
            self._quiet = 0
        if key_valid and handshake & KEY_READY:
            self.monitor.key_taken(self.clock, self.keys.taken())
            self._quiet = 0
            self.same_clock += bool(block_moved)
        if self._quiet > self.facts.patience and not self.patient:
            self._check_alive()
        return passed

    def _check_alive(self) -> None:
        waiting = []
        if self.keys.beats:
            waiting.append("a key is offered")
        if self.blocks.beats:
            waiting.append("a block is offered")
        if self.monitor.in_flight:
            waiting.append(f"{len(self.monitor.in_flight)} result(s) are due, the first of {self.monitor.in_flight[0]}")
        if waiting:
            raise RuleError(f"deadlock: nothing moved for {self._quiet} clocks, while {'; '.join(waiting)}")
        self._quiet = 0

    async def steps(self, clocks: int) -> None:
        """Some clocks."""
        while clocks > 0:
            clocks -= await self.step(clocks)

    async def until(self, done: Callable[[], object]) -> None:
        """Go on until something that only a transfer can bring about has come about."""
        while not done():
            await self.step(MOST)

    def offer_key(self, key: bytes) -> None:
        """Queue a key on its channel."""
        self.keys.beats.extend((beat, False) for beat in _beats(key, self.facts.key_width))

    def offer_block(self, block: bytes, decrypt: bool) -> None:
        """Queue a block on its channel, with the direction that goes with it."""
        self.blocks.beats.extend((beat, decrypt) for beat in _beats(block, self.facts.block_width))

    async def give_key(self, key: bytes) -> None:
        """Offer a key and go on until it is accepted."""
        self.offer_key(key)
        await self.until(lambda: not self.keys.beats)

    async def give_block(self, block: bytes, decrypt: bool) -> None:
        """Offer a block and go on until it is accepted."""
        self.offer_block(block, decrypt)
        await self.until(lambda: not self.blocks.beats)

    async def drain(self) -> None:
        """Go on until everything offered is accepted and every result has come; then a few clocks more."""
        await self.until(lambda: not (self.keys.beats or self.blocks.beats or self.monitor.in_flight))
        await self.steps(3)

    async def chain(self, start: bytes, length: int, decrypt: bool) -> tuple[bytes, bytes]:
        """Let the harness feed each result back as the next block, `length` times: the last two results.

        No block may be in flight. Stalls and stability are not looked at here.
        """
        dut = self._dut
        dut.chain_length.value = length
        dut.chain_start.value = int.from_bytes(start, "big")
        dut.chain_patience.value = self.facts.patience
        direction = (decrypt and DECRYPT) | RUN | RANDOM
        await self._set(direction)
        await self._set(direction)
        before = int(dut.cycle.value)
        dut.control.value = self._control = direction | CHAIN
        await RisingEdge(dut.chain_end)
        await self._edge
        left = int(dut.chain_left.value)
        self.clock += int(dut.cycle.value) - before
        if left:
            raise RuleError(
                f"deadlock: nothing moved for {self.facts.patience} clocks after {length - left} of {length} blocks"
            )
        results = [int(port.value).to_bytes(16, "big") for port in (dut.chain_before, dut.chain_block)]
        await self._set(RUN | RANDOM)
        return results[0], results[1]
