"""The drawn schedules are what the cores do, and a core that does something else gets another picture."""

from __future__ import annotations

import runpy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from aesmith.testing.mutants import with_fault

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "schedule_drawing.py"))
RING, COLUMNS = SCRIPT["SCHEDULES"]


@pytest.fixture(scope="module")
def traces() -> dict[str, Any]:
    """What the registers of each core hold, clock by clock."""
    return {each.preset: SCRIPT["trace"](each, SCRIPT["core_of"](each)) for each in (RING, COLUMNS)}


@pytest.mark.parametrize("schedule", [RING, COLUMNS], ids=["ring", "columns"])
def test_the_pictures_are_what_the_core_does(schedule: Any, traces: dict[str, Any]) -> None:
    for name, drawn in SCRIPT["pictures"](schedule, traces[schedule.preset]).items():
        assert drawn == (ROOT / "docs" / name).read_text(encoding="utf-8"), "python scripts/schedule_drawing.py"


@pytest.mark.parametrize(("schedule", "clocks"), [(RING, 20), (COLUMNS, 5)], ids=["ring", "columns"])
def test_a_round_does_what_the_one_before_did(schedule: Any, clocks: int, traces: dict[str, Any]) -> None:
    shown = traces[schedule.preset]
    later = shown[2 * clocks :]
    assert len(later) >= clocks
    for now, before in zip(later, shown[clocks:], strict=False):
        for held, earlier in zip(now, before, strict=True):
            assert (held and held._replace(round=held.round - 1)) == earlier


def test_a_core_that_rotates_other_rows_is_drawn_otherwise(traces: dict[str, Any]) -> None:
    wrong = with_fault(SCRIPT["core_of"](RING), "rotated = {row[1:0], row[3:2]}", "rotated = {row[0], row[3:1]}")
    drawn, other = traces[RING.preset], SCRIPT["trace"](RING, wrong)
    keys = [row for row, place in enumerate(RING.places) if place.label.startswith("K")]
    assert [[held[row] for row in keys] for held in drawn] == [[held[row] for row in keys] for held in other]
    assert any(None in held for held in other[40:]), "what comes of wrong rows is no byte of AES"
    assert all(label is not None for held in drawn for label in held)


def test_a_shift_register_passes_bytes_on(traces: dict[str, Any]) -> None:
    labels = [place.label for place in RING.places]
    before, after = labels.index("SR12"), labels.index("SR10")
    for now, then in pairwise(traces[RING.preset]):
        assert then[before + 1 : after + 1] == now[before:after]
