"""A core as others publish it: Verilog-2005 with a load pulse, in a folder, with the file that describes it."""

from __future__ import annotations

import shutil
from pathlib import Path

from aesmith.fields import aes

FOLDER = Path(__file__).parent / "standin"

DESCRIPTION = """\
origin = "a stand-in"
rtl = ["strobe.v"]
top = "strobe"
include = ["include"]
parameters = { ROUNDS = 10 }
language = "verilog-2005"
latency_cycles = 12
cycles_per_block = 11.05

[ports]
clock = "clk"
reset = "rst"
tied = { unused = 0 }

[ports.key]
data = "key"

[ports.block]
data = "do"
start = "ld"

[ports.result]
data = "final"
done = "done"
"""


def write_standin(folder: Path, *edits: tuple[str, str], description: str = DESCRIPTION) -> Path:
    """The stand-in in `folder`, each text of `edits` in its sources replaced by another; returns its description."""
    (folder / "include").mkdir(parents=True)
    shutil.copy(FOLDER / "functions.vh", folder / "include")
    entries = "_".join(f"{aes.SBOX[x]:02x}" for x in reversed(range(256)))
    table = f"localparam [2047:0] SBOX = 2048'h{entries};\nfunction [7:0] sbox(input [7:0] x);\n"
    (folder / "include" / "sbox.vh").write_text(f"{table}  sbox = SBOX[{{x, 3'd0}} +: 8];\nendfunction\n")
    for name in ("strobe.v", "beats.v"):
        shutil.copy(FOLDER / name, folder)
    for before, after in edits:
        files = [path for path in folder.rglob("*.v*") if path.name != "beats.v" and before in path.read_text()]
        assert files, before
        files[0].write_text(files[0].read_text().replace(before, after))
    path = folder / "strobe.toml"
    path.write_text(description)
    return path
