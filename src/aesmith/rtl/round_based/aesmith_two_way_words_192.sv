// The sums of four words of the key schedule of AES-192, after and before a window of six. KeyEx stands at every sixth
// word: at the first of the four words, at the third, or nowhere, in turn.
//
// key[j][i] is byte i of word j of the window x0 … x5.
//   later    n0 = x0 + (KeyEx(x5) | x5), n1 = x1 + n0, n2 = x2 + (KeyEx(n1) | n1), n3 = x3 + n2
//   earlier  p0 = x2 + (KeyEx(x1) | x1), p1 = x3 + x2, p2 = x4 + (KeyEx(x3) | x3), p3 = x5 + x4
// The sums stand beside KeyEx, so that one AND and one XOR follow it.
module aesmith_two_way_words_192 (
  input  logic [5:0][3:0][7:0] key_i,
  input  logic [3:0][7:0] key_ex_i, // without round constant
  input  logic [7:0] round_constant_i,
  input  logic at_first_i,
  input  logic at_third_i,
  output logic [3:0][3:0][7:0] later_o,
  output logic [3:0][3:0][7:0] earlier_o
);
  logic [3:0][7:0] key_ex_first, key_ex_third, key_ex_any, constant_first, constant_third, sum_01, sum_2;

  assign constant_first = {24'b0, round_constant_i & {8{at_first_i}}};
  assign constant_third = {24'b0, round_constant_i & {8{at_third_i}}};
  assign key_ex_first = key_ex_i & {32{at_first_i}};
  assign key_ex_third = key_ex_i & {32{at_third_i}};
  assign key_ex_any = key_ex_i & {32{at_first_i | at_third_i}};

  assign later_o[0] = (key_i[0] ^ (key_i[5] & {32{~at_first_i}}) ^ constant_first) ^ key_ex_first;
  assign sum_01 = (key_i[0] ^ key_i[1]) ^ (key_i[5] & {32{~at_first_i}}) ^ constant_first;
  assign later_o[1] = sum_01 ^ key_ex_first;
  assign sum_2 = key_i[2] ^ (sum_01 & {32{~at_third_i}}) ^ constant_third;
  assign later_o[2] = sum_2 ^ key_ex_any;
  assign later_o[3] = (sum_2 ^ key_i[3]) ^ key_ex_any;

  assign earlier_o[0] = (key_i[2] ^ (key_i[1] & {32{~at_first_i}}) ^ constant_first) ^ key_ex_first;
  assign earlier_o[1] = key_i[3] ^ key_i[2];
  assign earlier_o[2] = (key_i[4] ^ (key_i[3] & {32{~at_third_i}}) ^ constant_third) ^ key_ex_third;
  assign earlier_o[3] = key_i[5] ^ key_i[4];
endmodule
