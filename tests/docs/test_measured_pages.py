"""Measured tables are read from the pages as they were written."""

from __future__ import annotations

from html import escape
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from aesmith.flow.measurement import Optimise
from aesmith.tables.catalogue import TABLES
from aesmith.tables.model import Table

from .scripts import ROOT, script

SECTION = """## ueno-table2: toys; wood-slow, slow (0.95 V, 125 °C)

| design | area (GE), published | area (GE), measured | recipe |
|---|---:|---:|---|
| First (`first-enc`) | 1,000* | 1,200 | keep |
| Second | – | 1,500 | shrink, compress-modules |

Ratios to First:

| design | area, published | area, measured |
|---|---:|---:|
| First | 1.00 | 1.00 |
| Second | – | 1.25 |
"""


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    return script("measured_pages")


def test_a_stamp_is_read_as_it_was_written(pages: ModuleType) -> None:
    (section,) = pages.sections(SECTION)
    assert section.stamp is None
    stamp = {"pyosys": "0.70", "library": "0a1b2c3d", "first enc": "00000001", "second/core": "00000002"}
    (stamped,) = pages.sections(section.stamped(stamp).stamped(stamp).text)
    assert stamped.stamp == stamp
    assert stamped.text.replace(f"{stamped.text.splitlines()[2]}\n\n", "") == SECTION


def test_a_condition_that_is_not_the_tables_own_is_part_of_the_section(pages: ModuleType) -> None:
    (own,) = pages.sections(SECTION)
    (other,) = pages.sections(SECTION.replace("toys;", "toys, under area;"))
    assert (own.label, own.optimise) == ("ueno-table2/wood-slow", (Optimise.AREA_SPEED,))
    (fronts,) = pages.sections(SECTION.replace("toys;", "toys, under both;"))
    assert (other.label, other.optimise) == ("ueno-table2/wood-slow/area", (Optimise.AREA,))
    assert fronts.label == "ueno-table2/wood-slow/both"
    assert fronts.optimise == (Optimise.AREA_SPEED_KEPT, Optimise.AREA_SPEED)
    (placed,) = pages.sections(SECTION.replace("toys;", "toys, under placed;"))
    assert (placed.label, placed.optimise) == ("ueno-table2/wood-slow/placed", (Optimise.AREA_SPEED,))
    assert script("measured_inputs").command(placed).endswith("--table ueno-table2 --library wood-slow --placed")
    (rewired,) = pages.sections(SECTION.replace("toys;", "toys, under rewired;"))
    assert (rewired.label, rewired.optimise) == ("ueno-table2/wood-slow/rewired", (Optimise.AREA_SPEED,))
    assert script("measured_inputs").command(rewired).endswith("--table ueno-table2 --library wood-slow --rewire")


def test_the_cells_of_all_tables_of_a_section_are_found(pages: ModuleType) -> None:
    (section,) = pages.sections(SECTION)
    assert list(section.rows) == ["First", "Second"]
    assert section.rows["Second"] == {
        "area (GE), published": "–",
        "area (GE), measured": "1,500",
        "recipe": "shrink, compress-modules",
        "area, published": "–",
        "area, measured": "1.25",
    }
    assert section.value("area (GE)", "Fir") == 1200
    assert section.value("area (GE), published", "First") == 1000


def test_the_recipes_of_a_row_are_found(pages: ModuleType) -> None:
    (section,) = pages.sections(SECTION)
    rows = TABLES["ueno-table2"].rows[:2]
    assert [section.recipes(row.name) for row in rows] == [["keep"], ["shrink", "compress-modules"]]


def test_sections_that_are_written_replace_their_like_and_stand_in_order(
    pages: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGES", tmp_path)
    others = SECTION.replace("-table2", "-table1"), SECTION.replace("toys;", "toys, under speed;")
    pages.write(pages.sections("".join((others[1], SECTION, others[0]))))
    pages.write(pages.sections(SECTION.replace("1,200", "1,300")))
    assert [section.label for section in pages.measured_sections()] == [
        "ueno-table1/wood-slow",
        "ueno-table2/wood-slow",
        "ueno-table2/wood-slow/speed",
    ]
    assert [section.value("area (GE)", "First") for section in pages.measured_sections()] == [1200, 1300, 1200]
    assert (tmp_path / "ueno-table1.md").read_text().startswith("# ueno-table1: AES-128 encryption and decryption")


def test_one_run_measures_several_tables_in_several_libraries_and_keeps_what_was_whole(
    pages: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The flow is replaced by one that is interrupted in the last table of the last library."""
    page = script("reproduce_page")

    def reproduced(table: Table, library: SimpleNamespace, *_: object, **__: object) -> SimpleNamespace:
        if (table.name, library.name) == ("ueno-table4", "wood-fast"):
            raise KeyboardInterrupt
        text = SECTION.replace("ueno-table2", table.name).replace("wood-slow", library.name)
        return SimpleNamespace(text=text, from_store=1, measured=2)

    monkeypatch.setattr(pages, "PAGES", tmp_path)
    monkeypatch.setattr(page, "library_by", lambda name: SimpleNamespace(name=name, path=name))
    monkeypatch.setattr(page, "reproduce", reproduced)
    monkeypatch.setattr(page, "markdown", lambda found: found.text)
    monkeypatch.setattr(page, "inputs", lambda _section, file: {"library": str(file)})
    asked = ["--table", "ueno-table2", "--table", "ueno-table4", "--library", "wood-slow", "--library", "wood-fast"]
    with pytest.raises(KeyboardInterrupt):
        page.main([*asked, "--store", str(tmp_path / "s.sqlite")])
    written = {section.label: section.stamp for section in pages.measured_sections()}
    assert written == {
        "ueno-table2/wood-fast": {"library": "wood-fast"},
        "ueno-table2/wood-slow": {"library": "wood-slow"},
        "ueno-table4/wood-slow": {"library": "wood-slow"},
    }
    out = capsys.readouterr().out
    assert out.count(" s of processors; 1 of 2 from the store") == 3


def test_rows_with_their_wires_are_a_section_of_their_own(
    pages: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, asked = script("reproduce_page"), list[object]()

    def reproduced(*_: object, placed: bool, **__: object) -> SimpleNamespace:
        asked.append(placed)
        return SimpleNamespace(from_store=0, measured=2)

    monkeypatch.setattr(pages, "PAGES", tmp_path)
    monkeypatch.setattr(page, "library_by", lambda name: SimpleNamespace(name=name, path=name))
    monkeypatch.setattr(page, "reproduce", reproduced)
    monkeypatch.setattr(page, "placed_markdown", lambda _: SECTION.replace("toys;", "toys, under placed;"))
    monkeypatch.setattr(page, "inputs", lambda _section, file: {"library": str(file)})
    monkeypatch.setattr(page.ratio_page, "write", lambda: None)
    monkeypatch.setattr(page.quoted_figures, "main", lambda _: None)
    options = ["--table", "ueno-table2", "--library", "wood-slow", "--store", str(tmp_path / "s.sqlite"), "--placed"]
    page.main(options)
    assert asked == [True]
    assert [section.label for section in pages.measured_sections()] == ["ueno-table2/wood-slow/placed"]
    with pytest.raises(SystemExit):
        page.main([*options, "--front"])
    assert "--placed: rows are placed under the table's own condition" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        page.main([*options[:-1], "--rewire", "--power"])
    assert "--rewire: rows are rewired under the table's own condition" in capsys.readouterr().err


def test_figures_of_power_are_kept_where_the_others_are_measured_again_as_they_were(
    pages: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = script("reproduce_page")
    power = "\nPower:\n\n| design | power (µW), measured |\n|---|---:|\n| First | 1 |\n| Second | 2 |\n"
    (new,), (old,) = pages.sections(SECTION), pages.sections(SECTION + power)
    monkeypatch.setattr(page, "measured_sections", lambda: [old])
    assert page._known_with_power(new)
    assert not page._known_with_power(old), "power was measured again"
    (other,) = pages.sections(SECTION.replace("1,200", "1,201"))
    assert not page._known_with_power(other)
    monkeypatch.setattr(page, "measured_sections", lambda: [new])
    assert not page._known_with_power(new)


def test_a_section_of_fronts_has_its_drawing(pages: ModuleType) -> None:
    fronts = [section for section in pages.measured_sections() if section.condition == pages.BOTH]
    assert fronts
    for section in fronts:
        drawing = f"{section.table}-front-{section.library}.svg"
        assert f"]({drawing})" in section.text
        text = (pages.PAGES / drawing).read_text(encoding="utf-8")
        assert all(f">{escape(row)}</text>" in text for row in section.rows)


def test_every_page_is_listed_and_says_where_its_findings_are(pages: ModuleType) -> None:
    way_in = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    for page in sorted(pages.PAGES.glob("*.md")):
        assert f"](tables/{page.name})" in way_in
        text = page.read_text(encoding="utf-8")
        assert "](../papers/" in text or "[what was found](../multipliers.md)" in text
    for page in sorted((ROOT / "docs" / "papers").glob("*.md")):
        assert f"](papers/{page.name})" in way_in


def test_every_table_of_a_paper_was_measured_rewired(pages: ModuleType) -> None:
    """docs/evidence/optimiser.md says so of all; multipliers of GHASH are of no paper's table."""
    rewired = {
        section.table for section in pages.measured_sections() if section.label.endswith("nangate45-slow/rewired")
    }
    assert rewired == TABLES.keys() - {"ghash-multipliers"}
