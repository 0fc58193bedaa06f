"""What more stages a round bring: the sub-pipelined core with 1 to 10 of them, in one library.

    python benchmarks/subpipelined_stages.py --library NAME|FILE [--units K] [--sbox NAME] [--recipes NAME,...] \\
        [--plot FILE.svg]

Each core is synthesised with each recipe, without a target; the row is the recipe with the most throughput per gate
equivalent. Prints a line a core when measured, with the gate levels of the pipeliner's longest stage, and at the end
the Markdown table; draws frequency and throughput per gate equivalent over the number of stages.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

from aesmith.cores.subpipelined.cuts import STAGES
from aesmith.cores.subpipelined.family import SubpipelinedSpecification
from aesmith.drawing.svg import FAINT, INK, document, number, path, rect, text
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
        path = analyse(netlist.json, library).register_to_register
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


FREQUENCY, EFFICIENCY = "#3d6ea5", "#d9772b"
_WIDTH, _LEFT, _RIGHT, _TOP, _HEIGHT = 720.0, 64.0, 24.0, 92.0, 150.0


def picture(rows: list[Row], what: str) -> str:
    """Two curves over the number of stages, as an SVG; the best efficiency is marked."""
    best = max(rows, key=lambda row: row.kbps_per_ge)
    title = f"What more stages bring: most throughput per gate with {best.stages}"
    lines = [
        text(24, 34, title, 17, weight=600),
        text(24, 54, what, 11.5, color=FAINT),
    ]
    curves = (
        ("frequency (MHz)", FREQUENCY, [fmax_mhz(row.period_ns) for row in rows]),
        ("throughput per gate equivalent (Kbit/s/GE)", EFFICIENCY, [row.kbps_per_ge for row in rows]),
    )
    step = (_WIDTH - _LEFT - _RIGHT) / len(rows)
    for panel, (name, color, values) in enumerate(curves):
        base = _TOP + panel * (_HEIGHT + 66) + _HEIGHT
        most = _ceiling(max(values))
        lines.append(text(24, base - _HEIGHT - 14, name, 12.5, weight=600))
        for k in range(5):
            y = base - _HEIGHT * k / 4
            lines.append(path("M", _LEFT, y, "H", _WIDTH - _RIGHT, stroke="#e4e7eb"))
            lines.append(text(_LEFT - 8, y + 4, f"{most * k / 4:,.0f}", 10.5, anchor="end", color=FAINT))
        points = [(_LEFT + (k + 0.5) * step, base - _HEIGHT * value / most) for k, value in enumerate(values)]
        corners = [part for k, (x, y) in enumerate(points) for part in ("L" if k else "M", x, y)]
        lines.append(path(*corners, stroke=color, line=2))
        for row, (x, y), value in zip(rows, points, values, strict=True):
            size = 9.0 if row is best else 6.0
            lines.append(rect(x - size / 2, y - size / 2, size, size, radius=size / 2, fill=color))
            lines.append(text(x, y - 9, f"{value:,.0f}", 10.5, anchor="middle", weight=600 if row is best else 400))
            lines.append(text(x, base + 16, f"{row.stages}", 10.5, anchor="middle", color=INK))
        lines.append(text(_WIDTH - _RIGHT, base + 32, "stages a round", 10.5, anchor="end", color=FAINT))
    return document(_WIDTH, _TOP + 2 * (_HEIGHT + 66) - 16, title, lines)


def _ceiling(value: float) -> float:
    """The next number above with one digit that is not 0, and room for a label."""
    scale = 10.0 ** (len(number(value).split(".", maxsplit=1)[0]) - 1)
    return scale * -(-value * 1.08 // scale)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="1 to 10 stages a round")
    parser.add_argument("--library", required=True, help="a library by name, or a Liberty file")
    parser.add_argument("--units", type=int, default=None, help="rounds in the loop (default: all)")
    parser.add_argument("--sbox", default="zhang2004")
    parser.add_argument("--stages", default=",".join(map(str, STAGES)), help="default: %(default)s")
    parser.add_argument("--recipes", default="keep-sized,delay", help="default: %(default)s")
    parser.add_argument("--plot", type=Path, help="an SVG to write")
    arguments = parser.parse_args()
    file = Path(arguments.library)
    library = library_by(file if file.exists() else arguments.library)
    rows = []
    for stages in map(int, arguments.stages.split(",")):
        specification = SubpipelinedSpecification(stages=stages, rounds_in_loop=arguments.units, sbox=arguments.sbox)
        with tempfile.TemporaryDirectory(prefix="aesmith-stages-") as folder:
            rows.append(measured(specification, library, arguments.recipes.split(","), Path(folder)))
        print(*rows[-1].cells(), flush=True)
    if arguments.plot:
        units = f"{arguments.units} of 10 rounds in a loop" if arguments.units else "all rounds unrolled"
        what = f"{units}, S-box {arguments.sbox}; {library.name}"
        arguments.plot.write_text(picture(rows, what), encoding="utf-8")
    print("\n| " + " | ".join(HEADINGS) + " |\n|" + "---|" * len(HEADINGS))
    for row in rows:
        print("| " + " | ".join(row.cells()) + " |")


if __name__ == "__main__":
    main()
