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
  logic key_take, key_advance, forward, rotate, substitute, whole;
  logic front_advance, back_advance, up, block_take, turn, first, last, backward, busy, key_word_enters, result_up;
  logic [7:0] round_constant;
  logic [31:0] encrypt_word, third_last, decrypt_word, last_word, key_word, sub_word;

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
    .forward_o       (forward),
    .rotate_o        (rotate),
    .substitute_o    (substitute),
    .whole_o         (whole),
    .round_constant_o(round_constant),
    .front_advance_o (front_advance),
    .back_advance_o  (back_advance),
    .up_o            (up),
    .block_take_o    (block_take),
    .turn_o          (turn),
    .first_o         (first),
    .last_o          (last),
    .backward_o      (backward),
    .busy_o          (busy),
    .key_word_o      (key_word_enters),
    .result_up_o     (result_up)
  );

  aesmith_column_two_way_key #(
    .ClockGates(ClockGates)
  ) u_key (
    .clk_i,
    .words_i         (words),
    .advance_i       (key_advance),
    .take_i          (key_take),
    .forward_i       (forward),
    .rotate_i        (rotate),
    .substitute_i    (substitute),
    .whole_i         (whole),
    .round_constant_i(round_constant),
    .key_i,
    .sub_word_i      (sub_word),
    .first_o         (encrypt_word),
    .third_last_o    (third_last),
    .second_last_o   (decrypt_word),
    .last_o          (last_word)
  );

  always_comb begin
    key_word = last_word;
    if (backward) key_word = busy ? decrypt_word : third_last;
  end

  aesmith_column_two_way_data_path #(
    .ClockGates(ClockGates)
  ) u_data_path (
    .clk_i,
    .front_advance_i(front_advance),
    .back_advance_i (back_advance),
    .up_i           (up),
    .take_i         (block_take),
    .turn_i         (turn),
    .first_i        (first),
    .last_i         (last),
    .decrypt_i      (backward),
    .substitutes_i  (key_word_enters),
    .result_up_i    (result_up),
    .key_word_i     (key_word),
    .encrypt_word_i (encrypt_word),
    .decrypt_word_i (decrypt_word),
    .sub_word_o     (sub_word),
    .block_i,
    .block_o
  );
endmodule
