"""A netlist of library cells written as Verilog in a test, read by Yosys."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from aesmith.flow.yosys import run_script
from aesmith.technology.liberty import read_text
from aesmith.technology.library import Library
from aesmith.timing.netlist import CellNetlist, read_netlist


def parse_netlist(text: str, library: Library, top: str | None = None) -> CellNetlist:
    """The module of `text`, or `top` of several. Raises ToolError if Yosys does not read it, and what `read_netlist`
    raises."""
    return _parse(text, library.path, top)


@cache
def _parse(text: str, library: Path, top: str | None) -> CellNetlist:
    with tempfile.TemporaryDirectory(prefix="aesmith-netlist-") as scratch:
        folder = Path(scratch)
        (folder / "library.lib").write_text(read_text(library))
        (folder / "netlist.v").write_text(text)
        cells = "read_liberty -overwrite -lib -ignore_miss_func library.lib"
        run_script([cells, "read_verilog netlist.v", "write_json netlist.json"], folder / "yosys.log")
        return read_netlist(folder / "netlist.json", top)
