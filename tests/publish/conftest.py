"""Small hand-made cores behind the block interface: no AES, but everything that publishing looks at is there."""

from __future__ import annotations

import pytest

from aesmith.cores.design import CoreDesign, Direction, PublishedFigures, SourceFile
from aesmith.cores.ports import block_interface
from aesmith.drawing.waveform import Trace
from aesmith.flow.measurement import Measurement, Optimise
from aesmith.publications import FIPS_197
from aesmith.publish.structure import Elaborated, elaborate
from aesmith.publish.trace import trace_core

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
        ports=block_interface((128,), (Direction.ENCRYPT,)),
        cycles_per_block=10,
        latency_cycles=11,
        parameters={"sbox": "none", "rounds": 10},
        publication=FIPS_197,
        published=(PublishedFigures("Table 1, row 1", "another synthesiser", 1000.0, 17.38, 632.9, 719.64),),
    )


@pytest.fixture(scope="session")
def tiny() -> CoreDesign:
    return make_design()


SERIAL = """// Takes a key and a block byte by byte; hands their sum back byte by byte.
module NAME (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [7:0] key_i,
  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [7:0] block_i,
  input  logic       decrypt_i,
  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [7:0] block_o
);
  logic [127:0] key_q, block_q;
  logic [4:0]   key_count_q, taken_q, given_q;
  assign key_ready_o   = key_count_q != 5'd16;
  assign block_ready_o = !key_ready_o && taken_q != 5'd16;
  assign block_valid_o = taken_q == 5'd16;
  assign block_o       = block_q[127:120] ^ key_q[127:120] ^ {8{decrypt_i}};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_count_q <= '0;
      taken_q     <= '0;
      given_q     <= '0;
    end else begin
      if (key_valid_i && key_ready_o) key_count_q <= key_count_q + 5'd1;
      if (block_valid_i && block_ready_o) taken_q <= taken_q + 5'd1;
      if (block_valid_o && block_ready_i) begin
        given_q <= given_q + 5'd1;
        if (given_q == 5'd15) begin
          given_q <= '0;
          taken_q <= '0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (key_valid_i && key_ready_o) key_q <= {key_q[119:0], key_i};
    else if (block_valid_o && block_ready_i) key_q <= {key_q[119:0], key_q[127:120]};
    if ((block_valid_i && block_ready_o) || (block_valid_o && block_ready_i)) block_q <= {block_q[119:0], block_i};
  end
endmodule
"""


@pytest.fixture(scope="session")
def serial() -> CoreDesign:
    """A byte-serial core with both directions."""
    return CoreDesign(
        name="serial",
        preset="serial",
        title="A byte-serial sum for tests",
        sources=(SourceFile("serial.sv", SERIAL.replace("NAME", "serial")),),
        key_bits=(128,),
        directions=(Direction.ENCRYPT, Direction.DECRYPT),
        ports=block_interface((128,), (Direction.ENCRYPT, Direction.DECRYPT), 8),
        cycles_per_block=32,
        latency_cycles=32,
        parameters={},
        publication=FIPS_197,
    )


@pytest.fixture(scope="session")
def tiny_trace(tiny: CoreDesign, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return trace_core(tiny, tmp_path_factory.mktemp("tiny_trace"))


@pytest.fixture(scope="session")
def serial_trace(serial: CoreDesign, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return trace_core(serial, tmp_path_factory.mktemp("serial_trace"))


@pytest.fixture(scope="session")
def tiny_netlist(tiny: CoreDesign, tmp_path_factory: pytest.TempPathFactory) -> Elaborated:
    return elaborate(tiny, tmp_path_factory.mktemp("tiny_netlist"))


@pytest.fixture(scope="session")
def measurement() -> Measurement:
    """Figures that were never measured: for what is printed of them."""
    return Measurement(
        design="tiny",
        area_ge=1234.5,
        logic_area_ge=1000.0,
        register_area_ge=234.5,
        period_ns=2.0,
        fmax_mhz=500.0,
        cycles_per_block=10,
        latency_cycles=11,
        latency_ns=22.0,
        throughput_gbps=6.4,
        efficiency_kbps_per_ge=5184.3,
        input_to_register_ns=None,
        register_to_output_ns=1.5,
        flip_flops=261,
        cells={"NAND2_X1": 3},
        critical_path=(),
        library="paper",
        library_digest="0123456789abcdef0123",
        corner="typical",
        optimise=Optimise.AREA,
        recipe="keep",
        tool_versions={"yosys": "1"},
        conditions=("no wires",),
        candidates=(),
        gaps={"input_to_register_ns": "no such path"},
    )
