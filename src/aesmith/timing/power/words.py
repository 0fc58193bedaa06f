"""A leaf circuit given a random word in every clock, every result compared with the circuit itself."""

from __future__ import annotations

from collections import deque

import numpy as np

from aesmith.cores.leaf import LeafDesign
from aesmith.errors import CheckError, RequestError
from aesmith.timing.power.activity import FEWEST_PERIODS, Activity, Progress, activity_of, input_delay, until_precise
from aesmith.timing.power.annotation import TICKS_PER_NS
from aesmith.timing.power.arrays import ALL_LANES, LANES, Words
from aesmith.timing.power.plan import PowerPlan, PowerStimulus
from aesmith.timing.power.program import PowerProgram
from aesmith.timing.power.simulator import Simulator


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
        self._due: deque[Words] = deque()

    def run(self, progress: Progress | None = None) -> Activity:
        """Simulate. Raises CheckError if the netlist computes anything that the circuit does not."""
        samples, interval = until_precise(self.simulator, self._batch, self._plan, progress)
        words = len(samples) * FEWEST_PERIODS
        return activity_of(self.simulator, words, words, len(samples), interval)

    def _batch(self) -> None:
        """Words until the circuit is full, then those that count."""
        simulator = self.simulator
        for _ in range(self._clocks + 2):
            self._clock()
        simulator.zero_delay = self._plan.zero_delay
        simulator.counted_lanes = ALL_LANES
        for _ in range(FEWEST_PERIODS):
            self._clock()
        simulator.counted_lanes = np.uint64(0)
        if simulator.quiet:
            simulator.zero_delay = True

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
