"""What long work says of itself while it goes on."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is under way or was just done, the number of units done, and the number of all known by then: steps,
blocks, messages, states, measurements."""
