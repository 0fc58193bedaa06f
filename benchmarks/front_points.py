"""Measure what README's picture and table have beside the shipped points: docs/tables/front.csv.

    python benchmarks/front_points.py --clones DIR [--library NAME|FILE] [--store FILE|URL]

The shipped points (`families`) are of one library and of four recipes. Public cores, read by `benchmarks/peers`, are
measured in the same library by the same recipes, and so is each core of ours that README names and `families` lacks.
`aesmith reproduce peers` verifies these cores at these commits; DIR is the folder of its clones.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from aesmith.cores.design import Design
from aesmith.cores.specification import build_design, default_name, presets
from aesmith.errors import AesmithError
from aesmith.explore.obtain import obtain
from aesmith.explore.points import points_by
from aesmith.explore.store import open_store
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import one_recipe
from aesmith.foreign.peers import read_peer
from aesmith.technology.registry import library_by

ROOT = Path(__file__).parents[1]
PEERS = ROOT / "benchmarks" / "peers"
POINTS = ROOT / "docs" / "tables" / "front.csv"
COLUMNS = ("design", "whose", "directions", "library", "recipe", "area_ge", "period_ns", "throughput_gbps")
PUBLIC = ("sasebo-comp-enc", "sasebo-comp-dec", "sasebo-enc", "sasebo-tbl-enc", "usselmann-enc", "secworks-128")
OURS = ("zhang2004-r3-enc",)


@dataclass(frozen=True)
class ToMeasure:
    """A core under a name of the file, with the recipes it is measured by."""

    name: str
    whose: str
    directions: str
    design: Design
    recipes: tuple[str, ...]


def cores(clones: Path) -> list[ToMeasure]:
    """What is measured. Raises RequestError for a clone that is not there."""
    recipes = tuple(points_by("families")["recipe"].unique())
    found = []
    for name in PUBLIC:
        peer, design = read_peer(PEERS / f"{name}.toml", clones)
        found.append(ToMeasure(name, peer.author, "+".join(design.directions), design.measured, recipes))
    for name in OURS:
        design = build_design(presets()[name].model_copy(update={"output": "bare"}), default_name(name), name)
        found.append(ToMeasure(name, "ours", "+".join(design.directions), design, recipes[:1]))
    return found


def main(arguments: list[str]) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clones", type=Path, required=True, help="the folder with the clones")
    parser.add_argument("--library", default="nangate45-typ", help="a registered library or a Liberty file")
    parser.add_argument("--store", help="the result store [default: the user's]")
    options = parser.parse_args(arguments)
    library = library_by(options.library)
    lines = []
    with open_store(options.store) as store, tempfile.TemporaryDirectory() as work:
        for core in cores(options.clones):
            for recipe in core.recipes:
                place = Path(work) / f"{core.name}-{recipe}"
                plan = one_recipe(recipe)
                found = obtain(core.design, library, Optimise.AREA, place, store, plan=plan).measurement
                figures = (f"{found.area_ge:.1f}", f"{found.period_ns:.4f}", f"{found.throughput_gbps:.4f}")
                lines.append((core.name, core.whose, core.directions, library.name, recipe, *figures))
                print(*lines[-1], sep="; ", flush=True)
    with POINTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows((COLUMNS, *lines))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except AesmithError as error:
        sys.exit(f"front: {error}")
