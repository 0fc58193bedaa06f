"""XOR counts of linear maps: those that publications state, and those of this project, side by side.

    python benchmarks/linear_maps.py

For each published figure: the map, XORs and depth as published, then XORs and depth of our smallest program without a
depth bound and of our smallest within the published depth. Ours come from the kept programs or, for small maps, from
the search with its default number of moves, so they are the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from aesmith.circuits.linear import LinearProgram, best, smallest_depth
from aesmith.circuits.linear.named import NAMED, NamedMap, Published
from aesmith.circuits.linear.store import MapRequest, kept


@dataclass(frozen=True)
class Row:
    """One published figure and our programs for the same map; `bounded` is None where no depth was published."""

    named: NamedMap
    published: Published | None
    smallest: LinearProgram
    bounded: LinearProgram | None


def our_program(named: NamedMap, depth: int | None) -> LinearProgram:
    """The kept program if there is one within the bound, else what the search finds."""
    return kept(MapRequest(named.matrix, depth)) or best(named.matrix, depth)


def rows() -> list[Row]:
    """All named maps; those without a published figure once, with our smallest program and that of least depth."""
    result = []
    for named in NAMED.values():
        smallest = our_program(named, None)
        for published in named.published or (None,):
            depth = smallest_depth(named.matrix) if published is None else published.depth
            result.append(Row(named, published, smallest, None if depth is None else our_program(named, depth)))
    return result


def main() -> None:
    """Print the table."""
    table = Table(title="XOR gates of linear maps (XORs / depth)")
    for column in ("map", "published by", "published", "ours", "ours within that depth"):
        table.add_column(column, justify="left" if column in {"map", "published by"} else "right")
    for row in rows():
        published = row.published
        table.add_row(
            row.named.name,
            published.source if published else "",
            f"{published.xors} / {'-' if published.depth is None else published.depth}" if published else "",
            f"{row.smallest.xors} / {row.smallest.depth}",
            f"{row.bounded.xors} / {row.bounded.depth}" if row.bounded else "",
        )
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
