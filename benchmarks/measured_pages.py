"""The measured tables as they stand in docs/tables: a page a table, read by library, condition, row and column.

    ## ueno-table1: TITLE, under area-kept; nangate45-slow, slow (0.95 V, 125 °C)

    <!-- measured of: pyosys 0.70; library 71c8c304; … -->

    | design | area (GE), published | area (GE), measured | recipe |
    …

A section of a page is its table in a library; `under` is there where the condition is not the table's own. What it was
measured of (`measured_inputs.py`) stands in a comment, which no reader of the page sees. Then come tables, each of some
figures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from aesmith.flow.measurement import Optimise
from aesmith.tables import ghash, lin2023, ueno2016, ueno2020, wang2010, zhang2004
from aesmith.tables.catalogue import TABLES
from aesmith.tables.model import Table

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "tables"
"""Where the pages are: each is named after its table."""

BOTH = "both"
"""The condition of a section that has fronts of what was tried under two."""
PLACED = "placed"
"""The condition of a section whose rows were placed: measured under the table's own, with wires."""
REWIRED = "rewired"
"""The condition of a section of rows whose best netlists were rewired, under the table's own."""

_HEADING = re.compile(r"## ([\w-]+): .*?(?:, under ([\w-]+))?; ([\w-]+), [^,;]+\(.*\)\n\n")
_STAMP = re.compile(r"(?m)^<!-- measured of: (.*) -->\n\n")
_PRESET = re.compile(r" \(`[^`]*`\)$")

Stamp = Mapping[str, str]
"""Digests by their subjects: `pyosys` (its version), `library`, `plan`, `flow`, `power`, and designs, `ROW[/PART]`."""

Rows = Mapping[str, Mapping[str, str]]
"""Cells by row and column; what the tables of a section have in common stands in all."""


@dataclass(frozen=True)
class Section:
    """A table in a library as it stands in a page, under a condition if it is not the table's own."""

    table: str
    library: str
    text: str
    condition: str = ""

    @property
    def label(self) -> str:
        """What it is called: `TABLE/LIBRARY[/CONDITION]`."""
        return "/".join(word for word in (self.table, self.library, self.condition) if word)

    @property
    def optimise(self) -> tuple[Optimise, ...]:
        """What it was measured under."""
        own = TABLES[self.table].optimise
        if self.condition == BOTH:
            return Optimise(f"{own[0]}-kept"), *own
        return own if self.condition in ("", PLACED, REWIRED) else (Optimise(self.condition),)

    @property
    def power(self) -> bool:
        """Whether it has figures of power."""
        return "| power" in self.text or "core, power" in self.text

    @property
    def stamp(self) -> Stamp | None:
        """What its figures were measured of; None where it does not say."""
        match = _STAMP.search(self.text)
        return None if match is None else dict(entry.rsplit(" ", 1) for entry in match[1].split("; "))

    def stamped(self, stamp: Stamp) -> Section:
        """The same section, of this."""
        said = "; ".join(f"{name} {digest}" for name, digest in stamp.items())
        heading, text = self.text.split("\n\n", 1)
        return replace(self, text=f"{heading}\n\n<!-- measured of: {said} -->\n\n{_STAMP.sub('', text)}")

    @cached_property
    def rows(self) -> Rows:
        """The cells of all its tables. Rows are in the order of the table, without the names of presets."""
        found: dict[str, dict[str, str]] = {}
        header: list[str] = []
        for line in self.text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
            if not cells:
                header = header if line.startswith("|-") else []
            elif not header:
                header = cells
            else:
                row = found.setdefault(_PRESET.sub("", cells[0]), {})
                row.update(zip(header[1:], cells[1:], strict=True))
        return found

    def value(self, column: str, row: str) -> float:
        """A cell's number: of a column (`, measured` goes without saying), and of the row whose name begins so.

        Raises LookupError, saying what there is, where no cell or more than one is meant, or it has no number.
        """
        names = [row] if row in self.rows else [name for name in self.rows if name.startswith(row)]
        if len(names) != 1:
            raise LookupError(f"{row!r} begins {len(names)} of the rows {', '.join(self.rows)}")
        cells = self.rows[names[0]]
        cell = cells.get(f"{column}, measured", cells.get(column))
        if cell is None:
            raise LookupError(f"{column!r} is none of the columns {', '.join(cells)}")
        try:
            return float(cell.rstrip("*").replace(",", ""))
        except ValueError:
            raise LookupError(f"{column!r} of {names[0]!r} is no number: {cell}") from None

    def recipes(self, row: str) -> list[str]:
        """The recipes that a row names, by its name in the table."""
        place = next(i for i, known in enumerate(TABLES[self.table].rows) if known.name == row)
        return list(self.rows.values())[place]["recipe"].split(", ")


def sections(page: str) -> list[Section]:
    """The measured tables of a page's text."""
    parts = re.split(r"(?m)^(?=## )", page)
    return [Section(m[1], m[3], part, m[2] or "") for part in parts if (m := _HEADING.match(part))]


def measured_sections() -> list[Section]:
    """The measured tables of all pages, in the order of the tables."""
    return [section for table in TABLES.values() for section in _of(table)]


def sections_of_one_recipe() -> list[Section]:
    """The tables of docs/evidence/power.md, by `power_designs.py`: every core by the recipe `keep`, each direction."""
    text = (ROOT / "docs" / "evidence" / "power.md").read_text(encoding="utf-8")
    tables = re.findall(r"(?ms)^(Encryption|Decryption):\n\n(\| core .*?)\n\n", text)
    return [Section("power", direction.lower(), rows) for direction, rows in tables]


def write(changed: Sequence[Section]) -> None:
    """Put sections into the pages of their tables, in the order of conditions and of the libraries' names."""
    for table in [TABLES[name] for name in dict.fromkeys(section.table for section in changed)]:
        every = {(s.condition, s.library): s for s in [*_of(table), *(s for s in changed if s.table == table.name)]}
        text = "\n".join(every[key].text.rstrip("\n") + "\n" for key in sorted(every))
        (PAGES / f"{table.name}.md").write_text(_head(table) + text, encoding="utf-8")


def _of(table: Table) -> list[Section]:
    page = PAGES / f"{table.name}.md"
    return sections(page.read_text(encoding="utf-8")) if page.exists() else []


def _head(table: Table) -> str:
    """What stands above the sections of a table's page."""
    papers = {
        known.name: f"papers/{module.__name__.rpartition('.')[2]}.md"
        for module in (ueno2020, ueno2016, lin2023, zhang2004, wang2010)
        for known in module.TABLES
    }
    found = {**papers, ghash.TABLE.name: "multipliers.md"}[table.name]
    return f"""# {table.name}: {table.title}

{table.publication.short}, {table.source}, measured again: [what was found](../{found}), and
[what the columns and marks mean](../reproduce.md).

<!-- All of this page: python benchmarks/reproduce_page.py --table {table.name} --library NAME -->

"""
