"""Rewire netlists of any core and library, and compare their timing with OpenSTA's.

    python benchmarks/rewired_netlists.py RESULTS --library NAME|FILE [--library …]
        [--preset NAME | --peer FILE --clones DIR] [--recipe NAME] [--area] [--seed N …]
    python benchmarks/rewired_netlists.py RESULTS

A preset has its bare output; a peer is a core of somebody else's as `benchmarks/peers/` describes it, its repository in
DIR. Each is mapped by one recipe and rewired with as many moves a cell as `--rewire` takes. Each result is a line of
RESULTS once it is there. Without a library the table is printed: before and after, the functions that were proved to be
the same, and by how much OpenSTA's longest path is another one.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from aesmith.cores.design import Design
from aesmith.cores.specification import build_design, parse_specification
from aesmith.flow.recipes import Recipe, recipe_by_name
from aesmith.flow.rewiring.rewire import FOR_AREA, FOR_SPEED, RewiringPlan, rewire
from aesmith.flow.synthesis import synthesise
from aesmith.flow.yosys import run_script
from aesmith.foreign.peers import read_peer
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.testing import opensta
from aesmith.timing.netlist import read_netlist
from aesmith.timing.static import analyse

PATHS = ("period_ns", "input_to_register_ns", "register_to_output_ns", "input_to_output_ns")


def measured(design: Design, library: Library, recipe: Recipe, seed: int, *, area: bool) -> dict[str, Any]:
    """One netlist before and after; areas in GE, longest of all paths in ns."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mapped = synthesise(design, library, recipe, None, folder / "mapped")
        before = analyse(read_netlist(mapped.json), library)
        began = time.process_time()
        plan = RewiringPlan(FOR_AREA if area else FOR_SPEED, seed, not area)
        made = rewire(mapped.json, library, folder / "proof", plan=plan)
        seconds = time.process_time() - began
        (folder / "netlist.json").write_text(made.json)
        run_script(["read_json netlist.json", "write_verilog -noattr netlist.v"], folder / "yosys.log")
        theirs = opensta.analyse(folder / "netlist.v", library, design.top, design.ports.clock)
        after = analyse(read_netlist(folder / "netlist.json"), library)
        pairs = [(getattr(after, path), getattr(theirs, path)) for path in PATHS]
        return {
            "seconds": seconds,
            "proved": made.proved,
            "opensta": max(abs(ours / others - 1) for ours, others in pairs if ours and others),
            "area_ge": (mapped.area_ge, made.area_ge),
            "delay_ns": (max(filter(None, (getattr(before, path) for path in PATHS))), made.delay_ns),
            "bits_a_clock": design.block_bits / design.cycles_per_block,
        }


def show(results: Path) -> None:
    """A row a netlist."""
    print("| core | library | recipe | for | seed | before: GE, ns, Kbit/s/GE | after | proved | OpenSTA | s |")
    print("|---|---|---|---|---:|---|---|---:|---:|---:|")
    for line in map(json.loads, results.read_text(encoding="utf-8").splitlines()):
        figures = [
            f"{area:,.0f}, {delay:.3f}, {1e6 * line['bits_a_clock'] / delay / area:.1f}"
            for area, delay in zip(line["area_ge"], line["delay_ns"], strict=True)
        ]
        about = " | ".join((line["core"], line["library"], line["recipe"], line["for"], str(line["seed"])))
        proof = f"{line['proved']:,} | {line['opensta']:.0e} | {line['seconds']:.0f}"
        print(f"| {about} | {figures[0]} | {figures[1]} | {proof} |")


def main() -> None:
    """Measure what is asked for, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--library", action="append", default=[], help="a registered library or a Liberty file")
    parser.add_argument("--preset", default="ueno2020-enc", help="the core [default: ueno2020-enc]")
    parser.add_argument("--peer", type=Path, help="a recipe of a core of somebody else's, instead of --preset")
    parser.add_argument("--clones", type=Path, help="with --peer: where clones of repositories are")
    parser.add_argument("--recipe", default="keep-timed+noxor2", help="[default: keep-timed+noxor2]")
    parser.add_argument("--area", action="store_true", help="for area alone")
    parser.add_argument("--seed", type=int, action="append", help="[default: 1]")
    options = parser.parse_args()
    if not options.library:
        show(options.results)
        return
    if options.peer is not None:
        whole = read_peer(options.peer, options.clones)[1]
        design: Design = whole.inner or whole
    else:
        fields = {"preset": options.preset, "output": "bare"}
        design = build_design(parse_specification(fields), "core", options.preset)
    for library in map(library_by, options.library):
        for seed in options.seed or [1]:
            made = measured(design, library, recipe_by_name(options.recipe), seed, area=options.area)
            core = options.peer.stem if options.peer else options.preset
            about = {"core": core, "library": library.name, "recipe": options.recipe, "seed": seed}
            line = {**about, "for": "area" if options.area else "speed", **made}
            with options.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
