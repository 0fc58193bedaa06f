// One step of the key schedule, forwards or backwards: Ueno et al., TC 2020, figure 4, equations 16 and 17, and the same
// for longer keys. As in the figure an AND gate, not a selector, chooses what KeyEx is of.
//
// key[j][i] is byte i of word j of a window of KeyWords words x0 …; KeyEx = S-box(RotWord(·)) + round constant.
//   4 words   KeyEx is of x3 forwards and of x2 + x3, which is the x3 of the step before, backwards
//   8 words   forwards   x0 … x3 and KeyEx(x7) give the four words after the window
//             backwards  x4 … x7 and KeyEx(x3) give the four words before it, by the sums of the other direction
//             KeyEx has RotWord and the round constant in every other step
//   6 words   the next window is x4 x5 n0 … n3, the one before p0 … p3 x0 x1 (aesmith_two_way_words_192); KeyEx is,
//             forwards, of x5 or of n1 = x0 + x1 + x5, backwards of x1 or x3
module aesmith_two_way_key_schedule #(
  parameter int unsigned KeyWords = 4
) (
  input  logic [KeyWords-1:0][3:0][7:0] key_i,
  input  logic [3:0][7:0] early_i, // what KeyEx is of, before RotWord; of 6 words the window's last
  input  logic [1:0] size_i,
  input  logic decrypt_i,
  input  logic [3:0] round_i,
  output logic [KeyWords-1:0][3:0][7:0] key_o,
  output logic [3:0][7:0] early_o, // early_i of the step after this one
  input  logic [KeyWords-1:0][3:0][7:0] first_i,
  input  logic first_decrypt_i,
  output logic [3:0][7:0] first_early_o // early_i of a step from first_i
);
  if (KeyWords != 4 && KeyWords != 6 && KeyWords != 8) begin : gen_check
    $error("KeyWords must be 4, 6 or 8");
  end

  logic [3:0][7:0] rotated, key_ex; // RotWord done, where it is
  logic [7:0] round_constant;

  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_key_sbox u_key_sbox (
      .x_i(rotated[row]),
      .y_o(key_ex[row])
    );
  end

  if (KeyWords == 6) begin : gen_192
    logic [3:0][3:0][7:0] later, earlier;
    logic [3:0][7:0] expanded;
    logic at_first, at_third, unused_inputs;
    assign unused_inputs = ^{key_i[5], size_i, first_i[4:0], first_decrypt_i};

    aesmith_round_constants u_round_constants (
      .x_i({decrypt_i, round_i}),
      .y_o({at_third, at_first, round_constant})
    );

    always_comb begin
      if (decrypt_i) expanded = at_third ? key_i[3] : key_i[1];
      else expanded = early_i ^ ((key_i[0] ^ key_i[1]) & {32{at_third}});
    end

    assign rotated = {expanded[0], expanded[3:1]};

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
  end else begin : gen_other
    logic [3:0][3:0][7:0] replaced, made;
    logic [3:0][7:0] made_early;
    logic unused_inputs;

    aesmith_round_constants u_round_constants (
      .x_i({decrypt_i, round_i}),
      .y_o(round_constant)
    );

    aesmith_two_way_words u_two_way_words (
      .words_i         (replaced),
      .key_ex_i        (key_ex),
      .round_constant_i(round_constant),
      .decrypt_i,
      .words_o         (made),
      .early_o         (made_early)
    );

    if (KeyWords == 4) begin : gen_128
      assign unused_inputs = ^{size_i, first_i[1:0]};

      assign rotated = {early_i[0], early_i[3:1]};
      assign replaced = key_i;
      assign key_o = made;
      assign early_o = made_early;
      assign first_early_o = first_i[3] ^ (first_i[2] & {32{first_decrypt_i}});
    end else begin : gen_256
      assign unused_inputs = ^{size_i, made_early, first_i[6:4], first_i[2:0]};

      // Forwards the first step rotates, backwards the second.
      assign rotated = (round_i[0] ^ decrypt_i) ? early_i : {early_i[0], early_i[3:1]};
      assign replaced = decrypt_i ? key_i[KeyWords-1-:4] : key_i[3:0];
      assign key_o = decrypt_i ? {key_i[3:0], made} : {made, key_i[KeyWords-1-:4]};
      assign early_o = made[3];
      assign first_early_o = first_decrypt_i ? first_i[3] : first_i[KeyWords-1];
    end
  end
endmodule
