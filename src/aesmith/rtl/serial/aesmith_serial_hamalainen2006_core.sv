// AES-128 encryption on bytes with two S-boxes: after Hamalainen, Alho, Hannikainen and Hamalainen, "Design and
// Implementation of Low-Area and Low-Power AES Encryption Hardware Core", DSD 2006.
//
// The key is kept as it was sent, since the key expansion ends at the last round key.
module aesmith_serial_hamalainen2006_core #(
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
  logic key_take, key_whole, key_open, key_step, advance, mix_enable, load, accumulate, column_load, add_column;
  logic key_from_source, key_substitute, key_first_of_word, round_constant_enable;
  logic [3:0] round;
  logic [1:0] rotation;
  logic [11:0] state_enable;
  logic [15:0][7:0] key;
  logic [7:0] round_constant;

  aesmith_serial_hamalainen2006_sequencer u_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .key_whole_i        (key_whole),
    .key_open_o         (key_open),
    .key_step_o         (key_step),
    .round_o            (round),
    .advance_o          (advance),
    .state_enable_o     (state_enable),
    .mix_enable_o       (mix_enable),
    .load_o             (load),
    .rotation_o         (rotation),
    .accumulate_o       (accumulate),
    .column_load_o      (column_load),
    .add_column_o       (add_column),
    .key_from_source_o  (key_from_source),
    .key_substitute_o   (key_substitute),
    .key_first_of_word_o(key_first_of_word),
    .round_constant_o   (round_constant_enable)
  );

  aesmith_serial_key_store #(
    .Bytes     (16),
    .ClockGates(ClockGates)
  ) u_key_store (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .open_i (key_open),
    .step_i (key_step),
    .take_o (key_take),
    .whole_o(key_whole),
    .key_o  (key)
  );

  logic unused_key;
  assign unused_key = ^{key_take, key[15], key[13:11], key[9:2]};

  aesmith_round_constants u_round_constants (
    .x_i(round),
    .y_o(round_constant)
  );

  aesmith_serial_hamalainen2006_data_path #(
    .ClockGates(ClockGates)
  ) u_data_path (
    .clk_i,
    .rotation_i         (rotation),
    .advance_i          (advance),
    .state_enable_i     (state_enable),
    .mix_enable_i       (mix_enable),
    .load_i             (load),
    .accumulate_i       (accumulate),
    .column_load_i      (column_load),
    .add_column_i       (add_column),
    .key_from_source_i  (key_from_source),
    .key_substitute_i   (key_substitute),
    .key_first_of_word_i(key_first_of_word),
    .round_constant_i   (round_constant & {8{round_constant_enable}}),
    .key_i              (key[0]),
    .source_i           (key[1]),
    .source_13_i        (key[14]),
    .source_9_i         (key[10]),
    .block_i,
    .block_o
  );
endmodule
