"""Measure cores with their wires: docs/tables/placed.csv, and the tables of docs/evidence/placement.md.

    python benchmarks/placed_cores.py --library NAME|FILE [--library ...] [--optimise CONDITION] [--seeds N] [--opensta]
        [CORE ...]
    python benchmarks/placed_cores.py --page

Each core is measured, and its netlist placed with each seed; a row is kept as soon as it is whole: without wires, with
them before and after gates are sized again, and how far apart the seeds are. `--opensta` times the placement of the
last seed with OpenSTA, too, on the same wires. The page is written anew from the rows that are kept, with `--page`
without measuring anything.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
from collections.abc import Mapping, Sequence
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


ROOT = Path(__file__).parents[1]
ROWS = ROOT / "docs" / "tables" / "placed.csv"
PAGE = ROOT / "docs" / "evidence" / "placement.md"
MARKS = ("<!-- begin: benchmarks/placed_cores.py -->", "<!-- end -->")
COLUMNS = (
    "library", "core", "area_ge", "period_ns", "kbps_per_ge", "wired_period_ns", "placed_area_ge", "placed_period_ns",
    "placed_kbps_per_ge", "wire_mm", "least_period_ns", "most_period_ns", "opensta_period", "opensta_worst",
)  # fmt: skip
"""What is kept of a core in a library. OpenSTA's are shares in per cent."""

TITLES = {
    "nangate45-slow": "NanGate 45 nm, slow corner",
    "sky130hd-tt": "SkyWater 130 nm (hd), typical corner",
    "ihp-sg13g2-typ": "IHP SG13G2, typical corner",
    "generic45": "`generic45`, a model",
}
HEAD = (
    "| core | no wires: GE | ns | Kbps/GE | as they were: ns | placed: GE | ns | Kbps/GE | wires (mm) "
    "| three seeds: ns | OpenSTA: period | worst path |\n|---|" + "---:|" * 11
)
Kept = Mapping[str, str]


def kept_rows() -> list[Kept]:
    """The rows that are kept, library by library in the order of `TITLES`, cores in that of `CORES`."""
    with ROWS.open(encoding="utf-8", newline="") as file:
        rows: list[Kept] = list(csv.DictReader(file))
    return sorted(rows, key=lambda row: ([*TITLES].index(row["library"]), CORES.index(row["core"])))


def keep(rows: Sequence[Kept]) -> None:
    """Write rows, each in place of that of the same core in the same library."""
    found = {(row["library"], row["core"]): row for row in (*(kept_rows() if ROWS.exists() else ()), *rows)}
    with ROWS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found.values())
    ordered = kept_rows()
    with ROWS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(ordered)


def tables(rows: Sequence[Kept]) -> str:
    """A table a library, as the page has them."""
    made = []
    for library, title in TITLES.items():
        lines = []
        for row in (row for row in rows if row["library"] == library):
            figures = [f"{float(row['area_ge']):,.0f}", row["period_ns"], row["kbps_per_ge"], row["wired_period_ns"]]
            figures += [f"{float(row['placed_area_ge']):,.0f}", row["placed_period_ns"], row["placed_kbps_per_ge"]]
            figures += [row["wire_mm"], f"{row['least_period_ns']} to {row['most_period_ns']}"]
            figures += [f"{row[name]} %" if row[name] else "–" for name in ("opensta_period", "opensta_worst")]
            lines.append(f"| `{row['core']}` | {' | '.join(figures)} |")
        if lines:
            made.append("\n".join((f"### {title}", "", HEAD, *lines)))
    return "\n\n".join(made)


def page(text: str, rows: Sequence[Kept]) -> str:
    """The page with the tables of these rows."""
    before, _, rest = text.partition(MARKS[0])
    return f"{before}{MARKS[0]}\n\n{tables(rows)}\n\n{MARKS[1]}{rest.partition(MARKS[1])[2]}"


def main() -> None:
    """Measure, place, keep; write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cores", nargs="*", default=CORES)
    parser.add_argument("--library", action="append", default=[])
    parser.add_argument("--optimise", type=Optimise, choices=Optimise, default=Optimise.AREA_SPEED)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--opensta", action="store_true")
    parser.add_argument("--page", action="store_true", help="write the page from the rows that are kept")
    options = parser.parse_args()
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
                middle = each[len(each) // 2][0]
                apart = (
                    [f"{100 * share:.2f}" for share in _apart(placed, library, folder)] if options.opensta else ["", ""]
                )
                cells_of_row = (
                    name, core, f"{found.area_ge:.0f}", f"{found.period_ns:.3f}",
                    f"{found.efficiency_kbps_per_ge:.1f}", f"{middle.wired_period_ns:.3f}", f"{middle.area_ge:.0f}",
                    f"{middle.period_ns:.3f}", f"{middle.efficiency_kbps_per_ge:.1f}", f"{middle.wire_mm:.1f}",
                    f"{each[0][0].period_ns:.3f}", f"{each[-1][0].period_ns:.3f}", *apart,
                )  # fmt: skip
                row = dict(zip(COLUMNS, cells_of_row, strict=True))
                print(row, f"{seconds:.0f} s a placement", flush=True)
                keep([row])
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), kept_rows()), encoding="utf-8")


if __name__ == "__main__":
    main()
