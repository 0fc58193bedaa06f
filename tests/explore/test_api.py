"""Design spaces from Python: each function gives a data frame, and takes what another gave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.explore.sweeping import cluster

from aesmith.errors import RequestError
from aesmith.explore import api

SPACE: dict[str, Any] = {
    "name": "smallest",
    "recipe": ["keep", "keep-sized@2000"],
    "cores": [{"preset": "serial-small-enc"}],
}


def test_a_space_becomes_a_frame_of_points_and_then_of_figures(tmp_path: Path) -> None:
    location = tmp_path / "s.sqlite"
    wanted = api.candidates(SPACE, store=location)
    assert list(wanted["recipe"]) == ["keep", "keep-sized@2000"]
    assert wanted["area_ge"].isna().all()
    assert list(wanted.columns) == [column.name for column in api.COLUMNS]
    with cluster(1) as address:
        found = api.sweep(SPACE, store=location, verify="none", scheduler=address)
    assert list(found["recipe"]) == list(wanted["recipe"])
    assert set(found["library"]) == {"generic45"}
    assert set(found["status"]) == {"done"}
    assert found["area_ge"].iloc[0] < found["area_ge"].iloc[1]
    assert found["period_ns"].iloc[0] > found["period_ns"].iloc[1]
    assert (found["fmax_mhz"] * found["period_ns"] - 1000).abs().max() < 1e-6
    assert api.points(location, space="smallest").equals(found)
    assert set(api.diff(found, found)["what"]) == {"same"}


def test_a_space_that_will_not_do_is_refused() -> None:
    with pytest.raises(RequestError, match="space: must be one of engines, families, presets, or a file"):
        api.candidates("nothing")
