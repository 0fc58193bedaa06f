// AES-128 encryption a bit at a time: one S-box without stages, 128 bits of state and 128 of key, which are run back.
//
//   R0 … R3 ▶ MixColumns ▶ + K0 ▶ R15 … R12 ▶ R11 … R8 ▶ R7 … R4 ▶ R3 with the S-box … R0
//                                     └──────────┴───────────┴────────┘ bytes change places: ShiftRows
//   K0 ◀ K1 K2 K3 ◀ K4 … K15 ◀ K0            slots 0 … 15; chain: + K0 between K4 and K3
//   K0 ▶ K3, K4 ▶ K7, K8 ▶ K11, K12 ▶ K15    slots 16 … 23: each word turns in itself
//
// Bytes move first bit first, a byte in eight clocks. Four bits of a column are mixed in a clock, while the column's first
// byte leaves R0 and the others move up. A byte enters R3 through the S-box, all bits of it with its last. Before that it
// may change places with a byte of its row (Banik et al., 2020, and Roldan Lombardia et al., 2021): three of row 1 four
// bytes apart, of row 3 twelve, eight and four, and two of row 2 eight.
//
// While the words of the key turn the state stands still. A byte that enters K15 then has the S-box, and is that of RotWord
// for the byte that enters K2. Backwards the words first add the one before them, in slots 20 to 23.
module aesmith_serial_bit_core #(
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [7:0] key_i,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [7:0] block_i,

  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [7:0] block_o
);
  logic advance, key_take, block_take, last_bit, first_bit, polynomial, round_constant, substitute_state, mix, add, turn;
  logic unchain, substitute_key, chain, state_moves, advance_clk, advance_enable, state_clk, state_enable, pair_clk, pair_enable, head, added;
  logic [2:0] swap;
  logic [3:0] column, following, mixed, pair_q; // a bit of each row; pair_q: first bit of the sum of a row and the next
  logic [3:0] entering; // the bits that enter R15, R11, R7 and R3, the last first
  logic [3:0] key_entering; // K15, K11, K7 and K3, likewise
  logic [7:0] sbox_in, substituted;
  logic [15:0][7:0] state_q, key_q;

  aesmith_serial_bit_sequencer u_sequencer (
    .clk_i             (advance_clk),
    .rst_ni,
    .enable_i          (advance_enable),
    .advance_o         (advance),
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .key_take_o        (key_take),
    .block_take_o      (block_take),
    .last_bit_o        (last_bit),
    .first_bit_o       (first_bit),
    .polynomial_o      (polynomial),
    .round_constant_o  (round_constant),
    .substitute_state_o(substitute_state),
    .swap_o            (swap),
    .mix_o             (mix),
    .add_o             (add),
    .turn_o            (turn),
    .unchain_o         (unchain),
    .substitute_key_o  (substitute_key),
    .chain_o           (chain),
    .state_moves_o     (state_moves)
  );

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_advance_enable (
    .clk_i,
    .enable_i(advance),
    .clk_o   (advance_clk),
    .enable_o(advance_enable)
  );
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_state_enable (
    .clk_i,
    .enable_i(advance & state_moves),
    .clk_o   (state_clk),
    .enable_o(state_enable)
  );

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_pair_enable (
    .clk_i,
    .enable_i(advance & first_bit),
    .clk_o   (pair_clk),
    .enable_o(pair_enable)
  );

  assign block_o = state_q[15];
  assign sbox_in = turn ? {key_q[15][6:0], key_entering[3]} : {state_q[3][6:0], entering[0]};
  aesmith_sbox u_sbox (
    .clk_i,
    .enable_i(1'b1),
    .x_i     (sbox_in),
    .y_o     (substituted)
  );

  // Row r becomes 2 (r + next) + next + the two behind it; times two, a bit is the following one, and the first comes back.
  for (genvar r = 0; r < 4; r++) begin : gen_row
    logic doubled;
    assign column[r] = state_q[r][7];
    assign following[r] = state_q[r][6] ^ state_q[(r+1)%4][6];
    assign doubled = (following[r] & ~last_bit) ^ (pair_q[r] & polynomial);
    assign mixed[r] = doubled ^ column[(r+1)%4] ^ column[(r+2)%4] ^ column[(r+3)%4];
  end

  assign head = mix ? mixed[0] : column[0];
  assign added = head ^ (key_q[0][7] & add);
  assign entering[3] = swap[2] ? state_q[4][7] : added;
  assign entering[2] = swap[1] ? state_q[4][7] : state_q[12][7];
  assign entering[1] = swap[0] ? state_q[4][7] : state_q[8][7];
  always_comb begin
    entering[0] = state_q[4][7];
    if (swap[0]) entering[0] = state_q[8][7];
    if (swap[1]) entering[0] = state_q[12][7];
    if (swap[2]) entering[0] = added;
  end

  for (genvar i = 0; i < 16; i++) begin : gen_state
    logic moved;
    if (i < 3) begin : gen_mixed
      assign moved = mix ? mixed[i+1] : column[i+1];
    end else if (i % 4 == 3) begin : gen_entering
      assign moved = entering[i/4];
    end else begin : gen_shift
      assign moved = state_q[i+1][7];
    end
    always_ff @(posedge state_clk) begin
      if (state_enable) begin
        state_q[i] <= {state_q[i][6:0], moved};
        if (i == 3 && substitute_state) state_q[i] <= substituted;
        if (i == 15 && block_take) state_q[i] <= block_i;
      end
    end
  end
  always_ff @(posedge pair_clk) begin
    if (pair_enable) pair_q <= column ^ {column[0], column[3:1]};
  end

  assign key_entering[0] = turn ? key_q[0][7] ^ round_constant : key_q[4][7] ^ (key_q[0][7] & chain);
  for (genvar w = 1; w < 4; w++) begin : gen_word
    assign key_entering[w] = turn ? key_q[4*w][7] ^ (key_q[4*w-4][7] & unchain) : key_q[(4*w+4)%16][7];
  end
  for (genvar i = 0; i < 16; i++) begin : gen_key
    logic moved;
    assign moved = i % 4 == 3 ? key_entering[i/4] : key_q[(i+1)%16][7];
    always_ff @(posedge advance_clk) begin
      if (advance_enable) begin
        key_q[i] <= {key_q[i][6:0], moved};
        if (i == 2) key_q[i] <= {key_q[i][6:0], moved} ^ (substituted & {8{substitute_key}});
        if (i == 15 && key_take) key_q[i] <= key_i;
      end
    end
  end
endmodule
