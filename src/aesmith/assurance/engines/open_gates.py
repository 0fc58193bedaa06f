"""That the scan enable of an engine is at each core that has clock gates; what it does there is shown of the core."""

from __future__ import annotations

import time
from pathlib import Path

from aesmith.assurance.engines.claims import delivered_cores
from aesmith.assurance.proof.elaborate import lowered
from aesmith.assurance.proof.netlist import TRUE
from aesmith.assurance.proof.open_gates import open_gates_part, scan_part
from aesmith.assurance.proof.report import Part, Verdict
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError
from aesmith.modes.engine import StreamEngine


def wiring_part(engine: StreamEngine, folder: Path) -> Part:
    """The part of the proof of an engine with a scan enable; cores and memories are left out. Raises ToolError if Yosys
    is missing or fails."""
    began = time.monotonic()
    cores = delivered_cores(engine)
    tops = {core.top for core in cores if core.ports.scan_enable is not None}
    boxes = sorted({core.top for core in cores} | {*engine.memories})
    try:
        module = lowered(engine, folder, boxes=boxes, chosen_parts=True, scan_enable=1)
    except CheckError as error:
        return scan_part(began, folder, Verdict.REFUSED, str(error))
    placed = [(cell.type.partition("$")[0], cell) for cell in module.cells.values()]
    reached = [top for top, cell in placed if top in tops and cell.pins["scan_enable_i"] == (TRUE,)]
    lost = [cell.name for top, cell in placed if top in tops and cell.pins["scan_enable_i"] != (TRUE,)]
    lost += sorted(tops - {*reached})
    if lost:
        return scan_part(began, folder, Verdict.OPEN, f"scan_enable_i does not reach {lost[0]}")
    return scan_part(began, folder, Verdict.PROVED, f"it is at {len(reached)} cores with clock gates")


def check_scan_enable(design: CoreDesign | StreamEngine, folder: Path) -> None:
    """Return if a scan enable opens every clock gate of the elaborated sources; Yosys' files stay in `folder`.

    Raises CheckError, naming a register or a core, if it does not, or is not shown to.
    """
    if isinstance(design, CoreDesign):
        parts = [open_gates_part(design, folder)]
    else:
        cores = [core for core in delivered_cores(design) if core.ports.scan_enable is not None]
        parts = [wiring_part(design, folder / "engine"), *(open_gates_part(each, folder / each.top) for each in cores)]
    for part in parts:
        if part.verdict is not Verdict.PROVED:
            raise CheckError(f"{design.name}: scan_enable: {part.detail}")
