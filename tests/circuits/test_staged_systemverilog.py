"""The RTL of a staged circuit is clean, and does in simulation what the circuit does, stalls and bubbles included."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Op
from aesmith.circuits.pipeline import Arrival, Required, pipeline
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.errors import RequestError
from aesmith.flow.verilator import find_verilator
from aesmith.sboxes import canright2005

TESTBENCH = """
module testbench;
  logic clk = 0, rst_n = 0, enable = 0, valid = 0, valid_out;
  logic [7:0] x = 0, y;
  sbox dut (.clk_i(clk), .rst_ni(rst_n), .enable_i(enable), .valid_i(valid), .x_i(x), .valid_o(valid_out), .y_o(y));
  integer next = 0, cycle;
  initial begin
    #1 rst_n = 1;
    for (cycle = 0; next < 256 || cycle % 64 != 0; cycle = cycle + 1) begin
      enable = cycle % 3 != 1;
      valid = cycle % 5 != 2 && next < 256;
      x = valid ? next : 8'h5a;
      #1 if (enable && valid_out) $display("%0d", y);
      if (enable && valid) next = next + 1;
      clk = 1;
      #1 clk = 0;
    end
  end
endmodule
"""


def simulated(tmp_path: Path, text: str) -> list[int]:
    """What the module gives for x = 0 to 255 in turn, stalled each third clock, with a bubble in each fifth."""
    if shutil.which("iverilog") is None:
        pytest.skip("iverilog is not installed")
    (tmp_path / "sbox.sv").write_text(text + TESTBENCH)
    subprocess.run(["iverilog", "-g2012", "-o", "sim", "sbox.sv"], cwd=tmp_path, check=True)
    run = subprocess.run(["vvp", "sim"], cwd=tmp_path, check=True, capture_output=True, text=True)
    return [int(line) for line in run.stdout.split()]


@pytest.mark.parametrize("stages", [1, 2, 3, 7])
def test_rtl_gives_the_table_through_stalls_and_bubbles(stages: int, tmp_path: Path) -> None:
    circuit = canright2005.forward()
    text = staged_systemverilog(pipeline(circuit, stages=stages), "S-box", "sbox", enable=True, valid=True)
    assert simulated(tmp_path, text) == circuit.table()


def test_a_wrong_register_shows_in_simulation(tmp_path: Path) -> None:
    circuit = canright2005.forward()
    text = staged_systemverilog(pipeline(circuit, stages=3), "S-box", "sbox", enable=True, valid=True)
    broken = text.replace("rank_2_q[0]", "rank_2_q[1]", 1)
    assert broken != text
    assert simulated(tmp_path, broken) != circuit.table()


def every_port() -> Circuit:
    """A circuit with a wire from input to output, a constant, an idle input bit, and one-bit ports."""
    builder = CircuitBuilder("ports")
    a, b, c = builder.input("a", 3), builder.input("b", 1), builder.input("c", 1)
    with builder.block("all gates"):
        value = builder.gate(Op.MUX, a[0], b[0], builder.not_(a[1]))
        value = builder.gate(Op.XOR3, value, a[0], b[0])
        value = builder.nand(value, a[1])
    builder.output("y", [builder.xor(value, c[0]), builder.one(), a[0]])
    builder.output("z", [builder.nor(value, b[0])])
    return builder.build()


@pytest.mark.parametrize(("enable", "valid"), [(False, False), (False, True), (True, False), (True, True)])
def test_lint_has_nothing_to_say(enable: bool, valid: bool, tmp_path: Path) -> None:
    texts = [
        staged_systemverilog(pipeline(every_port(), stages=n), "x", f"m{n}", enable=enable, valid=valid)
        for n in (1, 2, 3)
    ]
    later = pipeline(every_port(), stages=3, arrivals={"c": Arrival(2)}, required={"z": Required(1)})
    texts.append(staged_systemverilog(later, "x", "m4", enable=enable, valid=valid))
    verilator = find_verilator()
    for i, text in enumerate(texts, start=1):
        (tmp_path / f"m{i}.sv").write_text(text)
        run = subprocess.run(
            [str(verilator.command), "--lint-only", "-Wall", "--top-module", f"m{i}", f"m{i}.sv"],
            cwd=tmp_path,
            env=verilator.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr


def test_rtl_tells_stages_and_blocks() -> None:
    later = pipeline(every_port(), stages=3, arrivals={"c": Arrival(2)}, required={"z": Required(1)})
    text = staged_systemverilog(later, "What it is", "m")
    assert text.startswith(f"// What it is\n//\n// 3 stages, {later.register_bits} register bits.\n")
    assert "// c_i belongs to stage 3: 2 clocks after stage 1's inputs." in text
    assert "// z_o belongs to stage 2: 1 clock after stage 1's inputs." in text
    assert "  // all gates" in text
    assert "rst_ni" not in text
    assert "enable_i" not in text


def test_a_port_may_not_have_a_name_of_the_pipeline() -> None:
    builder = CircuitBuilder("clash")
    builder.output("y", builder.input("enable", 2))
    staged = pipeline(builder.build(), stages=1)
    with pytest.raises(RequestError, match="port enable"):
        staged_systemverilog(staged, "x", enable=True)
