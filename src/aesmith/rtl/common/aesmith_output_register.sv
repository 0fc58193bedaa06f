// A register behind an output: what is offered is taken into it, and offered by it a clock later. Nothing else goes into
// it, so it is still while the core works. It takes a result in the clock in which the one before it leaves.
module aesmith_output_register #(
  parameter int unsigned Width = 128
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
  logic [Width-1:0] data_q;

  assign ready_o = ~valid_q | ready_i;
  assign valid_o = valid_q;
  assign data_o = data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
    end else if (ready_o) begin
      valid_q <= valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i & ready_o) data_q <= data_i;
  end
endmodule
