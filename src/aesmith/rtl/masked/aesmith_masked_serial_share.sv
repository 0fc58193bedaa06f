// One share of a masked ring of bytes: 16 bytes of state, 16 of the round key, and all of a round but SubBytes. What
// stands between sbox_o and substituted_i, four ranks of the masked S-box, makes it a ring of 20.
//
//   block + key ────────────┐
//   MixColumns(C) + k ──────┼▶ sbox_o …4 ranks… substituted_i ─┬▶ SR12 … SR9 ─▶ SR8 … SR5 ─▶ SR4 … SR1 ─▶ C3 … C0
//   K13 ────────────────────┘                                  │       ShiftRows ▲            ▲            ▲
//                                                              ▼
//                       K0 ◀ K1 … K3 ◀ K4 … K15 ◀ k, or a key byte     k = K0 + SubWord + Rcon, the byte of the round key
//                                  + k (chain)
//
// Nothing here knows another share, so whatever this module's wires carry is of one share index.
//
// ShiftRows is a byte of the S-box changing places with the one that came 4, 8 or 12 clocks before it (swap_i).
//
// MixColumns makes one byte in each clock. Of a column a, and with u[i] = a[i] + a[i+1] and r[i] = a[i+1] + a[i+2] + a[i+3],
// FIPS-197's equation 5.6 is 02·u[i] + r[i], and r[i+1] = r[i] + u[i]:
//
//   slot mod 4   C0      C1                      C2     C3     rest
//       0        u[0]    a[1]                    a[2]   a[3]   r[0] = u[1] + a[3]; u[1] is what C0 takes
//       1        u[1]    a[2]                    a[3]   –      rest_q: r[1] = r[0] + u[0]
//       2        u[2]    u[3] = r[1] + a[2]      –      –      r[2]
//       3        u[3]    –                       –      –      r[3]
module aesmith_masked_serial_share (
  input  logic clk_i,
  input  logic enable_i,       // everything takes its next value, unless clk_i is gated
  input  logic words_clk_i,    // of words 0 to 2 of the key, which stand still while the last one turns
  input  logic words_enable_i,

  input  logic enter_i,      // what enters the S-box is a byte of a block and its key,
  input  logic round_i,      // … or the next byte of a round,
  input  logic turn_i,       // … or a byte of the last word of the key, which turns in itself; else 0
  input  logic [3:0] swap_i, // one of: with none, with the byte 4, 8, 12 clocks before
  input  logic sum_u_i,      // MixColumns: C0 takes u[0], u[1], u[2]
  input  logic last_u_i,     // C1 takes u[3]
  input  logic first_rest_i,
  input  logic substitute_i, // what leaves the S-box is a byte of SubWord
  input  logic schedule_i,   // the round key turns
  input  logic chain_i,      // words 1, 2, 3 of the next one are made
  input  logic [7:0] constant_i, // Rcon in share 0, 0 in the others

  input  logic [7:0] key_i,
  input  logic [7:0] block_i,
  output logic [7:0] block_o,

  output logic [7:0] sbox_o,
  input  logic [7:0] substituted_i
);
  logic [7:0] key_byte, doubled, rest, rest_q;
  logic [3:0][7:0] column_d, column_q; // C0 is row 0
  logic [11:0][7:0] shift_d, shift_q; // shift_q[n] is SR(n+1)
  logic [11:0][7:0] words_q; // K0 … K11
  logic [3:0][7:0] last_word_q; // K12 … K15

  assign key_byte = words_q[0] ^ (substituted_i & {8{substitute_i}}) ^ constant_i;
  assign doubled = {column_q[0][6:0], 1'b0} ^ (8'h1b & {8{column_q[0][7]}});
  assign rest = first_rest_i ? column_d[0] ^ column_q[3] : rest_q;

  assign sbox_o = ({8{enter_i}} & (block_i ^ key_i))
                | ({8{round_i}} & (rest ^ doubled ^ key_byte))
                | ({8{turn_i}} & last_word_q[1]);
  assign block_o = column_q[0] ^ key_byte;

  // Sums of products, and no chains of choices, which are larger.
  assign shift_d[11] = ({8{swap_i[1]}} & shift_q[8]) | ({8{swap_i[2]}} & shift_q[4]) | ({8{swap_i[3]}} & shift_q[0])
                     | ({8{swap_i[0]}} & substituted_i);
  assign shift_d[10:8] = shift_q[11:9];
  assign shift_d[7] = swap_i[1] ? substituted_i : shift_q[8];
  assign shift_d[6:4] = shift_q[7:5];
  assign shift_d[3] = swap_i[2] ? substituted_i : shift_q[4];
  assign shift_d[2:0] = shift_q[3:1];

  assign column_d[3] = swap_i[3] ? substituted_i : shift_q[0];
  assign column_d[2] = column_q[3];
  assign column_d[1] = last_u_i ? rest_q ^ column_q[1] : column_q[2];
  assign column_d[0] = column_q[1] ^ (column_q[2] & {8{sum_u_i}});

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      shift_q <= shift_d;
      column_q <= column_d;
      rest_q <= rest ^ column_q[0];
      last_word_q <= {
        ({8{turn_i}} & last_word_q[0]) | ({8{enter_i}} & key_i) | ({8{schedule_i}} & key_byte), last_word_q[3:1]
      };
    end
  end
  always_ff @(posedge words_clk_i) begin
    if (words_enable_i) words_q <= {last_word_q[0], words_q[11:5], words_q[4] ^ (key_byte & {8{chain_i}}), words_q[3:1]};
  end
endmodule
