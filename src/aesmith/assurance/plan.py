"""What a simulation is to do, the facts of a core it is done with, and what it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path

from aesmith.assurance.probing.bench import with_surroundings
from aesmith.cores.design import Clocks, CoreDesign, Direction
from aesmith.cores.ports import Meaning, Ports, block_interface
from aesmith.errors import RequestError

SCENARIOS = {
    "known-answers": "every published vector, in order, each under its own key",
    "timing": "clocks from block to block and from block to result, for many keys and data",
    "random-pairs": "random keys and blocks, a new key before each block",
    "random-stalls": "random blocks and key changes with random pauses on all channels",
    "keys-without-blocks": "several keys in a row: the last one applies",
    "key-in-flight": "a new key in every clock while a block is processed, including that of its transfer",
    "block-before-key": "a block offered before the first key waits for it",
    "withheld-block": "a block, or the rest of one, withheld until all earlier results are delivered",
    "stalled-output": "the output stalled for a long time while blocks keep coming",
    "reset-in-mid-block": "reset in every clock while a block is processed; nothing stale afterwards",
    "monte-carlo": "the Monte Carlo test of AESAVS 6.4: chained blocks and keys",
}
"""The scenarios in the order in which they run, and what each does."""

ORDERS_VARIABLE = "AESMITH_SIMULATION"
"""Environment variable: path of the JSON file with `facts`, `plan`, and the path `events` the testbench writes to."""

StallRates = tuple[float, float, float]


@dataclass(frozen=True)
class SimulationPlan:
    """How much is simulated. The defaults are a full verification.

    `seed` decides every random choice. `random_pairs` is the number of random key/block pairs without stalls, and
    again (at least) with stalls. `stall_rates` are probabilities that the key channel, the block channel and the
    output pause in a clock. `monte_carlo_rounds` is the number of outer rounds (of 1000 blocks) a direction, as far as
    `monte_carlo_clocks` a direction suffice; at least one is always run. `scenarios` are names from SCENARIOS.
    With `fail_fast` the first failing scenario is the last. With `waves` a failing scenario is run again, and its
    waveform recorded. `plusargs` are handed to the simulator (`+name=value`).

    Raises RequestError for a value out of range.
    """

    seed: int = 1
    random_pairs: int = 1000
    stall_rates: tuple[StallRates, ...] = (
        (0.5, 0.5, 0.5),
        (0.9, 0.1, 0.1),
        (0.1, 0.9, 0.1),
        (0.1, 0.1, 0.9),
        (0.0, 0.0, 0.3),
        (0.3, 0.0, 0.0),
    )
    monte_carlo_rounds: int = 100
    monte_carlo_clocks: int = 4_000_000
    scenarios: tuple[str, ...] = tuple(SCENARIOS)
    fail_fast: bool = False
    waves: bool = False
    plusargs: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        for name in ("random_pairs", "monte_carlo_rounds", "monte_carlo_clocks"):
            if getattr(self, name) < 1:
                raise RequestError(f"{name}: must be at least 1, not {getattr(self, name)}")
        if self.monte_carlo_rounds > 100:
            raise RequestError(
                f"monte_carlo_rounds: must be 1 to 100 (AESAVS 6.4 has 100), not {self.monte_carlo_rounds}"
            )
        if not 0 <= self.seed < 1 << 31:
            raise RequestError(f"seed: must be 0 to 2147483647, not {self.seed}")
        for rates in self.stall_rates:
            if len(rates) != 3 or not all(0 <= rate <= 0.95 for rate in rates):
                raise RequestError(f"stall_rates: each must be three probabilities from 0 to 0.95, not {rates}")
        unknown = [name for name in self.scenarios if name not in SCENARIOS]
        if unknown or not self.scenarios:
            raise RequestError(
                f"scenarios: must be one or more of {', '.join(SCENARIOS)}; not {', '.join(unknown) or 'none at all'}"
            )


@dataclass(frozen=True)
class CoreFacts:
    """What the testbench knows of a core: interface and schedule, as in CoreDesign, with a single key size.

    Keys come in beats of `key_width` bits, blocks and results in beats of `block_width`. `names` are the names of its
    ports by their roles, for messages; a line that is active low has `!` before it.
    """

    name: str
    key_bits: int
    key_width: int
    block_width: int
    encrypts: bool
    decrypts: bool
    cycles_per_block: int
    latency_cycles: int
    own_clocks: Mapping[str, tuple[int, int, int | None]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=lambda: _names(block_interface((128,), tuple(Direction))))

    @property
    def modes(self) -> tuple[bool, ...]:
        """Whether it decrypts, for each direction this core serves."""
        return tuple(mode for mode, served in ((False, self.encrypts), (True, self.decrypts)) if served)

    def clocks(self, decrypting: bool) -> Clocks:
        """The clocks of a direction."""
        own = self.own_clocks.get(Direction.DECRYPT if decrypting else Direction.ENCRYPT)
        return Clocks.steady(self.cycles_per_block, self.latency_cycles) if own is None else Clocks(*own)

    @property
    def key_beats(self) -> int:
        """Transfers a key takes."""
        return self.key_bits // self.key_width

    @property
    def block_beats(self) -> int:
        """Transfers a block takes."""
        return 128 // self.block_width

    @property
    def patience(self) -> int:
        """Clocks without any transfer after which the core is taken to be stuck.

        A key schedule that must run before the first block takes a few latencies at most; pauses of the testbench
        itself are short against the constant.
        """
        return 16 * self.latency_cycles + 512


def _names(ports: Ports) -> dict[str, str]:
    return {port.role: port.name if port.active else f"!{port.name}" for port in ports}


def facts_of(design: CoreDesign) -> CoreFacts:
    """The facts of a design, of one to which a key comes with each block with a key that is kept beside it.

    Raises RequestError for a design that cannot be simulated.
    """
    design = with_surroundings(design)
    if len(design.key_bits) != 1:
        raise RequestError(
            f"key_bits: a simulation serves a core with one key size, not {len(design.key_bits)} ({design.key_bits})"
        )
    for name in ("key", "block", "result"):
        if len(design.ports.channel(name).lines) < len(("valid", "ready")):
            raise RequestError(f"channel {name}: a simulation needs one with valid and ready")
    slowest = design.slowest_clocks(design.key_bits[0])
    return CoreFacts(
        name=design.name,
        key_bits=design.key_bits[0],
        key_width=design.block_interface.payload(Meaning.KEY).width,
        block_width=design.block_width,
        encrypts=Direction.ENCRYPT in design.directions,
        decrypts=Direction.DECRYPT in design.directions,
        cycles_per_block=slowest.per_block,
        latency_cycles=slowest.first,
        own_clocks={way.value: astuple(design.clocks(design.key_bits[0], way)) for way in design.directions},
        names=_names(design.ports),
    )


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
    is offered, of the first block under a key; `worst_latency_cycles` is the same of the block that took longest.
    """

    direction: Direction
    cycles_per_block: int
    latency_cycles: int
    worst_latency_cycles: int


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
        """Measured clocks from a key's first block to its result, the slower direction; None if not measured."""
        return max((timing.latency_cycles for timing in self.timing), default=None)

    @property
    def worst_latency_cycles(self) -> int | None:
        """The same of the block that took longest."""
        return max((timing.worst_latency_cycles for timing in self.timing), default=None)
