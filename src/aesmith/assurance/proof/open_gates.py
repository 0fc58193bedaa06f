"""That a scan enable opens every clock gate: at 1, each register behind one loads in every clock.

Constants decide it: with the port at 1 nothing but a 1 is left at the enable of each gate.
"""

from __future__ import annotations

import time
from pathlib import Path

from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import TRUE, Netlist
from aesmith.assurance.proof.report import Part, Verdict
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError

OPEN_GATES = "While scan_enable_i is 1 every clock gate is open: all registers load in each clock."
"""What is claimed of a design with a scan enable."""
SCAN_ASSUMED = "scan_enable_i is 0, except for the claim about 1; a scan test computes nothing."


def open_gates_part(design: CoreDesign, folder: Path) -> Part:
    """The part of the proof of a core with a scan enable. Raises ToolError if Yosys is missing or fails."""
    began = time.monotonic()
    try:
        netlist = elaborate(design, folder, scan_enable=1)
        gated, odd = registers_behind_gates(netlist), kept_by_a_gate(netlist)
    except CheckError as error:
        return scan_part(began, folder, Verdict.REFUSED, str(error))
    if odd:
        return scan_part(began, folder, Verdict.OPEN, f"{odd} may be kept by a clock gate while scan_enable_i is 1")
    return scan_part(
        began, folder, Verdict.PROVED, f"{len(netlist.registers)} registers, {gated} of them with gated clocks"
    )


def scan_part(began: float, folder: Path, verdict: Verdict, detail: str) -> Part:
    """A part that says so, begun at that time, whose files are in the folder."""
    seconds = time.monotonic() - began
    return Part("scan enable", OPEN_GATES, "elaboration", verdict, seconds, detail, (folder.name,))


def kept_by_a_gate(netlist: Netlist) -> str:
    """A register that a clock gate may keep from loading; empty if there is none."""
    driver = {gate.output: gate for gate in netlist.gates}
    for register in netlist.registers:
        if register.d != register.pin and driver[register.d].inputs[0] != TRUE:
            return register.name
    return ""


def registers_behind_gates(netlist: Netlist) -> int:
    """How many registers have a clock gate before them."""
    return sum(register.d != register.pin for register in netlist.registers)
