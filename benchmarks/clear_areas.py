"""Area and period of engines without and with a clear, in a library, by one quick recipe.

    python benchmarks/clear_areas.py LIBERTY [PRESET ...]

Two lines an engine: without, and with `clear = true`, with what that adds.
"""

import sys
import tempfile
from pathlib import Path

from aesmith.flow.measure import measure
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import one_recipe
from aesmith.modes.specification import build_engine, parse_engine
from aesmith.technology.reader import read_library

RECIPE = "keep-timed"


def main(liberty: Path, names: list[str]) -> None:
    """Prints the lines, of the presets named."""
    library = read_library(liberty)
    for name in names or ("cmac-small", "gcm-small", "ctr-pipeline"):
        plain = 0.0
        for clear in (False, True):
            engine = build_engine(parse_engine({"preset": name, "clear": clear}), "engine", name)
            with tempfile.TemporaryDirectory() as folder:
                found = measure(engine, library, Optimise.AREA, Path(folder) / "work", plan=one_recipe(RECIPE))
            plain = plain or found.area_ge
            more = f"{found.area_ge:,.0f} GE, {found.area_ge / plain - 1:+.1%}, {found.period_ns:.3f} ns"
            print(f"{name}: {'with a clear' if clear else 'without'}: {more} ({RECIPE})", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
