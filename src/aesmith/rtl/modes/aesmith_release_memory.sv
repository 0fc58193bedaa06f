// The memory in which decrypted text waits: one port, a read or a write per clock, data one clock after a read, which stay
// until the next one. Any macro with these ports may take its place; its contents are unverified plaintext.
module aesmith_release_memory #(
  parameter int unsigned AddressBits = 10
) (
  input  logic clk_i,

  input  logic enable_i,
  input  logic write_i,
  input  logic [AddressBits-1:0] address_i,
  input  logic [127:0] data_i,
  output logic [127:0] data_o
);
  logic [127:0] beats_q [2**AddressBits];
  logic [127:0] data_q;

  always_ff @(posedge clk_i) begin
    if (enable_i & write_i) beats_q[address_i] <= data_i;
    if (enable_i & ~write_i) data_q <= beats_q[address_i];
  end

  assign data_o = data_q;
endmodule
