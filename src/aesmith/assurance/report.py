"""What a simulation found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aesmith.cores.design import Direction


@dataclass(frozen=True)
class ScenarioReport:
    """One scenario: `cases` blocks in `cycles` clocks of simulated and `seconds` of real time.

    `failure` is empty if it passed, else it says which rule was broken, when (in clocks from the scenario's start) and
    by which block and key. `note` says how far a scenario went where that depends on the core or the plan.
    """

    name: str
    cases: int
    cycles: int
    seconds: float
    failure: str
    note: str

    @property
    def passed(self) -> bool:
        """Whether the core did all that was asked."""
        return not self.failure


@dataclass(frozen=True)
class MeasuredTiming:
    """Clocks as measured: from block to block when they come back to back, and from a block taken to its result.

    `latency_cycles` counts both the clock of the block's first beat and the one in which the last beat of its result
    is offered.
    """

    direction: Direction
    cycles_per_block: int
    latency_cycles: int


@dataclass(frozen=True)
class Waveform:
    """A recorded failure: the VCD file, and the time in it at which the rule was broken."""

    path: Path
    scenario: str
    failure_ns: int


@dataclass(frozen=True)
class SimulationReport:
    """Everything a simulation found, and what it was done with.

    `key_bits` is the key size, of several the largest: then each scenario's name ends in its own.
    `timing` is empty if the scenario that measures it was not in the plan or did not come so far. `waveform` is there
    if the plan asked for one, a scenario failed, and failed again when it ran alone. `tools` maps names to versions.
    """

    design: str
    source_hash: str
    key_bits: int
    seed: int
    scenarios: tuple[ScenarioReport, ...]
    timing: tuple[MeasuredTiming, ...]
    waveform: Waveform | None
    tools: Mapping[str, str]
    build_seconds: float
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether every scenario passed."""
        return all(scenario.passed for scenario in self.scenarios)

    @property
    def failures(self) -> tuple[ScenarioReport, ...]:
        """The scenarios that failed, in the order in which they ran."""
        return tuple(scenario for scenario in self.scenarios if not scenario.passed)

    @property
    def cases(self) -> int:
        """Blocks in all scenarios together."""
        return sum(scenario.cases for scenario in self.scenarios)

    @property
    def cycles_per_block(self) -> int | None:
        """Measured clocks from block to block, the slower direction; None if not measured."""
        return max((timing.cycles_per_block for timing in self.timing), default=None)

    @property
    def latency_cycles(self) -> int | None:
        """Measured clocks from block to result, the slower direction; None if not measured."""
        return max((timing.latency_cycles for timing in self.timing), default=None)
