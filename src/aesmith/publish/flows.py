"""What other people's flows read of a build: Bender's manifest, and layout by LibreLane and OpenROAD-flow-scripts.

A floorplan is of the measured area: gate equivalents, at the NAND2 of the process that the flow lays out in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from aesmith.cores.design import Design
from aesmith.flow.measurement import Measurement
from aesmith.publish.descriptions import UNMEASURED_PERIOD_NS, constrained_period_ns, constraints
from aesmith.publish.output import render

LAYOUT = "layout"
"""The folder of what layout reads."""
LAYOUT_SDC = f"{LAYOUT}/constraint.sdc"
UTILISATION = 0.45
"""Part of the core area that cells take, before clock tree, buffers and what another library makes of the design."""
MARGIN_UM = 20
"""Between the core area and each edge of the die."""
_GRID_UM = 10


@dataclass(frozen=True)
class LayoutProcess:
    """A process that layout is prepared for: its `name` as a platform of OpenROAD-flow-scripts, its PDK in LibreLane
    (none if that has none), how names of its libraries begin, and the area of its smallest NAND2 in µm²."""

    name: str
    pdk: str
    library: str
    nand2_um2: float


PROCESSES = (
    LayoutProcess("nangate45", "", "nangate45", 0.798),
    LayoutProcess("sky130hd", "sky130*", "sky130", 3.7536),
    LayoutProcess("ihp-sg13g2", "ihp-sg13g2*", "ihp", 7.2576),
)


@dataclass(frozen=True)
class Floorplan:
    """A square die of `side_um`, whose core area begins `margin_um` from each edge."""

    process: LayoutProcess
    side_um: int
    margin_um: int = MARGIN_UM

    @property
    def core_um(self) -> int:
        """The far edge of the core area."""
        return self.side_um - self.margin_um


def floorplan(area_ge: float, process: LayoutProcess) -> Floorplan:
    """A die in which cells of so many gate equivalents take `UTILISATION` of the core area, or a little less."""
    core = math.sqrt(area_ge * process.nand2_um2 / UTILISATION)
    return Floorplan(process, _GRID_UM * math.ceil((core + 2 * MARGIN_UM) / _GRID_UM))


def flow_files(design: Design, testbench: Sequence[str], measurement: Measurement | None) -> dict[str, str]:
    """The files by their paths in a build. `testbench` are the test bench's SystemVerilog files, as paths."""
    area = None if measurement is None else measurement.area_ge
    plans = [] if area is None else [floorplan(area, process) for process in PROCESSES]
    of = next((each for each in PROCESSES if measurement and measurement.library.startswith(each.library)), None)
    period = constrained_period_ns(measurement) if of is not None and measurement is not None else None
    values = {
        "design": design,
        "platform": (of or PROCESSES[0]).name,
        "measured": measurement,
        "period": UNMEASURED_PERIOD_NS if period is None else period,
        "plans": plans,
        "utilisation": round(100 * UTILISATION),
    }
    return {
        "Bender.yml": render("Bender.yml", design=design, testbench=list(testbench)),
        f"{LAYOUT}/config.yaml": render("layout/config.yaml", **values),
        f"{LAYOUT}/config.mk": render("layout/config.mk", **values),
        LAYOUT_SDC: constraints(design, measurement if period is not None else None, layout=True),
    }
