"""What a recommendation measures is bounded by the time there is, and counts what it did not look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.cores.specification import presets
from aesmith.errors import RequestError
from aesmith.explore.outline import BARE
from aesmith.explore.points import frame, points_by, shipped_points
from aesmith.explore.recommend.needed import measure_in_time, points_in
from aesmith.explore.recommend.requirement import requirement
from aesmith.explore.store import open_store
from aesmith.technology.registry import library_by


def test_without_time_nothing_is_measured_and_the_rest_is_counted(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.sqlite") as store:
        found = measure_in_time(requirement("ecb", "enc", 128), library_by("generic45"), store, tmp_path, seconds=0)
    assert (found.measured, len(found.points)) == (0, 0)
    assert found.unmeasured["promising, but the time was up"] > 0
    known = {design.removesuffix(BARE) for name in shipped_points() for design in points_by(name)["design"]}
    assert found.unmeasured.get("of presets that were measured in no library", 0) == len(set(presets()) - known)


def test_a_library_needs_no_name_if_there_is_only_one() -> None:
    one, two = {"design": "x", "library": "a"}, {"design": "y", "library": "b"}
    assert len(points_in(frame([one, one]), None)) == 2
    assert list(points_in(frame([one, two]), "b")["design"]) == ["y"]
    with pytest.raises(RequestError, match="library: must be one of a, b, which these points are in, not None"):
        points_in(frame([one, two]), None)
