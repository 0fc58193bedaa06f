"""When an engine gives up. One that gives up has proved nothing."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass, field

SHARE = 0.75
"""Of the machine's memory, what a proof may use."""


def _most_megabytes() -> float:
    return SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20


@dataclass(frozen=True)
class Limits:
    """States of one walk, seconds and megabytes of one proof, and blocks that a core may hold."""

    states: int = 200_000
    seconds: float = 3600.0
    blocks: int = 96
    megabytes: float = field(default_factory=_most_megabytes)

    def exceeded(self, states: int, seconds: float) -> str:
        """Why to give up after so many states and seconds; empty if there is no reason."""
        if states > self.states:
            return f"more than {self.states} states"
        if seconds > self.seconds:
            return f"no end after {self.seconds:g} s, at {states} states"
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 > self.megabytes:
            return f"more than {self.megabytes:.0f} MB of memory, at {states} states"
        return ""
