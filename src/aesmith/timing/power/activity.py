"""From a plan to what happened: batches of stimuli, counted over whole clocks and blocks, every result checked.

A core takes blocks through its ports; a leaf circuit takes a random word in every clock.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

import numpy as np

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.leaf import LeafDesign
from aesmith.errors import CheckError, RequestError
from aesmith.timing.power.arrays import ALL_LANES, LANES, Blocks, Words, lane_mask
from aesmith.timing.power.counting import FEWEST_PERIODS, Activity, Counter, Progress, activity_of, until_precise
from aesmith.timing.power.driver import BlockDriver
from aesmith.timing.power.figures import PowerPlan, PowerStimulus
from aesmith.timing.power.port_driver import clocking_of, input_delay
from aesmith.timing.power.program import TICKS_PER_NS, PowerProgram
from aesmith.timing.power.simulator import Simulator


class PowerSimulation:
    """One simulation under one plan and direction. `simulator` stays for a look at nets."""

    def __init__(self, program: PowerProgram, design: CoreDesign, direction: Direction, plan: PowerPlan) -> None:
        self.simulator = Simulator(program, zero_delay=True)
        self._design = design
        self._plan = plan
        self._random = np.random.default_rng([plan.seed, list(Direction).index(direction)])
        self._driver = BlockDriver(self.simulator, design, direction, clocking_of(program, plan))
        self._counter = Counter(self.simulator, zero_delay=plan.zero_delay)
        # Before the counted blocks come as many as make the core full.
        self._before = math.ceil((design.latency_cycles - 1) / design.cycles_per_block)

    def run(self, progress: Progress | None = None) -> Activity:
        """Simulate. Raises CheckError if the core computes wrongly."""
        if self._plan.stimulus is PowerStimulus.LISTED:
            self.simulator.clear_counts()
            self._listed()
            return activity_of(self.simulator, self._counter, 0, None)
        batch = self._idle if self._plan.stimulus is PowerStimulus.IDLE else self._blocks
        samples, interval = until_precise(self.simulator, batch, self._plan, progress)
        return activity_of(self.simulator, self._counter, len(samples), interval)

    def _blocks(self) -> None:
        """A batch of random blocks: keys, blocks until the core is full, then those that count."""
        driver, design = self._driver, self._design
        driver.reset()
        driver.send_key(self._keys())
        driver.run_until(lambda: not driver.keys_waiting)
        counted = math.ceil(FEWEST_PERIODS / design.cycles_per_block)
        self._counter.count_from(driver, self._before, [ALL_LANES] * counted)
        self._feed(lambda _: self._random_blocks(), self._before + counted + 1)

    def _feed(self, blocks: Callable[[int], Blocks], count: int, keys: Callable[[int], Blocks] | None = None) -> None:
        """Send blocks back to back until all that count are taken and checked."""
        driver = self._driver
        rekeyed = self._plan.stimulus is PowerStimulus.REKEYED
        for number in range(count):
            if (rekeyed or keys is not None) and number:
                driver.send_key(keys(number) if keys is not None else self._keys())
                driver.run_until(lambda: not driver.keys_waiting)
            driver.send_block(blocks(number))
            driver.run_until(lambda: not driver.blocks_waiting)
        # The last block only ends the count; those before it are waited for, without delays.
        driver.run_until(lambda: driver.blocks_inside <= 1)

    def _idle(self) -> None:
        """A batch of the core doing nothing, after a block under a random key."""
        driver = self._driver
        driver.reset()
        driver.on_accept = None
        driver.send_key(self._keys())
        driver.run_until(lambda: not driver.keys_waiting)
        driver.send_block(self._random_blocks())
        driver.run_until(lambda: not driver.blocks_waiting and not driver.blocks_inside)
        for _ in range(self._design.latency_cycles):
            driver.step()
        self._counter.count_now(driver.step)

    def _listed(self) -> None:
        """The list in 64 parts side by side, each begun with the block before it and ended with the one after it."""
        listed = self._plan.listed
        part = math.ceil(len(listed) / LANES)
        lane_of = np.arange(LANES)
        one_key = len({key for key, _ in listed}) == 1

        def entry(number: int) -> list[tuple[bytes, bytes]]:
            return [listed[min(max(int(lane) * part + number - self._before, 0), len(listed) - 1)] for lane in lane_of]

        def keys(number: int) -> Blocks:
            return np.array([list(key) for key, _ in entry(number)], dtype=np.uint8)

        def blocks(number: int) -> Blocks:
            return np.array([list(block) for _, block in entry(number)], dtype=np.uint8)

        driver = self._driver
        driver.reset()
        driver.send_key(keys(0))
        driver.run_until(lambda: not driver.keys_waiting)
        self._counter.count_from(
            driver, self._before, [lane_mask(lane_of * part + k < len(listed)) for k in range(part)]
        )
        self._feed(blocks, self._before + part + 1, None if one_key else keys)

    def _keys(self) -> Blocks:
        return self._random.integers(0, 256, (LANES, max(self._design.key_bits) // 8), dtype=np.uint8)

    def _random_blocks(self) -> Blocks:
        return self._random.integers(0, 256, (LANES, 16), dtype=np.uint8)


class WordBench:
    """One simulation of a leaf circuit, with registers or without. `simulator` stays for a look at nets.

    Without registers, inputs change once in a clock, and outputs have until its end. Raises RequestError for a stimulus
    other than random, and for a design that does not say what it computes.
    """

    def __init__(self, program: PowerProgram, design: LeafDesign, plan: PowerPlan) -> None:
        if plan.stimulus is not PowerStimulus.RANDOM:
            raise RequestError(f"stimulus: must be random for a circuit that is no core, not {plan.stimulus}")
        if design.circuit is None:
            raise RequestError(f"power: {design.name} does not say what it computes, so it cannot be checked")
        self.simulator = Simulator(program, zero_delay=True)
        self._design, self._circuit, self._plan = design, design.circuit, plan
        self._random = np.random.default_rng(plan.seed)
        self._period = round(TICKS_PER_NS * 1000 / plan.clock_mhz)
        registered = program.bound.clock is not None
        # A rank of registers at the inputs and one behind each stage.
        self._clocks = design.latency_cycles + 1 if registered else 0
        self._delay = min(input_delay(program), self._period // 2)
        self._counter = Counter(self.simulator, zero_delay=plan.zero_delay)
        self._due: deque[Words] = deque()

    def run(self, progress: Progress | None = None) -> Activity:
        """Simulate. Raises CheckError if the netlist computes anything that the circuit does not."""
        samples, interval = until_precise(self.simulator, self._batch, self._plan, progress)
        self._counter.lane_blocks = self._counter.lane_periods
        return activity_of(self.simulator, self._counter, len(samples), interval)

    def _batch(self) -> None:
        """Words until the circuit is full, then those that count."""
        for _ in range(self._clocks + 2):
            self._clock()
        self._counter.count_now(self._clock)

    def _clock(self) -> None:
        """One clock period with a new word in it."""
        simulator = self.simulator
        delay = 0 if simulator.zero_delay else self._delay
        simulator.begin_period()
        simulator.clock_edge(active=True)
        if delay:
            simulator.advance(delay)
        word = self._random.integers(0, 1 << LANES, self._circuit.input_width, dtype=np.uint64)
        first = 0
        for port in self._circuit.inputs:
            simulator.drive(f"{port.name}_i", word[first : first + port.width])
            first += port.width
        self._due.append(self._circuit.evaluate(word))
        simulator.advance(self._period // 2 - delay)
        simulator.clock_edge(active=False)
        simulator.advance(self._period - self._period // 2)
        simulator.end_period()
        if len(self._due) > self._clocks:
            self._compare(self._due.popleft())

    def _compare(self, due: Words) -> None:
        found = np.concatenate([self.simulator.port(f"{port.name}_o") for port in self._circuit.outputs])
        wrong = int(np.bitwise_or.reduce(found ^ due)).bit_count()
        if wrong:
            raise CheckError(
                f"power of {self._design.name}: at a clock period of {self._period} ps the netlist computes {wrong} of "
                f"{LANES} words wrong, so its power means nothing"
            )
