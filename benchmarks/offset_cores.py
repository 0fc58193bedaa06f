"""Cores of `ueno2020-enc` that differ in their offset alone, mapped whole and rewired.

    python benchmarks/offset_cores.py --library NAME|FILE [--recipe NAME] [--moves N] [--seed N] [--levels N]

In each tower that the inverter fits, all offsets whose Φ has at most so many XOR levels; a tower that is another one
with its halves exchanged is left out. Each core, with its bare output, is mapped by the recipe and rewired. Prints
the heaviest row and the ones of Ω1, and area, the longest of all paths, and what counts, before and after; a row as
soon as it is known.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from aesmith.cores.design import Design
from aesmith.cores.round_based.ueno import UenoTower
from aesmith.cores.specification import build_design, parse_specification
from aesmith.fields.aes import FIELD
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.flow.recipes import recipe_by_name
from aesmith.flow.rewiring.rewire import FOR_SPEED, RewiringPlan, rewire
from aesmith.flow.synthesis import synthesise
from aesmith.sboxes import ueno2015
from aesmith.technology.registry import library_by


def towers(levels: int) -> Iterator[UenoTower]:
    """Those whose Φ has at most so many levels."""
    known: set[int] = set()
    for tower in ueno2015.towers():
        if tower.alpha not in known:
            known.add(_other_half(tower.alpha))
            for gamma in range(1, 256):
                found = UenoTower(tower.alpha, tower.beta, gamma)
                if max(weights(found.maps.phi)) <= 1 << levels:
                    yield found


def _other_half(alpha: int) -> int:
    """α^16, by four squarings."""
    for _ in range(4):
        alpha = FIELD.multiply(alpha, alpha)
    return alpha


def weights(matrix: BitMatrix) -> list[int]:
    """Ones in each row."""
    return [row.bit_count() for row in matrix.rows]


def figures(design: Design, area_ge: float, delay_ns: float) -> str:
    """GE, ns and Kbit/s/GE."""
    rate = 1e6 * design.block_bits / (design.cycles_per_block * delay_ns) / area_ge
    return f"{area_ge:,.0f}, {delay_ns:.3f}, {rate:.1f}"


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="a registered library or a Liberty file")
    parser.add_argument("--recipe", default="keep-timed+noxor2", help="how it is mapped [default: keep-timed+noxor2]")
    parser.add_argument("--moves", type=int, default=FOR_SPEED, help=f"moves a cell [default: {FOR_SPEED}]")
    parser.add_argument("--seed", type=int, default=1, help="of rewiring [default: 1]")
    parser.add_argument("--levels", type=int, default=2, help="XOR levels of Φ at most [default: 2]")
    options = parser.parse_args()
    library, plan = library_by(options.library), RewiringPlan(options.moves, options.seed)
    print(
        "| α, β | γ | heaviest row and ones of Ω1 | before: GE, ns, Kbit/s/GE | after |\n|---|---|---|---|---|",
        flush=True,
    )
    for tower in towers(options.levels):
        where = {"alpha": tower.alpha, "beta": tower.beta, "gamma": tower.gamma}
        specification = parse_specification({"preset": "ueno2020-enc", "output": "bare", **where})
        design = build_design(specification, "core", "ueno2020-enc")
        with tempfile.TemporaryDirectory() as folder:
            mapped = synthesise(design, library, recipe_by_name(options.recipe), None, Path(folder) / "mapped")
            made = rewire(mapped.json, library, Path(folder) / "proof", plan=plan)
        before = figures(design, made.legs[0].area_ge, made.legs[0].delay_ns)
        omega1 = weights(tower.maps.omega(1))
        print(
            f"| {tower.alpha:#04x}, {tower.beta:#04x} | {tower.gamma:#04x} | {max(omega1)}, {sum(omega1)} | {before} | "
            f"{figures(design, made.area_ge, made.delay_ns)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
