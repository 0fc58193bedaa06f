"""Search the XOR programs of all linear maps that the S-boxes of the catalogue ask for, and keep the smallest.

    python benchmarks/sbox_maps.py [--steps N]

Writes `src/aesmith/sboxes/data/linear_maps.json`: a program found is kept only if it has fewer XOR gates than the one
that is there, or equally many and less depth. Maps that no S-box asks for any more are left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from aesmith.circuits.linear import LinearProgram, search
from aesmith.sboxes import linear_maps
from aesmith.sboxes.catalogue import catalogue

FILE = Path(linear_maps.__file__).parent / "data" / "linear_maps.json"


def requested(kept: dict[str, Sequence[Sequence[int]]]) -> list[str]:
    """The names of all maps that building the catalogue asks for, in order."""
    names: dict[str, None] = {}

    class Recorder(dict[str, Sequence[Sequence[int]]]):
        def get(self, name: str, default: object = None) -> object:  # type: ignore[override]
            names[name] = None
            return super().get(name, default)

    with mock.patch.object(linear_maps, "kept_programs", return_value=Recorder(kept)):
        for entry in catalogue().values():
            for function in entry.functions:
                entry.circuit(function)
    return list(names)


def main() -> None:
    """Search and write."""
    parser = argparse.ArgumentParser(description="search the XOR programs of the S-boxes' linear maps")
    parser.add_argument("--steps", type=int, default=1_000_000, help="moves a map (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    names = requested(kept)
    programs = {}
    for number, name in enumerate(names, start=1):
        matrix, depth, arrivals = linear_maps.parse_key(name)
        candidates = [search(matrix, depth, arrivals=arrivals, steps=arguments.steps, seed=arguments.seed)]
        if name in kept:
            candidates.insert(0, linear_maps.program(matrix, depth, arrivals, kept[name]))
        least = min(candidates, key=lambda program: _rank(program, arrivals))
        programs[name] = [list(pair) for pair in least.sums]
        print(f"{number}/{len(names)}: {least.xors} XOR, {max(least.levels(arrivals))} levels: {name[:60]}", flush=True)
    lines = (
        f"{json.dumps(name)}: {json.dumps(sums, separators=(',', ':'))}" for name, sums in sorted(programs.items())
    )
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _rank(program: LinearProgram, arrivals: tuple[int, ...] | None) -> tuple[int, int]:
    return program.xors, max(program.levels(arrivals))


if __name__ == "__main__":
    main()
