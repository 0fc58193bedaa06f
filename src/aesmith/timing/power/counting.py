"""What is counted in a simulation, of whole clocks, and until the mean energy is known as well as was planned."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from aesmith.lazy import LazyModule
from aesmith.timing.power.arrays import ALL_LANES, LANES, Ints
from aesmith.timing.power.figures import PowerPlan
from aesmith.timing.power.simulator import Simulator

if TYPE_CHECKING:
    from scipy import special
else:
    special = LazyModule("scipy.special")

FEWEST_PERIODS = 10
_CONFIDENCE = 0.95

Progress = Callable[[int, float], None]
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
    simulator: Simulator, batch: Callable[[], None], plan: PowerPlan, progress: Progress | None
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
