"""The page of FPGAs has the points of devices that come with aesmith, and no others."""

from __future__ import annotations

import runpy
from pathlib import Path

from aesmith.explore.recommend.devices import every_point

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "benchmarks" / "device_points.py"))
PAGE = (ROOT / "docs" / "evidence" / "fpga.md").read_text(encoding="utf-8")


def test_the_table_is_what_the_points_say() -> None:
    assert SCRIPT["page"](PAGE, every_point()) == PAGE
    assert PAGE.count("| `serial-memory-enc` |") == 5


def test_a_stale_figure_is_found() -> None:
    points = every_point()
    points.loc[0, "luts"] += 1
    assert SCRIPT["page"](PAGE, points) != PAGE


def test_the_file_of_figures_has_the_same_rows() -> None:
    written = (ROOT / "docs" / "tables" / "devices.csv").read_text(encoding="utf-8").splitlines()
    assert len(written) == 1 + len(every_point())
    assert written[0].split(",") == [*SCRIPT["FIGURES"]]
