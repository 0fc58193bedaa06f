// A round-based core for both directions and all three key sizes, chosen with each key: as
// aesmith_round_encryption_decryption, with a window of 256 bits.
//
// key_bits_i goes with the key: 0, 1 or 2 for 128, 192 or 256 bits. A key shorter than 256 bits stands in the most
// significant bits of key_i; the others are not looked at. The round counter ends at 14 and begins later for fewer rounds.
module aesmith_selectable_encryption_decryption (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [255:0] key_i,
  input  logic [1:0] key_bits_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,
  input  logic decrypt_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  logic key_load, key_turn, data_advance, key_advance, data_load_phase, key_load_phase, run_decrypt, selected_decrypt;
  logic [3:0] round;
  logic [1:0] size_q, run_size_q, selected_size;

  logic [15:0][7:0] block, result, next_state, state_q;
  logic [31:0][7:0] key, initial_key_q, key_source, round_key_d, round_key_q;

  for (genvar i = 0; i < 16; i++) begin : gen_block
    aesmith_pre_round_map u_block_map (
      .x_i(block_i[127-8*i-:8]),
      .y_o(block[i])
    );
    aesmith_post_round_map u_post_round_map (
      .x_i(result[i]),
      .y_o(block_o[127-8*i-:8])
    );
  end
  for (genvar i = 0; i < 32; i++) begin : gen_key
    aesmith_pre_round_map u_key_map (
      .x_i(key_i[255-8*i-:8]),
      .y_o(key[i])
    );
  end

  aesmith_direction_sequencer #(
    .Rounds    (14),
    .Selectable(1'b1)
  ) u_direction_sequencer (
    .clk_i,
    .rst_ni,
    .first_round_i     ({1'b0, size_q == 2'd0, size_q[0], 1'b1}),
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .decrypt_i,
    .block_valid_o,
    .block_ready_i,
    .key_load_o        (key_load),
    .key_turn_o        (key_turn),
    .data_advance_o    (data_advance),
    .key_advance_o     (key_advance),
    .data_load_phase_o (data_load_phase),
    .key_load_phase_o  (key_load_phase),
    .run_decrypt_o     (run_decrypt),
    .selected_decrypt_o(selected_decrypt),
    .round_o           (round)
  );

  aesmith_data_path u_data_path (
    .block_i           (block),
    .initial_key_i     (initial_key_q[15:0]),
    .round_key_i       (round_key_q[15:0]),
    .next_key_i        (round_key_d[15:0]),
    .state_i           (state_q),
    .load_i            (data_load_phase),
    .run_decrypt_i     (run_decrypt),
    .selected_decrypt_i(selected_decrypt),
    .next_o            (next_state),
    .result_o          (result)
  );

  // A key of another size may come while a block is on its way.
  assign key_source = key_load_phase ? initial_key_q : round_key_q;
  assign selected_size = key_load_phase ? size_q : run_size_q;

  aesmith_selectable_key_schedule u_key_schedule (
    .key_i    (key_source),
    .size_i   (selected_size),
    .decrypt_i(selected_decrypt),
    .round_i  (round),
    .key_o    (round_key_d)
  );

  always_ff @(posedge clk_i) begin
    if (key_load | key_turn) initial_key_q <= key_load ? key : round_key_q;
    if (key_load) size_q <= key_bits_i;
    if (key_advance & key_load_phase) run_size_q <= size_q;
    if (data_advance) state_q <= next_state;
    if (key_advance) round_key_q <= round_key_d;
  end
endmodule
