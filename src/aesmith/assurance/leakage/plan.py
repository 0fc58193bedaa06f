"""What a leakage assessment is to do, and what it found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from aesmith.assurance.leakage.statistics import ORDERS, Floats
from aesmith.errors import RequestError

THRESHOLD = 4.5
"""|t| above this in both halves is a leak."""

FEWEST = 2000
"""Traces in each class of each half before it is said that no leak was found."""

FEWEST_TO_FIND = 30
"""Traces in each class of each half before a leak may be found."""

RANDOM = "random"
"""The class that the others are compared with."""


class LeakageVerdict(StrEnum):
    """What the traces say."""

    LEAK = "leak"
    NONE_FOUND = "no leak found"
    TOO_FEW = "too few traces"


@dataclass(frozen=True)
class LeakagePlan:
    """At most `traces` traces of `clocks` clocks (None: those of the first two rounds), each in `parts` parts.

    `key` is that of a core (None: drawn), `fixed` are fixed blocks besides those that every target has; with `fresh`
    False fresh bits are 0. The assessment ends at the first leak, unless it is to spend `all_traces`. Raises
    RequestError for a value out of range.
    """

    traces: int = 100_000
    seed: int = 1
    clocks: int | None = None
    parts: int = 1
    clock_mhz: float = 100.0
    key: bytes | None = None
    fixed: tuple[bytes, ...] = ()
    fresh: bool = True
    all_traces: bool = False
    jobs: int = 1

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("traces", self.traces, 1, 10**9),
            ("seed", self.seed, 0, 2**63),
            ("clocks", self.clocks if self.clocks is not None else 1, 1, 10_000),
            ("parts", self.parts, 1, 1000),
            ("clock", self.clock_mhz, 0.001, 100_000),
            ("jobs", self.jobs, 1, 1024),
        ):
            if not least <= value <= most:
                raise RequestError(f"{name}: must be {least:g} to {most:g}, not {value:g}")


@dataclass(frozen=True)
class Leak:
    """Where fixed and random differ most: fixed class, order, clock and part of it (from 0), t in both halves."""

    fixed: str
    order: int
    clock: int
    part: int
    t: tuple[float, float]


@dataclass(frozen=True, eq=False)
class LeakageReport:
    """What was found in `traces` traces of `clocks` clocks in `parts` parts each; `per_class` counts them by class.

    `t[order][fixed class]` has a row for each half and a column a point, clock by clock. `found_after[order]` is the
    number of traces after which a leak of that order was first seen. Of the orders those in `judged` decide: masking
    at order d leaves leaks above d.
    """

    target: str
    conditions: tuple[str, ...]
    traces: int
    per_class: dict[str, int]
    fewest: int
    clocks: int
    parts: int
    rounds: float | None
    t: dict[int, dict[str, Floats]]
    judged: tuple[int, ...]
    found_after: dict[int, int]
    interrupted: bool
    seconds: float

    @property
    def leak(self) -> Leak | None:
        """The point of the orders judged at which the smaller |t| of both halves, of the same sign, is largest.

        None if there are no traces. Whether it is a leak `verdict` says.
        """
        found: Leak | None = None
        for order in self.judged:
            for fixed, halves in self.t[order].items():
                strength = shared_strength(halves)
                point = int(strength.argmax())
                if found is None or strength[point] > min(map(abs, found.t)):
                    t = (float(halves[0, point]), float(halves[1, point]))
                    found = Leak(fixed, order, point // self.parts, point % self.parts, t)
        return found

    @property
    def verdict(self) -> LeakageVerdict:
        """What the traces say."""
        if self.fewest >= FEWEST_TO_FIND and any(
            shared_strength(halves).max() > THRESHOLD for order in self.judged for halves in self.t[order].values()
        ):
            return LeakageVerdict.LEAK
        return LeakageVerdict.NONE_FOUND if self.fewest >= FEWEST else LeakageVerdict.TOO_FEW

    def largest(self, order: int, fixed: str) -> tuple[float, float]:
        """The largest |t| of each half."""
        halves = abs(self.t[order][fixed])
        return float(halves[0].max()), float(halves[1].max())

    def to_json(self) -> dict[str, object]:
        """The figures as plain JSON values; t of a point that is infinite is a string."""
        leak = self.leak
        return {
            "target": self.target,
            "conditions": list(self.conditions),
            "verdict": str(self.verdict),
            "traces": self.traces,
            "traces_by_class": self.per_class,
            "fewest_of_a_class_and_half": self.fewest,
            "threshold": THRESHOLD,
            "clocks": self.clocks,
            "parts": self.parts,
            "orders_judged": list(self.judged),
            "found_after": {str(order): count for order, count in self.found_after.items()},
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 1),
            "strongest": None
            if leak is None
            else {
                "class": leak.fixed,
                "order": leak.order,
                "clock": leak.clock,
                "part": leak.part,
                "t": [_plain(value) for value in leak.t],
            },
            "t": {
                str(order): {
                    fixed: [[_plain(float(value)) for value in half] for half in halves]
                    for fixed, halves in self.t[order].items()
                }
                for order in ORDERS
            },
        }


MODELS = ("weight", "distance")
"""Predictions: ones in S(p + k), and in S(p + k) + p + k; of decryption with the inverse S-box."""

BYTES = 16
LASTING = 3
"""Looks after which in a row the right byte must come first."""


@dataclass(frozen=True)
class AttackReport:
    """The rank of each right key byte, by model, after so many traces, each time that they have doubled.

    `ranks[look][model]` has one for each byte that is added to the block before the first S-boxes.
    """

    target: str
    conditions: tuple[str, ...]
    looks: tuple[int, ...]
    ranks: tuple[dict[str, tuple[int, ...]], ...]
    interrupted: bool
    seconds: float

    @property
    def traces(self) -> int:
        """Traces used."""
        return self.looks[-1] if self.looks else 0

    def found_after(self, byte: int) -> int | None:
        """Traces from which on the right byte comes first by one model; None unless it does so at three looks or more,
        the last ones."""
        found: list[int] = []
        for model in MODELS:
            row = [ranks[model][byte] for ranks in self.ranks]
            lasting = len(row) - max((k + 1 for k, rank in enumerate(row) if rank > 1), default=0)
            found += [self.looks[-lasting]] if lasting >= LASTING else []
        return min(found, default=None)

    @property
    def found(self) -> int:
        """Key bytes found."""
        return sum(self.found_after(byte) is not None for byte in range(BYTES))

    def to_json(self) -> dict[str, object]:
        """All of it for machines."""
        return {
            "target": self.target,
            "conditions": list(self.conditions),
            "traces": self.traces,
            "found": self.found,
            "found_after": [self.found_after(byte) for byte in range(BYTES)],
            "looks": list(self.looks),
            "ranks": [{model: list(row) for model, row in ranks.items()} for ranks in self.ranks],
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 1),
        }


def shared_strength(halves: Floats) -> Floats:
    """The smaller |t| of both halves at each point; 0 where their signs differ."""
    return np.where(halves[0] * halves[1] > 0, np.minimum(abs(halves[0]), abs(halves[1])), 0.0)


def _plain(value: float) -> float | str:
    return round(value, 3) if np.isfinite(value) else str(value)
