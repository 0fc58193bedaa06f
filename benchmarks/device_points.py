"""Measure cores and engines on FPGAs, and write what `aesmith recommend --device` answers with.

    python benchmarks/device_points.py [--store FILE] [--seeds N] [--stored]

Every placement is stored when it ends, so an interrupted run goes on where it stopped; with `--stored` nothing is
measured, and what is there is written. A design that does not fit a device has no point there. A design that no shipped
point says how it is verified of is proved, an engine simulated. Writes src/aesmith/explore/recommend/data/devices.csv
and docs/tables/devices.csv, which has the figures alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from aesmith.cores.specification import presets
from aesmith.errors import AesmithError, RequestError, ToolError
from aesmith.explore.facts import fact
from aesmith.explore.outline import Outline, build_specified, engine_outline, outline
from aesmith.explore.points import COLUMNS, points_by, shipped_points, with_marks
from aesmith.explore.recommend.devices import FILE, FURTHER, every_point, row_of_device
from aesmith.explore.store import Store, open_store
from aesmith.explore.verifying import HOW, Extent, verifier
from aesmith.flow.fpga.devices import DEVICES, Device
from aesmith.flow.fpga.measure import measure_on
from aesmith.modes.specification import engine_presets
from aesmith.scratch import work_folder, write_whole

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "tables" / "devices.csv"
PAGE = ROOT / "docs" / "evidence" / "fpga.md"

CORES = (
    "serial-memory-enc",
    "serial-small-enc",
    "serial-shared-enc",
    "column-beat32-enc",
    "boyar2010-enc",
    "ueno2020-enc",
)
ENGINES = ("ofb-compact", "cfb-compact", "gcm-compact")
ON = (
    ("ice40-up5k", None, ""),
    ("ice40-hx8k", None, ""),
    ("ecp5-25k", "8", "--no-wide-luts --no-lut-memories"),
    ("xc7", None, "--no-lut-memories"),
    ("gowin-gw2a-18", None, "--no-wide-luts --no-lut-memories"),
)
"""Devices, speed grades, and the options with which the cores take the fewest LUTs there."""

FIGURES = (
    *("library", "corner", "recipe", "design", "luts", "memory_luts", "flip_flops", "memories"),
    *("fmax_mhz", "median_fmax_mhz", "least_fmax_mhz", "seeds"),
    *("cycles_per_block", "latency_cycles", "throughput_gbps"),
)


def designs() -> list[Outline]:
    """What is measured: cores, and engines behind them."""
    cores = [outline(presets()[name].model_dump(mode="json")) for name in CORES]
    gates = outline({**presets()["serial-memory-enc"].model_dump(mode="json"), "multiples": "gates"})
    return [
        cores[0],
        gates,
        *cores[1:],
        *(engine_outline(engine_presets()[name].model_dump(mode="json")) for name in ENGINES),
    ]


def with_options(device: Device, options: str) -> Device:
    """The device with these options of `aesmith fpga`."""
    changes = {"--no-wide-luts": Device.without_wide_luts, "--no-lut-memories": Device.without_lut_memories}
    for option in options.split():
        device = changes[option](device)
    return device


def verified(design: Outline, marks: pd.DataFrame, store: Store, *, stored: bool) -> str | None:
    """How a design is verified, by a shipped point or now."""
    frame = pd.DataFrame({column.name: pd.array([pd.NA], dtype=column.dtype) for column in COLUMNS})
    frame.loc[0, "specification"] = design.specification
    told = with_marks(frame, marks).at[0, "verified"]
    if not pd.isna(told):
        return str(told)
    extent = Extent.PROVE if design.core is None else Extent.SHORT
    how = verifier(extent)
    if stored:
        found = fact(store, how.key(design) or "")
        return HOW[extent] if found is not None and found["failure"] is None else None
    with work_folder() as folder:
        return how.verify(design, design.build, folder, store)


def measured(store: Store, *, seeds: int, stored: bool) -> list[dict[str, Any]]:
    """A row for each design and device."""
    marks = pd.concat([points_by(name) for name in shipped_points()], ignore_index=True)
    rows = []
    for design in designs():
        how = verified(design, marks, store, stored=stored)
        built = build_specified(design.specification, design.name, design.design)
        for name, speed, options in ON:
            device = with_options(DEVICES[name], options)
            what = f"{design.design} on {name} {speed or ''} {options}"
            try:
                with work_folder() as folder:
                    known = Stored(store) if stored else store
                    found = measure_on(built.measured, device, folder, seeds=seeds, speed=speed, kept=known)
            except (RequestError, ToolError, LookupError) as error:
                print(f"{what}: {error}", file=sys.stderr, flush=True)
                continue
            print(f"{what}: {found.luts} LUTs, {found.fmax_mhz} MHz", file=sys.stderr, flush=True)
            rows.append(row_of_device(design, found, options, how))
    return rows


class Stored:
    """A store in which what is not there is an error."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def get_fpga_run(self, key: str) -> dict[str, Any]:
        """What is kept. Raises LookupError if there is nothing."""
        if (run := self.store.get_fpga_run(key)) is None:
            raise LookupError("not measured yet")
        return run

    def put_fpga_run(self, key: str, design: str, device: str, run: dict[str, Any]) -> None:
        """Nothing is put."""


def page(text: str, points: pd.DataFrame) -> str:
    """The page with these points between its marks."""
    begin, end = "<!-- devices -->\n", "<!-- end -->\n"
    before, _, rest = text.partition(begin)
    lines = [
        "| device | design | options | LUTs | of these memories | flip-flops | block memories | cycles per block "
        "| MHz: best, median, slowest | Mbit/s |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for _, row in points.iterrows():
        device = row["library"] + ("" if pd.isna(row["corner"]) else f", {row['corner']}")
        options = "" if pd.isna(row["recipe"]) else f"`{row['recipe']}`"
        clocks = [row[name] for name in ("fmax_mhz", "median_fmax_mhz", "least_fmax_mhz")]
        placed = bool(row["seeds"])
        cells = [f"{row[name]:,}" for name in ("luts", "memory_luts", "flip_flops", "memories")]
        cells += [f"{row['cycles_per_block']:g}", ", ".join(f"{clock:.1f}" for clock in clocks) if placed else "mapped"]
        cells.append(f"{1e3 * row['throughput_gbps']:.1f}" if placed else "")
        lines.append("| " + " | ".join((device, f"`{row['design']}`", options, *cells)) + " |")
    return before + begin + "\n".join(lines) + "\n" + end + rest.partition(end)[2]


def main() -> int:
    """Measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--stored", action="store_true", help="measure nothing")
    given = parser.parse_args()
    with open_store(given.store) as store:
        rows = measured(store, seeds=given.seeds, stored=given.stored)
    frame = pd.DataFrame(
        {
            column.name: pd.array([row.get(column.name) for row in rows], dtype=column.dtype)
            for column in (*COLUMNS, *FURTHER)
        }
    )
    FILE.parent.mkdir(exist_ok=True)
    write_whole(FILE, frame.to_csv(index=False, float_format="%.6g"), "file")
    write_whole(PAGE, page(PAGE.read_text(encoding="utf-8"), every_point()), "file")
    write_whole(TABLE, frame[[*FIGURES]].to_csv(index=False, float_format="%.6g"), "file")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AesmithError as error:
        sys.exit(f"device_points: {error}")
