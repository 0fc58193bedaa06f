"""A small core-shaped design for the tests: a package, parameters, generate loops, an enum, a module used often."""

from __future__ import annotations

import pytest

from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.ports import block_interface
from aesmith.publications import FIPS_197

PACKAGE = """
package toy_pkg;
  typedef enum logic [1:0] {Done, Idle, Run} state_e;
  function automatic logic [7:0] xtime(input logic [7:0] a);
    return {a[6:0], 1'b0} ^ (a[7] ? 8'h1b : 8'h00);
  endfunction
endpackage
"""

LEAF = """
module toy_leaf (
  input  logic [7:0] x_i,
  output logic [7:0] y_o
);
  logic [7:0] turned;
  assign turned = x_i ^ {x_i[6:0], x_i[7]};
  assign y_o = (turned & x_i) ^ 8'h63;
endmodule
"""

LAYER = """
module toy_layer #(
  parameter int unsigned Width = 8
) (
  input  logic [Width-1:0] x_i,
  output logic [Width-1:0] y_o
);
  for (genvar i = 0; i < Width / 8; i++) begin : gen_bytes
    toy_leaf u_leaf (.x_i(x_i[8*i+:8]), .y_o(y_o[8*i+:8]));
  end
endmodule
"""

TOP = """
module toy
  import toy_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        block_valid_i,
  output logic        block_ready_o,
  input  logic [15:0] block_i,
  output logic        block_valid_o,
  input  logic        block_ready_i,
  output logic [15:0] block_o
);
  state_e state_d, state_q;
  logic [3:0] round_d, round_q;
  logic [15:0] data_d, data_q, layer;
  logic [7:0] constant_q, spare;

  toy_layer #(.Width(16)) u_layer (.x_i(data_q), .y_o(layer));
  toy_layer #(.Width(8)) u_spare (.x_i(constant_q), .y_o(spare));

  always_comb begin
    state_d = state_q;
    round_d = round_q;
    data_d = data_q;
    unique case (state_q)
      Idle: if (block_valid_i) begin
        state_d = Run;
        data_d = block_i;
        round_d = '0;
      end
      Run: begin
        data_d = {layer[7:0], layer[15:8] ^ constant_q} ^ {spare, 8'h00};
        round_d = round_q + 4'd1;
        if (round_q == 4'd9) state_d = Done;
      end
      Done: if (block_ready_i) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  assign block_ready_o = state_q == Idle;
  assign block_valid_o = state_q == Done;
  assign block_o = data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      round_q <= '0;
    end else begin
      state_q <= state_d;
      round_q <= round_d;
    end
  end

  always_ff @(posedge clk_i) begin
    data_q <= data_d;
    constant_q <= state_q == Idle ? 8'h01 : xtime(constant_q);
  end
endmodule
"""


def _design(name: str, *sources: tuple[str, str]) -> CoreDesign:
    """A design with top `name` of the files given as (name, text), with the schedule facts of an AES-128 core."""
    return CoreDesign(
        name=name,
        preset=name,
        title=name,
        sources=tuple(SourceFile(file, text) for file, text in sources),
        key_bits=(128,),
        directions=(Direction.ENCRYPT,),
        ports=block_interface((128,), (Direction.ENCRYPT,)),
        cycles_per_block=10,
        latency_cycles=11,
        parameters={},
        publication=FIPS_197,
    )


@pytest.fixture(scope="session")
def toy() -> CoreDesign:
    """30 flip-flops: a state machine of 2 bits, a counter of 4, data of 16, a constant of 8."""
    return _design("toy", ("toy_pkg.sv", PACKAGE), ("toy_leaf.sv", LEAF), ("toy_layer.sv", LAYER), ("toy.sv", TOP))


@pytest.fixture(scope="session")
def two_registers() -> CoreDesign:
    """Registers only between ports: no path from a register to a register."""
    text = """
module two_registers (
  input  logic clk_i,
  input  logic [1:0] x_i,
  output logic y_o
);
  logic [1:0] x_q;
  always_ff @(posedge clk_i) x_q <= x_i;
  assign y_o = ^x_q;
endmodule
"""
    return _design("two_registers", ("two_registers.sv", text))
