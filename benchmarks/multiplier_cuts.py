"""Search the cuts of the staged multipliers that are kept as data, and write them.

    python benchmarks/multiplier_cuts.py

Prints a form a line: its stages' levels and its registers. Some ten seconds each.
"""

from __future__ import annotations

from pathlib import Path

from aesmith.circuits.cost import LEVELS
from aesmith.circuits.multipliers import field_128

FORMS = (("oooo", 2), ("oooo", 3), ("oooo", 4), ("ooooo", 2), ("ooooo", 3))


def main() -> None:
    """Search and write."""
    found = []
    for splits, stages in FORMS:
        cut = field_128.searched(field_128.multiplier(splits).circuit, stages)
        levels = ", ".join(f"{delay:g}" for delay in cut.stage_delays(LEVELS))
        print(f"{splits} in {stages} stages: {levels} levels, {cut.register_bits} registers", flush=True)
        found.append((splits, cut))
    Path(field_128.__file__).with_name("data").joinpath(field_128.FILE).write_text(field_128.format_cuts(found))


if __name__ == "__main__":
    main()
