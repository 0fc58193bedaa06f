"""Cells in rows: a mapped netlist placed by Coloquinte, the placer of Coriolis.

Cells are as high as a row and as wide as their area says. Ports stand around the core in the order of their bits.
Clock and constant nets do not pull: a clock tree comes later, and constants are tied beside the cell.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from aesmith.errors import RequestError, ToolError
from aesmith.flow.placement.technology import PhysicalTechnology
from aesmith.processes import run
from aesmith.scratch import work_folder
from aesmith.timing.binding import BoundNetlist

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

EFFORT = 3
PER_MICROMETRE = 1000
"""Placing counts in whole nanometres."""
_LONGEST = 4.0
_TELL_WHEELS = "it has wheels for Python 3.11 and 3.12 on x86-64 Linux"


@dataclass(frozen=True, eq=False)
class CellPlacement:
    """Where everything is, in micrometres from the lower left corner of the core area.

    `left[i]`, `bottom[i]` and `width[i]` are of instance i, which is as high as a row. `ports` has the place of each
    bit of each port, by (port, index). `utilisation` is the area of cells over that of the core.
    """

    technology: PhysicalTechnology
    core_width_um: float
    core_height_um: float
    left: Floats
    bottom: Floats
    width: Floats
    ports: dict[tuple[str, int], tuple[float, float]]

    @property
    def utilisation(self) -> float:
        """Area of the cells over area of the core."""
        cells = float(self.width.sum()) * self.technology.row_height_um
        return cells / (self.core_width_um * self.core_height_um)

    def centre(self, instance: int) -> tuple[float, float]:
        """The middle of an instance, where its pins are taken to be."""
        x = float(self.left[instance] + self.width[instance] / 2)
        return x, float(self.bottom[instance]) + self.technology.row_height_um / 2


def check_placer() -> None:
    """Raise ToolError where the placer is not installed, with what to do about it."""
    if find_spec("coloquinte") is None:
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise ToolError(
            f"placement needs coloquinte, which is not installed: pip install 'aesmith[placed]'; {_TELL_WHEELS} "
            f"(this is Python {python})"
        )


def placer_version() -> str:
    """The version of the placer that is installed; empty without one."""
    return version("coloquinte") if find_spec("coloquinte") is not None else ""


def check_shape(utilisation: float, aspect: float) -> None:
    """Raise RequestError for a share or a shape that no core can have."""
    if not 0.1 <= utilisation <= 0.95:
        raise RequestError(f"utilisation: must be from 0.1 to 0.95, not {utilisation:g}")
    if not 1 / _LONGEST <= aspect <= _LONGEST:
        raise RequestError(f"aspect: height over width must be from {1 / _LONGEST:g} to {_LONGEST:g}, not {aspect:g}")


def place(
    bound: BoundNetlist,
    technology: PhysicalTechnology,
    *,
    utilisation: float,
    aspect: float = 1.0,
    seed: int = 1,
    before: CellPlacement | None = None,
) -> CellPlacement:
    """Place a netlist in a core of this utilisation and `aspect` (height over width).

    With `before`, a placement of the same instances whose sizes were others, they stay about where they were. The same
    for the same `seed`. Raises RequestError for shapes that cannot be, ToolError if there is no placer or it fails.
    """
    check_shape(utilisation, aspect)
    check_placer()
    site, height = (_nanometres(length) for length in (technology.site_um, technology.row_height_um))
    widths = np.array([technology.sites(cell) for cell in bound.cells], dtype=np.int64) * site
    rows = max(1, round(float(np.sqrt(widths.sum() * height / utilisation * aspect)) / height))
    across = max(int(np.ceil(widths.sum() / (utilisation * rows) / site)) * site, int(widths.max(initial=site)))
    up = rows * height
    where = [(port.name, index) for port in bound.netlist.ports.values() for index in range(len(port.nets))]
    spots = _around(len(where), across, up)
    x, y = np.zeros((2, len(widths)))
    if before is not None:
        x, y = before.left * (across / before.core_width_um), before.bottom * (up / before.core_height_um)
    job = {
        "widths": widths.tolist(),
        "height": height,
        "site": site,
        "across": across,
        "up": up,
        "spots": spots,
        "x": np.rint(x).astype(int).tolist(),
        "y": np.rint(y).astype(int).tolist(),
        "nets": _nets(bound),
        "effort": EFFORT,
        "seed": seed,
        "from_scratch": before is None,
    }
    found = _run(job)
    return CellPlacement(
        technology=technology,
        core_width_um=across / PER_MICROMETRE,
        core_height_um=up / PER_MICROMETRE,
        left=np.array(found["x"], dtype=np.float64) / PER_MICROMETRE,
        bottom=np.array(found["y"], dtype=np.float64) / PER_MICROMETRE,
        width=np.asarray(widths / PER_MICROMETRE, dtype=np.float64),
        ports={bit: (a / PER_MICROMETRE, b / PER_MICROMETRE) for bit, (a, b) in zip(where, spots, strict=True)},
    )


def _nanometres(micrometres: float) -> int:
    return round(PER_MICROMETRE * micrometres)


def _run(job: Mapping[str, object]) -> dict[str, list[int]]:
    with work_folder("placement") as folder:
        (folder / "job.json").write_text(json.dumps(job))
        command = [sys.executable, "-P", "-m", "aesmith.flow.placement.coloquinte_worker", "job.json", "result.json"]
        ended = run(command, folder, folder / "placer.log")
        if ended.status:
            last = ended.said.strip().rpartition("\n")[2]
            raise ToolError(f"the placer failed ({last or f'status {ended.status}'}); its log: {ended.log}")
        found: dict[str, list[int]] = json.loads((folder / "result.json").read_text())
    return found


def _around(count: int, across: int, up: int) -> list[tuple[int, int]]:
    """As many places at equal distances around a rectangle, from its lower left corner and against the clock."""
    spots = []
    for k in range(count):
        way = (k + 0.5) / count * 2 * (across + up)
        if way < across:
            spot = way, 0.0
        elif way < across + up:
            spot = across, way - across
        elif way < 2 * across + up:
            spot = 2 * across + up - way, up
        else:
            spot = 0.0, 2 * (across + up) - way
        spots.append((round(spot[0]), round(spot[1])))
    return spots


def _nets(bound: BoundNetlist) -> list[list[int]]:
    """What each net joins: instances by number, and behind them the bits of ports in order; clock and constants not."""
    members: dict[int, list[int]] = {}
    for index, instance in enumerate(bound.netlist.instances):
        for net in instance.pins.values():
            members.setdefault(net, []).append(index)
    number = len(bound.cells)
    for port in bound.netlist.ports.values():
        for net in port.nets:
            members.setdefault(net, []).append(number)
            number += 1
    still = {*bound.constants, bound.clock}
    return [joined for net, joined in members.items() if net not in still and len(set(joined)) > 1]
