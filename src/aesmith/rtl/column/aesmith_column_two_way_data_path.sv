// The data path of 32 bits for both directions, around S-boxes and a MixColumns that do both. Everything that controls it
// comes from outside.
//
//   encryption   C0 ▶ MixColumns ▶ + key word ▶ S-boxes ▶ rows ▶ C3 ▶ C2 ▶ C1 ▶ C0
//   decryption   C0 ▶ + key word ▶ InvMixColumns ▶ inverse S-boxes ▶ rows ▶ C3 ▶ C2 ▶ C1 ▶ C0
//
// InvMixColumns is MixColumns after circ(5, 0, 4, 0). The first round has neither; the last words of the key are added in
// a pass that goes by the S-boxes. Blocks come at C3 and results leave at C0.
//
// A row is turned while its bytes come from the S-boxes: those that overtake enter further on, and the rest stand still.
//
//   turned by   byte 0   byte 1   byte 2   byte 3
//           1   C3       C2       C2       C2        n1 n2 n3 n0
//           2   C3       C3       C1       C1        n2 n3 n0 n1
//           3   C3       C3       C3       C0        n3 n0 n1 n2
//
// Element 3 of a vector is C0, and of a word the byte of row 0, as they stand at the ports.
module aesmith_column_two_way_data_path #(
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,

  input  logic front_advance_i,         // C0 and C1
  input  logic back_advance_i,          // C2 and C3
  input  logic take_i,                  // a word of a block comes
  input  logic substituted_i,           // a column comes from the S-boxes:
  input  logic [3:1] from_i,            // byte 1 or a later one, 2 or a later one, 3
  input  logic left_i,                  // rows 1 and 3 are turned by 1 and 3, not by 3 and 1
  input  logic half_i,                  // rows 0 and 2 are turned by 2 and 0, not by 0 and 2
  input  logic first_i,
  input  logic last_i,                  // words go by the S-boxes
  input  logic decrypt_i,
  input  logic substitutes_i,           // the S-boxes take a word of the key

  input  logic [31:0] round_key_i,
  input  logic [31:0] key_word_i,
  output logic [31:0] sub_word_o,

  input  logic [31:0] block_i,
  output logic [31:0] block_o
);
  logic [3:0][3:0][7:0] state_d, state_q, advance;
  logic [3:0][7:0] added, to_mix, mixed, into_decrypt, sbox_in, sbox_out, entering;
  logic [3:0][3:0] enters, moves;

  assign added = state_q[3] ^ round_key_i;
  aesmith_before_inverse_mix_columns u_before (
    .x_i({added[0], added[1], added[2], added[3]}),
    .y_o({into_decrypt[0], into_decrypt[1], into_decrypt[2], into_decrypt[3]})
  );
  assign to_mix = decrypt_i ? into_decrypt : state_q[3];
  aesmith_mix_columns u_mix_columns (
    .x_i({to_mix[0], to_mix[1], to_mix[2], to_mix[3]}),
    .y_o({mixed[0], mixed[1], mixed[2], mixed[3]})
  );
  always_comb begin
    sbox_in = mixed ^ (round_key_i & {32{~decrypt_i}});
    if (first_i) sbox_in = added;
    if (substitutes_i) sbox_in = key_word_i;
  end

  for (genvar i = 0; i < 4; i++) begin : gen_sbox
    aesmith_both_sbox u_sbox (
      .clk_i,
      .enable_i (1'b1),
      .x_i      (sbox_in[i]),
      .decrypt_i(decrypt_i & ~substitutes_i),
      .y_o      (sbox_out[i])
    );
  end
  assign sub_word_o = sbox_out;

  // While words leave nothing follows them.
  assign entering = ({32{substituted_i}} & sbox_out) | ({32{last_i}} & added) | ({32{take_i}} & block_i);
  assign advance = {state_q[2:0], entering};

  // By column and row: what enters there, and what does not stand still. Row 0 is element 3.
  logic [1:0] one, three;               // rows 1 and 3 are turned by so many: element 1 is row 1
  assign one = {left_i, ~left_i};
  assign three = ~one;
  always_comb begin
    enters = '0;
    moves = {{2{{4{front_advance_i}}}}, {2{{4{back_advance_i}}}}};
    enters[2][3] = half_i & from_i[2];
    enters[2][1] = ~half_i & from_i[2];
    for (int unsigned row = 0; row < 2; row++) begin
      enters[3][2*row] = three[row] & from_i[3];
      enters[1][2*row] = one[row] & from_i[1];
      moves[2][2*row] = front_advance_i & ~enters[3][2*row];
      moves[1][2*row] = back_advance_i & ~enters[3][2*row];
      moves[0][2*row] = back_advance_i & ~enters[3][2*row] & ~enters[1][2*row];
      moves[1][2*row+1] = back_advance_i & ~enters[2][2*row+1];
      moves[0][2*row+1] = moves[1][2*row+1];
    end
  end

  // Bytes that always move together share a clock gate.
  logic [3:0][3:0] clk, enable;
  for (genvar c = 0; c < 4; c++) begin : gen_column
    for (genvar row = 0; row < 4; row++) begin : gen_row
      localparam bit Odd = row % 2 == 0;
      if (Odd ? c < 3 : c == 1 || (c == 3 && row == 3)) begin : gen_gate
        aesmith_serial_clock_enable #(
          .ClockGates(ClockGates)
        ) u_enable (
          .clk_i,
          .enable_i(moves[c][row]),
          .clk_o   (clk[c][row]),
          .enable_o(enable[c][row])
        );
      end else begin : gen_shared
        localparam int unsigned Column = c < 2 ? 1 : 3;
        localparam int unsigned Row = c < 2 ? row : 3;
        assign clk[c][row] = clk[Column][Row];
        assign enable[c][row] = enable[Column][Row];
      end
      assign state_d[c][row] = enters[c][row] ? entering[row] : advance[c][row];
      logic [7:0] byte_q;
      always_ff @(posedge clk[c][row]) begin
        if (enable[c][row]) byte_q <= state_d[c][row];
      end
      assign state_q[c][row] = byte_q;
    end
  end

  assign block_o = state_q[3];
endmodule
