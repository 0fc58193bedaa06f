// AES-128 encryption on shares of bytes with one masked S-box for state and key, in rounds of 20 clocks. A byte of the key
// comes with each byte of a block.
//
//   block, key ──▶ share 0 ──┐            ┌──▶ share 0 ──▶ result
//                  …         ├──▶ S-box ──┤    …
//   block, key ──▶ share d ──┘            └──▶ share d ──▶ result
//
// Shares meet in the S-box only. A word of random_i is taken in each clock in which the ring moves.
module aesmith_masked_serial_ring #(
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
  output logic filling_o, // a block has begun to come, and is not whole

  input  logic random_valid_i,
  output logic random_ready_o,
  input  logic [Fresh-1:0] random_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [Shares-1:0][7:0] block_o
);
  logic move, move_clk, move_enable, words_clk, words_enable;
  logic enter, round, turn, sum_u, last_u, first_rest, substitute, schedule, chain;
  logic [3:0] swap;
  logic [7:0] constant;
  logic [Shares-1:0][7:0] entering, substituted;

  aesmith_masked_serial_sequencer u_sequencer (
    .clk_i,
    .rst_ni,
    .move_clk_i   (move_clk),
    .move_enable_i(move_enable),
    .move_o       (move),
    .block_valid_i,
    .block_ready_o,
    .filling_o,
    .random_valid_i,
    .random_ready_o,
    .block_valid_o,
    .block_ready_i,
    .enter_o      (enter),
    .round_o      (round),
    .turn_o       (turn),
    .swap_o       (swap),
    .sum_u_o      (sum_u),
    .last_u_o     (last_u),
    .first_rest_o (first_rest),
    .substitute_o (substitute),
    .schedule_o   (schedule),
    .chain_o      (chain),
    .constant_o   (constant)
  );

  for (genvar share = 0; share < Shares; share++) begin : gen_share
    aesmith_masked_serial_share u_share (
      .clk_i         (move_clk),
      .enable_i      (move_enable),
      .words_clk_i   (words_clk),
      .words_enable_i(words_enable),
      .enter_i       (enter),
      .round_i       (round),
      .turn_i        (turn),
      .swap_i        (swap),
      .sum_u_i       (sum_u),
      .last_u_i      (last_u),
      .first_rest_i  (first_rest),
      .substitute_i  (substitute),
      .schedule_i    (schedule),
      .chain_i       (chain),
      .constant_i    (share == 0 ? constant : 8'h00),
      .key_i         (key_i[share]),
      .block_i       (block_i[share]),
      .block_o       (block_o[share]),
      .sbox_o        (entering[share]),
      .substituted_i (substituted[share])
    );
  end

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_move_enable (
    .clk_i,
    .enable_i(move),
    .clk_o   (move_clk),
    .enable_o(move_enable)
  );
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_words_enable (
    .clk_i,
    .enable_i(move & ~turn),
    .clk_o   (words_clk),
    .enable_o(words_enable)
  );
  aesmith_masked_sbox u_sbox (
    .clk_i   (move_clk),
    .enable_i(move_enable),
    .x_i     (entering),
    .random_i,
    .y_o     (substituted)
  );
endmodule
