"""nextpnr: one placement and routing, with its figures or the reason why there are none.

A native nextpnr for the device is taken before the one in the WebAssembly wheel if it is on the search path.
With the same version and seed they do not place alike.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from aesmith.errors import RequestError, ToolError
from aesmith.flow.fpga.devices import Device, Placer
from aesmith.processes import query, run

_UNROUTED = re.compile(r"ERROR: Failed to (route|find a route for) arc ")
_UTILISATION = re.compile(r"^Info:\s+(\w+):\s*(\d+)/\s*(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class PlacedRun:
    """One placement and routing with one seed. `used` of `available` logic cells, wrapper included."""

    seed: int
    fmax_mhz: float
    used: int
    available: int
    seconds: float


@dataclass(frozen=True)
class Unrouted:
    """A placement with one seed that nextpnr's router found no way through, and what it says of that."""

    seed: int
    reason: str


def require_nextpnr(device: Device) -> None:
    """Raise ToolError unless a nextpnr for the device is installed, and answers if it is a native one."""
    nextpnr_version(device)


def nextpnr_version(device: Device) -> str:
    """Version of the native program or of the wheel, and which of them it is.

    Raises RequestError for a device that is not placed on; ToolError if there is neither, or the native one does not
    say its version.
    """
    placer = _placer(device)
    native = _native(placer)
    if native is not None:
        said = query([native, "--version"]).strip()
        found = re.search(r"Version (?:nextpnr-)?([^)\s]+)", said)
        if found is None:
            raise ToolError(f"{native}: does not say its version{said and f', but {said.splitlines()[-1]!r}'}")
        return f"{found[1]} (native)"
    package = placer.wheel
    if importlib.util.find_spec(package.replace("-", "_")) is None or _program(placer) is None:
        raise ToolError(f"{package}: not installed; install it with `pip install {package}`")
    return f"{metadata.version(package)} (wheel)"


def program_of(device: Device) -> str:
    """The program that places on the device. Raises as `nextpnr_version` does."""
    nextpnr_version(device)
    placer = _placer(device)
    return _native(placer) or _program(placer) or ""


def place_and_route(
    device: Device,
    folder: Path,
    seed: int,
    *,
    speed: str | None,
    target_mhz: float,
    timing_weight: int,
    timeout_s: float,
    placer: str = "heap",
    cancel: threading.Event | None = None,
) -> PlacedRun | Unrouted:
    """Place and route `folder`/netlist.json with one seed; `target_mhz` is what the placer strives for, and
    `timing_weight` how much more a net on a critical path counts for it than the length of its wires, if `placer` is
    "heap". A device with a `route_target_mhz` is routed by a second run, with that in its place.

    A placement that cannot be routed is an answer, too. Raises RequestError if the device is too small, with by how
    much; ToolError if nextpnr fails or takes longer than `timeout_s`; Cancelled once `cancel` is set.
    """
    tool, nextpnr = _placer(device), program_of(device)
    report = folder / f"report-{seed}.json"
    log = folder / f"nextpnr-{seed}.log"
    placed = folder / f"placed-{seed}.json"
    arguments = (*device.arguments, *tool.arguments)
    program = [nextpnr, *(part.format(speed=speed) for part in arguments), "--timing-allow-fail"]
    program += _pinned(tool, device.sites, folder)
    place = ["--json", "netlist.json", "--seed", str(seed), "--freq", f"{target_mhz:g}"]
    place += ["--placer-heap-timingweight", str(timing_weight)] if placer == "heap" else ["--placer", placer]
    reported = ["--report", report.name]
    calls = [[*program, *place, *reported]]
    if device.route_target_mhz:
        route = ["--json", placed.name, "--no-pack", "--no-place", "--tmg-ripup"]
        calls = [[*program, *place, "--no-route", "--write", placed.name], [*program, *route, *reported]]
    report.unlink(missing_ok=True)
    began = time.monotonic()
    for call in calls:
        try:
            ended = run(call, folder, log, timeout_s=timeout_s, cancel=cancel)
        except subprocess.TimeoutExpired as error:
            raise ToolError(f"nextpnr: stopped without a result when its time was up; its log is {log}") from error
        _check_size(device, ended.said)
        made = report if call is calls[-1] else placed
        if ended.status or not made.exists():
            return _unrouted(seed, ended.said, ended.status, log)
        if made is placed:
            _retarget(placed, device.route_target_mhz)
    figures = json.loads(report.read_text())
    clocks = [entry["achieved"] for entry in figures["fmax"].values()]
    if not clocks:
        raise ToolError(f"nextpnr: reports no clock; its log is {log}")
    cells = figures["utilization"][tool.logic_cells]
    return PlacedRun(seed, min(clocks), cells["used"], cells["available"], round(time.monotonic() - began, 1))


def _unrouted(seed: int, text: str, status: int, log: Path) -> Unrouted:
    """The answer of a run without figures. Raises ToolError if it was not the router that gave up."""
    reasons = [line for line in text.splitlines() if line.startswith("ERROR")] or text.splitlines()[-1:]
    if reasons and _UNROUTED.match(reasons[0]):
        return Unrouted(seed, reasons[0].removeprefix("ERROR: "))
    raise ToolError(f"nextpnr: {' | '.join(reasons[:3]) or f'ended with {status}'}; its log is {log}")


def _retarget(placed: Path, target_mhz: float) -> None:
    """Set the clock that routing strives for: what nextpnr wrote with a placement outweighs its options."""
    design = json.loads(placed.read_text())
    for module in design["modules"].values():
        if "target_freq" in module.get("settings", {}):
            module["settings"]["target_freq"] = f"{1e6 * target_mhz:f}"
    placed.write_text(json.dumps(design))


def _check_size(device: Device, log: str) -> None:
    """Raise RequestError if the log says that a resource is not enough."""
    for resource, used, available in _UTILISATION.findall(log):
        if int(used) > int(available):
            more = 100 * (int(used) - int(available)) / int(available)
            raise RequestError(
                f"device: {device.name} is too small: it has {int(available):,} {resource} and the wrapped core needs "
                f"{int(used):,} ({more:.0f} % more)"
            )


def _pinned(placer: Placer, sites: Mapping[str, str], folder: Path) -> list[str]:
    """The options by which ports go to `sites`, by port; writes the file of them into `folder`."""
    if not sites:
        return []
    pins = placer.pins
    file = folder / f"wrapper.{pins.suffix}"
    file.write_text("".join(pins.line.format(port=port, pin=pin) + "\n" for port, pin in sites.items()))
    return [option.format(file=file.name) for option in pins.options]


def _placer(device: Device) -> Placer:
    if device.placer is None:
        raise RequestError(f"device: {device.name} has no open place and route: there are counts only")
    return device.placer


def _native(placer: Placer) -> str | None:
    return shutil.which(placer.native)


def _program(placer: Placer) -> str | None:
    """The wheel's program beside this Python, or else on the search path."""
    beside = Path(sys.executable).with_name(placer.wheel)
    return str(beside) if beside.exists() else shutil.which(placer.wheel)
