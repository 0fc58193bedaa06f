"""That a mapped netlist does what the sources do, from reset on: sequential equivalence by ABC."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import time
from pathlib import Path

from aesmith.assurance.proof.report import Part, Verdict
from aesmith.cores.design import CoreDesign
from aesmith.errors import ToolError
from aesmith.flow.frontend import read_commands, write_sources
from aesmith.flow.synthesis import unpack
from aesmith.flow.yosys import run_script
from aesmith.technology.library import Library

STATEMENT = (
    "The mapped netlist gives the same outputs as the sources in every clock from reset on, the registers that reset "
    "leaves alone beginning with 0 in both."
)
_EQUIVALENT = "Networks are equivalent"
_DIFFERENT = re.compile(r"NOT EQUIVALENT|not equivalent", re.IGNORECASE)

# What a register holds under reset becomes its initial value: mapping may keep its complement.
_FINISH = (
    "flatten",
    "opt_dff -nodffe -nosdff",
    "techmap",
    "splitnets",
    "setattr -set init 1'b0 t:$_DFF_* %x:+[Q] w:* %i",
    "setattr -set init 1'b1 t:$_DFF_??1_ %x:+[Q] w:* %i",
    "async2sync",
    "techmap",
    "dfflegalize -cell $_DFF_P_ 01",
    "opt_clean",
)


def prove_mapped(design: CoreDesign, library: Library, netlist: Path, folder: Path, timeout_s: float = 1800.0) -> Part:
    """Compare a netlist of the library's cells with the sources; the files stay in `folder`, which is made.

    The part is OPEN if ABC ends without an answer or after `timeout_s`. Raises ToolError if Yosys or ABC is missing, or
    Yosys fails (which it does for a netlist of other cells).
    """
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    unpack(library, folder)
    (folder / "mapped.v").write_bytes(netlist.read_bytes())
    read = read_commands(design, write_sources(design, folder), keep_hierarchy=False)
    commands = [
        *read,
        "proc",
        *_FINISH,
        "write_blif sources.blif",
        "design -reset",
        "read_liberty -ignore_miss_func library.lib",
        "read_verilog mapped.v",
        f"hierarchy -check -top {design.top}",
        "proc",
        *_FINISH,
        "write_blif mapped.blif",
    ]
    run_script(commands, folder / "equivalence.log", timeout_s=timeout_s)
    script = "".join(
        f"read_blif {name}.blif; strash; zero; write_blif {name}_zero.blif; " for name in ("sources", "mapped")
    )
    script += "dsec sources_zero.blif mapped_zero.blif"
    (folder / "equivalence.abc").write_text(script.replace("; ", "\n") + "\n")
    verdict, detail = _answer(script, folder, timeout_s)
    return Part(
        "netlist", STATEMENT, "ABC dsec", verdict, time.monotonic() - began, detail, ("mapped.v", "equivalence.abc")
    )


def _answer(script: str, folder: Path, timeout_s: float) -> tuple[Verdict, str]:
    try:
        ran = subprocess.run(
            [_abc(), "-c", script], cwd=folder, capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired:
        return Verdict.OPEN, f"no answer after {timeout_s:g} s"
    (folder / "equivalence-abc.log").write_text(ran.stdout + ran.stderr)
    if _DIFFERENT.search(ran.stdout):
        return Verdict.REFUTED, "the netlist does something else than the sources"
    if _EQUIVALENT in ran.stdout:
        return Verdict.PROVED, "equivalent"
    return Verdict.OPEN, "ABC ended without an answer; see equivalence-abc.log"


def _abc() -> str:
    found = importlib.util.find_spec("pyosys")
    path = None if found is None or found.origin is None else Path(found.origin).parent / "yosys-abc"
    if path is None or not path.is_file():
        raise ToolError("abc: not found; it comes with pyosys, install that with `pip install pyosys`")
    return str(path)
