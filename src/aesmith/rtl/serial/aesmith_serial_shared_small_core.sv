// AES-128 encryption on bytes in few gates and rounds of 20 clocks: one S-box without stages, 16 bytes of state, 16 of key.
//
//   C0 … C3 ─▶ MixColumns ─▶ + K0 ─┬▶ S-box ─▶ SR12 … SR9 ─▶ SR8 … SR5 ─▶ SR4 … SR1 ─▶ C3 … C0
//                            K13 ──┘      block ▲  ShiftRows ▲            ▲            ▲
//
//                K0 ◀ K1 … K15 ◀ K0, or a key byte                  slots 0 … 15; chain: K3 ◀ K4 + K0
//                K0 ▶ + y ▶ K3, K4 ▶ K7, K8 ▶ K11, K12 ▶ K15        slots 16 … 19: each word turns in itself
//
// While the words of the key turn the state stands still, and key bytes have the S-box: forwards K13, the byte of RotWord.
// Backwards each word but the first adds the word before it, and the S-box has K13 + K9: the last word of the round key
// before. So the key need not be kept. In slot 19 the byte of RotWord at K13 is of the round key to be made.
//
// ShiftRows is a byte of the S-box changing places with the one that came 4, 8 or 12 clocks before it (swap).
//
// MixColumns makes one byte in each clock. Of a column a, and with u[i] = a[i] + a[i+1] and r[i] = a[i+1] + a[i+2] + a[i+3],
// FIPS-197's equation 5.6 is 02·u[i] + r[i], and r[i+1] = r[i] + u[i]:
//
//   slot mod 4   C0      C1                      C2     C3     MixColumns of C0 and rest
//       0        u[0]    a[1]                    a[2]   a[3]   rest: r[0] = u[1] + a[3]; u[1] is what C0 takes
//       1        u[1]    a[2]                    a[3]   –      rest_q: r[1] = r[0] + u[0]
//       2        u[2]    u[3] = r[1] + a[2]      –      –      r[2]
//       3        u[3]    –                       –      –      r[3]
module aesmith_serial_shared_small_core #(
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
  logic advance, number_step, key_enters, substitute, turn, back, chain, last_word, sum_u, last_u, first_rest, mixed;
  logic advance_clk, advance_enable, state_moves, state_clk, state_enable, number_clk, number_enable;
  logic [1:0] row;
  logic [3:1] swap; // with the byte 4, 8, 12 clocks before

  logic [3:0] number_q; // of the round: x to the power of it, modulo x^4 + x + 1
  logic [7:0] constant, sbox_in, substituted, sub_word, kept, key_addend, multiplicand, doubled, rest, rest_q;
  logic [3:0][7:0] column_d, column_q; // C0 is row 0
  logic [3:0][7:0] made; // a byte of each word, when words turn
  logic [11:0][7:0] shift_d, shift_q; // shift_q[n] is SR(n+1)
  logic [15:0][7:0] key_q;

  aesmith_serial_shared_small_sequencer u_sequencer (
    .clk_i,
    .rst_ni,
    .advance_clk_i   (advance_clk),
    .advance_enable_i(advance_enable),
    .advance_o       (advance),
    .number_step_o   (number_step),
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .first_round_i   (number_q == 4'b0001),
    .last_round_i    (number_q[3] & number_q[1] & number_q[0]),
    // Of the ten powers four have this bit.
    .block_slot_i    (number_q[3]),
    .key_enters_o    (key_enters),
    .substitute_o    (substitute),
    .swap_o          (swap),
    .sum_u_o         (sum_u),
    .last_u_o        (last_u),
    .first_rest_o    (first_rest),
    .mixed_o         (mixed),
    .turn_o          (turn),
    .back_o          (back),
    .last_word_o     (last_word),
    .row_o           (row),
    .chain_o         (chain),
    .state_moves_o   (state_moves)
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
  ) u_number_enable (
    .clk_i,
    .enable_i(advance & number_step),
    .clk_o   (number_clk),
    .enable_o(number_enable)
  );

  always_ff @(posedge number_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      number_q <= 4'b0001;
    end else if (number_enable) begin
      number_q <= back ? {number_q[0] ^ number_q[3], number_q[3:1]}
                       : {number_q[2:0], number_q[3] ^ number_q[2]};
    end
  end
  aesmith_round_constants u_round_constants (
    .x_i(number_q & {4{row == '0}}),
    .y_o(constant)
  );

  // A byte of the key to be substituted, or a byte of the state, MixColumns of it if it has to be mixed, and K0.
  assign kept = turn ? key_q[13] : mixed ? rest : column_q[0];
  assign multiplicand = column_q[0] & {8{mixed}};
  assign doubled = {multiplicand[6:0], 1'b0} ^ (8'h1b & {8{multiplicand[7]}});
  assign key_addend = (key_q[0] & {8{~turn}}) | (key_q[9] & {8{last_word}});
  assign sbox_in = kept ^ doubled ^ key_addend;
  assign block_o = sbox_in;

  aesmith_sbox u_sbox (
    .clk_i,
    .enable_i(1'b1),
    .x_i     (sbox_in),
    .y_o     (substituted)
  );

  assign shift_d[11] = swap[1] ? shift_q[8] : swap[2] ? shift_q[4] : swap[3] ? shift_q[0]
                     : substitute ? substituted : block_i;
  assign shift_d[10:8] = shift_q[11:9];
  assign shift_d[7] = swap[1] ? substituted : shift_q[8];
  assign shift_d[6:4] = shift_q[7:5];
  assign shift_d[3] = swap[2] ? substituted : shift_q[4];
  assign shift_d[2:0] = shift_q[3:1];

  assign column_d[3] = swap[3] ? substituted : shift_q[0];
  assign column_d[2] = column_q[3];
  assign column_d[1] = last_u ? rest_q ^ column_q[1] : column_q[2];
  assign column_d[0] = column_q[1] ^ (column_q[2] & {8{sum_u}});
  assign rest = first_rest ? column_d[0] ^ column_q[3] : rest_q;

  always_ff @(posedge state_clk) begin
    if (state_enable) begin
      shift_q <= shift_d;
      column_q <= column_d;
      rest_q <= rest ^ column_q[0];
    end
  end

  assign sub_word = substituted ^ constant;
  assign made[0] = key_q[0] ^ sub_word;
  assign made[1] = key_q[4] ^ (key_q[0] & {8{back | chain}});
  assign made[2] = key_q[8] ^ (key_q[4] & {8{back}});
  assign made[3] = key_q[12] ^ (key_q[8] & {8{back}});

  always_ff @(posedge advance_clk) begin
    if (advance_enable) begin
      key_q[2:0] <= key_q[3:1];
      key_q[3] <= turn ? made[0] : made[1];
      key_q[6:4] <= key_q[7:5];
      key_q[7] <= turn ? made[1] : key_q[8];
      key_q[10:8] <= key_q[11:9];
      key_q[11] <= turn ? made[2] : key_q[12];
      key_q[14:12] <= key_q[15:13];
      key_q[15] <= turn ? made[3] : key_enters ? key_i : key_q[0];
    end
  end
endmodule
