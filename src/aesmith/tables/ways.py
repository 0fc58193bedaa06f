"""A table measured in another way than its own, as text, Markdown, JSON and a drawing.

Placed, rewired, or over the front of all netlists that were tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from aesmith.drawing.charts import Curve, front_curves
from aesmith.tables.model import DESIGN, Row
from aesmith.tables.render import NOTHING, Grid, footnotes, markdown, markdown_rows, number, plain
from aesmith.tables.reproduce import Reproduction, fronts, placed_rows, ratio_of, rewired_rows


def placed_grid(found: Reproduction) -> Grid:
    """The rows with their wires: area, period, throughput per area, and its ratios to the best base row, as published,
    without wires and with them."""
    table, rows = found.table, placed_rows(found)
    figure = table.figure(table.base_by)
    columns: list[Mapping[str, float | None]] = [
        {row.name: row.stated(table.base_by) for row in table.rows},
        {row.name: found.cells[row.name][figure.name].measured for row in table.rows},
        {name: row.by for name, row in rows.items()},
    ]
    bases = [max((value for name in table.base if (value := column[name])), default=None) for column in columns]
    return Grid(
        f"{plain(figure)}, placed: measured with wires, and ratios to the best base row of each column",
        (
            "design",
            ">area (GE)",
            ">period (ns)",
            f">{plain(figure)}",
            ">ratio, published",
            ">ratio, no wires",
            ">ratio, placed",
            "recipe",
        ),
        tuple(
            (
                row.label,
                number(rows[row.name].area_ge, 0),
                number(rows[row.name].period_ns, 3),
                number(rows[row.name].by, figure.digits),
                *(number(ratio_of(column[row.name], base), 2) for column, base in zip(columns, bases, strict=True)),
                found.recipes.get(row.name) or NOTHING,
            )
            for row in table.rows
        ),
    )


def placed_markdown(found: Reproduction) -> str:
    """The rows with their wires as a section of a Markdown page."""
    library = found.findings.library.name
    heading = markdown(found).splitlines()[0].replace(f"; {library},", f", under placed; {library},", 1)
    lines = [
        "[placed](../placement.md): each row's netlist at a utilisation of 0.7, its gates sized again with their wires",
        "each ratio is to the best of the conventional designs in its column",
        *(line for line in footnotes(found) if line.startswith("measured")),
    ]
    return "\n".join([heading, "", *markdown_rows(placed_grid(found)), "", *(f"- {line}" for line in lines)]) + "\n"


def placed_json(found: Reproduction) -> dict[str, object]:
    """The rows with their wires as plain JSON values, by their names."""
    return {name: asdict(row) for name, row in placed_rows(found).items()}


def rewired_grid(found: Reproduction) -> Grid:
    """What the condition gives without rewiring, and with it: area and period, and by how much their product fell."""
    several = len(found.findings.optimise) > 1
    lines = []
    for each in rewired_rows(found):
        label = found.table.row(each.row).label
        words = [label, *[each.part] * (each.part != DESIGN), *[str(each.optimise)] * several]
        figures = [
            (number(c.area_ge, 0), NOTHING if c.period_ns is None else f"{c.period_ns:.3f}")
            for c in (each.before, each.after)
        ]
        gain = NOTHING if each.gain is None else f"{100 * each.gain:.1f}"
        lines.append((", ".join(words), *figures[0], *figures[1], gain, each.before.label, each.after.label))
    return Grid(
        "before and after rewiring",
        (
            "design",
            ">area (GE), before",
            ">period (ns), before",
            ">area (GE), after",
            ">period (ns), after",
            ">area × period, gain (%)",
            "recipe, before",
            "recipe, after",
        ),
        tuple(lines),
    )


def rewired_markdown(found: Reproduction) -> str:
    """The table as a section of a Markdown page, with what rewiring made of each design at its end."""
    return "\n".join((markdown(found), "Before and after rewiring:", "", *markdown_rows(rewired_grid(found)))) + "\n"


def rewired_json(found: Reproduction) -> list[dict[str, object]]:
    """What rewiring made of each design as plain JSON values."""
    return [asdict(each) | {"gain": each.gain} for each in rewired_rows(found)]


def front_grid(ways: Sequence[Reproduction]) -> Grid:
    """Throughput per area relative to the best base row: published, in each way, and at the best of the fronts."""
    table = ways[0].table
    over = {name: max(points, key=lambda point: point.efficiency) for name, points in fronts(ways).items() if points}
    columns: list[Mapping[str, float | None]] = [
        {row.name: row.stated(table.base_by) for row in table.rows},
        *({row.name: way.cells[row.name][table.base_by].measured for row in table.rows} for way in ways),
        {row.name: over[row.name].efficiency if row.name in over else None for row in table.rows},
    ]
    bases = [max((value for name in table.base if (value := column[name])), default=None) for column in columns]

    def ratios(row: Row) -> Iterator[str]:
        for column, base in zip(columns, bases, strict=True):
            yield number(ratio_of(column[row.name], base), 2)

    return Grid(
        f"{plain(table.figure(table.base_by))}, ratios to the best of each column, and what is best over the front",
        (
            "design",
            ">published",
            *(f">{way.findings.optimise[0]}" for way in ways),
            ">front",
            ">area (GE), front",
            ">latency (ns), front",
            "recipe",
        ),
        tuple(
            (
                row.label,
                *ratios(row),
                number(over[row.name].area_ge if row.name in over else None, 0),
                number(over[row.name].latency_ns if row.name in over else None, 2),
                over[row.name].recipe if row.name in over else NOTHING,
            )
            for row in table.rows
        ),
    )


def front_footnotes(ways: Sequence[Reproduction]) -> list[str]:
    """How the fronts came about, a sentence each."""
    kept, restructured = (way.findings.optimise[0] for way in ways)
    return [
        f"front: of all netlists tried, under {kept} and {restructured}, the one with the most throughput per area",
        "area, latency and recipe are that netlist's",
        "each column is relative to its own best of the conventional designs",
        *(line for line in footnotes(ways[0]) if line.startswith("measured")),
    ]


def front_markdown(ways: Sequence[Reproduction]) -> str:
    """The ratios by each way and over the fronts as a section of a Markdown page."""
    heading = markdown(ways[0]).splitlines()[0].replace(f", under {ways[0].findings.optimise[0]}", ", under both")
    lines = [heading, "", *markdown_rows(front_grid(ways)), "", *(f"- {line}" for line in front_footnotes(ways))]
    return "\n".join(lines) + "\n"


def front_drawing(ways: Sequence[Reproduction]) -> str:
    """The fronts of all rows as a drawing, in SVG."""
    table = ways[0].table
    library = ways[0].findings.library.name
    kept, restructured = (way.findings.optimise[0] for way in ways)
    return front_curves(
        f"{table.name}: {table.title}",
        f"{library}; fronts of all netlists tried: full {kept}, hollow {restructured}; axes do not begin at 0; "
        "curve of equal area × latency",
        [
            Curve(
                table.row(name).label,
                name.startswith("ueno"),
                [(point.area_ge, point.latency_ns) for point in points],
                [point.optimise.kept for point in points],
                [f"{p.area_ge:,.0f} GE, {p.latency_ns:.2f} ns, {p.recipe} ({p.optimise})" for p in points],
            )
            for name, points in fronts(ways).items()
            if points
        ],
    )


def front_json(ways: Sequence[Reproduction]) -> dict[str, list[dict[str, object]]]:
    """The fronts of all rows as plain JSON values."""
    return {name: [asdict(point) for point in points] for name, points in fronts(ways).items()}
