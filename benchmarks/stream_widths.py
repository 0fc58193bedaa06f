"""Area, period and throughput of engines with streams of 8 to 128 bits, in a library, by one quick recipe.

    python benchmarks/stream_widths.py LIBERTY [PRESET ...]

A line a width, with what the converters add to the engine of 128 bits.
"""

import sys
import tempfile
from pathlib import Path

from aesmith.flow.measure import measure
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import one_recipe
from aesmith.modes.specification import build_engine, parse_engine
from aesmith.modes.words import WIDTHS
from aesmith.technology.reader import read_library

RECIPE = "keep-timed"


def main(liberty: Path, names: list[str]) -> None:
    """Prints the lines, of the presets named."""
    library = read_library(liberty)
    for name in names or ("cmac-small", "gcm-small"):
        whole = 0.0
        for width in sorted(WIDTHS, reverse=True):
            engine = build_engine(parse_engine({"preset": name, "stream_bits": width}), "engine", name)
            with tempfile.TemporaryDirectory() as folder:
                found = measure(engine, library, Optimise.AREA, Path(folder) / "work", plan=one_recipe(RECIPE))
            assert found.period_ns is not None
            assert found.throughput_gbps is not None
            whole = whole or found.area_ge
            figures = f"{found.area_ge:,.0f} GE, {found.area_ge - whole:+,.0f}, {found.period_ns:.3f} ns"
            print(f"{name}: {width} bits: {figures}, {found.throughput_gbps:.2f} Gbit/s ({RECIPE})", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
