"""The drawn schedules are what the cores do, and a core that does something else gets another picture."""

from __future__ import annotations

import runpy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from aesmith.testing.mutants import with_fault

ROOT = Path(__file__).parents[2]
ROUND = {"serial-shared-schedule.svg": 20, "column-schedule.svg": 5}


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "scripts" / "schedule_drawing.py"))


@pytest.mark.parametrize("name", ROUND)
def test_the_picture_is_what_the_core_does(script: dict[str, Any], name: str) -> None:
    drawn = script["picture"](script["PICTURES"][name])
    assert drawn == (ROOT / "docs" / name).read_text(encoding="utf-8"), "python scripts/schedule_drawing.py"


@pytest.mark.parametrize(("name", "clocks"), ROUND.items())
def test_a_round_does_what_the_one_before_did(script: dict[str, Any], name: str, clocks: int) -> None:
    schedule = script["PICTURES"][name]
    shown = script["trace"](schedule, script["core_of"](schedule))
    later = shown[2 * clocks :]
    assert len(later) >= clocks
    for now, before in zip(later, shown[clocks:], strict=False):
        for held, earlier in zip(now, before, strict=True):
            assert (held and held._replace(round=held.round - 1)) == earlier


def test_a_core_that_rotates_other_rows_is_drawn_otherwise(script: dict[str, Any]) -> None:
    schedule = script["PICTURES"]["serial-shared-schedule.svg"]
    right = script["core_of"](schedule)
    wrong = with_fault(right, "rotated = {row[1:0], row[3:2]}", "rotated = {row[0], row[3:1]}")
    drawn, other = (script["trace"](schedule, design) for design in (right, wrong))
    keys = [row for row, place in enumerate(schedule.places) if place.label.startswith("K")]
    assert [[held[row] for row in keys] for held in drawn] == [[held[row] for row in keys] for held in other]
    assert any(None in held for held in other[40:]), "what comes of wrong rows is no byte of AES"
    assert all(label is not None for held in drawn for label in held)


def test_a_shift_register_passes_bytes_on(script: dict[str, Any]) -> None:
    schedule = script["PICTURES"]["serial-shared-schedule.svg"]
    labels = [place.label for place in schedule.places]
    before, after = labels.index("SR12"), labels.index("SR10")
    for now, then in pairwise(script["trace"](schedule, script["core_of"](schedule))):
        assert then[before + 1 : after + 1] == now[before:after]
