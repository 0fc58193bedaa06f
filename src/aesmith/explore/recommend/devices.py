"""Measured points of FPGAs: what comes with aesmith of cores and engines on devices, and how such a point is made.

They are points as of libraries (`explore.points`) whose library is the device. Its columns `area_ge` has LUTs, the unit
in which areas are compared there, and further columns have what only a device has.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aesmith.cores.specification import default_name, presets
from aesmith.errors import RequestError, meant
from aesmith.explore.outline import Outline
from aesmith.explore.points import ONE_RECIPE, PointColumn, points_by, read_points, shipped_points, with_marks
from aesmith.flow.fpga.devices import DEVICES
from aesmith.flow.fpga.measure import FpgaMeasurement
from aesmith.lazy import LazyModule
from aesmith.modes.specification import engine_presets

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

FILE = Path(str(files("aesmith.explore.recommend") / "data" / "devices.csv"))
"""The points that come with aesmith; `python benchmarks/device_points.py` measures them."""

FURTHER = (
    PointColumn("luts", "Int64", "LUTs, carries and memories made of LUTs included"),
    PointColumn("memory_luts", "Int64", "of these memories and shift registers"),
    PointColumn("memories", "Int64", "block memories"),
    PointColumn("seeds", "Int64", "placements; 0 of a device that is not placed on"),
    PointColumn("median_fmax_mhz", "Float64", "the median of the placements' clocks, of which `fmax_mhz` is the best"),
    PointColumn("least_fmax_mhz", "Float64", "the slowest of them"),
)
"""Columns of a device's points beside those of all points."""


def row_of_device(outline: Outline, found: FpgaMeasurement, options: str, verified: str | None) -> dict[str, Any]:
    """A row of the file: a design as it was measured on a device with these options of `aesmith fpga`."""
    clocks = [run.fmax_mhz for run in found.runs]
    return {
        "design": outline.design,
        "specification": outline.specification,
        "family": outline.family,
        "architecture": outline.architecture,
        "core": outline.core,
        "cores": outline.cores,
        "directions": "+".join(outline.directions),
        "key_bits": max(outline.key_bits),
        "block_width": outline.block_width,
        "sbox": outline.sbox,
        "stages": outline.stages,
        "units": outline.units,
        "library": found.device,
        "corner": f"speed grade {found.speed_grade}" if found.speed_grade else None,
        "optimise": ONE_RECIPE,
        "recipe": options,
        "area_ge": found.luts,
        "flip_flops": found.flip_flops,
        "period_ns": None if found.fmax_mhz is None else 1e3 / found.fmax_mhz,
        "fmax_mhz": found.fmax_mhz,
        "cycles_per_block": found.cycles_per_block,
        "latency_cycles": found.latency_cycles,
        "throughput_gbps": None if found.throughput_mbps is None else found.throughput_mbps / 1e3,
        "verified": verified,
        "rtl": outline.source_hash,
        "status": "done",
        "luts": found.luts,
        "memory_luts": found.memory_luts,
        "memories": found.memories,
        "seeds": len(found.runs),
        "median_fmax_mhz": found.median_fmax_mhz,
        "least_fmax_mhz": min(clocks, default=None),
        "space": ", ".join(f"{tool} {version}" for tool, version in sorted(found.tool_versions.items())),
    }


def every_point(file: Path = FILE) -> pd.DataFrame:
    """All points of the file, in its order."""
    every, read = read_points(file), pd.read_csv(file, dtype="string")
    for column in FURTHER:
        every[column.name] = pd.to_numeric(read[column.name]).astype(column.dtype)
    return every


def device_points(device: str, file: Path = FILE) -> pd.DataFrame:
    """The points of a device, each verified as its design is in any point that comes with aesmith.

    Raises RequestError for a device that there is none of, with those there are.
    """
    every = every_point(file)
    known = sorted(every["library"].unique())
    if device not in known:
        unmeasured = "; it can be measured: `aesmith fpga`" if device in DEVICES else ""
        raise RequestError(
            f"device: must be one of {', '.join(known)}, which were measured, not {device!r}"
            f"{unmeasured or meant(device, known)}"
        )
    shipped = pd.concat([points_by(name) for name in shipped_points()], ignore_index=True)
    return with_marks(every[every["library"].eq(device)].reset_index(drop=True), shipped)


def measured_by(row: Mapping[str, object]) -> str:
    """The command that measures a row's point again."""
    design = str(row["design"])
    if design not in presets() and design not in engine_presets():
        design = f"{default_name(design)}.toml"
    grade = str(row["corner"] or "").removeprefix("speed grade ")
    parts = (f"aesmith fpga {design} --device {row['library']}", grade and f"--speed {grade}", str(row["recipe"] or ""))
    return " ".join(part for part in parts if part)
