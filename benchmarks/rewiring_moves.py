"""What a kind of move brings to rewiring: runs without it, beside runs with all.

    python benchmarks/rewiring_moves.py --library NAME [--preset NAME] [--recipe NAME] [--area] [--moves N] [--seeds N]
        [--kind NAME ...]

The core of the preset, with its bare output, is mapped by the recipe, and rewired with the same number of moves and
each seed: as `--rewire` does it, and without each kind, or those asked for, whose part of the draws goes to the others,
or with those that it leaves out. Prints for each the medians over seeds of area, of the longest of all paths and of
what counts, and how far seeds lie apart; a row as soon as it is known. Every netlist is proved to have the functions of
the one before.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from aesmith.cores.specification import build_design, parse_specification
from aesmith.flow.recipes import recipe_by_name
from aesmith.flow.rewiring.rewire import FOR_AREA, FOR_SPEED, KINDS, LEFT_OUT, RewiringPlan, rewire
from aesmith.flow.synthesis import synthesise
from aesmith.technology.registry import library_by


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="a registered library or a Liberty file")
    parser.add_argument("--preset", default="ueno2020-enc", help="the core [default: ueno2020-enc]")
    parser.add_argument("--recipe", default="keep-timed", help="how it is mapped before [default: keep-timed]")
    parser.add_argument("--area", action="store_true", help="for area alone")
    parser.add_argument("--moves", type=int, help=f"moves a cell [default: {FOR_SPEED}, with --area {FOR_AREA}]")
    parser.add_argument("--seeds", type=int, default=3, help="seeds, from 1 on [default: 3]")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only without, or with, these [default: each]")
    options = parser.parse_args()
    library = library_by(options.library)
    design = build_design(parse_specification({"preset": options.preset, "output": "bare"}), "core", options.preset)
    moves = options.moves or (FOR_AREA if options.area else FOR_SPEED)
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        mapped = synthesise(design, library, recipe_by_name(options.recipe), None, folder / "mapped")
        print(f"{options.preset}, {library.name}, {options.recipe}, {moves} moves a cell, seeds 1 to {options.seeds}\n")
        print("| without | GE | ns | Kbit/s/GE | seeds apart | seconds |\n|---|---:|---:|---:|---:|---:|", flush=True)
        for left_out in ("", *(options.kind or KINDS)):
            began, found = time.process_time(), []
            named = f"(with {left_out})" if left_out in LEFT_OUT else left_out or "nothing"
            for seed in range(1, options.seeds + 1):
                plan = RewiringPlan(moves, seed, not options.area, LEFT_OUT ^ ({left_out} - {""}))
                made = rewire(mapped.json, library, folder / f"{left_out}{seed}", plan=plan)
                bits = design.block_bits / (design.cycles_per_block * made.delay_ns)
                found.append((made.area_ge, made.delay_ns, 1e6 * bits / made.area_ge))
            area, delay, rate = (median(column) for column in zip(*found, strict=True))
            counts = [each[0] if options.area else each[2] for each in found]
            apart, seconds = max(counts) - min(counts), (time.process_time() - began) / options.seeds
            print(
                f"| {named} | {area:,.0f} | {delay:.3f} | {rate:.1f} | {apart:.1f} | {seconds:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
