// AES-128 encryption a column at a time: four S-boxes for state and key, a slot of a round for each column and for a word
// of the key.
//
// Blocks and keys are 128 bits wide, and each is taken in one clock; a result stands whole, and leaves in one clock, which
// may be the one in which the next block comes.
module aesmith_column_core #(
  parameter int unsigned SboxStages = 2,
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [127:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  logic key_take, advance, key_advance, waits, load, key_word, kept, turn;
  logic [3:0] column;
  logic [7:0] round_constant;

  aesmith_column_sequencer #(
    .SboxStages(SboxStages)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .key_take_o      (key_take),
    .advance_o       (advance),
    .key_advance_o   (key_advance),
    .waits_o         (waits),
    .load_o          (load),
    .column_o        (column),
    .key_word_o      (key_word),
    .kept_o          (kept),
    .turn_o          (turn),
    .round_constant_o(round_constant)
  );

  aesmith_column_data_path #(
    .ClockGates(ClockGates)
  ) u_data_path (
    .clk_i,
    .enable_i        (advance),
    .key_take_i      (key_take),
    .key_advance_i   (key_advance),
    .waits_i         (waits),
    .load_i          (load),
    .column_i        (column),
    .key_word_i      (key_word),
    .kept_i          (kept),
    .turn_i          (turn),
    .round_constant_i(round_constant),
    .key_i,
    .block_i,
    .block_o
  );
endmodule
