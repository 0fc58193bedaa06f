"""Reads a LibreLane configuration as the flow Classic does, with all its variables, and prints as JSON what comes of it
with each PDK. A PDK is an empty one of its name: what it would add is no business of a design's configuration."""

import json
import sys
import tempfile
from pathlib import Path

from librelane.config import Config
from librelane.config.flow import pdk_variables
from librelane.flows import Flow

PDKS = {
    "sky130A": "sky130_fd_sc_hd",
    "gf180mcuD": "gf180mcu_fd_sc_mcu7t5v0",
    "ihp-sg13g2": "sg13g2_stdcell",
}
LIBRARY = "STD_CELL_LIBRARY"

classic = Flow.factory.get("Classic")
variables = {each.name: each for each in pdk_variables if each.name == LIBRARY}
for listed in (*(step.get_all_config_variables() for step in classic.Steps), classic.config_vars):
    variables |= {each.name: each for each in listed if not each.pdk and each.name not in variables}
made = {}
with tempfile.TemporaryDirectory() as root:
    for pdk, library in PDKS.items():
        folder = Path(root, pdk, "libs.tech", "librelane")
        (folder / library).mkdir(parents=True)
        (folder / "config.tcl").write_text(f"set ::env({LIBRARY}) {library}\n")
        (folder / library / "config.tcl").write_text("")
        read, _ = Config.load(sys.argv[1], [*variables.values()], pdk=pdk, scl=library, pdk_root=root)
        names = ("DESIGN_NAME", "VERILOG_FILES", "PNR_SDC_FILE", "FP_SIZING", "DIE_AREA", "CORE_AREA", "FP_CORE_UTIL")
        made[pdk] = {name: str(read.get(name)) for name in names}
print(json.dumps(made))
