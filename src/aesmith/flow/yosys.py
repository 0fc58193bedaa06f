"""Yosys: a design's sources as its input, a script run in a process of its own, and one error for all that goes wrong.

What the sources are read with is the slang front end, which comes with the `pyosys` wheel as Yosys itself does.
"""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from aesmith.cores.design import Design
from aesmith.errors import ToolError
from aesmith.flow.memories import memories_of
from aesmith.processes import Ended, check_space, run

SOURCE_FOLDER = "rtl"
DEFAULT_TIMEOUT_S = 1800.0
_REASONS_SHOWN = 3
_REASON = re.compile(r"\berror:", re.IGNORECASE)


def yosys_version() -> str:
    """Version of the pyosys wheel (Yosys, its SystemVerilog front end and ABC). Raises ToolError if not installed."""
    require_yosys()
    return metadata.version("pyosys")


def require_yosys() -> None:
    """Raise ToolError unless pyosys is installed."""
    if importlib.util.find_spec("pyosys") is None:
        raise ToolError("pyosys: not installed; install it with `pip install pyosys`")


def abc_path() -> Path:
    """The ABC that comes with pyosys. Raises ToolError if it is not there."""
    found = importlib.util.find_spec("pyosys")
    path = None if found is None or found.origin is None else Path(found.origin).parent / "yosys-abc"
    if path is None or not path.is_file():
        raise ToolError("abc: not found; it comes with pyosys, install that with `pip install pyosys`")
    return path


def write_sources(design: Design, work_dir: Path) -> list[str]:
    """Write the sources to `work_dir`/rtl; return their names relative to `work_dir`, in compile order."""
    folder = work_dir / SOURCE_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for source in design.sources:
        (folder / source.name).write_text(source.text)
    return [f"{SOURCE_FOLDER}/{source.name}" for source in design.sources]


def read_commands(
    design: Design,
    files: list[str],
    *,
    keep_hierarchy: bool,
    keep_processes: bool = False,
    boxed: bool = False,
    memories: bool = False,
) -> list[str]:
    """Yosys commands that elaborate `files` with the slang front end.

    With `keep_hierarchy` every instance becomes a module of its own, named *module*$*path of the instance*; without,
    one flat module results. With `keep_processes` the always blocks are left to a later `proc`, and expressions stay as
    they are written (the front end's own lowering rewrites them bit by bit).

    With `boxed` the memories of the design are modules with nothing inside.

    An unpacked array is registers, or wires, as in the proofs; a memory is what has an attribute like `ram_style`, or
    with `memories` any that can be one. Bits may be connected to ports that are enumerations where `design.enum_ports`
    says so: wrappers of other people's cores.
    """
    options = ("--keep-hierarchy " if keep_hierarchy else "") + ("--no-proc " if keep_processes else "")
    options += "--relax-enum-conversions " if getattr(design, "enum_ports", False) else ""
    options += "".join(f"--blackboxed-module {name} " for name in memories_of(design) if boxed)
    options += "" if memories else "--no-implicit-memories "
    return [
        f"read_slang {options}--top {design.top} {' '.join(files)}",
        f"hierarchy -check -top {design.top}",
    ]


def run_script(
    lines: Sequence[str],
    log_path: Path,
    *,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    cancel: threading.Event | None = None,
) -> float:
    """Run the Yosys commands `lines` with the folder of `log_path` as working directory; return the seconds it took.

    The commands are kept beside the log, with the suffix `.ys`. No process and no temporary file outlives the call,
    whether it ends well, fails, times out, or is interrupted. Raises ToolError if pyosys is missing, if Yosys fails
    (with the reason from its log), or if `timeout_s` seconds have passed; Cancelled once `cancel` is set.
    """
    require_yosys()
    folder = log_path.parent
    script = log_path.with_suffix(".ys")
    script.write_text("".join(f"{line}\n" for line in lines))
    command = [sys.executable, "-P", "-m", "aesmith.flow.yosys_worker", script.name, str(os.getpid())]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=".yosys-", dir=folder) as scratch:
        # Relative, because ABC takes no path with spaces.
        environment = {**os.environ, "TMPDIR": Path(scratch).name}
        try:
            ended = run(command, folder, log_path, environment=environment, timeout_s=timeout_s, cancel=cancel)
        except subprocess.TimeoutExpired as error:
            raise ToolError(f"yosys: stopped after {timeout_s:g} s without a result; its log is {log_path}") from error
    if ended.status:
        raise ToolError(f"yosys: {_reason(ended)}; its log is {log_path}")
    # Yosys ends well, too, when there was no room for all of a file.
    check_space("yosys", ended)
    return time.monotonic() - began


def _reason(ended: Ended) -> str:
    """What the log says of a failure: its first error lines, or its last line if none is marked as an error."""
    lines = [line.strip() for line in ended.said.splitlines() if line.strip()]
    errors = [line for line in lines if _REASON.search(line)]
    if errors:
        return " | ".join(errors[:_REASONS_SHOWN])
    last = lines[-1] if lines else "no output"
    return f"killed by {signal.Signals(-ended.status).name} after: {last}" if ended.status < 0 else last
