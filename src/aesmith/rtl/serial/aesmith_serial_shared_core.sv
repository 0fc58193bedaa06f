// AES-128 encryption on bytes with one S-box for state and key, in rounds of 20 clocks, with a key that is kept: the ring,
// and the key as it was sent beside it, which turns by a byte with each byte of a block.
//
// A key is taken whenever no block is coming in: also while one is in its rounds, or its result leaves.
module aesmith_serial_shared_core #(
  parameter int unsigned SboxStages = 4,
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [7:0] key_i,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [7:0] block_i,

  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [7:0] block_o
);
  logic key_whole, key_take, may_come, room, filling;
  logic [15:0][7:0] key;

  // A key that waits goes before a block that has not begun.
  assign may_come = filling | (key_whole & ~key_valid_i);
  assign block_ready_o = room & may_come;

  aesmith_serial_key_store #(
    .ClockGates(ClockGates)
  ) u_key_store (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .open_i (~filling),
    .step_i (block_valid_i & block_ready_o),
    .take_o (key_take),
    .whole_o(key_whole),
    .key_o  (key)
  );

  logic unused_key;
  assign unused_key = key_take ^ (^key[15:1]);

  aesmith_serial_shared_ring #(
    .SboxStages(SboxStages),
    .ClockGates(ClockGates)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .block_valid_i(block_valid_i & may_come),
    .block_ready_o(room),
    .block_i,
    .key_i        (key[0]),
    .filling_o    (filling),
    .block_valid_o,
    .block_ready_i,
    .block_o
  );
endmodule
