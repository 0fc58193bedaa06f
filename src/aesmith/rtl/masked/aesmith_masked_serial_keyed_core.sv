// AES-128 encryption on shares of bytes; shares of the key come with each block, a byte with each of its bytes, and are
// kept nowhere: the ring by itself.
module aesmith_masked_serial_keyed_core #(
  parameter int unsigned Shares = 2,
  parameter int unsigned Fresh = 30, // bits that the S-box takes in a clock
  parameter bit ClockGates = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [Shares-1:0][7:0] block_i,
  input  logic [Shares-1:0][7:0] key_i,

  input  logic random_valid_i,
  output logic random_ready_o,
  input  logic [Fresh-1:0] random_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [Shares-1:0][7:0] block_o
);
  logic filling, unused_filling;
  assign unused_filling = filling;

  aesmith_masked_serial_ring #(
    .Shares    (Shares),
    .Fresh     (Fresh),
    .ClockGates(ClockGates)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .block_valid_i,
    .block_ready_o,
    .block_i,
    .key_i,
    .filling_o(filling),
    .random_valid_i,
    .random_ready_o,
    .random_i,
    .block_valid_o,
    .block_ready_i,
    .block_o
  );
endmodule
