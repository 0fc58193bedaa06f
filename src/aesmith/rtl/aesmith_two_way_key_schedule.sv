// One step of the key schedule, forwards or backwards: Ueno et al., TC 2020, figure 4, equations 16 and 17.
//
// key[j][i] is byte i of word j (byte 4j + i of the key), KeyEx = S-box(RotWord(·)) + round constant, of l3 forwards and
// of l2 + l3, which is the l3 of the step before, backwards. As in the figure an AND gate, not a selector, chooses.
module aesmith_two_way_key_schedule (
  input  logic [3:0][3:0][7:0] key_i,
  input  logic decrypt_i,
  input  logic [3:0] round_i,
  output logic [3:0][3:0][7:0] key_o
);
  logic [3:0][7:0] expanded, key_ex;
  logic [7:0] round_constant;

  aesmith_round_constants u_round_constants (
    .x_i({decrypt_i, round_i}),
    .y_o(round_constant)
  );

  assign expanded = key_i[3] ^ (key_i[2] & {32{decrypt_i}});
  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_key_sbox u_key_sbox (
      .x_i(expanded[(row+1)%4]),
      .y_o(key_ex[row])
    );
  end

  aesmith_two_way_words u_two_way_words (
    .words_i         (key_i),
    .key_ex_i        (key_ex),
    .round_constant_i(round_constant),
    .decrypt_i,
    .words_o         (key_o)
  );
endmodule
