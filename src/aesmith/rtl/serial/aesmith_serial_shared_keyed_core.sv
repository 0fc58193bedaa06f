// AES-128 encryption on bytes with one S-box for state and key, in rounds of 20 clocks. The key comes with each block, a
// byte of it with each byte of the block, and is kept nowhere: the ring by itself.
module aesmith_serial_shared_keyed_core #(
  parameter int unsigned SboxStages = 4,
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [7:0] block_i,
  input  logic [7:0] key_i,

  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [7:0] block_o
);
  logic filling, key_used, key_turns, unused_progress;
  assign unused_progress = ^{filling, key_used, key_turns};

  aesmith_serial_shared_ring #(
    .SboxStages(SboxStages),
    .ClockGates(ClockGates)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .block_valid_i,
    .block_ready_o,
    .block_i,
    .key_i,
    .later_key_i  (key_i),
    .filling_o    (filling),
    .key_used_o   (key_used),
    .key_turns_o  (key_turns),
    .block_valid_o,
    .block_ready_i,
    .block_o
  );
endmodule
