"""The report of the points that come with aesmith is what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.cli import run
from aesmith.explore.points import points_by

PAGE = Path(__file__).parents[2] / "docs" / "families.html"
ANEW = "write it anew: aesmith report --points families --out docs/families.html"


def _report(points: str, file: Path) -> str:
    assert run(["report", "--points", points, "--out", str(file)]) == 0
    return file.read_text(encoding="utf-8")


def test_the_page_is_what_the_points_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the user's own store has."""
    monkeypatch.setenv("AESMITH_STORE", str(tmp_path / "empty.sqlite"))
    assert _report("families", tmp_path / "report.html") == PAGE.read_text(encoding="utf-8"), ANEW


def test_a_stale_figure_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AESMITH_STORE", str(tmp_path / "empty.sqlite"))
    points = points_by("families")
    points.loc[7, "area_ge"] += 1
    points.to_csv(tmp_path / "changed.csv", index=False)
    same = points_by("families")
    same.to_csv(tmp_path / "same.csv", index=False)
    changed, told = (_report(str(tmp_path / f"{name}.csv"), tmp_path / "other.html") for name in ("changed", "same"))
    assert changed != told
    rows = [text.count("\n") for text in (changed, told)]
    assert rows[0] == rows[1]
