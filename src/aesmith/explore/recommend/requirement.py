"""What is required of a core: a mode, what must fit, limits on figures, and the figure that decides."""

from __future__ import annotations

from dataclasses import dataclass

from aesmith.cores.design import Direction
from aesmith.errors import RequestError, not_one_of
from aesmith.explore.recommend import quantities
from aesmith.explore.recommend.modes import MODES, Mode, directions_by_name, mode_by_name
from aesmith.explore.recommend.quantities import Kind, written


@dataclass(frozen=True)
class Criterion:
    """A figure that can be limited and can decide. `column` is the column of a served frame (`serving.serve`)."""

    name: str
    column: str
    kind: Kind
    least_is_best: bool
    meaning: str

    def text(self, value: float) -> str:
        """A value with its unit."""
        return written(value, self.kind.unit)


FIGURES = {
    figure.name: figure
    for figure in (
        Criterion("area", "area_ge", quantities.AREA, True, "all cells, registers and control included"),
        Criterion("throughput", "served_gbps", quantities.THROUGHPUT, False, "of the mode, in its slowest direction"),
        Criterion("latency", "served_latency_ns", quantities.TIME, True, "of one block through the core"),
        Criterion(
            "latency-cycles", "latency_cycles", quantities.CLOCKS, True, "of one block through the core, in clocks"
        ),
        Criterion("fmax", "fmax_mhz", quantities.FREQUENCY, False, "the highest clock"),
        Criterion("power", "served_power_uw", quantities.POWER, True, "at 100 MHz, in the direction that takes most"),
        Criterion(
            "energy", "served_energy_pj", quantities.ENERGY, True, "of a block, in the direction that takes most"
        ),
        Criterion("efficiency", "served_kbps_per_ge", quantities.EFFICIENCY, False, "that throughput over area"),
    )
}
"""All figures by name."""


@dataclass(frozen=True)
class Limit:
    """A bound that a figure must reach: from above if less is better, else from below. The bound itself will do."""

    figure: Criterion
    bound: float

    def __str__(self) -> str:
        return f"{self.figure.name} {'≤' if self.figure.least_is_best else '≥'} {self.figure.text(self.bound)}"

    def margin(self, value: float) -> float:
        """How far a value is on the good side of the bound, as a fraction of it; below zero if it misses."""
        return (self.bound - value if self.figure.least_is_best else value - self.bound) / self.bound


@dataclass(frozen=True)
class Objective:
    """The figure that decides between the cores that meet all limits."""

    figure: Criterion
    least: bool

    def __str__(self) -> str:
        return f"{'least' if self.least else 'most'} {self.figure.name}"


@dataclass(frozen=True)
class Requirement:
    """All that is asked of a core.

    `directions` are the mode's, not the core's: to decrypt in CTR a core needs encryption only. `key_bits` are sizes
    the core must all have. `clock_mhz` is the clock that the core will have; without it each runs at its highest.
    `streams` are independent ones that take turns, which is what fills a pipeline in chained modes.
    """

    mode: Mode = MODES["ecb"]
    directions: tuple[Direction, ...] = (Direction.ENCRYPT,)
    key_bits: tuple[int, ...] = (128,)
    limits: tuple[Limit, ...] = ()
    objective: Objective = Objective(FIGURES["area"], True)
    block_width: int | None = None
    clock_mhz: float | None = None
    streams: int = 1

    def __post_init__(self) -> None:
        wrong = [bits for bits in self.key_bits if bits not in self.mode.key_bits]
        if wrong or not self.key_bits:
            valid = ", ".join(map(str, self.mode.key_bits))
            raise RequestError(f"key: must be of {valid} for {self.mode.title}, not {', '.join(map(str, wrong))}")
        if self.block_width not in (None, 8, 128):
            raise RequestError(f"block-width: must be 8 or 128, not {self.block_width}")
        if self.streams < 1:
            raise RequestError(f"streams: must be 1 or more, not {self.streams}")

    @property
    def bounds(self) -> tuple[Limit, ...]:
        """All limits, with the one that the clock is."""
        clock = () if self.clock_mhz is None else (Limit(FIGURES["fmax"], self.clock_mhz),)
        return (*self.limits, *clock)

    @property
    def core_directions(self) -> frozenset[Direction]:
        """The directions of AES that a core must have."""
        return self.mode.core_directions(self.directions)

    @property
    def needs_power(self) -> bool:
        """Whether power or energy is limited or decides."""
        return not {"power", "energy"}.isdisjoint(
            f.name for f in (self.objective.figure, *(x.figure for x in self.limits))
        )

    @property
    def chained(self) -> bool:
        """Whether a block of a stream waits for the one before, in one of the directions."""
        return not self.mode.chained.isdisjoint(self.directions)

    def __str__(self) -> str:
        way = " and ".join(f"{direction}ion" for direction in self.directions)
        parts = [f"{self.mode.title} {way}, key {' and '.join(map(str, self.key_bits))}"]
        parts += [str(limit) for limit in self.limits]
        if self.clock_mhz is not None:
            parts.append(f"at {written(self.clock_mhz, 'MHz')}")
        if self.block_width is not None:
            parts.append(f"ports of {self.block_width} bits")
        if self.streams > 1:
            parts.append(f"{self.streams} streams")
        return f"{'; '.join(parts)}; {self.objective}"


LIMITS = {
    "min_throughput": "throughput",
    "max_area": "area",
    "max_power": "power",
    "max_energy": "energy",
    "min_fmax": "fmax",
    "min_efficiency": "efficiency",
}
"""The limits that `requirement` takes, beside `max_latency`, and the figures they are on."""


def requirement(
    mode: str = "ecb",
    directions: str = "enc",
    key: int | tuple[int, ...] = 128,
    *,
    minimise: str | None = None,
    maximise: str | None = None,
    clock: str | None = None,
    block_width: int | None = None,
    streams: int = 1,
    max_latency: str | None = None,
    **limits: str | None,
) -> Requirement:
    """A requirement from words, such as `requirement("cbc", "encdec", min_throughput="10Gbps", minimise="area")`.

    `limits` are named as in `LIMITS`; `max_latency` is a time or a number of cycles. Without `minimise` and `maximise`
    the least area decides. Raises RequestError, naming the field, for what cannot be.
    """
    unknown = [name for name in limits if name not in LIMITS]
    if unknown:
        raise RequestError(f"requirement: {unknown[0]} must be one of {', '.join(LIMITS)}, max_latency")
    found = [
        Limit(FIGURES[figure], FIGURES[figure].kind.parse(text, _option(name)))
        for name, figure in LIMITS.items()
        if (text := limits.get(name)) is not None
    ]
    if max_latency is not None:
        found.append(_latency(max_latency))
    return Requirement(
        mode_by_name(mode),
        directions_by_name(directions),
        (key,) if isinstance(key, int) else tuple(dict.fromkeys(key)),
        tuple(found),
        _objective(minimise, maximise),
        block_width,
        None if clock is None else quantities.FREQUENCY.parse(clock, "clock"),
        streams,
    )


def _latency(text: str) -> Limit:
    """In clocks if the unit says so, else a time."""
    name = "latency-cycles" if "c" in text.lower() else "latency"
    return Limit(FIGURES[name], FIGURES[name].kind.parse(text, "max-latency"))


def _objective(minimise: str | None, maximise: str | None) -> Objective:
    if minimise is not None and maximise is not None:
        raise RequestError("objective: give --minimise or --maximise, not both: one figure decides, limits do the rest")
    option, name = ("maximise", maximise) if maximise is not None else ("minimise", minimise or "area")
    if name not in FIGURES:
        raise not_one_of(option, name, FIGURES)
    return Objective(FIGURES[name], option == "minimise")


def _option(name: str) -> str:
    return name.replace("_", "-")
