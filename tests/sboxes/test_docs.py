"""What docs/sboxes.md shows works, and its table is true."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from aesmith.sboxes.catalogue import CATALOGUE
from aesmith.sboxes.entry import Function

PAGE = Path(__file__).parents[2] / "docs" / "sboxes.md"


def test_the_examples_run() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted >= 7
    assert results.failed == 0


def test_the_table_has_the_gates_and_levels_of_every_entry() -> None:
    lines = re.findall(r"^\| `([\w-]+)` \|(.*)\|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    rows = {name: [cell.strip() for cell in cells.split("|")[:4]] for name, cells in lines}
    assert list(rows) == list(CATALOGUE)
    for name, entry in CATALOGUE.items():
        for function, cell in zip(Function, rows[name], strict=True):
            if function in entry.functions:
                figures = entry.figures(function)
                assert cell == f"{figures.gates} / {figures.levels}"
            else:
                assert not cell
