"""What more stages a round bring: the sub-pipelined core with 1 to 10 of them, in one library.

    python benchmarks/subpipelined_stages.py --library NAME|FILE [--units K] [--sbox NAME] [--recipes NAME,...]

Each core is synthesised with each recipe, without a target; the row is the recipe with the most throughput per gate
equivalent. Prints a line a core when measured, with the gate levels of the pipeliner's longest stage, and at the end
the Markdown table.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

from aesmith.cores.subpipelined.core import STAGES
from aesmith.cores.subpipelined.specification import SubpipelinedSpecification
from aesmith.flow.measurement import efficiency_kbps_per_ge, fmax_mhz, throughput_gbps
from aesmith.flow.recipes import RECIPES
from aesmith.flow.synthesis import synthesise
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.static import analyse

HEADINGS = ("stages", "levels", "period ns", "fmax MHz", "GE", "of it registers", "Gbit/s", "Kbit/s/GE", "recipe")


@dataclass(frozen=True)
class Row:
    """One core's figures."""

    stages: int
    levels: int
    period_ns: float
    area_ge: float
    register_area_ge: float
    gbps: float
    kbps_per_ge: float
    recipe: str

    def cells(self) -> tuple[str, ...]:
        """The figures in the order of HEADINGS."""
        return (
            str(self.stages),
            str(self.levels),
            f"{self.period_ns:.3f}",
            f"{fmax_mhz(self.period_ns):.0f}",
            f"{self.area_ge:,.0f}",
            f"{self.register_area_ge / self.area_ge:.0%}",
            f"{self.gbps:.2f}",
            f"{self.kbps_per_ge:.1f}",
            self.recipe,
        )


def measured(specification: SubpipelinedSpecification, library: Library, recipes: list[str], folder: Path) -> Row:
    """The core's row: the recipe with the most throughput per gate equivalent."""
    core = specification.core()
    design = core.design("core_under_test", "benchmark")
    rows = []
    for recipe in recipes:
        netlist = synthesise(design, library, RECIPES[recipe], None, folder / f"{core.stages}-{recipe}")
        path = analyse(netlist.netlist, library).register_to_register
        assert path is not None
        period = path.delay_ns
        rows.append(
            Row(
                core.stages,
                core.cuts.levels,
                period,
                netlist.area_ge,
                netlist.register_area_ge,
                throughput_gbps(period, core.passes),
                efficiency_kbps_per_ge(period, core.passes, netlist.area_ge),
                recipe,
            )
        )
    return max(rows, key=lambda row: row.kbps_per_ge)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="1 to 10 stages a round")
    parser.add_argument("--library", required=True, help="a library by name, or a Liberty file")
    parser.add_argument("--units", type=int, default=None, help="rounds in the loop (default: all)")
    parser.add_argument("--sbox", default="zhang2004")
    parser.add_argument("--stages", default=",".join(map(str, STAGES)), help="default: %(default)s")
    parser.add_argument("--recipes", default="keep-sized,delay", help="default: %(default)s")
    arguments = parser.parse_args()
    file = Path(arguments.library)
    library = library_by(file if file.exists() else arguments.library)
    rows = []
    for stages in map(int, arguments.stages.split(",")):
        specification = SubpipelinedSpecification(stages=stages, rounds_in_loop=arguments.units, sbox=arguments.sbox)
        with tempfile.TemporaryDirectory(prefix="aesmith-stages-") as folder:
            rows.append(measured(specification, library, arguments.recipes.split(","), Path(folder)))
        print(*rows[-1].cells(), flush=True)
    print("\n| " + " | ".join(HEADINGS) + " |\n|" + "---|" * len(HEADINGS))
    for row in rows:
        print("| " + " | ".join(row.cells()) + " |")


if __name__ == "__main__":
    main()
