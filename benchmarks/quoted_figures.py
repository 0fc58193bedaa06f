"""The figures that prose quotes from the measured tables: what each must be, and written so.

    python benchmarks/quoted_figures.py [--write]

Where a page quotes a figure, a comment behind it says where it comes from, which no reader of the page sees:

    1.44<!-- ueno-table1 nangate45-slow: efficiency: This work -->
    1.69<!-- ueno-table1 nangate45-slow: efficiency (Kbps/GE): This work / S-box after Boyar -->
    −23 %<!-- ueno-table1 nangate45-slow: power at 100 MHz, enc. (µW): This work / best - 1 -->

These are the table and the library of a section (and the condition, if it is not the table's own; of
docs/evidence/power.md `power encryption` and `power decryption`), a column of one of its tables (`, measured` goes
without saying), and the beginning of a row's name, or of two whose quotient is meant; `best` is the best in that
column of the rows that the table compares with. `A / B - 1` is how much more A is, and `1 - A / B` how much less.
Before ` %` stands a hundred times as much; a sign stands where the value is negative or one was written. Whether the
measured figure is at least as good as the published one is quoted, too:

    not met<!-- ueno-table4 nangate45-slow: efficiency: This work -->

Prints the figures and verdicts that are others now; `--write` puts them into the pages.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from measured_pages import ROOT, Section, measured_sections, sections_of_one_recipe

from aesmith.tables.catalogue import TABLES

_QUOTED = re.compile(
    r"(?P<figure>[−+]?\d[\d,]*(?:\.\d+)?|(?:not )?met)(?P<percent> %)?"
    r"<!-- (?P<section>[\w-]+ [\w-]+(?: [\w-]+)?): (?P<column>[^:>]+): (?P<rows>[^>]+) -->"
)
_DIFFERENCE = re.compile(r"(?P<less>1 - )?(?P<quotient>.*?)(?P<more> - 1)?")
_MARK = re.compile(r"(?:\d|\d %|met)(<!--.*?-->)")


class Quotation(NamedTuple):
    """A figure in a page: where it begins and ends, what it says, and what the table says, as it would stand there."""

    begin: int
    end: int
    figure: str
    right: str
    source: str


def pages() -> list[Path]:
    """The pages that may quote."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def quotations_of(page: Path, sections: Iterable[Section]) -> list[Quotation]:
    """The marked figures of a page. Raises LookupError, naming the page, for a mark that is none, or leads nowhere."""
    try:
        return list(quotations(page.read_text(encoding="utf-8"), sections))
    except LookupError as error:
        raise LookupError(f"{page.relative_to(ROOT)}: {error}") from None


def quotations(text: str, sections: Iterable[Section]) -> Iterator[Quotation]:
    """The marked figures of a page. Raises LookupError for a mark that is none, or leads nowhere."""
    known = {match.end() for match in _QUOTED.finditer(text)}
    for mark in _MARK.finditer(text):
        if mark.end() not in known:
            raise LookupError(f"{mark[1]} is no quotation")
    tables = {section.label.replace("/", " "): section for section in sections}
    for match in _QUOTED.finditer(text):
        if match["section"] not in tables:
            raise LookupError(f"{match['section']!r} is none of the sections {', '.join(tables)}")
        of = tables[match["section"]], match["column"], match["rows"]
        if match["figure"].endswith("met"):
            right = "met" if met(*of) else "not met"
        else:
            decimals = len(match["figure"].partition(".")[2])
            sign = "+" if match["figure"][0] in "+−" else ""
            right = f"{quoted(*of) * (100 if match['percent'] else 1):{sign},.{decimals}f}".replace("-", "−")
        begin, end = match.span("figure")
        yield Quotation(begin, end, match["figure"], right, match[0].partition("<!-- ")[2].removesuffix(" -->"))


def quoted(section: Section, column: str, rows: str) -> float:
    """A cell, the quotient of two, or by how much one is more or less than another."""
    difference = _DIFFERENCE.fullmatch(rows)
    assert difference is not None
    row, _, other = difference["quotient"].partition(" / ")
    value = section.value(column, row)
    if other:
        value /= best(section, column) if other == "best" else section.value(column, other)
    return 1 - value if difference["less"] else value - bool(difference["more"])


def best(section: Section, column: str) -> float:
    """The best value in a column of the rows that a table's ratios may be to."""
    pick = min if least(section, column) else max
    table = TABLES[section.table]
    return pick(section.value(column, table.row(name).label) for name in table.base)


def met(section: Section, column: str, rows: str) -> bool:
    """Whether the measured figure is at least as good as the published one, to two decimals."""
    measured, published = (round(quoted(section, title, rows), 2) for title in (column, f"{column}, published"))
    return measured <= published if least(section, column) else measured >= published


def least(section: Section, column: str) -> bool:
    """Whether the least figure of a column is the best. Raises LookupError if it is none of the table's figures."""
    figures = {title: f for f in TABLES[section.table].figures for title in (f.title, f.title.split(" (")[0])}
    figure = figures.get(column.removesuffix(", published"))
    if figure is None:
        raise LookupError(f"{column!r} is none of the figures {', '.join(figures)}")
    return figure.best == "least"


def main(arguments: list[str]) -> int:
    """Print, and write where asked to; the exit status is 1 if a figure is another and was not written."""
    sections, others = [*measured_sections(), *sections_of_one_recipe()], 0
    for page in pages():
        text = page.read_text(encoding="utf-8")
        wrong = [quoted for quoted in quotations_of(page, sections) if quoted.figure != quoted.right]
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
