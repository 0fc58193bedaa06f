// One step of the key schedule, forwards or backwards, in two clocks, cut at the inverter output: Ueno et al., TC 2020,
// figure 4 and section 5.2. The sums of words are formed before the cut; one map and one XOR follow it.
//
// key[j][i] is byte i of word j (byte 4j + i of the key).
//   forwards   l0' = l0 + KeyEx(l3), l1' = l0 + l1 + KeyEx(l3), l2' = l0 + l1 + l2 + KeyEx(l3), …
//   backwards  l0' = l0 + KeyEx(l2 + l3), l1' = l0 + l1, l2' = l1 + l2, l3' = l2 + l3
module aesmith_pipelined_two_way_key_schedule (
  input  logic clk_i,
  input  logic advance_i,
  input  logic [3:0][3:0][7:0] key_i,
  input  logic [3:0][7:0] early_i, // what KeyEx is of
  input  logic decrypt_i,      // direction of key_i
  input  logic next_decrypt_i, // direction of key_o
  input  logic [3:0] round_i,
  output logic [3:0][3:0][7:0] key_o,
  output logic [3:0][7:0] early_o, // early_i of the step after this one
  input  logic [3:0][3:0][7:0] first_i,
  input  logic first_decrypt_i,
  output logic [3:0][7:0] first_early_o // early_i of a step from first_i
);
  logic [3:0][3:0][7:0] sum_d, sum_q;
  logic [3:0][7:0] sum_01, key_ex, key_ex_forwards;
  logic [3:0][9:0] inverted_d, inverted_q;
  logic [7:0] round_constant;

  aesmith_round_constants u_round_constants (
    .x_i({decrypt_i, round_i}),
    .y_o(round_constant)
  );

  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_inverter u_inverter (
      .x_i(early_i[(row+1)%4]),
      .y_o(inverted_d[row])
    );
    aesmith_affine u_affine (
      .f_i  (inverted_q[row]),
      .phi_o(key_ex[row])
    );
  end
  assign key_ex_forwards = key_ex & {32{~next_decrypt_i}};

  // Forwards the constant goes into all words, backwards into word 0.
  assign sum_01 = key_i[0] ^ key_i[1];
  assign sum_d[0] = {key_i[0][3:1], key_i[0][0] ^ round_constant};
  assign sum_d[1] = {sum_01[3:1], sum_01[0] ^ (round_constant & {8{~decrypt_i}})};
  assign sum_d[2] = (key_i[1] ^ key_i[2]) ^ (sum_d[0] & {32{~decrypt_i}});
  assign sum_d[3] = (key_i[2] ^ key_i[3]) ^ (sum_d[1] & {32{~decrypt_i}});

  assign key_o[0] = sum_q[0] ^ key_ex;
  for (genvar word = 1; word < 4; word++) begin : gen_next
    assign key_o[word] = sum_q[word] ^ key_ex_forwards;
  end

  assign early_o = key_o[3] ^ (key_o[2] & {32{next_decrypt_i}});
  assign first_early_o = first_i[3] ^ (first_i[2] & {32{first_decrypt_i}});
  logic unused_first;
  assign unused_first = ^first_i[1:0];

  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      sum_q <= sum_d;
      inverted_q <= inverted_d;
    end
  end
endmodule
