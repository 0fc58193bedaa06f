"""Map a Verilog file to a library with Yosys: synthesise.py LIBRARY SOURCE TOP NETLIST (LIBRARY is a name or a path).

A script of its own, because Yosys ends the process it runs in when anything is wrong.
"""

import sys
from pathlib import Path

from pyosys import libyosys

from aesmith.technology.registry import library_by


def main(name: str, source: str, top: str, netlist: str) -> None:
    library = library_by(name)
    high, low = library.tie_high, library.tie_low
    assert high is not None
    assert low is not None
    forbidden = "".join(f" -dont_use {cell}" for cell in library.not_for_synthesis)
    design = libyosys.Design()
    for command in (
        f"read_liberty -overwrite -lib -ignore_miss_func {library.path}",
        f"read_verilog -sv {source}",
        f"synth -flatten -top {top}",
        f"dfflibmap -liberty {library.path}{forbidden}",
        f"abc -liberty {library.path}{forbidden}",
        "setundef -zero",
        f"hilomap -singleton -hicell {high.cell.name} {high.pin} -locell {low.cell.name} {low.pin}",
        f"rename -hide {top}/w:* {top}/i:* %d {top}/o:* %d",
        "opt_clean -purge",
        "splitnets",
        "check -mapped -assert",
        f"write_verilog -noattr -noexpr -nohex -simple-lhs {netlist}",
        f"write_json {Path(netlist).with_suffix('.json')}",
    ):
        libyosys.run_pass(command, design)


if __name__ == "__main__":
    main(*sys.argv[1:])
