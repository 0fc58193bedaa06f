// One step of the key schedule, forwards or backwards: Ueno et al., TC 2020, figure 4, equations 16 and 17.
//
// key[j][i] is byte i of word j (byte 4j + i of the key), KeyEx = S-box(RotWord(·)) + round constant.
//   forwards   l0' = l0 + KeyEx(l3), l1' = l0 + l1 + KeyEx(l3), l2' = l0 + l1 + l2 + KeyEx(l3), …
//   backwards  l0' = l0 + KeyEx(l2 + l3), l1' = l0 + l1, l2' = l1 + l2, l3' = l2 + l3
// As in the figure an AND gate, not a selector, chooses KeyEx's input, and the sums stand beside KeyEx. The sums of
// both directions differ by whole terms only, so AND gates choose there too: one XOR follows KeyEx.
module aesmith_two_way_key_schedule (
  input  logic [3:0][3:0][7:0] key_i,
  input  logic decrypt_i,
  input  logic [3:0] round_i,
  output logic [3:0][3:0][7:0] key_o
);
  logic [3:0][7:0] expanded, key_ex, key_ex_forwards;
  logic [3:0][3:0][7:0] sum;
  logic [3:0][7:0] sum_01;
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
  assign key_ex_forwards = key_ex & {32{~decrypt_i}};

  // Forwards the constant goes into all words, backwards into word 0.
  assign sum_01 = key_i[0] ^ key_i[1];
  assign sum[0] = {key_i[0][3:1], key_i[0][0] ^ round_constant};
  assign sum[1] = {sum_01[3:1], sum_01[0] ^ (round_constant & {8{~decrypt_i}})};
  assign sum[2] = (key_i[1] ^ key_i[2]) ^ (sum[0] & {32{~decrypt_i}});
  assign sum[3] = (key_i[2] ^ key_i[3]) ^ (sum[1] & {32{~decrypt_i}});

  assign key_o[0] = sum[0] ^ key_ex;
  for (genvar word = 1; word < 4; word++) begin : gen_next
    assign key_o[word] = sum[word] ^ key_ex_forwards;
  end
endmodule
