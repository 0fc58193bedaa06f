// A register on the way of a stream, which carries a transfer in every clock; or, if it is not `Held`, the wires alone. Ready
// leads through it.
module aesmith_stream_register #(
  parameter int unsigned Width = 1,
  parameter bit Held = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic valid_i,
  output logic ready_o,
  input  logic [Width-1:0] data_i,

  output logic valid_o,
  input  logic ready_i,
  output logic [Width-1:0] data_o
);
  logic valid_q;
  assign ready_o = ready_i | (Held & ~valid_q);
  assign valid_o = Held ? valid_q : valid_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= Held & (valid_i | ~ready_o);
  end

  if (Held) begin : gen_held
    logic [Width-1:0] data_q;
    assign data_o = data_q;
    always_ff @(posedge clk_i) if (ready_o & valid_i) data_q <= data_i;
  end else begin : gen_wires
    assign data_o = data_i;
  end
endmodule
