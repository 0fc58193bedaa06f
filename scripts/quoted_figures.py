"""The figures that prose quotes from the tables of docs/reproduce.md: what each must be, and written so.

    python scripts/quoted_figures.py [--write]

Where a page quotes a figure, a comment behind it says where it comes from, which no reader of the page sees:

    1.44<!-- ueno-table1 nangate45-slow: efficiency: This work -->
    1.69<!-- ueno-table1 nangate45-slow: efficiency (Kbps/GE): This work / S-box after Boyar -->

These are the table and the library of a section (and the condition, if it is not the table's own), a column of one of its
tables (`, measured` goes without saying), and the beginning of a row's name, or of two whose quotient is meant. Prints
the figures that are others now; `--write` puts them into the pages.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "docs" / "reproduce.md"
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

_QUOTED = re.compile(
    r"(?P<figure>\d[\d,]*(?:\.\d+)?)<!-- (?P<section>[\w-]+ [\w-]+(?: [\w-]+)?): (?P<column>[^:>]+): (?P<rows>[^>]+) -->"
)

_MARK = re.compile(r"\d(<!--.*?-->)")

Rows = Mapping[str, Mapping[str, str]]
"""Cells by row and column; what two tables of a section have in common stands in both."""


class Quotation(NamedTuple):
    """A figure in a page: where it begins and ends, what it says, and what the table says, as it would stand there."""

    begin: int
    end: int
    figure: str
    right: str
    source: str


def sections(page: str) -> dict[str, Rows]:
    """The tables of a page's sections, by `TABLE LIBRARY`, and ` CONDITION` where it is not the table's own."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    rows: dict[str, dict[str, str]] = {}
    header: list[str] = []
    for line in page.splitlines():
        if match := re.match(r"## ([\w-]+): .*?(?:, under ([\w-]+))?; ([\w-]+), [^,;]+\(.*\)$", line):
            rows = found.setdefault(" ".join(filter(None, (match[1], match[3], match[2]))), {})
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if not cells:
            header = header if line.startswith("|-") else []
        elif not header:
            header = cells
        else:
            named = re.sub(r" \(`[^`]*`\)$", "", cells[0])
            rows.setdefault(named, {}).update(zip(header[1:], cells[1:], strict=False))
    return found


def value(rows: Rows, column: str, row: str) -> float:
    """A cell's number. Raises LookupError, saying what there is, where no cell or more than one is meant."""
    names = [row] if row in rows else [name for name in rows if name.startswith(row)]
    if len(names) != 1:
        raise LookupError(f"{row!r} begins {len(names)} of the rows {', '.join(rows)}")
    cells = rows[names[0]]
    cell = cells.get(f"{column}, measured", cells.get(column))
    if cell is None:
        raise LookupError(f"{column!r} is none of the columns {', '.join(cells)}")
    return float(cell.rstrip("*").replace(",", ""))


def quotations(text: str, tables: Mapping[str, Rows]) -> Iterator[Quotation]:
    """The marked figures of a page. Raises LookupError for a mark that is none, or leads nowhere."""
    known = {match.end() for match in _QUOTED.finditer(text)}
    for mark in _MARK.finditer(text):
        if mark.end() not in known:
            raise LookupError(f"{mark[1]} is no quotation")
    for match in _QUOTED.finditer(text):
        if match["section"] not in tables:
            raise LookupError(f"{match['section']!r} is none of the sections {', '.join(tables)}")
        rows, column = tables[match["section"]], match["column"]
        first, *second = (value(rows, column, row.strip()) for row in match["rows"].split(" / "))
        decimals = len(match["figure"].partition(".")[2])
        right = f"{first / second[0] if second else first:,.{decimals}f}"
        begin, end = match.span("figure")
        yield Quotation(begin, end, match["figure"], right, match[0].partition("<!-- ")[2].removesuffix(" -->"))


def main(arguments: list[str]) -> int:
    """Print, and write where asked to; the exit status is 1 if a figure is another and was not written."""
    tables, others = sections(SOURCE.read_text(encoding="utf-8")), 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        wrong = [quoted for quoted in quotations(text, tables) if quoted.figure != quoted.right]
        for quoted in wrong:
            print(f"{page.name}: {quoted.figure} is {quoted.right} now ({quoted.source})")
        for quoted in reversed(wrong):
            text = text[: quoted.begin] + quoted.right + text[quoted.end :]
        if wrong and "--write" in arguments:
            page.write_text(text, encoding="utf-8")
        others += len(wrong)
    return int(bool(others) and "--write" not in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
