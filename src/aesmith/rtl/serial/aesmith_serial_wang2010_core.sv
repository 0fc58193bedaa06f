// AES encryption on bytes with one S-box: Wang and Heys, "Using a Pipelined S-Box in Compact AES Hardware
// Implementations", 2010.
//
// The S-box has SboxStages stages; the publication's keys have 16 bytes. The key is kept as it was sent, since the key
// ring ends at the last round key.
module aesmith_serial_wang2010_core #(
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
  logic key_whole, key_take, key_open, key_step;
  logic advance, sbox_key, first_of_word, substitute;
  logic state_enable, mix_enable, accumulate, bypass, column_enable, column_load, add_column, add_tail;
  logic key_shift, key_turn, key_tail, key_load, key_chain, key_late, key_own, key_plain;
  logic [1:0] rotation;
  logic [7:0] round_constant;
  logic [KeyBytes-1:0][7:0] key;

  aesmith_serial_wang2010_sequencer #(
    .SboxStages(SboxStages),
    .KeyBytes  (KeyBytes),
    .ClockGates(ClockGates)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .key_whole_i     (key_whole),
    .key_open_o      (key_open),
    .key_step_o      (key_step),
    .advance_o       (advance),
    .sbox_key_o      (sbox_key),
    .first_of_word_o (first_of_word),
    .substitute_o    (substitute),
    .state_enable_o  (state_enable),
    .rotation_o      (rotation),
    .mix_enable_o    (mix_enable),
    .accumulate_o    (accumulate),
    .bypass_o        (bypass),
    .column_enable_o (column_enable),
    .column_load_o   (column_load),
    .add_column_o    (add_column),
    .add_tail_o      (add_tail),
    .key_shift_o     (key_shift),
    .key_turn_o      (key_turn),
    .key_tail_o      (key_tail),
    .key_load_o      (key_load),
    .key_chain_o     (key_chain),
    .key_late_o      (key_late),
    .key_own_o       (key_own),
    .key_plain_o     (key_plain),
    .round_constant_o(round_constant)
  );

  aesmith_serial_key_store #(
    .Bytes     (KeyBytes),
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
  assign unused_key = key_take ^ (^key[KeyBytes-1:1]);

  aesmith_serial_wang2010_data_path #(
    .SboxStages(SboxStages),
    .KeyBytes  (KeyBytes),
    .ClockGates(ClockGates)
  ) u_data_path (
    .clk_i,
    .rotation_i      (rotation),
    .sbox_enable_i   (advance),
    .sbox_key_i      (sbox_key),
    .first_of_word_i (first_of_word),
    .substitute_i    (substitute),
    .state_enable_i  (state_enable),
    .mix_enable_i    (mix_enable),
    .accumulate_i    (accumulate),
    .bypass_i        (bypass),
    .column_enable_i (column_enable),
    .column_load_i   (column_load),
    .add_column_i    (add_column),
    .add_tail_i      (add_tail),
    .key_shift_i     (key_shift),
    .key_turn_i      (key_turn),
    .key_tail_i      (key_tail),
    .key_load_i      (key_load),
    .key_chain_i     (key_chain),
    .key_late_i      (key_late),
    .key_own_i       (key_own),
    .key_plain_i     (key_plain),
    .round_constant_i(round_constant),
    .key_i           (key[0]),
    .block_i,
    .block_o
  );
endmodule
