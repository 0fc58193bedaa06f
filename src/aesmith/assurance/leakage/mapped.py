"""A mapped netlist of anybody's, as Verilog or as Yosys' JSON, made what timing and simulation read."""

from __future__ import annotations

import os
from pathlib import Path

from aesmith.errors import RequestError
from aesmith.flow.synthesis import unpack
from aesmith.flow.yosys import run_script
from aesmith.technology.library import Library


def mapped_json(netlist: Path, top: str, library: Library, work_dir: Path) -> Path:
    """The flat netlist of module `top` as Yosys' JSON: the file itself, if it is JSON, else one in `work_dir`.

    Raises RequestError if the file is not there, ToolError if Yosys cannot read it as cells of the library.
    """
    if not netlist.is_file():
        raise RequestError(f"netlist: {netlist} is {'no file' if netlist.exists() else 'not there'}")
    if netlist.suffix == ".json":
        return netlist
    library.check_netlist(netlist.read_text(encoding="utf-8", errors="replace"), f"netlist: {netlist}")
    work_dir.mkdir(parents=True, exist_ok=True)
    cells = unpack(library, work_dir).name
    commands = [
        f"read_liberty -overwrite -lib -ignore_miss_func {cells}",
        f"read_verilog {os.path.relpath(netlist, work_dir)}",
        f"hierarchy -check -top {top}",
        "flatten",
        "opt_clean -purge",
        "splitnets",
        "check -mapped -assert",
        "write_json netlist.json",
    ]
    run_script(commands, work_dir / "netlist.log")
    return work_dir / "netlist.json"
