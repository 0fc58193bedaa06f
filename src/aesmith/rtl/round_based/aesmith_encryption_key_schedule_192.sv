// Four new words of the key schedule of AES-192 (FIPS-197 section 5.2) from a window of six, in the field of the leaf
// circuits. KeyEx stands at every sixth word: before the first of the four, before the third, or nowhere, in turn.
//
// key[j][i] is byte i of word j of the window w0 … w5; the next window is w4 … w9.
//   at_first   w6 = w0 + KeyEx(w5), w7 = w1 + w6, w8 = w2 + w7, w9 = w3 + w8
//   at_third   w6 = w0 + w5, w7 = w1 + w6, w8 = w2 + KeyEx(w7), w9 = w3 + w8
// The sums stand beside KeyEx, so that one AND and one XOR follow it.
module aesmith_encryption_key_schedule_192 (
  input  logic [5:0][3:0][7:0] key_i,
  input  logic [3:0] round_i,
  output logic [5:0][3:0][7:0] key_o
);
  logic [3:0][7:0] expanded, key_ex, key_ex_first, key_ex_any, last, sum_01;
  logic [3:0][3:0][7:0] sum;
  logic [7:0] round_constant;
  logic at_first, at_third;

  aesmith_round_constants u_round_constants (
    .x_i(round_i),
    .y_o({at_third, at_first, round_constant})
  );

  assign expanded = key_i[5] ^ ((key_i[0] ^ key_i[1]) & {32{at_third}});
  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_key_sbox u_key_sbox (
      .x_i(expanded[(row+1)%4]),
      .y_o(key_ex[row])
    );
  end
  assign key_ex_first = key_ex & {32{at_first}};
  assign key_ex_any = key_ex & {32{at_first | at_third}};

  // The round constant goes into the words that KeyEx goes into.
  assign last = key_i[5] & {32{~at_first}};
  assign sum[0] = key_i[0] ^ last ^ {24'b0, round_constant & {8{at_first}}};
  assign sum_01 = sum[0] ^ key_i[1];
  assign sum[1] = sum_01;
  assign sum[2] = key_i[2] ^ (sum_01 & {32{~at_third}}) ^ {24'b0, round_constant & {8{at_third}}};
  assign sum[3] = sum[2] ^ key_i[3];

  assign key_o = {
    sum[3] ^ key_ex_any, sum[2] ^ key_ex_any, sum[1] ^ key_ex_first, sum[0] ^ key_ex_first, key_i[5], key_i[4]
  };
endmodule
