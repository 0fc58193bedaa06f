// A core with a register at the inverter output, two blocks in flight: Ueno et al., TC 2020, section 5.2.
//
// A block alternates between the data register (slot A of the control) and the inverted register (slot B), while
// another is in the other one; each has its own key schedule, cut at the same place, and with Decrypts its own
// direction; else decrypt_i is 0.
//
//   block ─ map ─ path ─▶ data ─ 16 inverters ─▶ inverted ─ path ┬─▶ (next round)
//                                                                └ map ─ block
module aesmith_two_slot_core #(
  parameter bit Decrypts = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [127:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,
  input  logic decrypt_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  logic key_load, key_turn, key_start, key_run, key_run_next, key_sums_advance, round_key_advance;
  logic data_load, data_encrypt, data_decrypt, data_hold, inverted_advance;
  logic run_decrypt, selected_decrypt, first_decrypt, next_decrypt;
  logic [3:0] round;

  logic [15:0][7:0] block, key, initial_key, first_key, round_key, next_key, key_source;
  logic [3:0][7:0] early_word, next_early_word, first_early_word;
  logic [15:0][7:0] state_q, next_state, result;
  logic [15:0][9:0] inverted_d, inverted_q;

  aesmith_two_slot_sequencer #(
    .Decrypts(Decrypts)
  ) u_two_slot_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .decrypt_i,
    .block_valid_o,
    .block_ready_i,
    .key_load_o         (key_load),
    .key_turn_o         (key_turn),
    .data_load_o        (data_load),
    .data_encrypt_o     (data_encrypt),
    .data_decrypt_o     (data_decrypt),
    .data_hold_o        (data_hold),
    .inverted_advance_o (inverted_advance),
    .key_sums_advance_o (key_sums_advance),
    .round_key_advance_o(round_key_advance),
    .key_start_o        (key_start),
    .key_run_o          (key_run),
    .key_run_next_o     (key_run_next),
    .run_decrypt_o      (run_decrypt),
    .selected_decrypt_o (selected_decrypt),
    .first_decrypt_o    (first_decrypt),
    .next_decrypt_o     (next_decrypt),
    .round_o            (round)
  );

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aesmith_pre_round_map u_block_map (
      .x_i(block_i[127-8*i-:8]),
      .y_o(block[i])
    );
    aesmith_pre_round_map u_key_map (
      .x_i(key_i[127-8*i-:8]),
      .y_o(key[i])
    );
    aesmith_inverter u_inverter (
      .x_i(state_q[i]),
      .y_o(inverted_d[i])
    );
    aesmith_post_round_map u_post_round_map (
      .x_i(result[i]),
      .y_o(block_o[127-8*i-:8])
    );
  end

  aesmith_ueno2020_path u_path (
    .block_i           (block),
    .initial_key_i     (initial_key),
    .round_key_i       (round_key),
    .inverted_i        (inverted_q),
    .state_i           (state_q),
    .load_i            (data_load),
    .encrypt_i         (data_encrypt),
    .decrypt_i         (data_decrypt),
    .hold_i            (data_hold),
    .run_decrypt_i     (run_decrypt),
    .selected_decrypt_i(selected_decrypt),
    .next_o            (next_state),
    .result_o          (result)
  );

  aesmith_key_registers u_key_registers (
    .clk_i,
    .load_i       (key_load),
    .turn_i       (key_turn),
    .advance_i    (round_key_advance),
    .start_i      (key_start),
    .run_i        (key_run),
    .run_next_i   (key_run_next),
    .key_i        (key),
    .next_i       (next_key),
    .next_early_i (next_early_word),
    .first_early_i(first_early_word),
    .first_o      (first_key),
    .initial_key_o(initial_key),
    .round_key_o  (round_key),
    .source_o     (key_source),
    .early_o      (early_word)
  );
  aesmith_two_slot_key_schedule #(
    .Decrypts(Decrypts)
  ) u_key_schedule (
    .clk_i,
    .advance_i      (key_sums_advance),
    .key_i          (key_source),
    .early_i        (early_word),
    .decrypt_i      (selected_decrypt),
    .next_decrypt_i (next_decrypt),
    .round_i        (round),
    .key_o          (next_key),
    .early_o        (next_early_word),
    .first_i        (first_key),
    .first_decrypt_i(first_decrypt),
    .first_early_o  (first_early_word)
  );

  always_ff @(posedge clk_i) begin
    state_q <= next_state;
    if (inverted_advance) inverted_q <= inverted_d;
  end
endmodule
