"""Area, period and throughput of the presets of stream engines with their cores, in a library, by one quick recipe.

    python benchmarks/engine_areas.py LIBERTY [--clock-gates] [--recipe RECIPE] [PRESET|FILE.toml ...]

A line an engine: everything in it is counted, cores, queues, ring and multiplier, but not the memory of an engine whose
text waits in one. With `--clock-gates` the library's
stand before registers that load by an enable, in the place of selectors.
"""

import argparse
import tempfile
from pathlib import Path

from aesmith.flow.measure import measure
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import GATED, one_recipe
from aesmith.modes.specification import build_engine, engine_presets, engine_specification
from aesmith.technology.reader import read_library

RECIPE = "keep-timed"


def main() -> None:
    """Prints the lines, of all presets or of those named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("liberty", type=Path)
    parser.add_argument("preset", nargs="*", help="an engine, or a specification file [default: all presets]")
    parser.add_argument("--clock-gates", action="store_true", help="in the place of enables")
    parser.add_argument("--recipe", default=RECIPE, help="of the synthesis [default: %(default)s]")
    options = parser.parse_intermixed_args()
    library, recipe = read_library(options.liberty), options.recipe + GATED * options.clock_gates
    for name in options.preset or engine_presets():
        engine = build_engine(engine_specification(name), "engine", name)
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder) / "work"
            found = measure(engine.measured, library, Optimise.AREA, work, plan=one_recipe(recipe))
        assert found.period_ns is not None
        assert found.throughput_gbps is not None
        figures = f"{found.area_ge:,.0f} GE, {found.period_ns:.3f} ns, {found.throughput_gbps:.2f} Gbit/s"
        print(f"{name}: {engine.title}: {figures} ({recipe})", flush=True)


if __name__ == "__main__":
    main()
