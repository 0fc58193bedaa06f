"""Search the XOR programs of all linear maps that S-boxes and presets ask for, and keep the smallest.

    python benchmarks/linear_store.py [--steps N] [--seed N] [--missing]

Writes `src/aesmith/circuits/linear/data/programs.json`: a program found is kept only if it has fewer XOR gates than the
one that is there, or equally many and less depth. Maps that nobody asks for any more are left out; those that have a
name stay.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from unittest import mock

from aesmith.circuits.linear import LinearProgram, linear_map, search_program, store
from aesmith.circuits.linear.named import NAMED
from aesmith.circuits.linear.store import KeptProgram, MapRequest, format_programs, kept, kept_programs
from aesmith.cores.specification import build_design, presets
from aesmith.sboxes.catalogue import catalogue


def requests() -> list[MapRequest]:
    """All requests of building every S-box of the catalogue and every preset, in order.

    In a process that has built some of them before, what they cache is not asked for again.
    """
    asked: dict[MapRequest, None] = {}

    def record(request: MapRequest) -> LinearProgram | None:
        asked[request] = None
        return kept(request)

    linear_map.cache_clear()
    with mock.patch.object(store, "kept", side_effect=record):
        for entry in catalogue().values():
            for function in entry.functions:
                entry.circuit(function)
        for preset, specification in presets().items():
            build_design(specification, "core", preset)
    return list(asked)


def is_named(request: MapRequest) -> bool:
    """Whether the map has a name: programs of those are kept for users, whether a design asks for them or not."""
    return any(named.matrix == request.matrix for named in NAMED.values())


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
