"""Total Hamming weight of the merged maps of Ueno et al. (TC 2020), published and found, without and with offset.

python benchmarks/offset_weights.py
"""

from __future__ import annotations

import time

from rich.console import Console
from rich.table import Table

from aesmith.fields.families import inverter_bases, tower_bases, tower_families
from aesmith.fields.offset_search import ALL_OFFSETS, NO_OFFSET, SearchResult, search_offsets

PUBLISHED = (4416, 4016)
"""Section 3.3: without and with offset, for the inverter of Ueno et al. (CHES 2015)."""


def main() -> None:
    """Print the weights of the published inverter's tower and of every family, then the time of the whole search."""
    table = Table(title="Hamming weight of all merged maps of the data path")
    for column in ("towers", "bases", "published", "without offset", "with offset", "α", "γ"):
        table.add_column(column, justify="left" if column == "towers" else "right")
    groups = {"inverter of ueno2015": inverter_bases("ueno2015")}
    groups |= {name: tower_bases(name) for name in tower_families()}
    for name, bases in groups.items():
        without, found = search_offsets(bases, NO_OFFSET, top=1), search_offsets(bases, ALL_OFFSETS, top=1)
        published = f"{PUBLISHED[0]} / {PUBLISHED[1]}" if name.startswith("inverter") else ""
        table.add_row(name, str(len(bases)), published, score(without), score(found), *parameters(found))
    console = Console(width=150)
    console.print(table)
    bases = tower_bases()
    begun = time.perf_counter()
    candidates = search_offsets(bases).candidates
    console.print(f"{candidates:,} candidates, ten maps each, in {time.perf_counter() - begun:.1f} s on one core")


def score(result: SearchResult) -> str:
    """Weight of the best candidate."""
    return f"{result.ranked[0].score:g}"


def parameters(result: SearchResult) -> tuple[str, str]:
    """α and γ of the best candidate."""
    return f"{result.ranked[0].basis.alpha:#04x}", f"{result.ranked[0].gamma:#04x}"


if __name__ == "__main__":
    main()
