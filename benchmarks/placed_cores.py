"""Measure cores with their wires: the table of docs/placement.md.

    python benchmarks/placed_cores.py --library NAME|FILE [--library ...] [--optimise CONDITION] [--seeds N] [CORE ...]

Each core is measured, its netlist placed with each seed, and a row printed as soon as it is whole: without wires, with
them before and after gates are sized again, and how far apart the seeds are. `--opensta` times each placement with
OpenSTA, too, on the same wires.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from aesmith import __version__
from aesmith.explore.obtain import obtain
from aesmith.explore.store import open_store
from aesmith.flow.measure import measured_netlist
from aesmith.flow.measurement import Optimise
from aesmith.flow.placement.exchange import spef, verilog
from aesmith.flow.placement.placed import PlacedNetlist, figures, place_and_size
from aesmith.flow.placement.technology import technology_of
from aesmith.tables.designs import core_of
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.testing import opensta
from aesmith.timing.netlist import read_netlist

CORES = (
    "ueno2020-enc",
    "sasebo-table-enc",
    "gueron2016-mapped-enc",
    "maximov2019-enc",
    "ueno2020-encdec",
    "liu2009-encdec",
)
_ENDS = ("period_ns", "input_to_register_ns", "register_to_output_ns", "input_to_output_ns")


def _apart(placed: PlacedNetlist, library: Library, folder: Path) -> tuple[float, float]:
    """By which share our period differs from OpenSTA's, and the worst of all our figures."""
    (folder / "placed.v").write_text(verilog(placed.netlist))
    (folder / "placed.spef").write_text(spef(placed.bound, placed.placement, placed.routes, __version__))
    theirs = opensta.analyse(
        folder / "placed.v", library, placed.netlist.name, "clk_i", parasitics=folder / "placed.spef"
    )
    pairs = [(getattr(placed.timing, end), getattr(theirs, end)) for end in _ENDS]
    shares = [abs(ours / other - 1) for ours, other in pairs if ours and other]
    return shares[0], max(shares)


def main() -> None:
    """Measure, place, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cores", nargs="*", default=CORES)
    parser.add_argument("--library", action="append", required=True)
    parser.add_argument("--optimise", type=Optimise, choices=Optimise, default=Optimise.AREA_SPEED)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--opensta", action="store_true")
    options = parser.parse_args()
    head = "| library | core | GE | ns | Kbps/GE | wires, sizes as they were: ns | placed: GE | ns | Kbps/GE "
    head += "| wires (mm) | seeds: ns | seconds a placement |"
    print(head + " OpenSTA: period | worst path |" * options.opensta)
    print("|---|---|" + "---:|" * (10 + 2 * options.opensta), flush=True)
    with open_store(None) as store, tempfile.TemporaryDirectory() as work:
        for name in options.library:
            library = library_by(name)
            technology = technology_of(library)
            for core in options.cores:
                design, folder = core_of(core), Path(work) / library.title / core
                found = obtain(design, library, options.optimise, folder / "made", store).measurement
                netlist, _ = measured_netlist(design, library, found, folder / "again", made=folder / "made")
                began, each = time.monotonic(), []
                for seed in range(1, options.seeds + 1):
                    cells = read_netlist(netlist / "netlist.json", design.top)
                    placed = place_and_size(cells, library, technology, options.optimise, seed=seed)
                    each.append((figures(placed, library, found, seed), placed))
                seconds = (time.monotonic() - began) / options.seeds
                each.sort(key=lambda pair: pair[0].period_ns or 0)
                middle, placed = each[len(each) // 2]
                spread = f"{each[0][0].period_ns:.3f} to {each[-1][0].period_ns:.3f}"
                row = (
                    name, f"`{core}`", f"{found.area_ge:,.0f}", f"{found.period_ns:.3f}",
                    f"{found.efficiency_kbps_per_ge:.1f}", f"{middle.wired_period_ns:.3f}", f"{middle.area_ge:,.0f}",
                    f"{middle.period_ns:.3f}", f"{middle.efficiency_kbps_per_ge:.1f}", f"{middle.wire_mm:.1f}",
                    spread, f"{seconds:.0f}",
                )  # fmt: skip
                apart = (
                    "".join(f" {share:.2%} |" for share in _apart(placed, library, folder)) if options.opensta else ""
                )
                print(f"| {' | '.join(row)} |{apart}", flush=True)


if __name__ == "__main__":
    main()
