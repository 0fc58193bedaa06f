"""Icarus and the front end of the proofs: where a text is refused for it, they compute other levels; of texts that
are accepted they compute the same."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from aesmith.flow.yosys import run_script

from .texts import BARE, TEXTS

BENCH = """\
module bench;
  reg clk = 1'b0, rst_n = 1'b1, a, b;
  reg [127:0] block;
  wire flag;
  wire [127:0] result;
  integer clock;
  core u_core (.clk_i(clk), .rst_ni(rst_n), .a_i(a), .b_i(b), .bare_block(block), .flag_o(flag), .block_o(result));
  initial begin
    #1 rst_n = 1'b0;
    for (clock = 0; clock < 40; clock = clock + 1) begin
      #5 {a, b} = $random;
      block = {$random, $random, $random, $random};
      if (clock == 2) rst_n = 1'b1;
      #4 $display("%b %h", flag, result);
      #1 clk = 1'b1;
      #5 clk = 1'b0;
    end
    $finish;
  end
endmodule
"""

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is not installed"),
]


def levels(folder: Path, file: str) -> str | None:
    """What Icarus prints of a file under the bench; None if it does not read it."""
    (folder / "bench.v").write_text(BENCH)
    made = subprocess.run(
        ["iverilog", "-g2012", "-s", "bench", "-o", f"{file}.vvp", "bench.v", file],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        return None
    ran = subprocess.run(
        ["vvp", "-n", f"{file}.vvp"], cwd=folder, capture_output=True, text=True, timeout=30, check=True
    )
    return ran.stdout


def read(folder: Path, before: str, ending: str) -> tuple[str | None, str | None]:
    """The levels of a text, and of the netlist that the front end makes of it."""
    (folder / "text.sv").write_text(before + BARE.format(ending=ending))
    script = ["read_slang --top core text.sv", "proc", "flatten", "opt_clean", "write_verilog -noattr netlist.v"]
    run_script(script, folder / "log")
    return levels(folder, "text.sv"), levels(folder, "netlist.v")


@pytest.mark.parametrize("name", [name for name, case in TEXTS.items() if case.differs])
def test_icarus_computes_something_else_of_it(name: str, tmp_path: Path) -> None:
    case = TEXTS[name]
    of_text, of_netlist = read(tmp_path, case.before, case.wrong)
    assert of_text is not None
    assert of_netlist is not None
    assert of_text != of_netlist


@pytest.mark.parametrize("name", TEXTS)
def test_icarus_computes_the_same_of_what_is_accepted(name: str, tmp_path: Path) -> None:
    case = TEXTS[name]
    of_text, of_netlist = read(tmp_path, case.before if case.right_before is None else case.right_before, case.right)
    assert of_netlist is not None
    if of_text is None:
        pytest.skip("Icarus does not read it, and says so")
    assert of_text == of_netlist
