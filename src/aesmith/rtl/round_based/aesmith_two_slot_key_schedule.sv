// One step of the key schedule in two clocks, cut at the inverter output: Ueno et al., TC 2020, figure 10 and section 5.2;
// with Decrypts forwards or backwards, figure 4. The sums of words are formed before the cut; one map and one XOR follow.
//
// key[j][i] is byte i of word j (byte 4j + i of the key).
//   forwards   l0' = l0 + KeyEx(l3), l1' = l0 + l1 + KeyEx(l3), l2' = l0 + l1 + l2 + KeyEx(l3), …
//   backwards  l0' = l0 + KeyEx(l2 + l3), l1' = l0 + l1, l2' = l1 + l2, l3' = l2 + l3
module aesmith_two_slot_key_schedule #(
  parameter bit Decrypts = 1'b0
) (
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
  logic [3:0][3:0][7:0] sum_q;
  logic [3:0][7:0] sum_0, sum_1, sum_2, sum_3, key_ex, key_ex_forwards;
  logic [3:0][9:0] inverted_d, inverted_q;
  logic [7:0] round_constant;

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

  assign sum_0 = {key_i[0][3:1], key_i[0][0] ^ round_constant};
  if (Decrypts) begin : gen_directions
    logic [3:0][7:0] sum_01;

    aesmith_round_constants u_round_constants (
      .x_i({decrypt_i, round_i}),
      .y_o(round_constant)
    );

    // Forwards the constant goes into all words, backwards into word 0.
    assign sum_01 = key_i[0] ^ key_i[1];
    assign sum_1 = {sum_01[3:1], sum_01[0] ^ (round_constant & {8{~decrypt_i}})};
    assign sum_2 = (key_i[1] ^ key_i[2]) ^ (sum_0 & {32{~decrypt_i}});
    assign sum_3 = (key_i[2] ^ key_i[3]) ^ (sum_1 & {32{~decrypt_i}});
  end else begin : gen_encryption
    aesmith_round_constants u_round_constants (
      .x_i(round_i),
      .y_o(round_constant)
    );

    assign sum_1 = sum_0 ^ key_i[1];
    assign sum_2 = sum_1 ^ key_i[2];
    assign sum_3 = sum_2 ^ early_i;
    logic unused_inputs;
    assign unused_inputs = ^{decrypt_i, key_i[3]};
  end

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
      sum_q <= {sum_3, sum_2, sum_1, sum_0};
      inverted_q <= inverted_d;
    end
  end
endmodule
