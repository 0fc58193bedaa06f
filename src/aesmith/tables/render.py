"""A reproduced table as rows of text, as Markdown and as plain JSON values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aesmith.cores.specification import presets
from aesmith.drawing.charts import Mark, scatter
from aesmith.errors import RequestError
from aesmith.flow.measurement import MOST_REWIRED
from aesmith.tables.model import Figure, Row, Table
from aesmith.tables.reproduce import Reproduction, TableCell, best_of_sets, ratio_of

NOTHING = "–"
"""What stands where the publication has no figure, or none could be measured."""


_SLIP, _ESCAPED = re.compile(r"^\*"), r"\\*"
"""A footnote of a corrected slip begins with an asterisk, which Markdown would make a list of."""

COLUMNS = 9
"""A grid of more columns is no longer read with ease."""

X, Y = "area", "latency"
"""The figures that are drawn over one another."""


@dataclass(frozen=True)
class Grid:
    """Columns and rows of text; titles that begin with `>` are of numbers."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def beside(self, column: str, cells: Sequence[str]) -> Grid:
        """The grid with one more column."""
        rows = tuple((*row, cell) for row, cell in zip(self.rows, cells, strict=True))
        return Grid(self.title, (*self.columns, column), rows)


def grids(reproduction: Reproduction) -> tuple[Grid, ...]:
    """The figures, a grid for each group, published and measured side by side; then, likewise, their ratios to the base
    row, if there are any, and to the best of other sets of base rows. Recipes stand in the first grid of figures that
    has room for one more column."""
    table = reproduction.table
    groups: dict[str, list[Figure]] = {}
    for figure in table.figures:
        groups.setdefault(figure.group, []).append(figure)
    found = [_figures(reproduction, group, figures) for group, figures in groups.items()]
    described = ", ".join(reproduction.findings.optimise)
    title = f"{table.name}: {table.title}, measured in {reproduction.findings.library.name} ({described})"
    labels = [_label(reproduction, row) for row in table.rows]
    rows = tuple((label, *cells[1:]) for label, cells in zip(labels, found[0].rows, strict=True))
    found[0] = replace(found[0], title=title, rows=rows)
    roomy = next((place for place, grid in enumerate(found) if len(grid.columns) < COLUMNS), -1)
    recipes = [reproduction.recipes[row.name] or NOTHING for row in table.rows]
    found[roomy] = found[roomy].beside("recipe", recipes)
    ratios = [
        _ratios(reproduction, group, compared)
        for group, figures in groups.items()
        if (compared := [figure for figure in figures if figure.ratio])
    ]
    return (*found, *ratios, *([_set_ratios(reproduction)] if table.base_sets else []))


def _figures(reproduction: Reproduction, group: str, figures: Sequence[Figure]) -> Grid:
    """The figures of one group."""
    return Grid(
        group,
        ("design", *(c for figure in figures for c in _columns(reproduction, figure))),
        tuple(
            (row.label, *(c for figure in figures for c in _cells(reproduction, row, figure)))
            for row in reproduction.table.rows
        ),
    )


def _ratios(reproduction: Reproduction, group: str, figures: Sequence[Figure]) -> Grid:
    """Ratios of the figures of one group to the base row."""
    return Grid(
        _ratio_title(reproduction, group),
        ("design", *(f">{plain(figure)}, {kind}" for figure in figures for kind in ("published", "measured"))),
        tuple(
            (
                row.label,
                *(
                    number(value, 2)
                    for figure in figures
                    for cell in [reproduction.cells[row.name][figure.name]]
                    for value in (cell.published_ratio, cell.measured_ratio)
                ),
            )
            for row in reproduction.table.rows
        ),
    )


def _set_ratios(reproduction: Reproduction) -> Grid:
    """The measured figure by which base rows are compared, relative to the best of each set of them."""
    table = reproduction.table
    figure = table.figure(table.base_by)
    values = {row.name: reproduction.cells[row.name][figure.name].measured for row in table.rows}
    bases = {called: values[best] if best else None for called, best in best_of_sets(reproduction).items()}
    return Grid(
        f"{plain(figure)}, measured, ratios to the best of each set of baselines",
        ("design", *(f">{called}" for called in bases)),
        tuple(
            (row.label, *(number(ratio_of(values[row.name], base), 2) for base in bases.values())) for row in table.rows
        ),
    )


def footnotes(reproduction: Reproduction) -> list[str]:
    """Conditions of both, corrections, gaps and notes, a sentence each."""
    table = reproduction.table
    lines = [f"published: {table.publication}, {table.source}; {table.conditions}"]
    if (any_ := reproduction.any_measurement) is not None:
        tools = ", ".join(f"{tool} {version}" for tool, version in sorted(any_.tool_versions.items()))
        library = reproduction.findings.library
        lines.append(f"measured: {library.name}, {any_.corner}; 1 GE is the area of {library.nand2.name}; {tools}")
        lines.append("measured before layout: wires have no delay and no load; every row by the same set of recipes")
        if reproduction.findings.rewired:
            lines.append(f"rewired: the {MOST_REWIRED} best netlists of every row, by as many moves a cell for all")
    lines += table.notes
    for called, best in best_of_sets(reproduction).items():
        if best is not None:
            labels = "; ".join(table.row(name).label for name in table.base_sets[called])
            lines.append(f"baselines {called}: {labels}. Measured best: {table.row(best).label}")
    for row in table.rows:
        lines += [f"{row.label}: {row.note}"] * bool(row.note)
        for slip in row.corrections:
            title = next((figure.title for figure in table.figures if figure.name == slip.figure), "")
            if title:
                lines.append(f"* {row.label}, {title}: printed as {slip.printed:g}; corrected by {slip.reason}")
        reasons = {
            cell.gap for figure in table.figures for cell in [reproduction.cells[row.name][figure.name]] if cell.gap
        }
        lines += [f"{row.label}: not measured: {reason}" for reason in sorted(reasons)]
    return lines


def markdown(reproduction: Reproduction, heading: str = "##") -> str:
    """The table as a section of a Markdown page."""
    table = reproduction.table
    any_ = reproduction.any_measurement
    where = reproduction.findings.library.name + (f", {any_.corner}" if any_ else "")
    other = reproduction.findings.optimise != table.optimise
    ways = [*[str(reproduction.findings.optimise[0])] * other, *["rewired"] * reproduction.findings.rewired]
    under = f", under {'-'.join(ways)}" if ways else ""
    lines = [f"{heading} {table.name}: {table.title}{under}; {where}", ""]
    for place, grid in enumerate(grids(reproduction)):
        if place:  # the first one's title is the heading
            lines += [f"{grid.title[0].upper()}{grid.title[1:]}:", ""]
        lines += [*markdown_rows(grid), ""]
    lines += [f"- {_SLIP.sub(_ESCAPED, line)}" for line in footnotes(reproduction)]
    return "\n".join(lines) + "\n"


def markdown_rows(grid: Grid) -> list[str]:
    """The grid as the lines of a Markdown table."""
    header = f"| {' | '.join(column.removeprefix('>') for column in grid.columns)} |"
    ruler = f"|{'|'.join('---:' if column.startswith('>') else '---' for column in grid.columns)}|"
    return [header, ruler, *(f"| {' | '.join(row)} |" for row in grid.rows)]


def json_values(reproduction: Reproduction) -> dict[str, object]:
    """The table as plain JSON values."""
    table, any_ = reproduction.table, reproduction.any_measurement
    return {
        "table": table.name,
        "title": table.title,
        "publication": str(table.publication),
        "source": table.source,
        "published_conditions": table.conditions,
        "library": reproduction.findings.library.name,
        "library_digest": reproduction.findings.library.digest,
        "corner": any_.corner if any_ else None,
        "optimise": [str(optimise) for optimise in reproduction.findings.optimise],
        "tool_versions": dict(any_.tool_versions) if any_ else {},
        "measurements": reproduction.measured,
        "from_store": reproduction.from_store,
        "base": {"published": reproduction.base[0], "measured": reproduction.base[1]},
        "base_sets": {
            called: {"rows": table.base_sets[called], "measured": best}
            for called, best in best_of_sets(reproduction).items()
        },
        "figures": [
            {
                "name": figure.name,
                "title": figure.title,
                "group": figure.group,
                "best": figure.best,
                "ratio": figure.ratio,
            }
            for figure in table.figures
        ],
        "rows": [
            {
                "name": row.name,
                "label": row.label,
                "note": row.note,
                "recipe": reproduction.recipes[row.name],
                "figures": {name: _cell_json(cell) for name, cell in reproduction.cells[row.name].items()},
            }
            for row in table.rows
        ],
        "notes": footnotes(reproduction),
    }


def check_drawable(table: Table) -> None:
    """Raise RequestError for a table without area and latency."""
    missing = [name for name in (X, Y) if all(figure.name != name for figure in table.figures)]
    if missing:
        raise RequestError(f"plot: {table.name} has no figures of {' and '.join(missing)} to draw")


def scatter_points(reproduction: Reproduction, kind: str) -> tuple[Mark, ...]:
    """The designs that have both area and latency; `kind` is "published" or "measured"."""
    found = []
    for row in reproduction.table.rows:
        x, y = (getattr(reproduction.cells[row.name][name], kind) for name in (X, Y))
        if x is not None and y is not None:
            found.append(Mark(x, y, row.label, row.name.startswith("ueno")))
    return tuple(found)


def latency_over_area(reproduction: Reproduction) -> str:
    """The table as a drawing, in SVG: a frame of published and one of measured figures.

    Raises RequestError for a table without area and latency.
    """
    check_drawable(reproduction.table)
    return scatter(
        f"{reproduction.table.name}: {reproduction.table.title}",
        f"measured in {reproduction.findings.library.name}; lower left is better; curves of equal area × latency",
        {kind: scatter_points(reproduction, kind) for kind in ("published", "measured")},
    )


def _cell_json(cell: TableCell) -> dict[str, object]:
    values: dict[str, object] = {"published": cell.published, "measured": cell.measured}
    if cell.printed is not None:
        values["printed"] = cell.printed
    if cell.gap:
        values["gap"] = cell.gap
    ratios = {"published_ratio": cell.published_ratio, "measured_ratio": cell.measured_ratio}
    return values | {name: value for name, value in ratios.items() if value is not None}


def _columns(reproduction: Reproduction, figure: Figure) -> list[str]:
    kinds = [">{}, published"] * _has_published(reproduction, figure) + [">{}, measured"]
    return [kind.format(figure.title) for kind in kinds]


def _cells(reproduction: Reproduction, row: Row, figure: Figure) -> list[str]:
    cell = reproduction.cells[row.name][figure.name]
    star = "*" if cell.printed is not None else ""
    published = [f"{number(cell.published, figure.digits)}{star}"] * _has_published(reproduction, figure)
    return [*published, number(cell.measured, figure.digits)]


def _has_published(reproduction: Reproduction, figure: Figure) -> bool:
    return any(row.stated(figure.name) is not None for row in reproduction.table.rows)


def _label(reproduction: Reproduction, row: Row) -> str:
    own = reproduction.table.name.startswith("ueno-") and row.name in presets()
    return f"{row.label} (`{row.name}`)" if own else row.label


def plain(figure: Figure) -> str:
    """A figure's title without its unit: a ratio has none."""
    return figure.title.split(" (", maxsplit=1)[0]


def _ratio_title(reproduction: Reproduction, group: str) -> str:
    what = f"{group}, ratios to" if group else "ratios to"
    published, measured = reproduction.base
    labels = [reproduction.table.row(name).label for name in (published, measured) if name is not None]
    if len(set(labels)) == 1:
        return f"{what} {labels[0]}"
    return f"{what} the best: published {labels[0]}, measured {labels[1]}"


def number(value: float | None, digits: int) -> str:
    """A figure with so many digits, or what stands where there is none."""
    return NOTHING if value is None else f"{value:,.{digits}f}"
