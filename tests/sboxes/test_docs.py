"""What docs/sboxes.md shows works, and its table is true."""

from __future__ import annotations

import doctest
from pathlib import Path

from aesmith.sboxes.catalogue import markdown_table

PAGE = Path(__file__).parents[2] / "docs" / "sboxes.md"


def test_the_examples_run() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert results.attempted >= 7
    assert results.failed == 0


def test_the_table_is_that_of_the_catalogue() -> None:
    """If not: `python -m aesmith.sboxes.catalogue` prints what belongs there."""
    assert markdown_table() in PAGE.read_text(encoding="utf-8")
