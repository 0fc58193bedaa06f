"""Check the probes of every preset with shares: in netlists of all recipes, and sampled; print tables of it.

    python benchmarks/masked_checks.py RESULTS netlists --library NAME|FILE [--library …] [--preset NAME …]
    python benchmarks/masked_checks.py RESULTS sample --blocks N [--preset NAME …]
    python benchmarks/masked_checks.py RESULTS

Recipes are those of the conditions that keep modules. Each result is a line of RESULTS once it is there; what RESULTS
has of today's sources is not done again. Seconds are processor time of the check, tools included and synthesis not.
Without a verb the tables are printed.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from aesmith.assurance.probing.mapped import check_mapped
from aesmith.assurance.probing.sampling import sample_core
from aesmith.assurance.probing.sampling_plan import SamplingPlan
from aesmith.cli import YOUNG_OBJECTS
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, default_name, presets
from aesmith.errors import AesmithError, CheckError
from aesmith.flow.measurement import PLANS, Optimise
from aesmith.flow.recipes import Recipe
from aesmith.flow.synthesis import synthesise
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by

KEPT = [optimise for optimise in Optimise if optimise.kept]


def recipes() -> list[Recipe]:
    """All recipes of the plans that keep modules, each once."""
    tried = [r for each in KEPT for r in (*PLANS[each].first, *(recipe for recipe, _ in PLANS[each].aimed))]
    return list({recipe.name: recipe for recipe in tried}.values())


def masked(names: Iterable[str] | None) -> Iterator[CoreDesign]:
    """The presets with shares, or those of these names."""
    for name, specification in presets().items():
        design = build_design(specification, default_name(name), name)
        if design.in_shares and (not names or name in names):
            yield design


def processor_seconds() -> float:
    """Of this process and those it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def spent(work: Callable[[], str]) -> dict[str, Any]:
    """What a check says, or how it refuses, and the seconds it takes."""
    began = processor_seconds()
    try:
        told, verdict = work(), "passes"
    except CheckError as error:
        told, verdict = str(error), "refused"
    except AesmithError as error:
        told, verdict = str(error), "no netlist"
    return {"verdict": verdict, "told": told, "seconds": processor_seconds() - began}


def check_netlist(design: CoreDesign, library: Library, recipe: Recipe) -> dict[str, Any]:
    """A netlist by one recipe: its area, and what the check says."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            made = synthesise(design, library, recipe, None, folder / "made")
        except AesmithError as error:
            return {"verdict": "no netlist", "told": str(error), "seconds": 0.0}
        found = spent(lambda: str(check_mapped(design, library, made.netlist, folder / "check")))
        return found | {"area_ge": made.area_ge, "flip_flops": made.flip_flops}


def check_sampled(design: CoreDesign, blocks: int) -> dict[str, Any]:
    """Probes of the sources, sampled."""

    def work() -> str:
        with tempfile.TemporaryDirectory() as folder:
            report = sample_core(design, SamplingPlan(blocks), Path(folder))
        found.update({name: value for name, value in report.to_json().items() if name != "seconds"})
        if report.leak:
            raise CheckError(str(report.strongest))
        return f"{report.blocks:,} blocks"

    found: dict[str, Any] = {}
    return spent(work) | found


def read(results: Path) -> dict[str, dict[str, Any]]:
    """The lines of a file, by what was checked."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
    return {line["of"]: line for line in map(json.loads, lines)}


def keep(results: Path, of: str, work: Callable[[], dict[str, Any]], **fields: Any) -> None:
    """Do what the file does not have yet, and add it."""
    if of in read(results):
        return
    line = {"of": of, **fields, **work()}
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    print(f"{line['verdict']:10} {line['seconds']:7.1f} s  {of.rpartition(' ')[0]}: {line['told']}", flush=True)


def show(results: Path) -> None:
    """Tables: a row a preset and library with its recipes, and a row a preset that was sampled."""
    lines = list(read(results).values())
    netlists: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in lines:
        if "library" in line:
            netlists.setdefault((line["preset"], line["library"]), []).append(line)
    print("| preset | library | recipes | pass | GE | s, all | s, longest | else |")
    print("|---|---|---:|---:|---:|---:|---:|---|")
    for (preset, library), rows in netlists.items():
        good = [row for row in rows if row["verdict"] == "passes"]
        areas = [row["area_ge"] for row in good]
        extent = f"{min(areas):,.0f} … {max(areas):,.0f}" if areas else ""
        odd = "; ".join(sorted({f"{row['verdict']}: {row['told']}" for row in rows if row not in good}))
        seconds = [row["seconds"] for row in rows]
        counts = f"{len(rows)} | {len(good)} | {extent} | {sum(seconds):.0f} | {max(seconds):.0f}"
        print(f"| `{preset}` | {library} | {counts} | {odd} |")
    print("\n| preset | blocks | clocks | tables | numbers of ones | levels | largest -log10 p | s |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for row in lines:
        if "blocks" in row:
            found = f"{row['probes']:,} | {row['weighed']:,} | {row['settled']:,} | {row['strongest']['strength']:.1f}"
            print(f"| `{row['preset']}` | {row['blocks']:,} | {row['clocks']} | {found} | {row['seconds']:.0f} |")


def main() -> None:
    """Do what is asked, with garbage collected as seldom as by the verbs."""
    gc.set_threshold(YOUNG_OBJECTS)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("verb", nargs="?", choices=("netlists", "sample"))
    parser.add_argument("--library", action="append", default=[], help="a registered library or a Liberty file")
    parser.add_argument("--preset", action="append", help="[default: all with shares]")
    parser.add_argument("--recipe", action="append", help="[default: all]")
    parser.add_argument("--blocks", type=int, default=1_000_000)
    options = parser.parse_args()
    if options.verb is None:
        show(options.results)
    for design in masked(options.preset) if options.verb else ():
        name, digest = design.preset, design.source_hash[:12]
        if options.verb == "sample":
            of = f"{name} {options.blocks} {digest}"
            keep(options.results, of, partial(check_sampled, design, options.blocks), preset=name)
            continue
        for library in map(library_by, options.library):
            for recipe in recipes():
                if not options.recipe or recipe.name in options.recipe:
                    of = f"{name} {library.name} {recipe.name} {digest}"
                    work = partial(check_netlist, design, library, recipe)
                    about = {"preset": name, "library": library.name, "recipe": recipe.name}
                    keep(options.results, of, work, **about)


if __name__ == "__main__":
    main()
