// An encryption core with Slots blocks in flight: the compressed round of Ueno et al., TC 2020, cut into Slots stages.
//
// A ring of Slots slots, each with a block and its round key, or with none. All move together, unless a result is offered
// and not taken. A block is loaded, and its round key added, in the last stage of its round, which is the first of its key
// step. So the key schedule has as many stages, and a key may come in any clock: blocks in flight have theirs.
//
//   block ─ map ─ + ──────────────────────────┐      key ─ map ─▶ initial key ─┐
//                 └ initial key               ▼                                ▼
//      ┌▶ state ─ stage 1 ─▶ … ─▶ stage Slots ┬┐   ┌▶ round key ─ stage Slots ─▶ stage 1 ─▶ …┐
//      └──────────────────────────────────────┘│   └─────────────────────────────────────────┘
//                                              └ map ─ block
//
// All bytes inside are in the basis of the state register. Byte 0 of FIPS-197 is the most significant byte of a port.
module aesmith_slot_core #(
  parameter int unsigned Slots = 2,
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

  logic moves, load, key_load;
  logic [3:0] round;
  logic [15:0][7:0] block, state_q, next, shifted, result;
  logic [KeyBytes-1:0][7:0] key, initial_key_q, round_key_q, next_key; // of the last three the first 16 bytes are a round key

  aesmith_slot_sequencer #(
    .Slots (Slots),
    .Rounds(Rounds)
  ) u_slot_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .key_load_o(key_load),
    .moves_o   (moves),
    .load_o    (load),
    .round_o   (round)
  );

  for (genvar i = 0; i < 16; i++) begin : gen_byte
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

  aesmith_shift_rows u_shift_rows (
    .state_i(state_q),
    .state_o(shifted)
  );
  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_round_column u_round_column (
      .clk_i,
      .enable_i(moves),
      .state_i (shifted[4*column+:4]),
      .key_i   (round_key_q[4*column+:4]),
      .block_i (block[4*column+:4] ^ initial_key_q[4*column+:4]),
      .load_i  (load),
      .next_o  (next[4*column+:4]),
      .post_o  (result[4*column+:4])
    );
  end

  aesmith_key_step u_key_step (
    .clk_i,
    .enable_i (moves),
    .initial_i(initial_key_q),
    .key_i    (round_key_q),
    .load_i   (load),
    .round_i  (round),
    .next_o   (next_key)
  );

  always_ff @(posedge clk_i) begin
    if (key_load) initial_key_q <= key;
  end
  always_ff @(posedge clk_i) begin
    if (moves) begin
      state_q <= next;
      round_key_q <= next_key;
    end
  end
endmodule
