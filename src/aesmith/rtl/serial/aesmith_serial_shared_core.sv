// AES encryption on bytes with one S-box for state and key, in rounds of 20 clocks, with a key that is kept: the ring, and
// the key as it was sent beside it, which turns by a byte with each byte of a block.
//
// A key is taken whenever no block is coming in: also while one is in its rounds, or its result leaves. A key longer than
// a block turns back to its start in the first round, and no other is taken before.
module aesmith_serial_shared_core #(
  parameter int unsigned SboxStages = 4,
  parameter int unsigned KeyBytes = 16,
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
  logic key_whole, key_take, may_come, room, filling, key_used, key_turns;
  logic [KeyBytes-1:0][7:0] key;
  logic [7:0] key_byte, later_key_byte;

  // A key that waits goes before a block that has not begun.
  assign may_come = filling | (key_whole & ~key_valid_i);
  assign block_ready_o = room & may_come;

  aesmith_serial_key_store #(
    .Bytes     (KeyBytes),
    .ClockGates(ClockGates)
  ) u_key_store (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .open_i (~filling & ~key_used),
    .step_i ((block_valid_i & block_ready_o) | key_turns),
    .take_o (key_take),
    .whole_o(key_whole),
    .key_o  (key)
  );

  // Of a key that comes while no block does the ring takes nothing: its bytes are open then.
  assign {key_byte, later_key_byte} = block_valid_i & may_come ? {key[0], key[KeyBytes-16]} : 'x;

  logic unused_key;
  assign unused_key = key_take ^ (^key[KeyBytes-1:1]);

  aesmith_serial_shared_ring #(
    .SboxStages(SboxStages),
    .KeyBytes  (KeyBytes),
    .ClockGates(ClockGates)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .block_valid_i(block_valid_i & may_come),
    .block_ready_o(room),
    .block_i,
    .key_i        (key_byte),
    .later_key_i  (later_key_byte),
    .filling_o    (filling),
    .key_used_o   (key_used),
    .key_turns_o  (key_turns),
    .block_valid_o,
    .block_ready_i,
    .block_o
  );
endmodule
