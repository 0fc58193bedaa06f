// One step of the key schedule of AES-256, forwards or backwards, on a window of eight words.
//
// key[j][i] is byte i of word j of the window x0 … x7, made of the older half x0 … x3 and the newer one.
//   forwards   the older half and KeyEx(x7) give the four words after the window
//   backwards  the newer half and KeyEx(x3) give the four words before the window, by the sums of the other direction
// KeyEx has RotWord and the round constant in every other step.
module aesmith_two_way_key_schedule_256 (
  input  logic [7:0][3:0][7:0] key_i,
  input  logic decrypt_i,
  input  logic [3:0] round_i,
  output logic [7:0][3:0][7:0] key_o
);
  logic [3:0][3:0][7:0] older, newer, replaced, made;
  logic [3:0][7:0] expanded, rotated, key_ex;
  logic [7:0] round_constant;

  aesmith_round_constants u_round_constants (
    .x_i({decrypt_i, round_i}),
    .y_o(round_constant)
  );

  assign older = key_i[3:0];
  assign newer = key_i[7:4];
  assign replaced = decrypt_i ? newer : older;

  // Forwards the first step rotates, backwards the second.
  assign expanded = decrypt_i ? older[3] : newer[3];
  assign rotated = (round_i[0] ^ decrypt_i) ? expanded : {expanded[0], expanded[3:1]};
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
    .words_o         (made)
  );

  assign key_o = decrypt_i ? {older, made} : {made, newer};
endmodule
