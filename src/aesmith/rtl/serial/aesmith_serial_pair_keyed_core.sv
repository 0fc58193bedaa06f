// AES-128 encryption on pairs of bytes with two S-boxes for state and key, in rounds of ten clocks. The key comes with each
// block, a pair of it with each pair of the block, and is kept nowhere: the ring by itself.
module aesmith_serial_pair_keyed_core #(
  parameter int unsigned SboxStages = 2,
  parameter bit ClockGates = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        block_valid_i,
  output logic        block_ready_o,
  input  logic [15:0] block_i,
  input  logic [15:0] key_i,

  output logic        block_valid_o,
  input  logic        block_ready_i,
  output logic [15:0] block_o
);
  logic unused_filling;

  aesmith_serial_pair_ring #(
    .SboxStages(SboxStages),
    .ClockGates(ClockGates)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .block_valid_i,
    .block_ready_o,
    .block_i,
    .key_i,
    .filling_o    (unused_filling),
    .block_valid_o,
    .block_ready_i,
    .block_o
  );
endmodule
