"""A core as one Verilog-2005 file, for tools that take nothing newer."""

from __future__ import annotations

import re
import threading
from pathlib import Path

from aesmith.cores.design import Design
from aesmith.flow.frontend import read_commands, write_sources
from aesmith.flow.verilog_text import tidy
from aesmith.flow.yosys import run_script

_CHOICES = "t:$mux t:$pmux"


def verilog2005(design: Design, header: str, work_dir: Path, *, cancel: threading.Event | None = None) -> str:
    """The sources of `design` as one Verilog-2005 text: same modules, same ports, names of registers and wires kept.

    `header` (plain text) is its leading comment. The text depends on nothing but `design` and `header`. Intermediate
    files go to `work_dir`, which is made. Raises ToolError if Yosys is missing or refuses the sources.
    """
    work_dir.mkdir(parents=True, exist_ok=True)
    script = [
        *read_commands(design, write_sources(design, work_dir), keep_hierarchy=True, keep_processes=True),
        "proc -noopt",
        # An unreachable branch is undefined for the front end; the value that is left is the other branch's.
        f"opt_expr -mux_undef {_CHOICES}",
        "opt_clean",
        # Cells that have no expression in Verilog.
        "bwmuxmap",
        "bmuxmap",
        "demuxmap",
        "pmuxtree",
        f"opt_expr -mux_undef {_CHOICES}",
        "opt_clean",
        # What is still undefined is zero here as it is in synthesis, so that simulation cannot differ from the netlist.
        "setundef -zero",
        "write_verilog -noattr -decimal plain.v",
    ]
    run_script(script, work_dir / "verilog2005.log", cancel=cancel)
    text = re.sub(r"/\*.*?\*/\s*", "", (work_dir / "plain.v").read_text(), flags=re.DOTALL)
    comment = "".join(f"// {line}".rstrip() + "\n" for line in header.strip().splitlines())
    return f"{comment}\n{tidy(text)}" if comment else tidy(text)
