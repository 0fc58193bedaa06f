// One step of the key schedule of encryption (FIPS-197 section 5.2), in the field of the leaf circuits: four new words
// n0 … n3 from a window of KeyWords words x0 …; the next window is four words on.
//
// key[j][i] is byte i of word j. KeyEx is SubWord, with RotWord and the round constant.
//   4 words   n0 = x0 + KeyEx(x3), n1 = x1 + n0, n2 = x2 + n1, n3 = x3 + n2
//   8 words   the same with KeyEx(x7), which has RotWord and the round constant in every other step
//   6 words   KeyEx stands at every sixth word: at n0, at n2, or nowhere, in turn
//     at_first   n0 = x0 + KeyEx(x5), n1 = x1 + n0, n2 = x2 + n1, n3 = x3 + n2
//     at_third   n0 = x0 + x5, n1 = x1 + n0, n2 = x2 + KeyEx(n1), n3 = x3 + n2
// The sums of words are formed beside KeyEx, so that one XOR follows it; the round constant goes into them.
module aesmith_encryption_key_schedule #(
  parameter int unsigned KeyWords = 4
) (
  input  logic [KeyWords-1:0][3:0][7:0] key_i,
  input  logic [3:0][7:0] early_i, // the window's last word
  input  logic [1:0] size_i,
  input  logic decrypt_i,
  input  logic [3:0] round_i,
  output logic [KeyWords-1:0][3:0][7:0] key_o,
  output logic [3:0][7:0] early_o, // early_i of the step after this one
  input  logic [KeyWords-1:0][3:0][7:0] first_i,
  input  logic first_decrypt_i,
  output logic [3:0][7:0] first_early_o // early_i of a step from first_i
);
  if (KeyWords != 4 && KeyWords != 6 && KeyWords != 8) begin : gen_check
    $error("KeyWords must be 4, 6 or 8");
  end

  logic [3:0][7:0] sum_0, sum_1, sum_2, sum_3, expanded, key_ex, key_ex_first, key_ex_third;
  logic [7:0] round_constant;
  logic unused_inputs;
  assign unused_inputs = ^{key_i[KeyWords-1], size_i, decrypt_i, first_i[KeyWords-2:0], first_decrypt_i};

  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_key_sbox u_key_sbox (
      .x_i(expanded[row]),
      .y_o(key_ex[row])
    );
  end

  if (KeyWords == 6) begin : gen_192
    logic [3:0][7:0] last, not_rotated;
    logic at_first, at_third;

    aesmith_round_constants u_round_constants (
      .x_i(round_i),
      .y_o({at_third, at_first, round_constant})
    );

    assign not_rotated = early_i ^ ((key_i[0] ^ key_i[1]) & {32{at_third}});
    assign expanded = {not_rotated[0], not_rotated[3:1]};
    assign key_ex_first = key_ex & {32{at_first}};
    assign key_ex_third = key_ex & {32{at_first | at_third}};

    // The round constant goes into the words that KeyEx goes into.
    assign last = early_i & {32{~at_first}};
    assign sum_0 = key_i[0] ^ last ^ {24'b0, round_constant & {8{at_first}}};
    assign sum_2 = key_i[2] ^ (sum_1 & {32{~at_third}}) ^ {24'b0, round_constant & {8{at_third}}};
  end else begin : gen_other
    aesmith_round_constants u_round_constants (
      .x_i(round_i),
      .y_o(round_constant)
    );

    assign expanded = (KeyWords == 8 & round_i[0]) ? early_i : {early_i[0], early_i[3:1]};
    assign key_ex_first = key_ex;
    assign key_ex_third = key_ex;
    assign sum_0 = {key_i[0][3:1], key_i[0][0] ^ round_constant};
    assign sum_2 = sum_1 ^ key_i[2];
  end
  assign sum_1 = sum_0 ^ key_i[1];
  if (KeyWords == 4) begin : gen_last
    assign sum_3 = sum_2 ^ early_i;
  end else begin : gen_third
    assign sum_3 = sum_2 ^ key_i[3];
  end

  assign early_o = sum_3 ^ key_ex_third;
  assign key_o[KeyWords-1-:4] = {early_o, sum_2 ^ key_ex_third, sum_1 ^ key_ex_first, sum_0 ^ key_ex_first};
  if (KeyWords == 6) begin : gen_kept_192
    assign key_o[1:0] = {early_i, key_i[4]};
  end else if (KeyWords == 8) begin : gen_kept_256
    assign key_o[3:0] = {early_i, key_i[6:4]};
  end
  assign first_early_o = first_i[KeyWords-1];
endmodule
