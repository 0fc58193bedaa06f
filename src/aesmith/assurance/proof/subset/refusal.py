"""How the first thing that is not accepted is told to who asked. No part of slang is loaded for it."""

from __future__ import annotations

Place = tuple[int, int]
"""The number of a file and an offset in it, in bytes of UTF-8."""


class RefusalError(Exception):
    """Something is refused: its place, what stands there, and why."""

    def __init__(self, place: Place, shown: str, reason: str) -> None:
        super().__init__(reason)
        self.place, self.shown, self.reason = place, shown, reason
