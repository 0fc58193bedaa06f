"""Benches that give traces: a core, masked or not, from its block's taking on, and a masked S-box from its operand's.

A batch is 64 lanes, several traces one after the other in each. It begins from the same state and has random numbers
of its own, so that traces do not depend on who makes them. Each trace's class is drawn by a fair coin; keys, blocks and
operands are shared anew for each, and what was computed is checked.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from aesmith.assurance.leakage.statistics import Floats
from aesmith.assurance.leakage.traces import TraceSimulator, WaveNetlist
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError, RequestError
from aesmith.fields import aes
from aesmith.masking.sharing import MaskedCircuit
from aesmith.timing.power.activity import input_delay
from aesmith.timing.power.arrays import LANES, Blocks, to_blocks, to_words
from aesmith.timing.power.driver import BlockDriver, Clocking, Masks
from aesmith.timing.power.program import TICKS_PER_NS

IN_TURN = 4
"""Traces of a lane in a batch."""

BATCH = LANES * IN_TURN
"""Traces of a batch."""


class Batch(NamedTuple):
    """Classes (0: random, k: fixed class k), traces, a row each, clock by clock, in fJ, and blocks or operands."""

    classes: NDArray[np.int64]
    traces: Floats
    blocks: Blocks


class TraceBench(Protocol):
    """What makes traces."""

    clocks: int

    def batch(self, seed: int, number: int) -> Batch:
        """Batch `number` of those of a seed. Raises CheckError if anything is computed wrongly."""


class CoreBench:
    """A core under one key; `fixed` are the blocks of the fixed classes, `clocks` how many a trace has."""

    def __init__(
        self,
        netlist: WaveNetlist,
        design: CoreDesign,
        *,
        key: bytes,
        fixed: tuple[bytes, ...],
        clocks: int,
        parts: int,
        clock_mhz: float,
        fresh: bool,
    ) -> None:
        self.clocks = clocks
        self._netlist, self._design, self._parts, self._fresh = netlist, design, parts, fresh
        self._key = np.tile(np.frombuffer(key, dtype=np.uint8), (LANES, 1))
        self._fixed = np.array([list(block) for block in fixed], dtype=np.uint8).reshape(-1, 16)
        self._clocking = Clocking(round(TICKS_PER_NS * 1000 / clock_mhz), input_delay(netlist.program))

    def batch(self, seed: int, number: int) -> Batch:
        """Traces of blocks that enter an empty core, each but the last given up after its trace.

        Before them comes a random block. Its result and that of the last are checked.
        """
        random = np.random.default_rng([seed, number])
        simulator = TraceSimulator(self._netlist, self._parts)
        masks = Masks(np.random.default_rng([seed, number, 1]), self._fresh)
        driver = BlockDriver(simulator, self._design, self._design.directions[0], self._clocking, masks)
        traced = False

        def begin(_number: int) -> None:
            simulator.tracing = traced

        driver.on_accept = begin
        driver.reset()
        self._send(driver, random.integers(0, 256, (LANES, 16), dtype=np.uint8))
        driver.run_until(lambda: not driver.blocks_inside)
        traced, found = True, []
        for _ in range(IN_TURN):
            driver.reset()
            classes, blocks = _drawn(random, self._fixed)
            self._send(driver, blocks)
            while len(simulator.samples) < self.clocks:
                driver.step()
            simulator.tracing = False
            found.append(Batch(classes, _traces(simulator), blocks))
        driver.run_until(lambda: not driver.blocks_inside)
        return _together(found)

    def _send(self, driver: BlockDriver, blocks: Blocks) -> None:
        """The key, shared anew, and a block, until it is about to be taken."""
        driver.send_key(self._key)
        driver.run_until(lambda: not driver.keys_waiting)
        driver.send_block(blocks)
        taken = driver.accepted
        driver.run_until(lambda: driver.accepted > taken)


class SBoxBench:
    """A masked S-box from the clock in which its operand comes to that of its result, fresh bits new in every clock.

    Before and after its operand all shares are 0, as in idle slots of a pipeline. `fixed` are the operands of the fixed
    classes. Without `fresh` all fresh bits are 0, with `zero_stages` those of these stages, counted from 1: faults.
    """

    def __init__(
        self,
        netlist: WaveNetlist,
        masked: MaskedCircuit,
        *,
        fixed: tuple[int, ...],
        parts: int,
        clock_mhz: float,
        fresh: bool,
        zero_stages: frozenset[int] = frozenset(),
    ) -> None:
        self.clocks = masked.latency + 1
        self._netlist, self._masked, self._parts = netlist, masked, parts
        self._fixed = np.array([[value] for value in fixed], dtype=np.uint8)
        self._period = round(TICKS_PER_NS * 1000 / clock_mhz)
        self._delay = min(input_delay(netlist.program), self._period // 2)
        self._random = [port for port in masked.staged.circuit.inputs if port.name.startswith("random_")]
        stages = {int(port.name.removeprefix("random_")) for port in self._random}
        if wrong := zero_stages - stages:
            raise RequestError(f"zero stages: fresh bits come in stages {sorted(stages)}, not in {sorted(wrong)}")
        self._zero = {f"random_{stage}" for stage in (zero_stages if fresh else stages)}

    def batch(self, seed: int, number: int) -> Batch:
        """Traces of operands one after the other."""
        random = np.random.default_rng([seed, number])
        masks = Masks(np.random.default_rng([seed, number, 1]))
        simulator = TraceSimulator(self._netlist, self._parts)
        for _ in range(self.clocks):
            self._clock(simulator, masks)
        found = []
        for _ in range(IN_TURN):
            classes, operands = _drawn(random, self._fixed, 1)
            simulator.tracing = True
            self._clock(simulator, masks, operands)
            for _ in range(self.clocks - 1):
                self._clock(simulator, masks)
            simulator.tracing = False
            self._compare(simulator, operands)
            found.append(Batch(classes, _traces(simulator), operands))
            self._clock(simulator, masks)
        return _together(found)

    def _clock(self, simulator: TraceSimulator, masks: Masks, operands: Blocks | None = None) -> None:
        """One clock period in which an operand comes, or shares that are all 0, with fresh bits."""
        simulator.begin_period()
        simulator.clock_edge(active=True)
        simulator.advance(self._delay)
        shares = np.zeros((self._masked.shares, 8), dtype=np.uint64)
        if operands is not None:
            shares = masks.shared(to_words(operands), self._masked.shares).reshape(shares.shape)
        for number, share in enumerate(shares):
            simulator.drive(f"x_{number}_i", share)
        for port in self._random:
            zero = port.name in self._zero
            simulator.drive(
                f"{port.name}_i", np.zeros(port.width, dtype=np.uint64) if zero else masks.words(port.width)
            )
        simulator.advance(self._period // 2 - self._delay)
        simulator.clock_edge(active=False)
        simulator.advance(self._period - self._period // 2)
        simulator.end_period()

    def _compare(self, simulator: TraceSimulator, operands: Blocks) -> None:
        shares = [simulator.port(f"y_{number}_o") for number in range(self._masked.shares)]
        found = to_blocks(np.bitwise_xor.reduce(shares, axis=0))
        wrong = int((found != np.array(aes.SBOX, dtype=np.uint8)[operands]).sum())
        if wrong:
            raise CheckError(f"leakage: the netlist of the S-box computes {wrong} of {LANES} bytes wrong")


def _drawn(random: np.random.Generator, fixed: Blocks, width: int = 16) -> tuple[NDArray[np.int64], Blocks]:
    """Class and value of each lane; without fixed values all are random."""
    if not len(fixed):
        return np.zeros(LANES, dtype=np.int64), random.integers(0, 256, (LANES, width), dtype=np.uint8)
    classes = random.integers(0, len(fixed) + 1, LANES)
    values = random.integers(0, 256, (LANES, width), dtype=np.uint8)
    return classes, np.where((classes > 0)[:, None], fixed[np.maximum(classes - 1, 0)], values)


def _traces(simulator: TraceSimulator) -> Floats:
    """The samples of the periods recorded, which are then forgotten."""
    traces = np.concatenate(simulator.samples, axis=1).astype(np.float64) / 1000
    simulator.samples.clear()
    return traces


def _together(found: list[Batch]) -> Batch:
    return Batch(*(np.concatenate([batch[part] for batch in found]) for part in range(3)))
