"""The timing constraints that travel with a build."""

from __future__ import annotations

from aesmith.cores.design import CoreDesign
from aesmith.flow.measurement import Measurement
from aesmith.publish.templating import render

UNMEASURED_PERIOD_NS = 10.0
MARGIN = 1.1


def constraints(design: CoreDesign, measurement: Measurement | None) -> str:
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
    size = ["key_bits_i"] if len(design.key_bits) > 1 else []
    direction = ["decrypt_i"] if len(design.directions) > 1 else []
    return render(
        "constraints.sdc",
        name=design.name,
        reason=reason,
        period=period,
        inputs=["key_valid_i", "key_i", *size, "block_valid_i", *direction, "block_i", "block_ready_i"],
        outputs=["key_ready_o", "block_ready_o", "block_valid_o", "block_o"],
        buses=["key_i", *size, "block_i", "block_o"],
    )
