"""Verilator on several wang2010 cores at once, printing what stands in R1 to R32 in every cycle."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from aesmith.cores.design import CoreDesign
from aesmith.flow.verilator import BUILD_FLAGS, find_verilator

_CORE = """
  int byte_{name};
  logic key_ready_{name}, block_ready_{name}, valid_{name};
  logic [7:0] result_{name};
  {name} u_{name} (
    .clk_i(clk), .rst_ni(rst_n),
    .key_valid_i(rst_n && cycle < 0), .key_ready_o(key_ready_{name}), .key_i(keys[cycle[3:0]]),
    .block_valid_i(cycle >= 1), .block_ready_o(block_ready_{name}), .block_i(blocks[byte_{name}[4:0]]),
    .block_valid_o(valid_{name}), .block_ready_i(1'b1), .block_o(result_{name})
  );
  always @(posedge clk) begin
    if (cycle < 0) byte_{name} <= 0;
    else if (cycle >= 1 && block_ready_{name}) byte_{name} <= byte_{name} + 1;
    if (cycle < 0 && rst_n && !key_ready_{name}) $display("{name} refuses the key");
    if (cycle >= 1) $display("{name} %0d %h%h%h%h %0d %h", cycle, {path}.u_key_expansion.ring_q,
      {path}.u_column_shift.shift_q, {path}.u_mix_columns.column_q[0],
      {path}.u_shift_rows.state_q, valid_{name}, result_{name});
  end
"""

# The sixteen bytes of the key come in cycles -16 to -1, so that R32 holds the first of them in cycle 1.
_BENCH = """
module bench (input logic clk);
  logic [7:0] keys [16];
  logic [7:0] blocks [32];
  int cycle;
  logic rst_n;
  initial begin
    $readmemh("key.hex", keys);
    $readmemh("blocks.hex", blocks);
    cycle = -20;
  end
  assign rst_n = cycle >= -16;
  always @(posedge clk) begin
    cycle <= cycle + 1;
    if (cycle == 260) $finish;
  end
{cores}
endmodule
"""

_MAIN = """
#include "Vbench.h"
#include "verilated.h"
int main() {
  Vbench bench;
  while (!Verilated::gotFinish()) {
    bench.clk = 0;
    bench.eval();
    bench.clk = 1;
    bench.eval();
  }
}
"""


Registers = dict[int, tuple[list[dict[int, int]], bytes]]


@pytest.fixture
def registers_in_hardware() -> Callable[..., Registers]:
    """The function that runs designs, and prints and reads their registers."""
    return _run


def _run(designs: Mapping[int, CoreDesign], folder: Path, key: bytes, block: bytes, following: bytes) -> Registers:
    """For each design: R1 to R32 in each cycle (entry 0 empty), and the bytes of the first result."""
    files = {source.name: source.text for design in designs.values() for source in design.sources}
    core = _CORE.replace("{path}", "u_{name}.u_core.u_data_path")
    cores = "".join(core.replace("{name}", design.name) for design in designs.values())
    files |= {"bench.sv": _BENCH.replace("{cores}", cores)}
    helpers = {"main.cpp": _MAIN, "key.hex": key.hex(" "), "blocks.hex": (block + following).hex(" ")}
    for name, text in (files | helpers).items():
        (folder / name).write_text(text)
    verilator = find_verilator(compiler=True)
    command = [str(verilator.command), "--cc", "--exe", "--build", "main.cpp", "-Wno-fatal", "--top-module", "bench"]
    build = subprocess.run(
        [*command, *BUILD_FLAGS, *files],
        cwd=folder,
        env=verilator.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert build.returncode == 0, build.stderr
    run = subprocess.run([folder / "obj_dir" / "Vbench"], cwd=folder, capture_output=True, text=True, check=True)
    assert "refuses" not in run.stdout
    lines = [line.split() for line in run.stdout.splitlines() if line[:1].isalpha()]
    found = {}
    for stages, design in designs.items():
        mine = [line for line in lines if line[0] == design.name]
        contents: list[dict[int, int]] = [{}]
        contents += [dict(enumerate(reversed(bytes.fromhex(line[2])), start=1)) for line in mine]
        left = [int(line[4], 16) for line in mine if line[3] == "1"]
        found[stages] = contents, bytes(left[:16])
    return found
