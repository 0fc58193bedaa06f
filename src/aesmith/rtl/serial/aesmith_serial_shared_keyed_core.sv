// AES encryption on bytes with one S-box for state and key, in rounds of 20 clocks. The key comes with each block, and is
// kept nowhere: the ring by itself.
//
// A byte of the key comes with each byte of the block. Of a key of 24 or 32 bytes it is the upper half of key_i, and the
// lower half is a byte beside it: 16 … 31 with bytes 0 … 15 of the block, or 16 … 23 with bytes 8 … 15.
module aesmith_serial_shared_keyed_core #(
  parameter int unsigned SboxStages = 4,
  parameter int unsigned KeyBytes = 16,
  parameter bit ClockGates = 1'b0,
  localparam int unsigned KeyWidth = KeyBytes > 16 ? 16 : 8
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [7:0] block_i,
  input  logic [KeyWidth-1:0] key_i,

  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [7:0] block_o
);
  logic filling, key_used, key_turns, unused_progress;
  assign unused_progress = ^{filling, key_used, key_turns};

  aesmith_serial_shared_ring #(
    .SboxStages(SboxStages),
    .KeyBytes  (KeyBytes),
    .ClockGates(ClockGates)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .block_valid_i,
    .block_ready_o,
    .block_i,
    .key_i        (key_i[KeyWidth-1-:8]),
    .later_key_i  (key_i[7:0]),
    .filling_o    (filling),
    .key_used_o   (key_used),
    .key_turns_o  (key_turns),
    .block_valid_o,
    .block_ready_i,
    .block_o
  );
endmodule
