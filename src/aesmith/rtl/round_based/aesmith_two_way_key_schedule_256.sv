// One step of the key schedule of AES-256, forwards or backwards, on a window of eight words.
//
// key[j][i] is byte i of word j of the window x0 … x7, made of the older half x0 … x3 and the newer one.
//   forwards   the older half and KeyEx(x7) give the four words after the window
//   backwards  the newer half and KeyEx(x3) give the four words before the window, by the sums of the other direction
// KeyEx has RotWord and the round constant in every other step.
module aesmith_two_way_key_schedule_256 (
  input  logic [7:0][3:0][7:0] key_i,
  input  logic [3:0][7:0] early_i, // what KeyEx is of, before RotWord
  input  logic decrypt_i,
  input  logic [3:0] round_i,
  output logic [7:0][3:0][7:0] key_o,
  output logic [3:0][7:0] early_o, // early_i of the step after this one
  input  logic [7:0][3:0][7:0] first_i,
  input  logic first_decrypt_i,
  output logic [3:0][7:0] first_early_o // early_i of a step from first_i
);
  logic [3:0][3:0][7:0] older, newer, replaced, made;
  logic [3:0][7:0] rotated, key_ex;
  logic [3:0][7:0] plain_early;
  logic [7:0] round_constant;

  aesmith_round_constants u_round_constants (
    .x_i({decrypt_i, round_i}),
    .y_o(round_constant)
  );

  assign older = key_i[3:0];
  assign newer = key_i[7:4];
  assign replaced = decrypt_i ? newer : older;

  // Forwards the first step rotates, backwards the second.
  assign rotated = (round_i[0] ^ decrypt_i) ? early_i : {early_i[0], early_i[3:1]};
  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_key_sbox u_key_sbox (
      .x_i(rotated[row]),
      .y_o(key_ex[row])
    );
  end

  aesmith_two_way_words u_two_way_words (
    .words_i         (replaced),
    .key_ex_i        (key_ex),
    .round_constant_i(round_constant),
    .decrypt_i,
    .words_o         (made),
    .early_o         (plain_early)
  );

  assign key_o = decrypt_i ? {older, made} : {made, newer};
  assign early_o = made[3];
  logic unused_inputs;
  assign unused_inputs = ^{plain_early, first_i[6:4], first_i[2:0]};
  assign first_early_o = first_decrypt_i ? first_i[3] : first_i[7];
endmodule
