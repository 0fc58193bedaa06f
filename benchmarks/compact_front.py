"""Measure the front of compact cores, 2 to 12.5 kGE: docs/tables/compact.csv, for docs/evidence/compact-front.md.

    python benchmarks/compact_front.py --library NAME|FILE [--library …] [--power] [--store FILE|URL]

Cores with keys of 128 bits that encrypt: presets of 1, 8, 16 and 32 bits, the smallest round-based ones, and
cores of other publications with clock gates, each by two recipes: as a rule the smallest netlist, and for small cores
the one with the most throughput per area. Area and period, and with --power the energy of random blocks back to back.
In a library without clock gates there are enables in their place. What the store has is not measured again, so it may
be interrupted at any time, and called again. Rows of other libraries stay as they are.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from aesmith.cores.specification import presets
from aesmith.errors import AesmithError, ToolError
from aesmith.explore import api
from aesmith.explore.outline import outline
from aesmith.explore.verifying import Extent
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.power.figures import PowerPlan

TABLE = Path(__file__).parents[1] / "docs" / "tables" / "compact.csv"
NAMES = ["design", "family", "directions", "block_width", "key", "clock_gates", "library", "corner", "recipe"]
FIGURES = ["flip_flops", "area_ge", "period_ns", "cycles_per_block", "throughput_gbps",
           "efficiency_kbps_per_ge", "energy_pj_per_block_encrypt", "energy_pj_per_block_decrypt"]  # fmt: skip
FAMILIES = ("byte-serial", "column")
ROUND_BASED = ("boyar2010-enc", "maximov2019-enc", "ueno2020-enc", "boyar2010-encdec")
"""The smallest presets with a round a clock, each with what it is the smallest of."""
STAGES = tuple(f"wang2010-s{stages}-enc" for stages in (1, 2, 3, 5))
"""Presets that are left out: docs/evidence/byte-serial.md compares their stages, and four are the best for area."""
GATED = ("wang2010-s4-enc", "hamalainen2006-enc")
"""Presets with enables that are measured with clock gates as well."""
RECIPES = ["compress", "delay-timed"]
PLAN = PowerPlan(precision=0.02)


def space(library: Library) -> dict[str, Any]:
    """The design space of a library: each core is a specification of its own."""
    wanted: list[dict[str, Any]] = [{"preset": name} for name in presets()]
    if library.clock_gate is not None:
        wanted += [{"preset": name, "clock_gates": True} for name in GATED]
    kept = []
    for fields in wanted:
        name, core = fields["preset"], outline(fields)
        compact = name in ROUND_BASED or (core.family in FAMILIES and name not in STAGES)
        if compact and 128 in core.key_bits and "encrypt" in core.directions:
            gated = json.loads(core.specification).get("clock_gates", False)
            kept.append(fields if library.clock_gate is not None or not gated else fields | {"clock_gates": False})
    return {"name": "compact", "recipe": RECIPES, "cores": [{"together": kept}]}


def rows(points: pd.DataFrame) -> pd.DataFrame:
    """The table's rows of points. Raises ToolError for a point that failed."""
    failed = points[points["status"].ne("done")]
    if len(failed):
        raise ToolError(f"{failed.iloc[0]['design']} in {failed.iloc[0]['library']}: {failed.iloc[0]['error']}")
    fields = [json.loads(text) for text in points["specification"]]
    found = points.assign(
        key=["with block" if each.get("key") == "with-block" else "kept" for each in fields],
        clock_gates=[bool(each.get("clock_gates", False)) for each in fields],
    )
    return found[NAMES + FIGURES].round(dict.fromkeys(FIGURES, 4))


def merged(known: pd.DataFrame | None, found: pd.DataFrame) -> pd.DataFrame:
    """The table with the new rows in place of those of the same library."""
    if known is not None:
        found = pd.concat([known[~known["library"].isin(found["library"])], found], ignore_index=True)
    return found.sort_values(["library", "family", "design", "recipe"], ignore_index=True)


def main(arguments: list[str]) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", help="the result store [default: the user's]")
    parser.add_argument("--library", action="append", required=True, help="a registered library or a Liberty file")
    parser.add_argument("--power", action="store_true", help="simulate power as well")
    options = parser.parse_args(arguments)
    for name in options.library:
        points = api.sweep(
            space(library_by(name)),
            library=name,
            store=options.store,
            verify=Extent.NONE,
            power=PLAN if options.power else None,
            workers=1,
            retry=True,
        )
        known = pd.read_csv(TABLE) if TABLE.exists() else None
        merged(known, rows(points)).to_csv(TABLE, index=False, lineterminator="\n")
        print(f"{name}: {len(points)} points", flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except AesmithError as error:
        sys.exit(f"compact front: {error}")
