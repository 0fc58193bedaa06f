"""Put what a store has of presets into the points that come with aesmith, and say what is still lacking.

    aesmith explore run presets --library generic45 --library nangate45-typ --library nangate45-slow --verify prove
    aesmith explore run engines --library generic45 --library nangate45-typ --library nangate45-slow --verify short
    python benchmarks/preset_points.py [--store FILE]

Sweeps may be interrupted, and go on where they stopped; what they have so far can be shipped at any time. A point is of
the sources that are generated now, and has their clocks, or it is left out. What was verified of a design in one
library holds in all. What a preset lacks in a library is written to docs/tables/lacking.csv: a test holds that nothing
else is.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from aesmith.cores.specification import presets
from aesmith.errors import AesmithError
from aesmith.explore.outline import Outline, engine_outline, outline, rtl_digest
from aesmith.explore.points import (
    COLUMNS,
    PRESETS,
    PROOF,
    export,
    is_engine,
    known_points,
    points,
    points_by,
    quiet_core,
    shipped_points,
    synthesis_of,
    whole_specification,
)
from aesmith.explore.store import open_store
from aesmith.modes.specification import engine_presets
from aesmith.scratch import write_whole

ROOT = Path(__file__).parents[1]
DATA = ROOT / "src" / "aesmith" / "explore" / "data"
LACKING = ROOT / "docs" / "tables" / "lacking.csv"
LIBRARIES = ("generic45", "nangate45-typ", "nangate45-slow")
ENGINES = "engines"
_SHORT = ("area_ge", "logic_area_ge", "register_area_ge", "period_ns", "period_with_ports_ns", "fmax_mhz",
          "latency_ns", "throughput_gbps", "efficiency_kbps_per_ge", "seconds")  # fmt: skip
"""Figures of which seven digits are kept."""


def outlines() -> dict[str, Outline]:
    """Each preset, cores first."""
    cores = {name: outline(preset.model_dump(mode="json")) for name, preset in presets().items()}
    return cores | {name: engine_outline(preset.model_dump(mode="json")) for name, preset in engine_presets().items()}


def designs() -> dict[str, str]:
    """The specification (JSON) of each preset, cores first, as points have it."""
    return {name: design.specification for name, design in outlines().items()}


def measured(store: str | None) -> pd.DataFrame:
    """The points of presets that a store has, done, with what verified their designs in any library."""
    with open_store(store, existing=True) as opened:
        found = points(opened)
    clocks = {each.specification: (each.cycles_per_block, each.latency_cycles) for each in outlines().values()}
    found["specification"] = [whole_specification(str(text)) for text in found["specification"]]
    # A core may be as it was and state its clocks otherwise now.
    stated = found[["specification", "cycles_per_block", "latency_cycles"]].fillna(0).itertuples(index=False)
    current = [clocks.get(text) == tuple(found_clocks) for text, *found_clocks in stated]
    kept = found["status"].eq("done") & pd.Series(current, index=found.index, dtype=bool)
    found = found[kept & found["library"].isin(LIBRARIES)].copy()
    for specification in found["specification"].unique():
        of = found["specification"].eq(specification)
        marks = found.loc[of, "verified"].dropna().unique()
        if len(marks):
            best = min(marks, key=lambda mark: (not str(mark).startswith(PROOF), mark))
            found.loc[of, "verified"] = best
            found.loc[of, "rtl"] = rtl_digest(specification)
    for name in _SHORT:
        found[name] = (
            found[name].map(lambda value: value if pd.isna(value) else float(f"{value:.7g}")).astype("Float64")
        )
    return found


def merged(name: str, new: pd.DataFrame) -> pd.DataFrame:
    """An export with new points in the place of those of the same core, synthesis and library, without points of what
    is a preset no longer."""
    old = points_by(name) if name in shipped_points() else new.head(0)
    every = pd.concat([new, old], ignore_index=True)
    made = [
        quiet_core(of, whole_specification(text))[1]
        for of, text in zip(every["design"], every["specification"], strict=True)
    ]
    known = {quiet_core(*preset)[1] for preset in designs().items()}
    keyed = every.assign(_made=made, _synthesis=synthesis_of(every)).drop_duplicates(["library", "_made", "_synthesis"])
    keyed = keyed[keyed["_made"].isin(known)].copy()
    marks = new.dropna(subset=["verified"]).drop_duplicates("specification").set_index("specification")
    for column in ("verified", "rtl"):
        told = keyed["specification"].map(marks[column]).astype("string")
        keyed[column] = told.fillna(keyed[column])
    ordered = keyed.sort_values(["library", "design", "_synthesis"], kind="stable")
    return ordered[[column.name for column in COLUMNS]].reset_index(drop=True)


def lacking() -> Iterator[tuple[str, str, str]]:
    """Library, preset and what it lacks there: a point (of it with any output), or one that is verified."""
    known = designs()
    for library in LIBRARIES:
        there = known_points(library, None)
        made = pd.Series([quiet_core(*of)[1] for of in zip(there["design"], there["specification"], strict=True)])
        for name, specification in known.items():
            of = there[made.eq(quiet_core(name, specification)[1])] if not made.empty else there
            if of.empty:
                yield library, name, "measurement"
            elif of["verified"].isna().all():
                yield library, name, "verification"


def main() -> int:
    """Merge, and say what is lacking."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", help="the result store [default: the user's]")
    new = measured(parser.parse_args().store)
    engines = new["specification"].map(lambda text: is_engine(str(text))).astype(bool)
    for name, part in ((PRESETS, new[~engines]), (ENGINES, new[engines])):
        export(merged(name, part), DATA / f"{name}.csv")
    text = io.StringIO()
    rows = list(lacking())
    csv.writer(text, lineterminator="\n").writerows([("library", "preset", "lacks"), *rows])
    write_whole(LACKING, text.getvalue(), "table")
    print(f"{len(new)} points; {len(rows)} presets lack something in a library: {LACKING}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AesmithError as error:
        sys.exit(f"points: {error}")
