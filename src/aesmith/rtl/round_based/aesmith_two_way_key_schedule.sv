// One step of the key schedule, forwards or backwards: Ueno et al., TC 2020, figure 4, equations 16 and 17.
//
// key[j][i] is byte i of word j (byte 4j + i of the key), KeyEx = S-box(RotWord(·)) + round constant, of l3 forwards and
// of l2 + l3, which is the l3 of the step before, backwards. As in the figure an AND gate, not a selector, chooses.
module aesmith_two_way_key_schedule (
  input  logic [3:0][3:0][7:0] key_i,
  input  logic [3:0][7:0] early_i, // what KeyEx is of
  input  logic decrypt_i,
  input  logic [3:0] round_i,
  output logic [3:0][3:0][7:0] key_o,
  output logic [3:0][7:0] early_o, // early_i of the step after this one
  input  logic [3:0][3:0][7:0] first_i,
  input  logic first_decrypt_i,
  output logic [3:0][7:0] first_early_o // early_i of a step from first_i
);
  logic [3:0][7:0] key_ex;
  logic [7:0] round_constant;

  aesmith_round_constants u_round_constants (
    .x_i({decrypt_i, round_i}),
    .y_o(round_constant)
  );

  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_key_sbox u_key_sbox (
      .x_i(early_i[(row+1)%4]),
      .y_o(key_ex[row])
    );
  end

  aesmith_two_way_words u_two_way_words (
    .words_i         (key_i),
    .key_ex_i        (key_ex),
    .round_constant_i(round_constant),
    .decrypt_i,
    .words_o         (key_o),
    .early_o
  );
  assign first_early_o = first_i[3] ^ (first_i[2] & {32{first_decrypt_i}});
  logic unused_first;
  assign unused_first = ^first_i[1:0];
endmodule
