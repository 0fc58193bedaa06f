// Model of an integrated clock gate, to be replaced by the technology's cell; the only file with a latch.
//
// enable_i may change at any time in a clock; it counts as it is at the rising edge.
module aesmith_clock_gate (
  input  logic clk_i,
  input  logic enable_i,
  output logic clk_o
);
  logic enable_q;

  always_latch begin
    if (!clk_i) enable_q = enable_i;
  end
  assign clk_o = clk_i & enable_q;
endmodule
