// One step of the key schedule, forwards or backwards, as in the compact unified cores (Satoh et al., ASIACRYPT 2001;
// Liu et al., ESSCIRC 2009) and, forwards only, in the SASEBO AES macros: one chain of XOR gates, each adding the new word
// before it forwards, the old one backwards. The least gates, and four XOR one after another behind the S-box.
//
//   forwards   l0' = l0 + KeyEx(l3), l1' = l1 + l0', l2' = l2 + l1', l3' = l3 + l2'
//   backwards  l0' = l0 + KeyEx(l2 + l3), l1' = l1 + l0, l2' = l2 + l1, l3' = l3 + l2
//
// key[j][i] is byte i of word j. KeyEx's input has a sum of its own: taken from l3' it would close a loop.
module aesmith_chained_key_schedule #(
  parameter int unsigned KeyWords = 4
) (
  input  logic [KeyWords-1:0][3:0][7:0] key_i,
  input  logic [3:0][7:0] early_i, // what KeyEx is of
  input  logic [1:0] size_i,
  input  logic decrypt_i,
  input  logic [3:0] round_i,
  output logic [KeyWords-1:0][3:0][7:0] key_o,
  output logic [3:0][7:0] early_o, // early_i of the step after this one
  input  logic [KeyWords-1:0][3:0][7:0] first_i,
  input  logic first_decrypt_i,
  output logic [3:0][7:0] first_early_o // early_i of a step from first_i
);
  if (KeyWords != 4) begin : gen_check
    $error("KeyWords must be 4");
  end

  logic [3:0][7:0] key_ex, next_0, next_1, next_2, next_3;
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

  assign next_0 = {key_i[0][3:1], key_i[0][0] ^ round_constant} ^ key_ex;
  assign next_1 = key_i[1] ^ (decrypt_i ? key_i[0] : next_0);
  assign next_2 = key_i[2] ^ (decrypt_i ? key_i[1] : next_1);
  assign next_3 = key_i[3] ^ (decrypt_i ? key_i[2] : next_2);
  assign key_o = {next_3, next_2, next_1, next_0};
  assign early_o = decrypt_i ? key_i[1] ^ key_i[3] : next_3;
  assign first_early_o = first_i[3] ^ (first_i[2] & {32{first_decrypt_i}});
  logic unused_inputs;
  assign unused_inputs = ^{size_i, first_i[1:0]};
endmodule
