// AES-128 encryption on shares, a column at a time: four masked S-boxes for state and key, whose ranks of registers hold a
// part of the state.
//
//   block, key ──▶ share 0 ──┐                ┌──▶ share 0 ──▶ result
//                  …         ├──▶ 4 S-boxes ──┤    …
//   block, key ──▶ share d ──┘                └──▶ share d ──▶ result
//
// Shares meet in S-boxes only. A word of random_i is taken in each clock in which the ranks move: Fresh bits for each
// S-box, those of row 0 lowest. Blocks, keys and results come and go a word in a clock, word 0 first.
module aesmith_masked_column_core #(
  parameter int unsigned Shares = 2,
  parameter int unsigned Clocks = 4, // of an S-box
  parameter int unsigned Fresh = 30, // bits that an S-box takes in a clock
  parameter bit ClockGates = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [Shares-1:0][31:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [Shares-1:0][31:0] block_i,

  input  logic random_valid_i,
  output logic random_ready_o,
  input  logic [4*Fresh-1:0] random_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [Shares-1:0][31:0] block_o
);
  // Banks of registers: the S-boxes; the rows, 0 to 3; the kept key; the round key; its last word.
  localparam int unsigned Banks = 8;

  logic [Banks-1:0] advance, clk, enable;
  logic key_take, load, mixed, kept, round_key, made, substituted, chained, stood, overtakes, passes;
  logic [7:0] constant;
  logic [Shares-1:0][3:0][7:0] entering, leaving;

  aesmith_masked_column_sequencer #(
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
    .move_o             (advance[0]),
    .row_advance_o      (advance[4:1]),
    .key_advance_o      (advance[5]),
    .round_key_advance_o(advance[6]),
    .last_word_advance_o(advance[7]),
    .key_take_o         (key_take),
    .load_o             (load),
    .mixed_o            (mixed),
    .kept_o             (kept),
    .round_key_o        (round_key),
    .made_o             (made),
    .substituted_o      (substituted),
    .chained_o          (chained),
    .stood_o            (stood),
    .overtakes_o        (overtakes),
    .passes_o           (passes),
    .constant_o         (constant)
  );

  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    aesmith_serial_clock_enable #(
      .ClockGates(ClockGates)
    ) u_clock_enable (
      .clk_i,
      .enable_i(advance[bank]),
      .clk_o   (clk[bank]),
      .enable_o(enable[bank])
    );
  end

  for (genvar share = 0; share < Shares; share++) begin : gen_share
    aesmith_masked_column_share u_share (
      .row_clk_i         (clk[4:1]),
      .row_enable_i      (enable[4:1]),
      .key_clk_i         (clk[5]),
      .key_enable_i      (enable[5]),
      .round_key_clk_i   (clk[6]),
      .round_key_enable_i(enable[6]),
      .last_word_clk_i   (clk[7]),
      .last_word_enable_i(enable[7]),
      .key_take_i        (key_take),
      .load_i            (load),
      .mixed_i           (mixed),
      .kept_i            (kept),
      .round_key_i       (round_key),
      .made_i            (made),
      .substituted_i     (substituted),
      .chained_i         (chained),
      .stood_i           (stood),
      .overtakes_i       (overtakes),
      .passes_i          (passes),
      .constant_i        (share == 0 ? constant : 8'h00),
      .key_i             (key_i[share]),
      .block_i           (block_i[share]),
      .block_o           (block_o[share]),
      .sbox_o            (entering[share]),
      .sbox_i            (leaving[share])
    );
  end

  for (genvar row = 0; row < 4; row++) begin : gen_row
    logic [Shares-1:0][7:0] x, y;

    for (genvar share = 0; share < Shares; share++) begin : gen_share
      assign x[share] = entering[share][row];
      assign leaving[share][row] = y[share];
    end
    aesmith_masked_sbox u_sbox (
      .clk_i   (clk[0]),
      .enable_i(enable[0]),
      .x_i     (x),
      .random_i(random_i[Fresh*row+:Fresh]),
      .y_o     (y)
    );
  end
endmodule
