"""The one-file Verilog of every preset: proved equal to the sources, and read by Icarus as Verilog-2005.

`python benchmarks/one_file_verilog.py [PRESET...]` prints a line for each and exits with 1 if one fails.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aesmith.cores.specification import build_design, presets
from aesmith.errors import CheckError, ToolError
from aesmith.flow.equality import prove_equal
from aesmith.flow.verilog2005 import verilog2005


def check(preset: str, folder: Path) -> str:
    """What was found, in a word or a sentence."""
    design = build_design(presets()[preset], "core", preset)
    text = verilog2005(design, "", folder)
    (folder / "core.v").write_text(text)
    try:
        prove_equal(design, text, folder / "equality")
    except (CheckError, ToolError) as error:
        return str(error)
    icarus = ["iverilog", "-g2005", "-o", str(folder / "core"), str(folder / "core.v")]
    read = subprocess.run(icarus, capture_output=True, text=True, check=False)
    return "equal" if read.returncode == 0 else read.stderr


def main(names: list[str]) -> int:
    failed = 0
    for preset in names or presets():
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="aesmith-one-file-") as folder:
            found = check(preset, Path(folder))
        failed += found != "equal"
        print(f"{preset:32} {time.monotonic() - began:6.1f} s  {found}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
