"""The measured tables as they stand in the docs: sections of pages, read by table, library, condition, row and column.

    ## ueno-table1: TITLE, under area-kept; nangate45-slow, slow (0.95 V, 125 °C)

    <!-- measured of: pyosys 0.70; library 71c8c304; … -->

    | design | area (GE), published | area (GE), measured | recipe |
    …

A section is a table in a library; `under` is there where the condition is not the table's own. What it was measured of
(`measured_inputs.py`) stands in a comment, which no reader of the page sees. Then come tables, each of some figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from aesmith.flow.measurement import Optimise
from aesmith.tables.catalogue import TABLES

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reproduce.md"
MARKER = "<!-- From here on: python benchmarks/reproduce_page.py -->"

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
        return (Optimise(self.condition),) if self.condition else TABLES[self.table].optimise

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

        Raises LookupError, saying what there is, where no cell or more than one is meant.
        """
        names = [row] if row in self.rows else [name for name in self.rows if name.startswith(row)]
        if len(names) != 1:
            raise LookupError(f"{row!r} begins {len(names)} of the rows {', '.join(self.rows)}")
        cells = self.rows[names[0]]
        cell = cells.get(f"{column}, measured", cells.get(column))
        if cell is None:
            raise LookupError(f"{column!r} is none of the columns {', '.join(cells)}")
        return float(cell.rstrip("*").replace(",", ""))

    def recipes(self, row: str) -> list[str]:
        """The recipes that a row names, by its name in the table."""
        place = next(i for i, known in enumerate(TABLES[self.table].rows) if known.name == row)
        return list(self.rows.values())[place]["recipe"].split(", ")


def sections(page: str) -> list[Section]:
    """The measured tables of a page's text."""
    parts = re.split(r"(?m)^(?=## )", page)
    return [Section(m[1], m[3], part, m[2] or "") for part in parts if (m := _HEADING.match(part))]


def measured_sections() -> list[Section]:
    """The measured tables of all pages."""
    return sections(PAGE.read_text(encoding="utf-8"))


def write(changed: Iterable[Section]) -> None:
    """Put sections into their pages, in the order of the tables and of the libraries' names."""
    introduction, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKER)
    every = {(s.table, s.condition, s.library): s for s in [*sections(rest), *changed]}
    order = list(TABLES)
    ordered = sorted(every, key=lambda key: (order.index(key[0]), *key[1:]))
    text = "\n".join(every[key].text.rstrip("\n") + "\n" for key in ordered)
    PAGE.write_text(f"{introduction}{MARKER}\n\n{text}", encoding="utf-8")
