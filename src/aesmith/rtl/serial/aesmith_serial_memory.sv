// The 64 bytes of a core: one is written and one read in a clock, the one read comes a clock later and stays while
// enable_i is 0. A place is never read in the clock in which it is written. Block memories, look-up tables of an FPGA,
// or flip-flops where there are neither.
module aesmith_serial_memory (
  input  logic       clk_i,

  input  logic       write_i,
  input  logic [5:0] write_address_i,
  input  logic [7:0] data_i,

  input  logic       enable_i,
  input  logic [5:0] read_address_i,
  output logic [7:0] data_o
);
  logic [7:0] bytes_q [64];

  always_ff @(posedge clk_i) begin
    if (write_i) bytes_q[write_address_i] <= data_i;
  end
  always_ff @(posedge clk_i) begin
    if (enable_i) data_o <= bytes_q[read_address_i];
  end
endmodule
