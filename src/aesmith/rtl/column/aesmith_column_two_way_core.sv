// AES encryption and decryption a column at a time, with four S-boxes that do both, and channels of 32 bits.
module aesmith_column_two_way_core #(
  parameter int unsigned KeyBits = 128, // 128, 192 or 256; 0: as each key says
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [31:0] key_i,
  input  logic [1:0] key_bits_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [31:0] block_i,
  input  logic decrypt_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [31:0] block_o
);
  logic [2:0] words;
  logic key_take, key_advance, head, second_last, last_word, previous, substitute, whole;
  logic front_advance, back_advance, block_take, substituted, left, half, first, last, decrypt, substitutes;
  logic [3:1] from;
  logic [7:0] round_constant;
  logic [31:0] round_key, sum, sub_word;

  aesmith_column_two_way_sequencer #(
    .KeyBits(KeyBits)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_bits_i,
    .block_valid_i,
    .decrypt_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .words_o         (words),
    .key_take_o      (key_take),
    .key_advance_o   (key_advance),
    .head_o          (head),
    .second_last_o   (second_last),
    .last_word_o     (last_word),
    .previous_o        (previous),
    .substitute_o    (substitute),
    .whole_o         (whole),
    .round_constant_o(round_constant),
    .front_advance_o (front_advance),
    .back_advance_o  (back_advance),
    .block_take_o    (block_take),
    .substituted_o   (substituted),
    .from_o          (from),
    .left_o          (left),
    .half_o          (half),
    .first_o         (first),
    .last_o          (last),
    .decrypt_o       (decrypt),
    .substitutes_o   (substitutes)
  );

  aesmith_column_two_way_key #(
    .ClockGates(ClockGates)
  ) u_key (
    .clk_i,
    .words_i         (words),
    .advance_i       (key_advance),
    .take_i          (key_take),
    .head_i          (head),
    .second_last_i   (second_last),
    .last_i          (last_word),
    .previous_i        (previous),
    .substitute_i    (substitute),
    .whole_i         (whole),
    .round_constant_i(round_constant),
    .key_i,
    .sub_word_i      (sub_word),
    .head_o          (round_key),
    .sum_o           (sum)
  );

  aesmith_column_two_way_data_path #(
    .ClockGates(ClockGates)
  ) u_data_path (
    .clk_i,
    .front_advance_i(front_advance),
    .back_advance_i (back_advance),
    .take_i         (block_take),
    .substituted_i  (substituted),
    .from_i         (from),
    .left_i         (left),
    .half_i         (half),
    .first_i        (first),
    .last_i         (last),
    .decrypt_i      (decrypt),
    .substitutes_i  (substitutes),
    .round_key_i    (round_key),
    .key_word_i     (sum),
    .sub_word_o     (sub_word),
    .block_i,
    .block_o
  );
endmodule
