// The memory of the semiblocks of a key that is wrapped or unwrapped: one port, a read or a write per clock, data one clock
// after a read, which stay until the next one. Any macro with these ports may take its place. What it holds of a key that
// was unwrapped is not verified. It is written in Verilog-2005, so that the one-file Verilog has the same text.
module aesmith_semiblock_memory #(
  parameter AddressBits = 10
) (
  input  wire clk_i,

  input  wire enable_i,
  input  wire write_i,
  input  wire [AddressBits-1:0] address_i,
  input  wire [63:0] data_i,
  output wire [63:0] data_o
);
  reg [63:0] semiblocks_q [0:(1<<AddressBits)-1];
  reg [63:0] data_q;

  always @(posedge clk_i) begin
    if (enable_i & write_i) semiblocks_q[address_i] <= data_i;
    if (enable_i & ~write_i) data_q <= semiblocks_q[address_i];
  end

  assign data_o = data_q;
endmodule
