// The sums of one step of the key schedule, forwards or backwards: Ueno et al., TC 2020, equations 16 and 17.
//
// words[j][i] is byte i of word j.
//   forwards   l0' = l0 + KeyEx, l1' = l0 + l1 + KeyEx, l2' = l0 + l1 + l2 + KeyEx, …
//   backwards  l0' = l0 + KeyEx, l1' = l0 + l1, l2' = l1 + l2, l3' = l2 + l3
// The sums stand beside KeyEx, so that one XOR follows it. Those of both directions differ by whole terms, so that AND
// gates choose, not selectors.
module aesmith_two_way_words (
  input  logic [3:0][3:0][7:0] words_i,
  input  logic [3:0][7:0] key_ex_i, // without round constant
  input  logic [7:0] round_constant_i,
  input  logic decrypt_i,
  output logic [3:0][3:0][7:0] words_o,
  output logic [3:0][7:0] early_o // what KeyEx is of in the step after this one: l3', or backwards l2' + l3' = l1 + l3
);
  logic [3:0][7:0] sum_0, sum_1, sum_2, sum_3, sum_01, key_ex_forwards, early_sum;

  assign key_ex_forwards = key_ex_i & {32{~decrypt_i}};

  // Forwards the constant goes into all words, backwards into word 0.
  assign sum_01 = words_i[0] ^ words_i[1];
  assign sum_0 = {words_i[0][3:1], words_i[0][0] ^ round_constant_i};
  assign sum_1 = {sum_01[3:1], sum_01[0] ^ (round_constant_i & {8{~decrypt_i}})};
  assign sum_2 = (words_i[1] ^ words_i[2]) ^ (sum_0 & {32{~decrypt_i}});
  assign sum_3 = (words_i[2] ^ words_i[3]) ^ (sum_1 & {32{~decrypt_i}});

  assign words_o = {sum_3 ^ key_ex_forwards, sum_2 ^ key_ex_forwards, sum_1 ^ key_ex_forwards, sum_0 ^ key_ex_i};

  assign early_sum = decrypt_i ? words_i[1] ^ words_i[3] : sum_3;
  assign early_o = early_sum ^ key_ex_forwards;
endmodule
