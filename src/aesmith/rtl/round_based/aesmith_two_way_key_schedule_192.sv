// One step of the key schedule of AES-192, forwards or backwards, on a window of six words.
//
// key[j][i] is byte i of word j of the window x0 … x5; the next window is x4 x5 n0 … n3, the one before p0 … p3 x0 x1
// (aesmith_two_way_words_192). KeyEx's input, forwards, is x5 or n1 = x0 + x1 + x5; backwards x1 or x3.
module aesmith_two_way_key_schedule_192 (
  input  logic [5:0][3:0][7:0] key_i,
  input  logic [3:0][7:0] early_i, // the window's last word
  input  logic decrypt_i,
  input  logic [3:0] round_i,
  output logic [5:0][3:0][7:0] key_o,
  output logic [3:0][7:0] early_o, // early_i of the step after this one
  input  logic [5:0][3:0][7:0] first_i,
  input  logic first_decrypt_i,
  output logic [3:0][7:0] first_early_o // early_i of a step from first_i
);
  logic [3:0][3:0][7:0] later, earlier;
  logic [3:0][7:0] expanded, key_ex;
  logic [7:0] round_constant;
  logic at_first, at_third;

  aesmith_round_constants u_round_constants (
    .x_i({decrypt_i, round_i}),
    .y_o({at_third, at_first, round_constant})
  );

  always_comb begin
    if (decrypt_i) expanded = at_third ? key_i[3] : key_i[1];
    else expanded = early_i ^ ((key_i[0] ^ key_i[1]) & {32{at_third}});
  end
  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_key_sbox u_key_sbox (
      .x_i(expanded[(row+1)%4]),
      .y_o(key_ex[row])
    );
  end

  aesmith_two_way_words_192 u_two_way_words_192 (
    .key_i           ({early_i, key_i[4:0]}),
    .key_ex_i        (key_ex),
    .round_constant_i(round_constant),
    .at_first_i      (at_first),
    .at_third_i      (at_third),
    .later_o         (later),
    .earlier_o       (earlier)
  );

  assign key_o = decrypt_i ? {key_i[1:0], earlier} : {later, key_i[5:4]};
  assign early_o = key_o[5];

  // SubWord is of the last word in the first step forwards; the first step backwards has none.
  assign first_early_o = first_i[5];
  logic unused_first;
  assign unused_first = ^{first_i[4:0], first_decrypt_i};
endmodule
