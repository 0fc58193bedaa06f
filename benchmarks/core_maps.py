"""Search the XOR programs of all linear maps that the round-based presets ask for, and keep the smallest.

    python benchmarks/core_maps.py [--steps N]

Writes `src/aesmith/cores/round_based/data/linear_maps.json`: a program found is kept only if it has fewer XOR gates
than the one that is there, or equally many and less depth. Maps that no preset asks for any more are left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from aesmith.circuits.linear import LinearProgram, search
from aesmith.cores.round_based import kept_maps
from aesmith.cores.specification import build_design, presets
from aesmith.sboxes.linear_maps import parse_key, program

FILE = Path(kept_maps.__file__).parent / "data" / "linear_maps.json"


def requested(kept: dict[str, Sequence[Sequence[int]]]) -> list[str]:
    """The names of all maps that building the presets asks for, in order."""
    names: dict[str, None] = {}

    class Recorder(dict[str, Sequence[Sequence[int]]]):
        def get(self, name: str, default: object = None) -> object:  # type: ignore[override]
            names[name] = None
            return super().get(name, default)

    with mock.patch.object(kept_maps, "kept_programs", return_value=Recorder(kept)):
        for preset, specification in presets().items():
            build_design(specification, "core", preset)
    return list(names)


def main() -> None:
    """Search and write."""
    parser = argparse.ArgumentParser(description="search the XOR programs of the round-based cores' linear maps")
    parser.add_argument("--steps", type=int, default=1_000_000, help="moves a map (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--missing", action="store_true", help="only maps that are not in the file yet")
    arguments = parser.parse_args()
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    programs = {}
    for name in requested(kept):
        matrix, depth, _ = parse_key(name)
        candidates = [program(matrix, depth, None, kept[name])] if name in kept else []
        if not (candidates and arguments.missing):
            candidates.append(search(matrix, depth, steps=arguments.steps, seed=arguments.seed))
        least = min(candidates, key=_rank)
        programs[name] = [list(pair) for pair in least.sums]
        print(f"{least.xors} XOR, {least.depth} levels: {name[:80]}", flush=True)
    lines = (
        f"{json.dumps(name)}: {json.dumps(sums, separators=(',', ':'))}" for name, sums in sorted(programs.items())
    )
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _rank(found: LinearProgram) -> tuple[int, int]:
    return found.xors, found.depth


if __name__ == "__main__":
    main()
