"""What a power measurement is to do, and the figures it gives."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from aesmith.cores.design import Direction
from aesmith.errors import RequestError

REFERENCE_MHZ = 100.0


class PowerStimulus(StrEnum):
    """What the core is given to do."""

    RANDOM = "random"
    REKEYED = "rekeyed"
    IDLE = "idle"
    LISTED = "listed"


STIMULI = {
    PowerStimulus.RANDOM: "random blocks back to back under a random key",
    PowerStimulus.REKEYED: "random blocks, a random key before each",
    PowerStimulus.IDLE: "a random key loaded, blocks done, nothing offered",
    PowerStimulus.LISTED: "the blocks of a list, back to back in its order",
}


MOST_TEXT = 4096
"""Blocks of text of a message at most: 64 KiB, gate by gate in 64 lanes."""


@dataclass(frozen=True)
class PowerPlan:
    """`clock_mhz` is the simulated clock; if None, the lower of 100 MHz and the highest that the netlist reaches.
    Random stimuli go on, 64 at a time, until the 95 % confidence interval of the mean energy is within ± `precision` (a
    fraction) of it, at most `most_batches` times. `listed` are the (key, block) pairs of the stimulus LISTED. A
    message to an engine has `text_blocks` blocks of text; if None, 16 or as many as it holds. `zero_delay` leaves
    delays out: fast, and no glitch is seen.

    Raises RequestError for a value out of range.
    """

    clock_mhz: float | None = None
    stimulus: PowerStimulus = PowerStimulus.RANDOM
    precision: float = 0.01
    most_batches: int = 50
    seed: int = 1
    zero_delay: bool = False
    listed: tuple[tuple[bytes, bytes], ...] = ()
    text_blocks: int | None = None

    def __post_init__(self) -> None:
        if self.clock_mhz is not None and not 0.001 <= self.clock_mhz <= 100_000:
            raise RequestError(f"clock_mhz: must be 0.001 to 100000, not {self.clock_mhz:g}")
        if not 0.0001 <= self.precision <= 0.5:
            raise RequestError(f"precision: must be 0.01 % to 50 %, not {100 * self.precision:g} %")
        if self.most_batches < 1:
            raise RequestError(f"most_batches: must be at least 1, not {self.most_batches}")
        if self.seed < 0:
            raise RequestError(f"seed: must be at least 0, not {self.seed}")
        if (self.stimulus is PowerStimulus.LISTED) != bool(self.listed):
            raise RequestError("listed: the stimulus 'listed' needs blocks, and no other takes them")
        if self.text_blocks is not None and not 1 <= self.text_blocks <= MOST_TEXT:
            raise RequestError(f"text_blocks: must be 1 to {MOST_TEXT}, not {self.text_blocks}")

    @property
    def identity(self) -> dict[str, object]:
        """All that decides what is measured, as plain JSON values."""
        listed = [(key.hex(), block.hex()) for key, block in self.listed]
        # Which clock is lower than 100 MHz where none is given follows from the netlist.
        values = asdict(self) | {"listed": listed, "clock_mhz": self.clock_mhz or REFERENCE_MHZ}
        return {name: value for name, value in values.items() if value is not None}


def clock_of(plan: PowerPlan, period_ns: float | None) -> float:
    """The clock (MHz) that a netlist whose shortest period is `period_ns` is simulated at; without delays any will do.

    Raises RequestError for a plan whose clock is faster than that.
    """
    most = float("inf") if period_ns is None or plan.zero_delay else 1e3 / period_ns
    if plan.clock_mhz is None:
        return min(REFERENCE_MHZ, _rounded_down(most))
    if plan.clock_mhz > most:
        raise RequestError(
            f"clock: {plan.clock_mhz:g} MHz is a period of {1e3 / plan.clock_mhz:.4g} ns, but the netlist needs "
            f"{period_ns:.4g} ns; give {_rounded_down(most):g} MHz or less"
        )
    return plan.clock_mhz


def _rounded_down(mhz: float) -> float:
    """A clock of three significant digits, no faster."""
    if not 0 < mhz < float("inf"):
        return mhz
    step = 10.0 ** (math.floor(math.log10(mhz)) - 2)
    return float(f"{math.floor(mhz / step) * step:.6g}")


def read_blocks(path: Path, key_bits: Sequence[int]) -> tuple[tuple[bytes, bytes], ...]:
    """The blocks of a file: a line each, key and block in hexadecimal, or the block alone under the key before it.

    Empty lines and what follows # are skipped. Raises RequestError, with the line, for anything else.
    """
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"blocks: {path} cannot be read ({getattr(error, 'strerror', error)})") from error
    digits = [bits // 4 for bits in key_bits]
    found: list[tuple[bytes, bytes]] = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        key = words[0] if len(words) == 2 else found[-1][0].hex() if found else ""
        block = words[-1]
        right = len(words) <= 2 and all(re.fullmatch("[0-9a-fA-F]+", word) for word in (key, block))
        if not right or len(key) not in digits or len(block) != 32:
            raise RequestError(
                f"blocks: {path}, line {number}: must be a key of {' or '.join(map(str, digits))} hexadecimal digits "
                f"(on the first line at least) and a block of 32, not {line.strip()!r}"
            )
        found.append((bytes.fromhex(key), bytes.fromhex(block)))
    if not found:
        raise RequestError(f"blocks: {path} has no block")
    return tuple(found)


_OF_MESSAGES = {
    PowerStimulus.RANDOM: "random messages of {} back to back under a random key",
    PowerStimulus.REKEYED: "random messages of {}, a random key before each",
    PowerStimulus.IDLE: "a random key loaded, a message done, nothing offered",
}

FLIP_FLOPS = "0"
"""The share of `by_depth` that flip-flops have."""

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
    """Power of a core or engine in one direction under one stimulus; of a leaf circuit, which has no direction, on
    random words.

    `power_uw` is at `clock_mhz`, the clock that was simulated; all other powers are at 100 MHz, with the same energy
    in a clock: `switching_uw` of nets that cells drive, `internal_uw` of cells, `port_uw` of the nets of clock and
    inputs, which are driven from outside, `leakage_uw` by state; `power_uw_at_100mhz` is their sum.
    `glitch_fraction` is the part of the energy of transitions that is in those that leave a net, at the end of the
    clock, where it was; None without delays.
    `energy_pj_per_block` is what a block takes at 100 MHz, leakage included; of an engine, what messages take for each
    block of their text, `messages` says of which. `power_latency_product` is power at 100 MHz (µW) times latency at the
    shortest period (ns), so fJ, as the publications have it, None for an engine; both None for an idle design.
    `interval` is half the 95 % confidence interval as a fraction of the mean, None for a list. Counted were
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
    messages: str = ""

    @property
    def label(self) -> str:
        """What it is the power of, in a few words."""
        delays = "zero delay, no glitches" if self.zero_delay else "with glitches"
        stimulus = _OF_MESSAGES[self.stimulus].format(self.messages) if self.messages else STIMULI[self.stimulus]
        what = "a random word in every clock" if self.direction is None else f"{self.direction}, {stimulus}"
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
