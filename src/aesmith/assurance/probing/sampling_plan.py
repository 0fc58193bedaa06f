"""What a sampling of probes is to do, and what it found."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from aesmith.errors import RequestError

THRESHOLD = 7.0
"""-log10 of p, corrected, above which there is a leak."""

LEAST_BLOCKS = 4096


@dataclass(frozen=True)
class SamplingPlan:
    """`blocks` blocks (rounded up), probes of one clock or (`transitions`) of two, random numbers from `seed`.

    Raises RequestError for fewer than 4,096 blocks.
    """

    blocks: int = 100_000
    seed: int = 1
    transitions: bool = False

    def __post_init__(self) -> None:
        if not LEAST_BLOCKS <= self.blocks <= 10**9:
            raise RequestError(f"sample: must be {LEAST_BLOCKS} to 1,000,000,000 blocks, not {self.blocks}")


@dataclass(frozen=True)
class SampledProbe:
    """A wire, what its probe reads, the clock (0: the block is taken), and -log10 of p, corrected. At most 300."""

    wire: str
    reads: tuple[str, ...]
    clock: int
    strength: float

    def __str__(self) -> str:
        return f"a probe of {self.wire} in clock {self.clock} reads {', '.join(self.reads)}"


@dataclass(frozen=True)
class SamplingReport:
    """What was counted in `blocks` blocks: `probes` tables and `weighed` numbers of ones in each of `clocks` clocks,
    and the levels of `settled` wires; and the probe that differs most."""

    design: str
    blocks: int
    transitions: bool
    probes: int
    weighed: int
    settled: int
    clocks: int
    compared: int
    strongest: SampledProbe | None
    interrupted: bool
    seconds: float

    @property
    def leak(self) -> bool:
        """Whether a probe is above the threshold."""
        return self.strongest is not None and self.strongest.strength > THRESHOLD

    def to_json(self) -> dict[str, object]:
        """All of it for machines."""
        return asdict(self) | {"leak": self.leak, "threshold": THRESHOLD}
