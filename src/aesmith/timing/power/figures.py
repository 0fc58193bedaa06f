"""The figures of a power measurement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from aesmith.cores.design import Direction
from aesmith.timing.power.plan import STIMULI, PowerStimulus

REFERENCE_MHZ = 100.0
_SHARES = ("by_depth", "by_module", "by_cell")


@dataclass(frozen=True)
class PowerShare:
    """Power in µW at 100 MHz of a part of a core: functional and glitching transitions, and leakage."""

    name: str
    cells: int
    functional_uw: float
    glitch_uw: float
    leakage_uw: float

    @property
    def total_uw(self) -> float:
        """All of it."""
        return self.functional_uw + self.glitch_uw + self.leakage_uw


@dataclass(frozen=True)
class DirectionPower:
    """Power of a core in one direction under one stimulus; of a leaf circuit, which has no direction, on random words.

    `power_uw` is at `clock_mhz`, the clock that was simulated; all other powers are at 100 MHz, with the same energy
    in a clock: `switching_uw` of nets that cells drive, `internal_uw` of cells, `port_uw` of the nets of clock and
    inputs, which are driven from outside, `leakage_uw` by state; `power_uw_at_100mhz` is their sum.
    `glitch_fraction` is the part of the energy of transitions that is in those that leave a net, at the end of the
    clock, where it was; None without delays.
    `energy_pj_per_block` is what a block takes at 100 MHz, leakage included, and `power_latency_product` power at
    100 MHz (µW) times latency at the shortest period (ns), so fJ, as the publications have it; both None for an idle
    core. `interval` is half the 95 % confidence interval as a fraction of the mean, None for a list. Counted were
    `blocks` blocks in `clocks` clocks.
    `by_depth` has what cells take by the depth of their output (0: flip-flops), in order; `by_cell` by library cell,
    the largest first. `by_module` is where power goes, measured on a netlist of which each module was mapped by itself:
    its sum is not `power_uw_at_100mhz`, the proportions are what it is for.
    `annotated_nets` of `nets` have delays from timing arcs; it is always all of them.
    """

    direction: Direction | None
    stimulus: PowerStimulus
    zero_delay: bool
    clock_mhz: float
    power_uw: float
    power_uw_at_100mhz: float
    switching_uw: float
    internal_uw: float
    port_uw: float
    leakage_uw: float
    glitch_fraction: float | None
    energy_pj_per_block: float | None
    power_latency_product: float | None
    interval: float | None
    blocks: int
    clocks: int
    nets: int
    annotated_nets: int
    by_depth: tuple[PowerShare, ...]
    by_module: tuple[PowerShare, ...] = ()
    by_cell: tuple[PowerShare, ...] = ()

    @property
    def label(self) -> str:
        """What it is the power of, in a few words."""
        delays = "zero delay, no glitches" if self.zero_delay else "with glitches"
        what = (
            "a random word in every clock" if self.direction is None else f"{self.direction}, {STIMULI[self.stimulus]}"
        )
        return f"{what}, {delays}"

    def to_json(self) -> dict[str, object]:
        """The figures as plain JSON values."""
        values = asdict(self)
        for name in _SHARES:
            values[name] = [asdict(share) for share in getattr(self, name)]
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, object]) -> DirectionPower:
        """The power that `to_json` gave these values for."""
        fields = dict(values)
        fields["direction"] = None if fields["direction"] is None else Direction(str(fields["direction"]))
        fields["stimulus"] = PowerStimulus(str(fields["stimulus"]))
        for name in _SHARES:
            fields[name] = tuple(PowerShare(**share) for share in fields.get(name, ()))  # type: ignore[attr-defined]
        return cls(**fields)  # type: ignore[arg-type]
