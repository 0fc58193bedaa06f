"""What a quiet output and `clear_i` cost: cores without, with the first, and with both, measured as tables measure.

    python benchmarks/output_cost.py --library NAME|FILE [--optimise CONDITION] [--store FILE|URL] [--no-clear] CORE...

Prints a line of a Markdown table for each core as soon as it is measured: area in GE and period in ns of the bare core
and, in percent of these, what the others have more. What the store has is not measured again.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from aesmith.cores.specification import build_design, default_name, parse_specification
from aesmith.explore.obtain import obtain
from aesmith.explore.store import open_store
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.technology.registry import library_by

KINDS = ({"output": "bare"}, {"output": "quiet"}, {"output": "quiet", "clear": True})


def row(core: str, found: list[Measurement]) -> str:
    """A core with what each kind of it needs, its recipe last."""
    bare = found[0]
    cells = [f"`{core}`", f"{bare.area_ge:,.0f}", f"{_period(bare):.2f}"]
    for other in found[1:]:
        cells += [f"{100 * (other.area_ge / bare.area_ge - 1):+.1f} %"]
        cells += [f"{100 * (_period(other) / _period(bare) - 1):+.1f} %"]
    return f"| {' | '.join(cells)} | {', '.join(dict.fromkeys(measurement.recipe for measurement in found))} |"


def _period(measurement: Measurement) -> float:
    assert measurement.period_ns is not None
    return measurement.period_ns


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cores", nargs="+", metavar="CORE", help="a preset")
    parser.add_argument("--library", required=True, help="a registered library or a Liberty file")
    parser.add_argument("--optimise", type=Optimise, default=Optimise.AREA, choices=list(Optimise))
    parser.add_argument("--store", help="the result store [default: the user's]")
    parser.add_argument("--no-clear", action="store_true", help="only the quiet output")
    asked = parser.parse_args()
    library = library_by(asked.library)
    kinds = KINDS[:2] if asked.no_clear else KINDS
    print("| core | bare (GE) | (ns) |" + " quiet | |" + " with `clear_i` | |" * (not asked.no_clear) + " recipe |")
    print("|---|" + "---:|" * (2 * len(kinds)) + "---|")
    with open_store(asked.store) as store, tempfile.TemporaryDirectory(prefix="aesmith-cost-") as work:
        for core in asked.cores:
            found = []
            for number, kind in enumerate(kinds):
                design = build_design(parse_specification({"preset": core} | kind), default_name(core), core)
                place = Path(work) / f"{core}-{number}"
                found.append(obtain(design, library, asked.optimise, place, store, jobs=1).measurement)
            print(row(core, found), flush=True)


if __name__ == "__main__":
    main()
