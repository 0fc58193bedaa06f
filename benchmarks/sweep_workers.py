"""How many times the points an hour two workers give of one, on synthesis-bound work.

    python benchmarks/sweep_workers.py

Sweeps the same space from an empty store with one worker and with two, and prints points an hour and their ratio. Only
on a machine that does nothing else is the ratio that of the sweep; the load is printed beside it. How many times the
work two processes do of one without any sweep, which is what the machine can give, is printed too.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from aesmith.cores.specification import build_design, default_name, load_specification
from aesmith.explore import api
from aesmith.explore.store import open_store
from aesmith.flow.measure import measure
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import one_recipe
from aesmith.technology.registry import library_by

CORE = "ueno2020-enc"
RECIPES = ["compress", "keep-timed", "shrink-timed", "delay"]
SPACE: dict[str, object] = {
    "name": "workers",
    "recipe": RECIPES,
    "cores": [
        {"preset": ["boyar2010-enc", "gueron2016-native-enc", "maximov2019-enc", "ueno2020-enc"]},
        {"architecture": "subpipelined", "rounds_in_loop": 1, "stages": [2, 3, 4, 5]},
    ],
}


def points_an_hour(workers: int, library: str, folder: Path) -> float:
    """Sweep the space with so many workers into a new store. Its cores are enumerated before, which no worker does."""
    with open_store(folder / f"{workers}.sqlite") as store:
        count = len(api.candidates(SPACE, store=store))
        began = time.monotonic()
        frame = api.sweep(SPACE, library=library, store=store, verify="none", workers=workers)
        seconds = time.monotonic() - began
    assert (frame["status"] == "done").all(), frame["error"].dropna()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{workers} workers: {count} points in {seconds:.0f} s, {3600 * count / seconds:.0f} an hour; load {load}")
    return 3600 * count / seconds


def synthesise(library: str) -> None:
    """Four recipes of one core, one after the other."""
    design = build_design(load_specification(CORE), default_name(CORE), CORE)
    with tempfile.TemporaryDirectory() as folder:
        for recipe in RECIPES:
            measure(design, library_by(library), Optimise.AREA, Path(folder) / recipe, plan=one_recipe(recipe), jobs=1)


def machine_gives(library: str) -> float:
    """How many times the work two processes do of one."""
    seconds = []
    for count in (1, 2):
        with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
            list(pool.map(library_by, [library] * count))  # all have started
            began = time.monotonic()
            list(pool.map(synthesise, [library] * count))
            seconds.append(time.monotonic() - began)
    return 2 * seconds[0] / seconds[1]


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", default="generic45", help="name or file (default: generic45)")
    library = parser.parse_args().library
    with tempfile.TemporaryDirectory() as folder:
        one, two = (points_an_hour(workers, library, Path(folder)) for workers in (1, 2))
    print(f"two processes of this machine do {machine_gives(library):.2f} times the synthesis of one")
    print(f"two workers give {two / one:.2f} times the points an hour of one")


if __name__ == "__main__":
    main()
