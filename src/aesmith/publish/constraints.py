"""The timing constraints that travel with a build, for the ports that its design states."""

from __future__ import annotations

from aesmith.cores.design import Design
from aesmith.cores.ports import PortDirection
from aesmith.flow.measurement import Measurement
from aesmith.publish.templating import render

UNMEASURED_PERIOD_NS = 10.0
MARGIN = 1.1


def constraints(design: Design, measurement: Measurement | None) -> str:
    """The SDC text. The period is the measured one and a margin, or a placeholder that says so."""
    if measurement is not None and measurement.period_ns is not None:
        period = measurement.period_ns * MARGIN
        reason = (
            f"The period is the one measured with {measurement.library} ({measurement.corner}, "
            f"{measurement.optimise}) and 10 %: set it for your library."
        )
    else:
        period = UNMEASURED_PERIOD_NS
        reason = "The period is a placeholder, for nothing was measured: set it for your library."
    ports = design.ports
    sides: dict[PortDirection, list[str]] = {PortDirection.INPUT: [], PortDirection.OUTPUT: []}
    for port in ports:
        if port.role not in ("clock", "reset"):
            sides[port.direction].append(f"{port.name}[*]" if port.bits > 1 else port.name)
    return render(
        "constraints.sdc",
        name=design.name,
        reason=reason,
        period=period,
        clock=ports.clock,
        inputs=sides[PortDirection.INPUT],
        outputs=sides[PortDirection.OUTPUT],
        reset=ports.reset,
    )
