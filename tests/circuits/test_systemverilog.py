"""Emitted leaf modules: they compute, in a Verilog simulator, what the circuit computes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Op
from aesmith.circuits.systemverilog import systemverilog
from aesmith.sboxes import canright2005, ueno2015


def every_gate() -> Circuit:
    builder = CircuitBuilder("every_gate")
    x, enable = builder.input("x", 3), builder.input("enable", 1)
    with builder.block("all of them"):
        outputs = [builder.gate(op, *([*x, *enable][: op.arity])) for op in Op]
    builder.output("y", outputs)
    builder.output("same", enable)
    return builder.build()


def simulated_table(circuit: Circuit, folder: Path) -> list[int]:
    iverilog = shutil.which("iverilog")
    if iverilog is None:
        pytest.skip("Icarus Verilog is not installed (Debian package iverilog)")
    ports, position = [], 0
    for port in circuit.inputs:
        ports.append(f".{port.name}_i(x[{position + port.width - 1}:{position}])")
        position += port.width
    outputs, offset = [], 0
    for port in circuit.outputs:
        ports.append(f".{port.name}_o(y[{offset + port.width - 1}:{offset}])")
        offset += port.width
        outputs.append(port.name)
    bench = f"""
module bench;
  reg [{circuit.input_width - 1}:0] x;
  wire [{circuit.output_width - 1}:0] y;
  integer i;
  {circuit.name} dut ({", ".join(ports)});
  initial for (i = 0; i < {1 << circuit.input_width}; i = i + 1) begin x = i; #1 $display("%h", y); end
endmodule
"""
    (folder / "dut.sv").write_text(systemverilog(circuit, "under test"))
    (folder / "bench.v").write_text(bench)
    program = folder / "bench"
    subprocess.run([iverilog, "-g2012", "-o", program, folder / "dut.sv", folder / "bench.v"], check=True)
    run = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    return [int(line, 16) for line in run.stdout.split()]


@pytest.mark.parametrize(
    "circuit", [every_gate(), ueno2015.inverter(), canright2005.combined()], ids=lambda circuit: circuit.name
)
def test_the_module_computes_the_circuit(circuit: Circuit, tmp_path: Path) -> None:
    assert simulated_table(circuit, tmp_path) == circuit.table()


def test_comments_name_the_equation_of_each_block() -> None:
    text = systemverilog(ueno2015.inverter(), "Inversion.\nUeno et al.", "my_inverter")
    assert text.startswith("// Inversion.\n// Ueno et al.\nmodule my_inverter (")
    assert "// stage 2: e_k, an RRB word of N^-1 in GF(2^4), without XOR" in text
    assert max(map(len, text.splitlines())) <= 120
