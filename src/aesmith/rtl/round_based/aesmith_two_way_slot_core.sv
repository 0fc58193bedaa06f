// A core for both directions with Slots blocks in flight: the compressed round of Ueno et al., TC 2020, in Slots stages.
//
// As in aesmith_slot_core a ring of slots, each with a block, its direction and its round key, or with none. The ring
// begins before the last sum of a round, so that the registers hold two words of which the state is the sum. A block is
// loaded in the last stage, in decryption through a map. A key step begins Lead stages before a round ends: there
// decryption adds the round key, and encryption does in the first stage of the next round.
//
//   block ─ map ─ + ─────────── map ─────────┐      key ─ map ─▶ initial key ◀─┐
//                 └ initial key   ▼  ▼                            ▼              │
//      ┌▶ a, b ─ stage 1 ─▶ … ─▶ stage Slots ┬┐   ┌▶ round key ─ stage Slots - Lead + 1 ─▶ …┐
//      └─────────────────────────────────────┘│   └────────────────────────────────────────┘
//                                             └ map ─ block
//
// In decryption the columns stand in reverse order: column 1 is in the place of column 3. Then InvShiftRows is the wiring of
// ShiftRows. Selectable: key_bits_i goes with the key, as in aesmith_round_core; else it is 0.
module aesmith_two_way_slot_core #(
  parameter int unsigned Slots = 2,
  parameter int unsigned Lead = 1,
  parameter int unsigned Rounds = 10,
  parameter int unsigned KeyBits = 128,
  parameter int unsigned SeedBits = 1, // what says of which word KeyEx is
  parameter int unsigned SumBits = 1, // what else a key step has to know of its size, direction and number
  parameter bit Selectable = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [KeyBits-1:0] key_i,
  input  logic [1:0] key_bits_i,
  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,
  input  logic decrypt_i,
  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  localparam int unsigned KeyBytes = KeyBits / 8;

  logic moves, key_load, key_turn;
  logic adds, decrypts, ends_decrypt, starts, loads;
  logic [3:0] chosen;
  logic [6:0] step, next_step;
  logic [SeedBits-1:0] ahead_d, ahead_q;
  logic [SumBits-1:0] sums_d, sums_q;
  logic [3:0][7:0] seed_d, seed_q;
  logic [15:0][7:0] keyed, mapped, a_d, b_d, a_q, b_q, a, b, late_key, shifted_key, post_key, encrypted, decrypted, result;
  logic [KeyBytes-1:0][7:0] key, initial_key_q, round_key_q, next_key;

  aesmith_two_way_slot_sequencer #(
    .Slots     (Slots),
    .Lead      (Lead),
    .Rounds    (Rounds),
    .Selectable(Selectable)
  ) u_two_way_slot_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_bits_i,
    .block_valid_i,
    .block_ready_o,
    .decrypt_i,
    .block_valid_o,
    .block_ready_i,
    .moves_o       (moves),
    .key_load_o    (key_load),
    .key_turn_o    (key_turn),
    .adds_o        (adds),
    .decrypts_o    (decrypts),
    .starts_o      (starts),
    .step_o        (step),
    .next_step_o   (next_step),
    .loads_o       (loads),
    .chosen_o      (chosen),
    .ends_decrypt_o(ends_decrypt)
  );

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    logic [7:0] block;

    aesmith_pre_round_map u_block_map (
      .x_i(block_i[127-8*i-:8]),
      .y_o(block)
    );
    assign keyed[i] = block ^ initial_key_q[i];
    aesmith_decryption_load_map u_decryption_load_map (
      .x_i(keyed[i]),
      .y_o(mapped[i])
    );
    assign result[i] = ends_decrypt ? decrypted[i] : encrypted[i];
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

  aesmith_shift_rows u_shift_a (
    .state_i(a_q),
    .state_o(a)
  );
  aesmith_shift_rows u_shift_b (
    .state_i(b_q),
    .state_o(b)
  );
  aesmith_shift_rows u_shift_key (
    .state_i(late_key),
    .state_o(shifted_key)
  );
  for (genvar column = 0; column < 4; column++) begin : gen_column
    localparam int unsigned Mirrored = (4 - column) % 4;

    aesmith_round_column u_round_column (
      .clk_i,
      .enable_i   (moves),
      .a_i        (a[4*column+:4]),
      .b_i        (b[4*column+:4]),
      .key_i      (shifted_key[4*column+:4]),
      .adds_i     (adds),
      .keyed_i    (round_key_q[4*Mirrored+:4]),
      .decrypts_i (decrypts),
      .post_key_i (post_key[4*column+:4]),
      .block_i    (keyed[4*column+:4]),
      .mapped_i   (mapped[4*Mirrored+:4]),
      .chosen_i   (chosen),
      .next_a_o   (a_d[4*column+:4]),
      .next_b_o   (b_d[4*column+:4]),
      .encrypted_o(encrypted[4*column+:4]),
      .decrypted_o(decrypted[4*Mirrored+:4])
    );
  end

  aesmith_key_seed u_key_seed (
    .clk_i,
    .enable_i(moves),
    .x_i     (next_step),
    .y_o     (ahead_d)
  );
  aesmith_key_sums u_key_sums (
    .clk_i,
    .enable_i(moves),
    .x_i     (step),
    .y_o     (sums_d)
  );
  aesmith_key_step u_key_step (
    .clk_i,
    .enable_i   (moves),
    .seed_i     (seed_q),
    .key_i      (round_key_q),
    .initial_i  (initial_key_q),
    .first_i    (initial_key_q),
    .sums_i     (sums_q),
    .loads_i    (loads),
    .starts_i   (starts),
    .ahead_i    (ahead_q),
    .post_o     (post_key),
    .late_o     (late_key),
    .next_o     (next_key),
    .next_seed_o(seed_d)
  );

  always_ff @(posedge clk_i) ahead_q <= ahead_d;
  always_ff @(posedge clk_i) begin
    if (key_load | key_turn) initial_key_q <= key_turn ? round_key_q : key;
  end
  always_ff @(posedge clk_i) begin
    if (moves) begin
      a_q <= a_d;
      b_q <= b_d;
      round_key_q <= next_key;
      seed_q <= seed_d;
      sums_q <= sums_d;
    end
  end
endmodule
