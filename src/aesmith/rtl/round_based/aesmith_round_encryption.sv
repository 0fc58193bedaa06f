// A round-based encryption core: registers, sequencer and channels around a data path and a key schedule.
//
// All bytes inside are in the basis of the state register; the maps of blocks and keys into it and of results out of
// it stand only here (they are wires if that basis is the AES field's own). Byte 0 of FIPS-197 is the most significant
// byte of a port, and element 0 inside. The first four words of the round key register are the round key.
//
//   block ─ map ─ data path ─┬▶ data register ─▶ data path      key ─ map ─ key registers ─ key schedule ─▶ key registers
//                            └─ map ─ block
module aesmith_round_encryption #(
  parameter int unsigned Rounds = 10,
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

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  localparam int unsigned KeyBytes = KeyBits / 8;

  logic key_load, key_advance, key_start, key_run, key_run_next, data_load, data_run, data_hold;
  logic [$clog2(Rounds+1)-1:0] round;

  logic [15:0][7:0] block, result, next_state, state_q;
  logic [15:0][7:0] initial_key, round_key;
  logic [KeyBytes-1:0][7:0] key, first_key, next_key, key_source;
  logic [3:0][7:0] early_word;

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

  aesmith_round_sequencer #(
    .Rounds(Rounds)
  ) u_round_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .key_load_o    (key_load),
    .data_load_o   (data_load),
    .data_run_o    (data_run),
    .data_hold_o   (data_hold),
    .key_advance_o (key_advance),
    .key_start_o   (key_start),
    .key_run_o     (key_run),
    .key_run_next_o(key_run_next),
    .round_o       (round)
  );

  aesmith_data_path u_data_path (
    .block_i      (block),
    .initial_key_i(initial_key),
    .round_key_i  (round_key),
    .state_i      (state_q),
    .load_i       (data_load),
    .run_i        (data_run),
    .hold_i       (data_hold),
    .round_i      (round),
    .next_o       (next_state),
    .result_o     (result)
  );

  aesmith_key_registers #(
    .KeyBytes(KeyBytes)
  ) u_key_registers (
    .clk_i,
    .load_i       (key_load),
    .turn_i       (1'b0),
    .advance_i    (key_advance),
    .start_i      (key_start),
    .run_i        (key_run),
    .run_next_i   (key_run_next),
    .key_i        (key),
    .next_i       (next_key),
    .next_early_i (next_key[KeyBytes-1-:4]),
    .first_early_i(first_key[KeyBytes-1-:4]),
    .first_o      (first_key),
    .initial_key_o(initial_key),
    .round_key_o  (round_key),
    .source_o     (key_source),
    .early_o      (early_word)
  );
  // To encrypt, SubWord is of the window's last word.
  logic unused_words;
  assign unused_words = ^{first_key[KeyBytes-5:0], key_source[KeyBytes-1-:4]};
  aesmith_key_schedule u_key_schedule (
    .key_i  ({early_word, key_source[KeyBytes-5:0]}),
    .round_i(round),
    .key_o  (next_key)
  );

  always_ff @(posedge clk_i) state_q <= next_state;
endmodule
