"""A core measured on an FPGA: synthesis, then placement and routing with several seeds."""

from __future__ import annotations

import hashlib
import json
import statistics
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from aesmith.cores.design import Design
from aesmith.errors import RequestError, ToolError
from aesmith.flow.fpga.devices import Device
from aesmith.flow.fpga.nextpnr import PlacedRun, Unrouted, nextpnr_version, place_and_route, require_nextpnr
from aesmith.flow.fpga.synthesis import Counts, synthesise_for
from aesmith.flow.yosys import require_yosys, yosys_version
from aesmith.own_code import MEASUREMENT, code_digest
from aesmith.progress import Progress


class Kept(Protocol):
    """Where runs are kept under the hash of everything they depend on: a result store."""

    def get_fpga_run(self, key: str) -> dict[str, Any] | None:
        """The values of a run, or None."""

    def put_fpga_run(self, key: str, design: str, device: str, run: Mapping[str, Any]) -> None:
        """Keep the values of a run."""


DEFAULT_SEEDS = 3
DEFAULT_TARGET_MHZ = 400.0
DEFAULT_TIMING_WEIGHT = 20
DEFAULT_PLACER = "heap"
TIMEOUT_S = 4 * 3600.0


@dataclass(frozen=True)
class FpgaMeasurement:
    """A core on a device. LUTs, flip-flops and memories are the core's alone; `runs` hold the wrapper as well.

    `carry_luts` and `memory_luts` of the LUTs are carries and LUT memories; `copied_flip_flops` of the flip-flops are
    copies of one with very many loads. `from_store` runs were known already.

    `fmax_mhz` is the best of the runs, `median_fmax_mhz` their median; `mbps_per_lut` is from the best. All figures of
    speed are None for a device that is not placed on, and `gaps` says so; and of seeds that are `unrouted`, that.
    """

    design: str
    device: str
    speed_grade: str | None
    luts: int
    flip_flops: int
    copied_flip_flops: int
    memories: int
    cells: Mapping[str, int]
    cycles_per_block: float
    latency_cycles: int
    fmax_mhz: float | None
    median_fmax_mhz: float | None
    throughput_mbps: float | None
    mbps_per_lut: float | None
    runs: tuple[PlacedRun, ...]
    tool_versions: Mapping[str, str]
    conditions: tuple[str, ...]
    gaps: Mapping[str, str]
    from_store: int = 0
    unrouted: tuple[Unrouted, ...] = ()
    carry_luts: int = 0
    memory_luts: int = 0

    @property
    def steps(self) -> int:
        """The synthesis and all placements."""
        return 1 + len(self.runs) + len(self.unrouted)

    def to_json(self) -> dict[str, object]:
        """The measurement as plain JSON values, fields by their names."""
        plain: dict[str, object] = json.loads(json.dumps(asdict(self)))
        return plain


def check_request(device: Device, seeds: int, speed: str | None, placer: str = DEFAULT_PLACER) -> None:
    """Raise RequestError for a request the device cannot serve, ToolError if a tool is missing; before any work."""
    if seeds < 1:
        raise RequestError(f"seeds: must be at least 1, not {seeds}")
    if speed is not None and speed not in device.speeds:
        valid = f"one of {', '.join(device.speeds)}" if device.speeds else "left out"
        raise RequestError(f"speed: must be {valid} for {device.name}, not {speed!r}")
    if placer not in device.placers:
        raise RequestError(f"placer: must be {' or '.join(device.placers)} for {device.name}, not {placer!r}")
    require_yosys()
    if device.placed:
        require_nextpnr(device)


def run_key(
    design: Design,
    device: Device,
    *,
    speed: str | None,
    target_mhz: float,
    timing_weight: int,
    seed: int | None,
    placer: str = DEFAULT_PLACER,
) -> str:
    """SHA-256 (hex) of all that a placement depends on; without `seed`, of all that the counts depend on."""
    parts = {
        "top": design.top,
        "sources": design.source_hash,
        "device": asdict(device),
        "placement": None if seed is None else [speed, target_mhz, timing_weight, placer, seed],
        "tools": _versions(device),
        "code": code_digest(MEASUREMENT),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _versions(device: Device) -> dict[str, str]:
    return {"yosys": yosys_version()} | ({"nextpnr": nextpnr_version(device)} if device.placed else {})


def measure_on(
    design: Design,
    device: Device,
    folder: Path,
    *,
    seeds: int = DEFAULT_SEEDS,
    speed: str | None = None,
    target_mhz: float = DEFAULT_TARGET_MHZ,
    timing_weight: int = DEFAULT_TIMING_WEIGHT,
    placer: str = DEFAULT_PLACER,
    kept: Kept | None = None,
    refresh: bool = False,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> FpgaMeasurement:
    """Synthesise `design` for `device`; place and route it with the seeds 1 to `seeds`, one after the other.

    `target_mhz`, `timing_weight` and `placer` are as in `place_and_route`.
    What is `kept` is not done again, unless with `refresh`; what is done is kept at once, seed by seed.
    A placement that cannot be routed is kept as such, and figures are of the others.
    Raises RequestError for a wrong request or a device that is too small, ToolError if a tool is missing or fails, or
    if no placement can be routed.
    """
    check_request(device, seeds, speed, placer)
    tell = progress or (lambda _step, _done, _total: None)
    grade = speed or (device.speeds[0] if device.speeds else None)
    steps = 1 + (seeds if device.placed else 0)
    asked: list[int | None] = [None, *(range(1, seeds + 1) if device.placed else ())]
    how: dict[str, Any] = {
        "speed": grade,
        "target_mhz": target_mhz,
        "timing_weight": timing_weight,
        "placer": placer,
    }
    keys = {seed: run_key(design, device, seed=seed, **how) for seed in asked}
    known = {seed: None if kept is None or refresh else kept.get_fpga_run(key) for seed, key in keys.items()}

    def keep(seed: int | None, done: Counts | PlacedRun | Unrouted) -> None:
        if kept is not None:
            kept.put_fpga_run(keys[seed], design.name, device.name, asdict(done))

    from_store = sum(run is not None for run in known.values())
    if None in known.values():
        tell("synthesis", 0, steps)
        counts = synthesise_for(design, device, folder, cancel=cancel)
        keep(None, counts)
    else:
        counts = Counts(**(known[None] or {}))
    runs: list[PlacedRun] = []
    unrouted: list[Unrouted] = []
    for seed in range(1, len(asked)):
        tell(f"place and route, seed {seed}", seed, steps)
        if (run := known[seed]) is not None:
            placed = Unrouted(**run) if "reason" in run else PlacedRun(**run)
        else:
            placed = place_and_route(device, folder, seed, timeout_s=TIMEOUT_S, cancel=cancel, **how)
            keep(seed, placed)
        if isinstance(placed, Unrouted):
            unrouted.append(placed)
        else:
            runs.append(placed)
    tell("done", steps, steps)
    if unrouted and not runs:
        raise ToolError(f"nextpnr: no placement of {len(unrouted)} is routed: {unrouted[0].reason}")
    gaps = {f"seed {one.seed}": f"{design.name}: seed {one.seed} is not routed: {one.reason}" for one in unrouted}
    if not device.placed:
        gaps["fmax_mhz"] = "there is no open place and route for this device: counts only"
    if counts.unknown:
        gaps["cells"] = (
            f"{design.name}: nobody says what these cells take, so no count has them: {', '.join(counts.unknown)}"
        )
    best = max((run.fmax_mhz for run in runs), default=None)
    throughput = None if best is None else best * design.block_bits / design.cycles_per_block
    return FpgaMeasurement(
        design=design.name,
        device=device.name,
        speed_grade=grade,
        luts=counts.luts,
        flip_flops=counts.flip_flops,
        copied_flip_flops=counts.copied,
        memories=counts.memories,
        cells=counts.cells,
        cycles_per_block=design.cycles_per_block,
        latency_cycles=design.latency_cycles,
        fmax_mhz=best,
        median_fmax_mhz=statistics.median(run.fmax_mhz for run in runs) if runs else None,
        throughput_mbps=throughput,
        mbps_per_lut=None if throughput is None else throughput / counts.luts,
        runs=tuple(runs),
        tool_versions=_versions(device),
        conditions=_conditions(device, seeds, target_mhz, timing_weight, placer),
        gaps=gaps,
        from_store=from_store,
        unrouted=tuple(unrouted),
        carry_luts=counts.carry_luts,
        memory_luts=counts.memory_luts,
    )


def _conditions(device: Device, seeds: int, target_mhz: float, timing_weight: int, placer: str) -> tuple[str, ...]:
    counted = "LUTs, flip-flops and memories of the core alone"
    if not device.placed:
        return (device.title, f"{counted}, as synthesised; mapped, not placed")
    strives = f"timing weight {timing_weight}" if placer == "heap" else f"placer {placer}"
    return (
        device.title,
        f"{counted}, as synthesised",
        "fmax between registers, all ports in shift registers outside the core"
        + (f", clock at pad {device.sites['clk']}" if "clk" in device.sites else ""),
        f"best of {seeds} placement seed{'s' * (seeds > 1)}, target {target_mhz:g} MHz, {strives}",
    )
