"""A core measured on an FPGA: synthesis, then placement and routing with several seeds."""

from __future__ import annotations

import json
import statistics
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from aesmith.cores.design import CoreDesign
from aesmith.errors import RequestError
from aesmith.flow.fpga.devices import Device
from aesmith.flow.fpga.nextpnr import PlacedRun, nextpnr_version, place_and_route, require_nextpnr
from aesmith.flow.fpga.synthesis import synthesise_for
from aesmith.flow.yosys import require_yosys, yosys_version

Progress = Callable[[str, int, int], None]
"""Called with the step that is under way or done, the steps done, and the steps in all."""

DEFAULT_SEEDS = 3
DEFAULT_TARGET_MHZ = 400.0
TIMEOUT_S = 4 * 3600.0


@dataclass(frozen=True)
class FpgaMeasurement:
    """A core on a device. LUTs, flip-flops and memories are the core's alone; `runs` hold the wrapper as well.

    `fmax_mhz` is the best of the runs, `median_fmax_mhz` their median; `mbps_per_lut` is from the best. All figures of
    speed are None for a device that is not placed on, and `gaps` says so.
    """

    design: str
    device: str
    speed_grade: str | None
    luts: int
    flip_flops: int
    memories: int
    cells: Mapping[str, int]
    cycles_per_block: int
    latency_cycles: int
    fmax_mhz: float | None
    median_fmax_mhz: float | None
    throughput_mbps: float | None
    mbps_per_lut: float | None
    runs: tuple[PlacedRun, ...]
    tool_versions: Mapping[str, str]
    conditions: tuple[str, ...]
    gaps: Mapping[str, str]

    def to_json(self) -> dict[str, object]:
        """The measurement as plain JSON values, fields by their names."""
        plain: dict[str, object] = json.loads(json.dumps(asdict(self)))
        return plain


def check_request(device: Device, seeds: int, speed: str | None) -> None:
    """Raise RequestError for a request the device cannot serve, ToolError if a tool is missing; before any work."""
    if seeds < 1:
        raise RequestError(f"seeds: must be at least 1, not {seeds}")
    if speed is not None and speed not in device.speeds:
        valid = f"one of {', '.join(device.speeds)}" if device.speeds else "left out"
        raise RequestError(f"speed: must be {valid} for {device.name}, not {speed!r}")
    require_yosys()
    if device.placed:
        require_nextpnr(device)


def measure_on(
    design: CoreDesign,
    device: Device,
    folder: Path,
    *,
    seeds: int = DEFAULT_SEEDS,
    speed: str | None = None,
    target_mhz: float = DEFAULT_TARGET_MHZ,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> FpgaMeasurement:
    """Synthesise `design` for `device`; place and route it with the seeds 1 to `seeds`, one after the other.

    Raises RequestError for a wrong request or a device that is too small, ToolError if a tool is missing or fails.
    """
    check_request(device, seeds, speed)
    tell = progress or (lambda _step, _done, _total: None)
    grade = speed or (device.speeds[0] if device.speeds else None)
    steps = 1 + (seeds if device.placed else 0)
    tell("synthesis", 0, steps)
    counts = synthesise_for(design, device, folder, cancel=cancel)
    versions = {"yosys": yosys_version()}
    runs: list[PlacedRun] = []
    if device.placed:
        versions["nextpnr"] = nextpnr_version(device)
        for seed in range(1, seeds + 1):
            tell(f"place and route, seed {seed}", seed, steps)
            runs.append(
                place_and_route(
                    device, folder, seed, speed=grade, target_mhz=target_mhz, timeout_s=TIMEOUT_S, cancel=cancel
                )
            )
    tell("done", steps, steps)
    best = max((run.fmax_mhz for run in runs), default=None)
    throughput = None if best is None else best * design.block_bits / design.cycles_per_block
    return FpgaMeasurement(
        design=design.name,
        device=device.name,
        speed_grade=grade,
        luts=counts.luts,
        flip_flops=counts.flip_flops,
        memories=counts.memories,
        cells=counts.cells,
        cycles_per_block=design.cycles_per_block,
        latency_cycles=design.latency_cycles,
        fmax_mhz=best,
        median_fmax_mhz=statistics.median(run.fmax_mhz for run in runs) if runs else None,
        throughput_mbps=throughput,
        mbps_per_lut=None if throughput is None else throughput / counts.luts,
        runs=tuple(runs),
        tool_versions=versions,
        conditions=_conditions(device, seeds, target_mhz),
        gaps={} if device.placed else {"fmax_mhz": "there is no open place and route for this device: counts only"},
    )


def _conditions(device: Device, seeds: int, target_mhz: float) -> tuple[str, ...]:
    counted = "LUTs, flip-flops and memories of the core alone"
    if not device.placed:
        return (device.title, f"{counted}, as synthesised; not placed")
    return (
        device.title,
        f"{counted}, as synthesised",
        "fmax between registers, all ports in shift registers beside the core",
        f"best of {seeds} placement seed{'s' * (seeds > 1)}, target {target_mhz:g} MHz",
    )
