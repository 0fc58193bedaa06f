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
  logic move, key_load, key_advance, load, turn, first, open, sbox_clk, sbox_enable;
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

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_sbox_enable (
    .clk_i,
    .enable_i(move),
    .clk_o   (sbox_clk),
    .enable_o(sbox_enable)
  );
  for (genvar i = 0; i < 20; i++) begin : gen_byte
    logic [Shares-1:0][7:0] x, y;

    for (genvar share = 0; share < Shares; share++) begin : gen_share
      if (i < 16) begin : gen_state
        assign x[share] = entering[share][i];
        assign substituted[share][i] = y[share];
      end else begin : gen_key
        assign x[share] = key_entering[share][i-16];
        assign key_substituted[share][i-16] = y[share];
      end
    end
    aesmith_masked_sbox u_sbox (
      .clk_i   (sbox_clk),
      .enable_i(sbox_enable),
      .x_i     (x),
      .random_i(random_i[Fresh*i+:Fresh]),
      .y_o     (y)
    );
  end
endmodule
