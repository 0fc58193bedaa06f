// A round-based encryption core with several rounds a clock: registers, sequencer and channels around an unrolled data
// path and key schedule.
//
// A block is loaded, with the initial key added, and then takes Rounds / RoundsPerClock clocks, in the last of which the
// result is offered. All bytes inside are in the basis of the state register. Byte 0 of FIPS-197 is the most significant
// byte of a port, and element 0 inside.
//
//   block ─ map ─ data path ─┬▶ data register ─▶ data path      key ─ map ─▶ initial key ─┐
//                            └─ map ─ block                              round key ─ key schedule ─▶ round key
module aesmith_unrolled_core #(
  parameter int unsigned Rounds = 10,
  parameter int unsigned KeyBits = 128,
  parameter int unsigned RoundsPerClock = 2
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
  localparam int unsigned Clocks = Rounds / RoundsPerClock;
  localparam int unsigned ClockBits = $clog2(Clocks + 1);

  if (RoundsPerClock < 2 || Rounds % RoundsPerClock != 0) begin : gen_check
    $error("RoundsPerClock must be at least 2, and divide Rounds");
  end

  logic key_load, key_advance, key_start, key_run, data_load, data_encrypt, data_hold;
  logic [5:0] unused_control;
  logic [ClockBits-1:0] clock;

  logic [15:0][7:0] block, result, next_state, state_q;
  logic [KeyBytes-1:0][7:0] key, next_key, initial_key_q, round_key_q;
  logic [RoundsPerClock-1:0][15:0][7:0] round_keys;

  for (genvar i = 0; i < 16; i++) begin : gen_block
    aesmith_pre_round_map u_block_map (
      .x_i(block_i[127-8*i-:8]),
      .y_o(block[i])
    );
    aesmith_post_round_map u_result_map (
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

  // What the sequencer counts as a round is a clock here.
  aesmith_round_sequencer #(
    .Rounds(Clocks)
  ) u_round_sequencer (
    .clk_i,
    .rst_ni,
    .first_round_i     ('0),
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .decrypt_i         (1'b0),
    .block_valid_o,
    .block_ready_i,
    .data_load_o       (data_load),
    .data_encrypt_o    (data_encrypt),
    .data_hold_o       (data_hold),
    .key_load_o        (key_load),
    .key_advance_o     (key_advance),
    .key_start_o       (key_start),
    .key_run_o         (key_run),
    .round_o           (clock),
    .data_decrypt_o    (unused_control[0]),
    .run_decrypt_o     (unused_control[1]),
    .selected_decrypt_o(unused_control[2]),
    .first_decrypt_o   (unused_control[3]),
    .key_turn_o        (unused_control[4]),
    .key_run_next_o    (unused_control[5])
  );

  aesmith_ueno2020_unrolled_data_path #(
    .RoundsPerClock(RoundsPerClock)
  ) u_data_path (
    .block_i      (block),
    .initial_key_i(initial_key_q[15:0]),
    .round_keys_i (round_keys),
    .state_i      (state_q),
    .load_i       (data_load),
    .encrypt_i    (data_encrypt),
    .hold_i       (data_hold),
    .next_o       (next_state),
    .result_o     (result)
  );

  aesmith_unrolled_key_schedule #(
    .RoundsPerClock(RoundsPerClock),
    .KeyWords      (KeyBytes / 4)
  ) u_key_schedule (
    .first_i     (initial_key_q),
    .key_i       (round_key_q),
    .clock_i     (4'(clock)),
    .start_i     (key_start),
    .run_i       (key_run),
    .key_o       (next_key),
    .round_keys_o(round_keys)
  );

  always_ff @(posedge clk_i) begin
    state_q <= next_state;
    if (key_load) initial_key_q <= key;
    if (key_advance) round_key_q <= next_key;
  end
endmodule
