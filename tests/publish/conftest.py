"""A small hand-made cipher core behind the block interface: no AES, but everything that publishing looks at is there."""

from __future__ import annotations

import pytest

from aesmith.cores.design import CoreDesign, Direction, PublishedFigures, SourceFile
from aesmith.publications import PUBLICATIONS

SUBSTITUTE = """// Four gates in place of an S-box.
module NAME_substitute (
  input  logic [7:0] byte_i,
  output logic [7:0] byte_o
);
  assign byte_o = {byte_i[6:0], byte_i[7]} ^ (byte_i & {byte_i[4:0], byte_i[7:5]});
endmodule
"""

MIX = """// Mixes the four bytes of a column.
module NAME_mix (
  input  logic [31:0] column_i,
  output logic [31:0] column_o
);
  assign column_o = column_i ^ {column_i[23:0], column_i[31:24]} ^ {column_i[7:0], column_i[31:8]};
endmodule
"""

CONTROL = """// Counts the rounds and shakes hands.
module NAME_control (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic       block_valid_i,
  output logic       block_ready_o,
  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic       take_key_o,
  output logic       take_block_o,
  output logic       step_o
);
  logic [3:0] round_q, round_d;
  logic       keyed_q;
  assign block_valid_o = round_q == 4'd10;
  assign block_ready_o = keyed_q && (round_q == 4'd0 || (block_valid_o && block_ready_i));
  assign key_ready_o   = round_q == 4'd0;
  assign take_key_o    = key_valid_i && key_ready_o;
  assign take_block_o  = block_valid_i && block_ready_o && !take_key_o;
  assign step_o        = round_q != 4'd0 && !block_valid_o;
  always_comb begin
    round_d = round_q;
    if (take_block_o) round_d = 4'd1;
    else if (step_o) round_d = round_q + 4'd1;
    else if (block_valid_o && block_ready_i) round_d = 4'd0;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= 4'd0;
      keyed_q <= 1'b0;
    end else begin
      round_q <= round_d;
      keyed_q <= keyed_q || take_key_o;
    end
  end
endmodule
"""

TOP = """// Ten rounds of substitution and mixing, one a clock.
module NAME (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         key_valid_i,
  output logic         key_ready_o,
  input  logic [127:0] key_i,
  input  logic         block_valid_i,
  output logic         block_ready_o,
  input  logic [127:0] block_i,
  output logic         block_valid_o,
  input  logic         block_ready_i,
  output logic [127:0] block_o
);
  logic         take_key, take_block, step;
  logic [127:0] state_q, key_q, substituted, mixed;
  NAME_control u_control (
    .clk_i, .rst_ni, .key_valid_i, .key_ready_o, .block_valid_i, .block_ready_o, .block_valid_o, .block_ready_i,
    .take_key_o(take_key), .take_block_o(take_block), .step_o(step)
  );
  for (genvar i = 0; i < 16; i++) begin : gen_byte
    NAME_substitute u_substitute (.byte_i(state_q[8*i +: 8]), .byte_o(substituted[8*((i + 5) % 16) +: 8]));
  end
  for (genvar i = 0; i < 4; i++) begin : gen_column
    NAME_mix u_mix (.column_i(substituted[32*i +: 32]), .column_o(mixed[32*i +: 32]));
  end
  always_ff @(posedge clk_i) begin
    if (take_key) key_q <= key_i;
    if (take_block) state_q <= block_i ^ key_q;
    else if (step) state_q <= mixed ^ key_q;
  end
  assign block_o = state_q;
endmodule
"""


def make_design(name: str = "tiny") -> CoreDesign:
    """The small core under a name of choice."""
    texts = {
        f"{name}_substitute.sv": SUBSTITUTE,
        f"{name}_mix.sv": MIX,
        f"{name}_control.sv": CONTROL,
        f"{name}.sv": TOP,
    }
    return CoreDesign(
        name=name,
        preset="tiny",
        title="A small cipher for tests",
        sources=tuple(SourceFile(file, text.replace("NAME", name)) for file, text in texts.items()),
        key_bits=(128,),
        directions=(Direction.ENCRYPT,),
        block_width=128,
        cycles_per_block=10,
        latency_cycles=11,
        parameters={"sbox": "none", "rounds": 10},
        publication=PUBLICATIONS["fips197"],
        published=(PublishedFigures("Table 1, row 1", "another synthesiser", 1000.0, 17.38, 632.9, 719.64),),
    )


@pytest.fixture(scope="session")
def tiny() -> CoreDesign:
    return make_design()
