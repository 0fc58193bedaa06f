"""The points that come with aesmith say what was verified, of the sources that are generated today."""

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from aesmith.explore.outline import outline, rtl_digest
from aesmith.explore.points import (
    frame,
    known_points,
    placements,
    points_by,
    read_points,
    shipped_points,
    whole_specification,
    with_marks,
)
from aesmith.explore.runs import begin_run, put_point
from aesmith.explore.store import open_store
from aesmith.flow.measurement import Measurement, PlacedFigures

ROOT = Path(__file__).parents[2]

EVERY = 18
"""One core of so many is generated anew, of every family: all together take a minute."""


def shipped() -> pd.DataFrame:
    points = pd.concat([points_by(name) for name in shipped_points()], ignore_index=True)
    return points.drop_duplicates("specification").sort_values("specification", ignore_index=True)


@pytest.mark.thorough
def test_what_is_said_to_be_verified_is_what_would_be_built() -> None:
    """If not: python benchmarks/verify_points.py RESULTS, and again with --merge."""
    points = shipped()
    assert points["rtl"].notna().equals(points["verified"].notna())
    stale = [
        row["design"]
        for row in points.iloc[5::EVERY].to_dict("records")
        if pd.notna(row["rtl"]) and rtl_digest(row["specification"]) != row["rtl"]
    ]
    assert stale == [], "marks of earlier sources: python benchmarks/verify_points.py RESULTS [--merge]"


def test_the_cores_of_one_specification_say_the_same_wherever_they_are_known() -> None:
    """Marks of one export count in all (`known_points`), and no two exports say different things."""
    points = pd.concat([points_by(name) for name in shipped_points()])
    assert points.groupby("specification")[["verified", "rtl"]].nunique().le(1).all(axis=None)
    for library in points["library"].unique():
        known = known_points(library, None)
        marked = points.dropna(subset=["verified"])["specification"].map(whole_specification)
        assert known.loc[known["specification"].isin(marked), "verified"].notna().all()


def test_a_verification_is_of_the_core_in_whatever_library() -> None:
    def core(name: str, output: str = "bare") -> str:
        return json.dumps({"architecture": name, "output": output})

    known = frame(
        [
            {"specification": core("a"), "verified": "proof and simulation of 9 blocks", "rtl": "0a"},
            {"specification": core("b"), "verified": "simulation of 9 blocks", "rtl": "0b"},
            {"specification": core("c")},
        ]
    )
    mine = frame(
        {"specification": core(name), "library": "two", "verified": verified}
        for name in "abcd"
        for verified in (None, "simulation", "proof")
    )
    found = with_marks(mine, known)
    assert list(found["verified"].fillna("")) == [
        *("proof and simulation of 9 blocks", "proof and simulation of 9 blocks", "proof"),
        *("simulation of 9 blocks", "simulation", "proof"),
        *("", "simulation", "proof"),
        *("", "simulation", "proof"),
    ]
    assert list(found["rtl"].dropna()) == ["0a", "0a", "0b"]
    known_core = {"architecture": "liu2009-encdec", "directions": ["encrypt", "decrypt"], "output": "bare"}
    mark = frame([{"specification": json.dumps(known_core), "verified": "simulation of 1 block", "rtl": "0c"}])
    given = [{}, {"circuits": "today", "clear": False}, {"circuits": "as-published"}, {"clear": True}, {"gone": 1}]
    later = frame({"specification": json.dumps(known_core | fields)} for fields in given)
    assert list(with_marks(later, mark)["verified"].fillna("")) == [*["simulation of 1 block"] * 2, "", "", ""]
    outputs = frame({"specification": core("a", output)} for output in ("quiet", "registered"))
    assert list(with_marks(outputs, known)["verified"].fillna("")) == [
        "proof and simulation of 9 blocks with a bare output",
        "",  # a core with a register more is another one
    ]
    both = [{"specification": core("a", "quiet"), "verified": "simulation (short)", "rtl": "0d"}]
    twice = pd.concat([frame(both), known], ignore_index=True)
    assert with_marks(outputs, twice)["verified"].iloc[0] == "proof and simulation of 9 blocks with a bare output"
    assert with_marks(outputs, frame(both))["verified"].iloc[0] == "simulation (short)"


@pytest.mark.parametrize("name", shipped_points())
def test_an_export_of_an_earlier_version_is_read(name: str, tmp_path: Path) -> None:
    whole = points_by(name)
    added = ["rtl", "period_with_ports_ns"]
    whole.drop(columns=added).to_csv(tmp_path / "earlier.csv", index=False)
    assert read_points(tmp_path / "earlier.csv").drop(columns=added).equals(whole.drop(columns=added))


def test_a_placement_is_of_the_point_that_has_the_same_figures(
    tmp_path: Path, figures: Measurement, with_wires: PlacedFigures
) -> None:
    """Not of another core, library or netlist; of placements of one fill only, the one with the least seed."""
    row = {"design": "one-xor", "library_digest": figures.library_digest, "area_ge": 12.5, "period_ns": 0.25}
    others = (
        {"design": "other"},
        {"library_digest": "1" * 64},
        {"area_ge": 12.6},
        {"period_ns": 0.26},
        {"status": "failed"},
    )
    rows = [row | {"status": "done", "key": str(index)} | other for index, other in enumerate(({}, *others))]
    with open_store(tmp_path / "s.sqlite") as store:
        assert placements(store, frame(rows)) == {}
        store.put("u" * 64, figures)
        for index, (seed, fill) in enumerate(((3, 0.7), (2, 0.7), (1, 0.8))):
            placed = replace(with_wires, seed=seed, utilisation=fill)
            store.put(f"{index}" * 64, replace(figures, placed=placed))
        assert len(store.placed()) == 3
        assert placements(store, frame(rows)) == {"0": replace(with_wires, seed=2)}


@pytest.mark.parametrize("wrong", [None, "cycles_per_block", "latency_cycles"])
def test_a_point_whose_clocks_are_no_longer_those_of_the_preset_is_not_shipped(
    wrong: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A core may be as it was, and state its clocks otherwise."""
    spec = importlib.util.spec_from_file_location("preset_points", ROOT / "benchmarks" / "preset_points.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    core = outline({"preset": "serial-small-enc"})
    monkeypatch.setattr(script, "outlines", lambda: {"serial-small-enc": core})
    row = {
        "key": "one",
        "status": "done",
        "design": "serial-small-enc",
        "specification": core.specification,
        "library": "generic45",
        "optimise": "recipe",
        "recipe": "keep",
        "cycles_per_block": core.cycles_per_block,
        "latency_cycles": core.latency_cycles,
        "area_ge": 2345.678901,
    }
    if wrong is not None:
        row[wrong] -= 1
    with open_store(tmp_path / "s.sqlite") as store:
        put_point(store, "one", row)
        begin_run(store, "presets", [("one", "asked")])
    assert list(script.measured(str(tmp_path / "s.sqlite"))["area_ge"]) == [2345.679] * (wrong is None)
