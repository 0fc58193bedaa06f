"""Area and period of stream engines with their cores, in a library, by one quick recipe.

    python benchmarks/engine_areas.py LIBERTY

A line an engine: everything in it is counted, cores, queues, ring and multiplier.
"""

import sys
import tempfile
from pathlib import Path

from aesmith.flow.measure import measure
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import one_recipe
from aesmith.modes.engine import StreamEngine, ctr_engine
from aesmith.modes.gcm_engine import gcm_engine
from aesmith.technology.reader import read_library

RECIPE = "keep-timed"
CORE: dict[str, object] = {"preset": "ueno2020-enc"}


def engines() -> tuple[StreamEngine, ...]:
    """Engines around one round-based core."""
    return (
        ctr_engine("ctr", CORE),
        gcm_engine("gcm", CORE, digit=16, splits="bbb"),
        gcm_engine("gcm", CORE, digit=8),
    )


def main(liberty: Path) -> None:
    """Prints the lines."""
    library = read_library(liberty)
    for engine in engines():
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder) / "work"
            found = measure(engine, library, Optimise.AREA, work, plan=one_recipe(RECIPE))
        print(f"{engine.title}: {found.area_ge:,.0f} GE, {found.period_ns:.3f} ns ({RECIPE})", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
