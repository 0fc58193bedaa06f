"""From a plan to what happened: batches of stimuli, counted over whole clocks and blocks, every result checked.

A core takes blocks through its ports, an engine messages; a leaf circuit takes a random word in every clock.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Protocol

import numpy as np

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.leaf import LeafDesign
from aesmith.errors import CheckError, RequestError
from aesmith.lazy import LazyModule
from aesmith.modes.engine import COMMAND, StreamEngine
from aesmith.modes.message import Cipher
from aesmith.modes.shapes import message_for, shape_of
from aesmith.technology.cell import input_capacitance, mean_delay
from aesmith.timing.power.arrays import ALL_LANES, LANES, Blocks, Ints, Words, lane_mask
from aesmith.timing.power.driver import BlockDriver, Clocking, MessageDriver
from aesmith.timing.power.figures import PowerPlan, PowerStimulus, clock_of
from aesmith.timing.power.program import TICKS_PER_NS, PowerProgram
from aesmith.timing.power.simulator import Simulator
from aesmith.timing.static import FANOUT

if TYPE_CHECKING:
    from scipy import special
else:
    special = LazyModule("scipy.special")

FEWEST_PERIODS = 10
_CONFIDENCE = 0.95

ActivityProgress = Callable[[int, float], None]
"""Called after each batch with the number of stimuli so far and the interval reached."""


@dataclass(frozen=True, eq=False)
class Activity:
    """Counts over `lane_periods` clock periods of one lane each, in which `lane_blocks` blocks were taken up.

    The counts are those of `arrays.Run`. `interval` is half the 95 % confidence interval of the mean energy as a
    fraction of it; None where there is nothing random. `samples` is the number of independent stimuli.
    """

    counts: Ints
    input_counts: Ints
    net_counts: Ints
    functional: Ints
    states: Ints
    lane_periods: int
    lane_blocks: int
    samples: int
    interval: float | None


class Clocked(Protocol):
    """What drives a simulated netlist, and tells of what it takes."""

    on_accept: Callable[[int], None] | None
    periods: int


class Counter:
    """Counts whole clocks, lane by lane, and the blocks in them; what is not counted is simulated without delays."""

    def __init__(self, simulator: Simulator, *, zero_delay: bool) -> None:
        self.lane_periods = 0
        self.lane_blocks = 0
        self._simulator, self._zero_delay = simulator, zero_delay

    def count_from(self, driver: Clocked, first: int, lanes: Sequence[np.uint64], blocks: int = 1) -> None:
        """From number `first` of what the driver accepts on count the given lanes, one after the other, then none;
        each stands for so many `blocks`."""
        simulator, started = self._simulator, driver.periods

        def accept(number: int) -> None:
            nonlocal started
            self.lane_periods += int(simulator.counted_lanes).bit_count() * (driver.periods - started)
            started = driver.periods
            counting = first <= number < first + len(lanes)
            simulator.counted_lanes = lanes[number - first] if counting else np.uint64(0)
            self.lane_blocks += blocks * int(simulator.counted_lanes).bit_count()
            self._delays(counting)

        driver.on_accept = accept

    def count_now(self, step: Callable[[], None]) -> None:
        """Count some clocks."""
        simulator = self._simulator
        self._delays(True)
        simulator.counted_lanes = ALL_LANES
        for _ in range(FEWEST_PERIODS):
            step()
        simulator.counted_lanes = np.uint64(0)
        self.lane_periods += LANES * FEWEST_PERIODS
        self._delays(False)

    def _delays(self, wanted: bool) -> None:
        """Simulate with delays, or without where nothing is counted. What is still moving keeps its delays."""
        if wanted and not self._zero_delay:
            self._simulator.zero_delay = False
        elif self._simulator.quiet:
            self._simulator.zero_delay = True


def until_precise(
    simulator: Simulator, batch: Callable[[], None], plan: PowerPlan, progress: ActivityProgress | None
) -> tuple[list[float], float]:
    """Run batches of 64 stimuli until the interval is as narrow as planned; a weight a stimulus, and the interval."""
    simulator.clear_counts()
    samples: list[float] = []
    interval = math.inf
    for _ in range(plan.most_batches):
        before = simulator.lane_weights()
        batch()
        samples += (simulator.lane_weights() - before).tolist()
        interval = relative_interval(np.array(samples))
        if progress is not None:
            progress(len(samples), interval)
        if interval <= plan.precision:
            break
    return samples, interval


def activity_of(simulator: Simulator, counted: Counter, samples: int, interval: float | None) -> Activity:
    """What a simulator has counted."""
    run = simulator.run
    return Activity(
        counts=run.counts.astype(np.int64),
        input_counts=run.input_counts.astype(np.int64),
        net_counts=run.net_counts.copy(),
        functional=run.functional.copy(),
        states=run.states.copy(),
        lane_periods=counted.lane_periods,
        lane_blocks=counted.lane_blocks,
        samples=samples,
        interval=interval,
    )


def relative_interval(samples: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Half of the 95 % confidence interval of the mean of independent samples, as a fraction of the mean (Student)."""
    count = len(samples)
    mean = float(samples.mean())
    if mean == 0.0:
        return 0.0
    spread = float(samples.std(ddof=1)) / math.sqrt(count)
    return float(special.stdtrit(count - 1, 0.5 + _CONFIDENCE / 2)) * spread / abs(mean)


def clocking_of(program: PowerProgram, plan: PowerPlan) -> Clocking:
    """The clock of a plan for a netlist."""
    return Clocking(round(TICKS_PER_NS * 1000 / clock_of(plan, None)), input_delay(program))


def input_delay(program: PowerProgram) -> int:
    """Ticks from the clock edge to the change of an input: it comes from a flip-flop that drives the usual load."""
    library = program.bound.library
    if not library.flip_flops:
        return 1
    load = FANOUT * input_capacitance(library.nand2)
    return max(1, round(TICKS_PER_NS * mean_delay(library.flip_flop, 0.0, load)))


def check_power(design: CoreDesign | LeafDesign | StreamEngine, plan: PowerPlan) -> None:
    """Raises RequestError for a plan that an engine, or what is none, does not take."""
    if isinstance(design, StreamEngine):
        if design.bus:
            raise RequestError(f"--power: of engines with streams, and {design.preset} has registers on {design.bus}")
        if plan.stimulus is PowerStimulus.LISTED:
            raise RequestError(f"blocks: a list is of cores only, and {design.preset} is an engine")
        if design.memory is not None and not design.memory.in_netlist:
            raise RequestError(
                f"--power: {design.preset} has a memory that is in no netlist; with {design.without_memory} it has none"
            )
        shape_of(design, plan.text_blocks)
    elif plan.text_blocks is not None:
        raise RequestError(f"text_blocks: of engines only, and {design.name} is none")


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

    def run(self, progress: ActivityProgress | None = None) -> Activity:
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


class MessageSimulation:
    """One simulation of an engine under one plan and direction: messages of one shape, one behind the other.

    A batch counts from the command of one message to that of another, when as many came before as make the engine
    full. `simulator` stays for a look at nets. Raises RequestError for what no engine takes.
    """

    def __init__(self, program: PowerProgram, engine: StreamEngine, direction: Direction, plan: PowerPlan) -> None:
        check_power(engine, plan)
        self.simulator = Simulator(program, zero_delay=True)
        self.shape = shape_of(engine, plan.text_blocks)
        self.counter = Counter(self.simulator, zero_delay=plan.zero_delay)
        self._engine, self._plan = engine, plan
        self._encrypt = direction is Direction.ENCRYPT
        self._random = Random(f"{plan.seed} {direction}")
        self._driver = MessageDriver(self.simulator, engine, clocking_of(program, plan))
        clocks = engine.message_cycles(self.shape.header_blocks, self.shape.text_blocks, encrypt=self._encrypt)
        self._before = 2 + math.ceil((engine.first_answer_cycles + engine.latency_cycles) / clocks)
        self._counted = max(engine.cores, math.ceil(FEWEST_PERIODS / clocks))

    def run(self, progress: ActivityProgress | None = None) -> Activity:
        """Simulate. Raises CheckError if the engine answers wrongly."""
        samples, interval = until_precise(self.simulator, self._batch, self._plan, progress)
        return activity_of(self.simulator, self.counter, len(samples), interval)

    def _batch(self) -> None:
        """Messages under a key in each lane, until those that count have been taken and answered; or of idleness."""
        driver = self._driver
        idle = self._plan.stimulus is PowerStimulus.IDLE
        driver.reset()
        driver.on_accept = None
        if not idle:
            self.counter.count_from(driver, self._before, [ALL_LANES] * self._counted, self.shape.text_blocks)
        keys = self._new_key()
        count = 1 if idle else self._before + self._counted + 1
        for number in range(count):
            if number and self._plan.stimulus is PowerStimulus.REKEYED:
                keys = self._new_key()
            messages = [
                message_for(self._engine, Cipher(key), self.shape, self._random, encrypt=self._encrypt) for key in keys
            ]
            driver.send(keys, messages)
            driver.run_until(lambda: not driver.waiting[COMMAND])
        driver.run_until(lambda: not driver.due)
        if idle:
            for _ in range(self._engine.latency_cycles):
                driver.step()
            self.counter.count_now(driver.step)

    def _new_key(self) -> list[bytes]:
        keys = [self._engine.traffic.key(self._random, self._engine.rated_key_bits // 8) for _ in range(LANES)]
        self._driver.send_key(keys)
        self._driver.run_until(lambda: not self._driver.waiting["key"])
        return keys


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
        self._period = round(TICKS_PER_NS * 1000 / clock_of(plan, None))
        registered = program.bound.clock is not None
        # A rank of registers at the inputs and one after each stage.
        self._clocks = design.latency_cycles + 1 if registered else 0
        self._delay = min(input_delay(program), self._period // 2)
        self._counter = Counter(self.simulator, zero_delay=plan.zero_delay)
        self._due: deque[Words] = deque()

    def run(self, progress: ActivityProgress | None = None) -> Activity:
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
