"""Search the XOR programs of all linear maps that S-boxes and presets ask for, and keep the smallest.

    python benchmarks/linear_store.py [--steps N] [--seed N] [--missing]

Writes `src/aesmith/circuits/linear/data/programs.json`: a program found is kept only if it has fewer XOR gates than the
one that is there, or equally many and less depth. Maps that nobody asks for any more are left out; those that have a
name stay.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from aesmith.circuits.linear import search_program, store
from aesmith.circuits.linear.store import KeptProgram, MapRequest, format_programs, kept_programs
from aesmith.testing.linear_requests import is_named, requests


def searched(request: MapRequest, steps: int, seed: int) -> KeptProgram:
    """What the search finds from scratch."""
    program = search_program(request.matrix, request.depth, arrivals=request.arrivals, steps=steps, seed=seed)
    return KeptProgram(request, program, f"node-set walk, seed {seed}, {steps} moves")


def main() -> None:
    """Search and write."""
    parser = argparse.ArgumentParser(description="search the XOR programs of the designs' linear maps")
    parser.add_argument("--steps", type=int, default=1_000_000, help="moves a map (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the search (default: %(default)s)")
    parser.add_argument("--missing", action="store_true", help="only maps that are not in the file yet")
    arguments = parser.parse_args()
    there = {entry.request: entry for entry in kept_programs()}
    wanted = dict.fromkeys([*requests(), *filter(is_named, there)])
    entries = []
    for number, request in enumerate(wanted, start=1):
        candidates = [there[request]] if request in there else []
        if not (candidates and arguments.missing):
            candidates.append(searched(request, arguments.steps, arguments.seed))
        least = min(candidates, key=lambda entry: (entry.program.xors, request.level(entry.program)))
        entries.append(least)
        size = f"{request.matrix.height} x {request.matrix.width}"
        least_levels = request.level(least.program)
        print(f"{number}/{len(wanted)}: {size}, {least.program.xors} XOR, {least_levels} levels", flush=True)
    file = Path(store.__file__).parent / "data" / store.FILE
    file.write_text(format_programs(entries), encoding="utf-8")


if __name__ == "__main__":
    main()
