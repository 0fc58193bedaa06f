// A round-based core for both directions: registers, sequencer and channels around a data path and a key schedule.
//
// All bytes inside are in the basis of the state register; the maps of blocks and keys into it and of results out of
// it stand only here (they are wires if that basis is the AES field's own). Byte 0 of FIPS-197 is the most significant
// byte of a port, and element 0 inside. The initial key register holds the key, or to decrypt the other end of the
// expanded key; the round key register is a window of KeyBits bits of it, whose first four words are the round key.
//
//   block ─ map ─ data path ─┬▶ data register ─▶ data path     key ─ map ─┬▶ initial key ─┬─ key schedule ─▶ round key
//                            └─ map ─ block                               └──────◀────────┴────────◀───────────┘
module aesmith_round_encryption_decryption #(
  parameter int unsigned Rounds = 10,
  parameter bit Overlap = 1'b1,
  parameter int unsigned KeyBits = 128
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [KeyBits-1:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,
  input  logic decrypt_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  localparam int unsigned KeyBytes = KeyBits / 8;

  logic key_load, key_turn, data_advance, key_advance, data_load_phase, key_load_phase, run_decrypt, selected_decrypt;
  logic [$clog2(Rounds+1)-1:0] round;

  logic [15:0][7:0] block, result, next_state, state_q;
  logic [KeyBytes-1:0][7:0] key, initial_key_q, key_source, round_key_d, round_key_q;

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
  for (genvar i = 0; i < KeyBytes; i++) begin : gen_key
    aesmith_pre_round_map u_key_map (
      .x_i(key_i[KeyBits-1-8*i-:8]),
      .y_o(key[i])
    );
  end

  aesmith_direction_sequencer #(
    .Rounds (Rounds),
    .Overlap(Overlap)
  ) u_direction_sequencer (
    .clk_i,
    .rst_ni,
    .first_round_i     ('0),
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

  assign key_source = key_load_phase ? initial_key_q : round_key_q;

  aesmith_key_schedule u_key_schedule (
    .key_i    (key_source),
    .decrypt_i(selected_decrypt),
    .round_i  (round),
    .key_o    (round_key_d)
  );

  always_ff @(posedge clk_i) begin
    if (key_load | key_turn) initial_key_q <= key_load ? key : round_key_q;
    if (data_advance) state_q <= next_state;
    if (key_advance) round_key_q <= round_key_d;
  end
endmodule
