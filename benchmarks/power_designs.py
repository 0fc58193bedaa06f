"""Power with and without glitches, design by design, and what single ideas save.

    python benchmarks/power_designs.py [--library NAME|FILE] [--optimise area] [--recipe NAME]
        [--store FILE|URL] [CORE ...]

Prints the tables of docs/evidence/power.md: for every CORE (default: all rows of the tables of Ueno et al., and
variants that lack one idea each) power at 100 MHz on random blocks back to back under a random key, with and without
delays, on the same netlist. With `--recipe` all are made by one recipe, which takes chance out of small differences.
What the result store has is not measured again.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, default_name, presets
from aesmith.explore.obtain import obtain, obtain_power
from aesmith.explore.store import Store, open_store
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import SynthesisPlan, one_recipe
from aesmith.tables.catalogue import TABLES
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.power.figures import DirectionPower, PowerPlan

VARIANTS: dict[str, tuple[str, dict[str, object]]] = {
    "without demultiplexer": ("ueno2020-encdec", {"demultiplexer": False}),
    "without offset and demultiplexer": ("ueno2016-encdec", {"demultiplexer": False}),
    "encryption without offset": ("ueno2020-enc", {"alpha": 0xEE, "beta": 0x0C, "gamma": 1}),
}
"""Cores without one idea: the preset, and the fields that are changed."""

Row = tuple[str, float, float, Sequence[DirectionPower], Sequence[DirectionPower]]
"""Name, area in GE, latency in ns, and power by direction, with glitches and without delays."""


def main() -> None:
    """Measure, and print a table for encryption and one for decryption."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("core", nargs="*", help="presets or variants [default: all]")
    parser.add_argument("--library", default="generic45")
    parser.add_argument("--optimise", type=Optimise, default=Optimise.AREA)
    parser.add_argument("--recipe", type=one_recipe, help="the same recipe for all")
    parser.add_argument("--store", help="the result store [default: the user's]")
    arguments = parser.parse_args()
    rows = [row.name for number in (1, 3) for row in TABLES[f"ueno-table{number}"].rows if row.name in presets()]
    library = library_by(arguments.library)
    with open_store(arguments.store) as store, tempfile.TemporaryDirectory() as work:
        names = arguments.core or [*rows, *VARIANTS]
        condition = (arguments.optimise, arguments.recipe)
        found = [_measured(name, library, condition, Path(work) / name, store) for name in names]
    for number, direction in enumerate(("encryption", "decryption")):
        kept = [row for row in found if len(row[3]) > number]
        if kept:
            print(f"\n{direction}, {library.name}, {arguments.optimise}:\n\n{_table(kept, number)}")


def _design(name: str) -> CoreDesign:
    preset, changes = VARIANTS.get(name, (name, {}))
    specification = presets()[preset]
    # As its publication has it, and as the tables of docs/evidence/power.md were measured.
    changed = type(specification).model_validate(specification.model_dump() | {"output": "bare"} | changes)
    return build_design(changed, default_name(preset), name)


def _measured(
    name: str, library: Library, condition: tuple[Optimise, SynthesisPlan | None], folder: Path, store: Store
) -> Row:
    optimise, plan = condition
    design = _design(name)
    print(f"{name} …", flush=True)
    measurement = obtain(design, library, optimise, folder, store, plan=plan).measurement

    def power(stimuli: PowerPlan) -> Sequence[DirectionPower]:
        return obtain_power(
            design,
            library,
            measurement,
            plan=stimuli,
            work_dir=folder / "power",
            store=store,
            modules=False,
            made=folder,
            synthesis=plan,
        ).measurement.power

    both = power(PowerPlan()), power(PowerPlan(zero_delay=True))
    return name, measurement.area_ge, measurement.latency_ns or 0.0, both[0], both[1]


def _table(rows: Sequence[Row], number: int) -> str:
    """A Markdown table; ranks are by power, with glitches and without."""
    with_glitches = sorted(row[3][number].power_uw_at_100mhz for row in rows)
    without = sorted(row[4][number].power_uw_at_100mhz for row in rows)
    lines = [
        "| core | area (GE) | latency (ns) | power (µW) | rank | glitches | power × latency (pJ) "
        "| zero delay (µW) | rank |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, area, latency, glitching, still in rows:
        power, zero = glitching[number], still[number]
        lines.append(
            f"| `{name}` | {area:,.0f} | {latency:.2f} | {power.power_uw_at_100mhz:,.0f} "
            f"| {1 + with_glitches.index(power.power_uw_at_100mhz)} | {power.glitch_fraction or 0:.0%} "
            f"| {1e-3 * (power.power_latency_product or 0):,.1f} | {zero.power_uw_at_100mhz:,.0f} "
            f"| {1 + without.index(zero.power_uw_at_100mhz)} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
