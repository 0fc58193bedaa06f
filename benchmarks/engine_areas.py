"""Area, period and throughput of the presets of stream engines with their cores, in a library, by one quick recipe.

    python benchmarks/engine_areas.py LIBERTY [PRESET ...]

A line an engine: everything in it is counted, cores, queues, ring and multiplier.
"""

import sys
import tempfile
from pathlib import Path

from aesmith.flow.measure import measure
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import one_recipe
from aesmith.modes.specification import build_engine, engine_presets, engine_specification
from aesmith.technology.reader import read_library

RECIPE = "keep-timed"


def main(liberty: Path, names: list[str]) -> None:
    """Prints the lines, of all presets or of those named."""
    library = read_library(liberty)
    for name in names or engine_presets():
        engine = build_engine(engine_specification(name), "engine", name)
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder) / "work"
            found = measure(engine, library, Optimise.AREA, work, plan=one_recipe(RECIPE))
        assert found.period_ns is not None
        assert found.throughput_gbps is not None
        figures = f"{found.area_ge:,.0f} GE, {found.period_ns:.3f} ns, {found.throughput_gbps:.2f} Gbit/s"
        print(f"{name}: {engine.title}: {figures} ({RECIPE})", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
