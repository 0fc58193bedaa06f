"""Whether the plan of each condition finds what the best of all recipes does.

    python benchmarks/recipe_plans.py RESULTS --library NAME|FILE [--preset NAME …] [--jobs N]
    python benchmarks/recipe_plans.py RESULTS

Each core is measured as `aesmith measure --thorough` does it: by every recipe for the whole netlist, with XOR2 cells
and without, and those that take a target by a choice of them, too, whether the plans would give them one or not. A
plan's own netlists are among these, so that one run answers for every condition. Each core is a line of RESULTS once
it is there. Without a library the table is printed: what the plan chose, the best there was, and by how much that is
better.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from aesmith.cores.specification import build_design, parse_specification
from aesmith.flow.measure import measure
from aesmith.flow.measurement import PLANS, SHORTEST_PS, THOROUGH, Candidate, Optimise
from aesmith.technology.registry import library_by

CORES = (
    "hamalainen2006-enc",
    "wang2010-s4-enc",
    "column-enc",
    "ueno2020-enc",
    "gueron2016-mapped-enc",
    "sasebo-table-enc",
)
EVERY = THOROUGH[Optimise.AREA_SPEED]
CONDITIONS = (Optimise.AREA, Optimise.AREA_SPEED, Optimise.SPEED)


def of_plan(tried: list[Candidate], optimise: Optimise) -> list[Candidate]:
    """The netlists that the plan of a condition makes, of all that there are."""
    plan = PLANS[optimise]
    first = {recipe.name for recipe in plan.first}
    aimed = {(recipe.name, target) for recipe, target in plan.aimed}
    chosen = [each for each in tried if each.recipe in first and each.target_ps is None]
    able = {recipe.name for recipe in plan.first if recipe.targets}
    finalists = sorted(
        (each for each in chosen if each.recipe in able and each.efficiency_kbps_per_ge),
        key=lambda each: -(each.efficiency_kbps_per_ge or 0.0),
    )[: plan.finalists]
    for finalist in finalists:
        targets = {each.target_ps: each for each in tried if each.recipe == finalist.recipe and each.target_ps}
        own = zip(sorted(set(targets) - {SHORTEST_PS}), EVERY.factors, strict=True)
        chosen += [targets[target] for target, factor in own if factor in plan.factors]
    return chosen + [each for each in tried if (each.recipe, each.target_ps) in aimed]


def merit(candidate: Candidate, optimise: Optimise) -> float:
    """What counts under the condition, less being better: GE, GE · ns or ns."""
    assert candidate.area_ge is not None
    assert candidate.period_ns is not None
    return {
        Optimise.AREA: candidate.area_ge,
        Optimise.AREA_SPEED: candidate.area_ge * candidate.period_ns,
        Optimise.SPEED: candidate.period_ns,
    }[optimise]


def best_of(tried: list[Candidate], optimise: Optimise) -> Candidate:
    """The best under the condition, whatever else it costs: of areas the smallest."""
    return min((each for each in tried if each.area_ge is not None), key=lambda each: merit(each, optimise))


def show(results: Path) -> None:
    """A row a core and condition."""
    print("| core | condition | the plan's | GE | ns | best of all | GE | ns | better by |")
    print("|---|---|---|---:|---:|---|---:|---:|---:|")
    for line in map(json.loads, results.read_text(encoding="utf-8").splitlines()):
        tried = [Candidate(**each) for each in line["tried"]]
        for optimise in CONDITIONS:
            ours, best = (best_of(those, optimise) for those in (of_plan(tried, optimise), tried))
            figures = (f"{each.label} | {each.area_ge:,.0f} | {each.period_ns:.3f}" for each in (ours, best))
            better = 1 - merit(best, optimise) / merit(ours, optimise)
            print(f"| `{line['core']}` | {optimise} | {' | '.join(figures)} | {better:.1%} |")


def main() -> None:
    """Measure what is asked for, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--library", help="a registered library or a Liberty file")
    parser.add_argument("--preset", action="append", help=f"a core [default: {', '.join(CORES)}]")
    parser.add_argument("--jobs", type=int, help="syntheses at a time [default: one a processor]")
    options = parser.parse_args()
    if options.library is None:
        show(options.results)
        return
    library = library_by(options.library)
    for preset in options.preset or CORES:
        design = build_design(parse_specification({"preset": preset}), "core", preset)
        with tempfile.TemporaryDirectory() as folder:
            made = measure(
                design, library, Optimise.AREA_SPEED, Path(folder), plan=EVERY, jobs=options.jobs, progress=tell
            )
        line = {"core": preset, "library": library.name, "tried": [asdict(each) for each in made.candidates]}
        with options.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    show(options.results)


def tell(what: str, done: int, steps: int) -> None:
    """Progress, on one line."""
    print(f"\r{done}/{steps} {what:40}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
