// AES encryption with a register at the inverter output, two blocks in flight: Ueno et al., TC 2020, sections 4 and 5.2.
//
// A block alternates between the data register (slot A of the control) and the inverted register (slot B), while
// another is in the other one; each block has its own key schedule, cut at the same place. Data and keys are in a tower
// field with multiplicative offset, as in ueno2020-enc.
//
//   block ─ map ─ + ─┬▶ data ─ 16 inverters ─▶ inverted ─ ShiftRows ─ linear operations ┬─▶ (next round)
//         initial key ▲                                                       round key ▲ └ map ─ block
module aesmith_pipelined_encryption (
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
  logic key_load, key_start, key_run, key_run_next, key_sums_advance, round_key_advance;
  logic data_load, data_run, data_hold, inverted_advance;
  logic [3:0] round;

  logic [15:0][7:0] key, initial_key, first_key, round_key, next_key, key_source;
  logic [3:0][7:0] early_word;
  logic [15:0][7:0] state_d, state_q, next_state, result;
  logic [15:0][9:0] inverted_d, inverted_q, shifted;

  aesmith_two_slot_sequencer u_two_slot_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .key_load_o         (key_load),
    .data_load_o        (data_load),
    .data_run_o         (data_run),
    .data_hold_o        (data_hold),
    .inverted_advance_o (inverted_advance),
    .key_sums_advance_o (key_sums_advance),
    .round_key_advance_o(round_key_advance),
    .key_start_o        (key_start),
    .key_run_o          (key_run),
    .key_run_next_o     (key_run_next),
    .round_o            (round)
  );

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    logic [7:0] block;

    aesmith_pre_round_map u_block_map (
      .x_i(block_i[127-8*i-:8]),
      .y_o(block)
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

    assign state_d[i] = ({8{data_run}} & next_state[i]) | ({8{data_load}} & (block ^ initial_key[i]))
                      | ({8{data_hold}} & state_q[i]);
  end

  aesmith_shift_rows #(
    .ElementBits(10)
  ) u_shift_rows (
    .state_i(inverted_q),
    .state_o(shifted)
  );
  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_ueno2020_linear_operations u_linear_operations (
      .inverted_i (shifted[4*column+:4]),
      .round_key_i(round_key[4*column+:4]),
      .next_o     (next_state[4*column+:4]),
      .post_o     (result[4*column+:4])
    );
  end

  aesmith_key_registers u_key_registers (
    .clk_i,
    .load_i       (key_load),
    .turn_i       (1'b0),
    .advance_i    (round_key_advance),
    .start_i      (key_start),
    .run_i        (key_run),
    .run_next_i   (key_run_next),
    .key_i        (key),
    .next_i       (next_key),
    .next_early_i (next_key[15:12]),
    .first_early_i(first_key[15:12]),
    .first_o      (first_key),
    .initial_key_o(initial_key),
    .round_key_o  (round_key),
    .source_o     (key_source),
    .early_o      (early_word)
  );
  // To encrypt, SubWord is of the key's last word.
  logic unused_words;
  assign unused_words = ^{first_key[11:0], key_source[15:12]};

  aesmith_pipelined_key_schedule u_pipelined_key_schedule (
    .clk_i,
    .advance_i(key_sums_advance),
    .key_i    ({early_word, key_source[11:0]}),
    .round_i  (round),
    .key_o    (next_key)
  );

  always_ff @(posedge clk_i) begin
    state_q <= state_d;
    if (inverted_advance) inverted_q <= inverted_d;
  end
endmodule
