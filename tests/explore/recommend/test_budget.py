"""What a recommendation measures is bounded by the time there is, and counts what it did not look at."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tests.assurance.clock_gate import with_gates

from aesmith.cores.specification import presets
from aesmith.errors import RequestError
from aesmith.explore.outline import BARE
from aesmith.explore.points import ONE_RECIPE, frame, known_points, points_by, points_in, shipped_points
from aesmith.explore.recommend import needed
from aesmith.explore.recommend.needed import GATED_GE, Needed, gated_twins, measure_in_time
from aesmith.explore.recommend.requirement import requirement
from aesmith.explore.recommend.serving import has_clock_gates
from aesmith.explore.store import open_store
from aesmith.technology.reader import read_library
from aesmith.technology.registry import library_by


def test_without_time_nothing_is_measured_and_the_rest_is_counted(tmp_path: Path) -> None:
    library = library_by("generic45")
    wanted = requirement("ecb", "enc", 128, max_area="1GE")
    with open_store(tmp_path / "s.sqlite") as store:
        found = measure_in_time(wanted, library, store, tmp_path, seconds=0)
    assert (found.measured, len(found.points)) == (0, len(known_points("generic45", library.digest)))
    assert sum(found.unmeasured.values()) > 0
    known = {design.removesuffix(BARE) for name in shipped_points() for design in points_by(name)["design"]}
    assert found.unmeasured.get("of presets that were measured in no library", 0) == len(set(presets()) - known)


def test_a_library_needs_no_name_if_there_is_only_one() -> None:
    one, two = {"design": "x", "library": "a"}, {"design": "y", "library": "b"}
    assert len(points_in(frame([one, one]), None)) == 2
    assert list(points_in(frame([one, two]), "b")["design"]) == ["y"]
    with pytest.raises(RequestError, match="library: must be one of a, b, which these points are in, not None"):
        points_in(frame([one, two]), None)


def test_with_clock_gates_a_point_is_smaller_and_another_one() -> None:
    cells = {"optimise": ONE_RECIPE, "area_ge": 900.0, "flip_flops": 100, "period_ns": 2.0, "cycles_per_block": 10}
    rows = [{**cells, "recipe": "keep-timed"}, {**cells, "recipe": "keep-timed+gated"}, {**cells, "optimise": "area"}]
    found = gated_twins(frame([{**row, "design": "a", "specification": "{}"} for row in rows]))
    assert list(found["recipe"]) == ["keep-timed+gated"]
    assert list(found["area_ge"]) == [900.0 - GATED_GE * 100]
    assert found["throughput_gbps"].item() == pytest.approx(6.4)
    assert found["efficiency_kbps_per_ge"].item() == pytest.approx(8000.0)


@pytest.mark.parametrize(("gate", "order"), [(True, None), (False, None), (True, "order=1")])
def test_they_are_tried_where_the_library_has_them(
    gate: bool, order: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nowhere else: not where the gates are the masking's own."""
    seen, gated = list[str](), list[bool]()

    def outlook(_wanted: object, _known: object, elsewhere: pd.DataFrame) -> None:
        seen.extend(elsewhere["recipe"].dropna())
        gated.extend(map(has_clock_gates, elsewhere["specification"]))

    monkeypatch.setattr(needed, "outlook", outlook)
    monkeypatch.setattr(needed, "measure_needed", lambda *_, **__: Needed(frame([]), 0, {}))
    library = library_by("generic45")
    if not gate:
        file = tmp_path / "plain.lib"
        file.write_text(with_gates())
        library = read_library(file)
    wanted = requirement("ecb", "enc", 128, protected=order)
    with open_store(tmp_path / "s.sqlite") as store:
        measure_in_time(wanted, library, store, tmp_path, seconds=9, begin=lambda _: None)
    assert "keep-timed" in seen
    assert ("keep-timed+gated" in seen) is (gate and order is None)
    assert any(gated) is gate
