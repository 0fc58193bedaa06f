"""The figures that prose quotes from the generated tables are those of the tables."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from aesmith.tables.catalogue import TABLES

from .scripts import script as script_of

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
    return script_of("quoted_figures")


def sections(page: str) -> list[Any]:
    return list(script_of("measured_pages").sections(page))


def test_a_figure_in_prose_is_that_of_its_table(script: ModuleType) -> None:
    tables = [*script.measured_sections(), *script.sections_of_one_recipe()]
    quoted = {page.relative_to(script.ROOT).as_posix(): script.quotations_of(page, tables) for page in script.pages()}
    others = [
        f"{page}: {figure.figure} is {figure.right} now ({figure.source})"
        for page, figures in quoted.items()
        for figure in figures
        if figure.figure != figure.right
    ]
    assert others == [], "write them: python benchmarks/quoted_figures.py --write"
    papers = {f"docs/papers/{paper}.md" for paper in ("ueno2020", "ueno2016", "lin2023", "wang2010", "zhang2004")}
    assert {page for page, figures in quoted.items() if figures} >= papers | {"docs/evidence/power.md"}
    assert sum(map(len, quoted.values())) > 150


@pytest.mark.parametrize(
    ("mark", "right"),
    [
        ("9<!-- toy-table1 wood-slow: area: Second -->", "1"),
        ("9.99<!-- toy-table1 wood-slow: area: Second -->", "1.25"),
        ("9<!-- toy-table1 wood-slow: area (GE): First -->", "1,200"),
        ("9<!-- toy-table1 wood-slow: area (GE), published: First -->", "1,000"),
        ("0.9<!-- toy-table1 wood-slow: area (GE): First / Second -->", "0.8"),
        ("−9 %<!-- toy-table1 wood-slow: area (GE): First / Second - 1 -->", "−20"),
        ("−9 %<!-- toy-table1 wood-slow: area (GE): Second / First - 1 -->", "+25"),
        ("9 %<!-- toy-table1 wood-slow: area (GE): 1 - First / Second -->", "20"),
        ("9.9 %<!-- toy-table1 wood-slow: area: Second -->", "125.0"),
    ],
)
def test_a_quotation_has_the_digits_that_stand_there(script: ModuleType, mark: str, right: str) -> None:
    (quoted,) = script.quotations(f"It is {mark} times.", sections(SECTION))
    assert quoted.right == right
    assert quoted.figure == mark.partition("<")[0].removesuffix(" %")


def test_a_figure_may_be_compared_with_the_best_of_the_rows_that_ratios_are_to(script: ModuleType) -> None:
    """SASEBO's tables, tower, Gueron and Mathew's cores; the smallest area, the highest frequency."""
    (section,) = [found for found in script.measured_sections() if found.label == "ueno-table3/nangate45-slow"]
    area, speed = "area (GE), published", "max. freq. (MHz), published"
    assert script.quoted(section, area, "This work / best") == section.value(area, "This work") / 10_529
    assert script.quoted(section, speed, "This work / best") == section.value(speed, "This work") / 719.4
    with pytest.raises(LookupError, match="none of the figures area"):
        script.best(section, "recipe")


def test_whether_a_claim_is_met_is_said_by_its_figures(script: ModuleType) -> None:
    """By the figure's own sense: a ratio of areas is met by a smaller one."""
    text = SECTION.replace("toy-table1", "ueno-table1").replace("| – | 1,500", "| 1,500 | {area}")
    for area, right in (("1,700", "met"), ("1,800", "met"), ("1,900", "not met")):
        tables = sections(text.format(area=area))
        (quoted,) = script.quotations("not met<!-- ueno-table1 wood-slow: area (GE): Second / First -->", tables)
        assert (quoted.figure, quoted.right) == ("not met", right)


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ("1<!-- toy-table2 wood-slow: area: First -->", "none of the sections"),
        ("1<!-- toy-table1 wood-slow: weight: First -->", "none of the columns"),
        ("1<!-- toy-table1 wood-slow: area: Third -->", "begins 0 of the rows"),
        ("1<!-- toy-table1: area: First -->", "is no quotation"),
        ("1<!-- toy-table1 wood-slow: recipe: First -->", "'recipe' of 'First' is no number: keep"),
    ],
)
def test_a_quotation_that_leads_nowhere_is_refused(script: ModuleType, mark: str, message: str) -> None:
    with pytest.raises(LookupError, match=message):
        list(script.quotations(mark, sections(SECTION)))


def test_ratios_and_drawings_are_what_the_tables_have() -> None:
    page = script_of("ratio_page")
    written = page.written(page.measured_sections())
    assert len(written) == 1 + len(page.PICTURES)
    for file, text in written.items():
        assert file.read_text(encoding="utf-8") == text, "python benchmarks/ratio_page.py"


def test_ratios_are_of_every_library_that_was_measured() -> None:
    ratio_page, section = script_of("ratio_page"), SECTION.replace("toy-table1", "ueno-table3")
    head = "| design | efficiency, published | efficiency, measured |\n|---|---:|---:|\n"
    table = f"{head}| This work (2020) | 1.50 | 2.00 |\n\n| design | efficiency (Kbps/GE), measured |\n|---|---:|\n"
    names = [TABLES["ueno-table3"].row(name).label for name in TABLES["ueno-table3"].base]
    table += "".join(f"| {name} | {100 + place % 3} |\n" for place, name in enumerate(names))
    heading = section.splitlines()[1]
    kept = heading.replace("of them;", "of them, under area-kept;")
    stone = f"{heading.replace('wood-slow', 'stone-fast')}\n\n{table.replace('2.00', '4.00')}"
    both = f"{heading.replace('wood-slow', 'stone-fast').replace('of them;', 'of them, under both;')}\n\n"
    both += "| design | front |\n|---|---:|\n| This work (2020) | 5.00 |\n"
    placed = (
        both.replace("under both;", "under placed;").replace("| front |", "| ratio, placed |").replace("5.00", "6.00")
    )
    rewired = stone.replace("of them;", "of them, under rewired;").replace("4.00", "7.00")
    text = ratio_page.page(
        sections(
            f"{heading}\n\n{table}\n{kept}\n\n{table.replace('2.00', '3.00')}\n{stone}\n{both}\n{placed}\n{rewired}"
        )
    )
    first = "| throughput per area, over the best conventional core | 1.50 |"
    assert f"{first} 3.00 | 2.00 |\n" in text.partition("## wood-slow")[2].partition("## ")[0]
    assert f"{first} 4.00 | 7.00 | 5.00 | 6.00 |\n" in text.partition("## stone-fast")[2]
    best = names[2].removesuffix(" (today's circuits)")
    assert (
        f"best conventional core | 1.50 | 2.00 ({best}) | 4.00 ({best}) |"
        in text.partition("## Restructured")[2].partition("## ")[0]
    )
