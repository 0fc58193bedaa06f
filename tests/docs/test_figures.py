"""The figures that prose quotes from the generated tables are those of the tables."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]

SECTION = """
## toy-table1: toys, all of them; wood-slow, slow (0.95 V, 125 °C)

| design | area (GE), published | area (GE), measured | recipe |
|---|---:|---:|---|
| First (`first-enc`) | 1,000* | 1,200 | keep |
| Second | – | 1,500 | keep |

Ratios to First:

| design | area, published | area, measured |
|---|---:|---:|
| First | 1.00 | 1.00 |
| Second | – | 1.25 |
"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = spec_from_file_location("quoted_figures", ROOT / "scripts" / "quoted_figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_figure_in_prose_is_that_of_its_table(script: ModuleType) -> None:
    tables = script.sections(script.SOURCE.read_text(encoding="utf-8"))
    quoted = {page.name: list(script.quotations(page.read_text(encoding="utf-8"), tables)) for page in script.PAGES}
    others = [
        f"{page}: {figure.figure} is {figure.right} now ({figure.source})"
        for page, figures in quoted.items()
        for figure in figures
        if figure.figure != figure.right
    ]
    assert others == [], "write them: python scripts/quoted_figures.py --write"
    assert {page for page, figures in quoted.items() if figures} == {"byte-serial.md", "reproduce.md", "round-based.md"}
    assert sum(map(len, quoted.values())) > 80


@pytest.mark.parametrize(
    ("mark", "right"),
    [
        ("9<!-- toy-table1 wood-slow: area: Second -->", "1"),
        ("9.99<!-- toy-table1 wood-slow: area: Second -->", "1.25"),
        ("9<!-- toy-table1 wood-slow: area (GE): First -->", "1,200"),
        ("9<!-- toy-table1 wood-slow: area (GE), published: First -->", "1,000"),
        ("0.9<!-- toy-table1 wood-slow: area (GE): First / Second -->", "0.8"),
    ],
)
def test_a_quotation_has_the_digits_that_stand_there(script: ModuleType, mark: str, right: str) -> None:
    (quoted,) = script.quotations(f"It is {mark} times.", script.sections(SECTION))
    assert quoted.right == right
    assert quoted.figure == mark.partition("<")[0]


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ("1<!-- toy-table2 wood-slow: area: First -->", "none of the sections"),
        ("1<!-- toy-table1 wood-slow: weight: First -->", "none of the columns"),
        ("1<!-- toy-table1 wood-slow: area: Third -->", "begins 0 of the rows"),
        ("1<!-- toy-table1: area: First -->", "is no quotation"),
    ],
)
def test_a_quotation_that_leads_nowhere_is_refused(script: ModuleType, mark: str, message: str) -> None:
    with pytest.raises(LookupError, match=message):
        list(script.quotations(mark, script.sections(SECTION)))
