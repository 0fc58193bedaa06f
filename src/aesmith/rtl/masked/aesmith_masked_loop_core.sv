// AES-128 encryption on shares: 16 masked S-boxes for the state and four for the key, with a block in each of their ranks
// of registers, which are the states.
//
//   block, key ──▶ share 0 ──┐                 ┌──▶ share 0 ──▶ result
//                  …         ├──▶ 20 S-boxes ──┤    …
//   block, key ──▶ share d ──┘                 └──▶ share d ──▶ result
//
// Shares meet in S-boxes only. A word of random_i is taken in each clock in which the ranks move: Fresh bits for each
// S-box, those of byte 0 lowest, those of the key last.
module aesmith_masked_loop_core #(
  parameter int unsigned Shares = 2,
  parameter int unsigned Clocks = 4, // of an S-box, and so of a round
  parameter int unsigned Fresh = 30, // bits that an S-box takes in a clock
  parameter bit ClockGates = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [Shares-1:0][127:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [Shares-1:0][127:0] block_i,

  input  logic random_valid_i,
  output logic random_ready_o,
  input  logic [20*Fresh-1:0] random_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [Shares-1:0][127:0] block_o
);
  logic move, key_load, key_advance, load, turn, first, open;
  logic [7:0] constant;
  logic [Shares-1:0][15:0][7:0] entering, substituted;
  logic [Shares-1:0][3:0][7:0] key_entering, key_substituted;

  aesmith_masked_loop_sequencer #(
    .Clocks(Clocks)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .random_valid_i,
    .random_ready_o,
    .block_valid_o,
    .block_ready_i,
    .move_o       (move),
    .key_load_o   (key_load),
    .key_advance_o(key_advance),
    .load_o       (load),
    .turn_o       (turn),
    .first_o      (first),
    .open_o       (open),
    .constant_o   (constant)
  );

  for (genvar share = 0; share < Shares; share++) begin : gen_share
    aesmith_masked_loop_share #(
      .ClockGates(ClockGates)
    ) u_share (
      .clk_i,
      .key_load_i       (key_load),
      .key_advance_i    (key_advance),
      .load_i           (load),
      .turn_i           (turn),
      .first_i          (first),
      .open_i           (open),
      .constant_i       (share == 0 ? constant : 8'h00),
      .key_i            (key_i[share]),
      .block_i          (block_i[share]),
      .block_o          (block_o[share]),
      .sbox_o           (entering[share]),
      .key_sbox_o       (key_entering[share]),
      .substituted_i    (substituted[share]),
      .key_substituted_i(key_substituted[share])
    );
  end

  aesmith_masked_sboxes #(
    .Shares    (Shares),
    .Fresh     (Fresh),
    .ClockGates(ClockGates)
  ) u_sboxes (
    .clk_i,
    .move_i  (move),
    .random_i,
    .state_i (entering),
    .key_i   (key_entering),
    .state_o (substituted),
    .key_o   (key_substituted)
  );
endmodule
