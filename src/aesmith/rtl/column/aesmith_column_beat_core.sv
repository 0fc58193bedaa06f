// AES-128 encryption a column at a time with channels of 32 bits: four S-boxes for state and key, a slot of a round for
// each column and for a word of the key.
//
// Blocks, keys and results come and go a word in a clock, word 0 first. Words of a result leave while those of the next
// block come, but do not wait for them: a sender may stop after any word.
module aesmith_column_beat_core #(
  parameter int unsigned SboxStages = 2,
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [31:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [31:0] block_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [31:0] block_o
);
  logic clk, enable, advance, key_take, key_advance, round_key_advance;
  logic first, entered, column_0, key_word, kept, turn;
  logic [7:0] round_constant;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_clock_enable (
    .clk_i,
    .enable_i(advance),
    .clk_o   (clk),
    .enable_o(enable)
  );

  aesmith_column_beat_sequencer #(
    .SboxStages(SboxStages)
  ) u_sequencer (
    .clk_i              (clk),
    .rst_ni,
    .enable_i           (enable),
    .advance_o          (advance),
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .key_take_o         (key_take),
    .key_advance_o      (key_advance),
    .round_key_advance_o(round_key_advance),
    .first_o            (first),
    .entered_o          (entered),
    .column_0_o         (column_0),
    .key_word_o         (key_word),
    .kept_o             (kept),
    .turn_o             (turn),
    .round_constant_o   (round_constant)
  );

  aesmith_column_beat_data_path #(
    .ClockGates(ClockGates)
  ) u_data_path (
    .clk_i              (clk),
    .enable_i           (enable),
    .ungated_clk_i      (clk_i),
    .key_take_i         (key_take),
    .key_advance_i      (key_advance),
    .round_key_advance_i(round_key_advance),
    .first_i            (first),
    .entered_i          (entered),
    .column_0_i         (column_0),
    .key_word_i         (key_word),
    .kept_i             (kept),
    .turn_i             (turn),
    .round_constant_i   (round_constant),
    .key_i,
    .block_i,
    .block_o
  );
endmodule
