"""The process in which a Yosys script runs: `python -m aesmith.flow.yosys_worker SCRIPT PARENT_PID`.

Yosys ends its whole process on any error, so it never runs in the process of the caller. On Linux this process also
ends when the caller dies in a way that leaves it no time to clean up.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

from pyosys import libyosys

PR_SET_PDEATHSIG = 1


def _end_with(parent: int) -> None:
    """Have the kernel kill this process when `parent` ends, however it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def main(script: str, parent: str) -> None:
    """Run the commands of `script`, one a line; any failure ends the process with status 1."""
    _end_with(int(parent))
    design = libyosys.Design()
    for line in Path(script).read_text().splitlines():
        libyosys.run_pass(line, design)
    libyosys.log_flush()
    sys.stdout.flush()
    # To take the design apart, object by object, would take a tenth of the time of a short script.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
