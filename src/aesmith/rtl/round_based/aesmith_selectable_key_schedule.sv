// One step of the key schedule of AES-128, AES-192 or AES-256, forwards or backwards, around one set of S-boxes.
//
// key[j][i] is byte i of word j of the window x0 … x7, of which a key of four or six words uses the first. The round
// counter ends at 14 for all sizes. size_i is 0, 1 or 2 for 128, 192 or 256 bits.
module aesmith_selectable_key_schedule #(
  parameter int unsigned KeyWords = 8
) (
  input  logic [KeyWords-1:0][3:0][7:0] key_i,
  input  logic [3:0][7:0] early_i, // the window's last word
  input  logic [1:0] size_i,
  input  logic decrypt_i,
  input  logic [3:0] round_i,
  output logic [KeyWords-1:0][3:0][7:0] key_o,
  output logic [3:0][7:0] early_o, // early_i of the step after this one
  input  logic [KeyWords-1:0][3:0][7:0] first_i,
  input  logic first_decrypt_i,
  output logic [3:0][7:0] first_early_o // early_i of a step from first_i
);
  if (KeyWords != 8) begin : gen_check
    $error("KeyWords must be 8");
  end

  logic [3:0][3:0][7:0] replaced, made, later, earlier;
  logic [3:0][7:0] expanded, rotated, key_ex;
  logic [3:0][7:0] unused_early;
  logic [7:0] round_constant;
  logic at_first, at_third, plain;
  logic is_192, is_256;

  assign is_192 = size_i[0];
  assign is_256 = size_i[1];

  aesmith_round_constants u_round_constants (
    .x_i({size_i, decrypt_i, round_i}),
    .y_o({plain, at_third, at_first, round_constant})
  );

  // What KeyEx is taken of: the last word of a window, in the step that leads to the later of the two windows.
  always_comb begin
    unique case ({is_256, is_192, decrypt_i})
      3'b010: expanded = key_i[5] ^ ((key_i[0] ^ key_i[1]) & {32{at_third}});
      3'b011: expanded = at_third ? key_i[3] : key_i[1];
      3'b100: expanded = early_i;
      3'b101: expanded = key_i[3];
      default: expanded = key_i[3] ^ (key_i[2] & {32{decrypt_i}});
    endcase
  end
  assign rotated = plain ? expanded : {expanded[0], expanded[3:1]};
  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_key_sbox u_key_sbox (
      .x_i(rotated[row]),
      .y_o(key_ex[row])
    );
  end

  assign replaced = (is_256 & decrypt_i) ? key_i[7:4] : key_i[3:0];
  aesmith_two_way_words u_two_way_words (
    .words_i         (replaced),
    .key_ex_i        (key_ex),
    .round_constant_i(round_constant),
    .decrypt_i,
    .words_o         (made),
    .early_o         (unused_early)
  );
  aesmith_two_way_words_192 u_two_way_words_192 (
    .key_i           (key_i[5:0]),
    .key_ex_i        (key_ex),
    .round_constant_i(round_constant),
    .at_first_i      (at_first),
    .at_third_i      (at_third),
    .later_o         (later),
    .earlier_o       (earlier)
  );

  always_comb begin
    unique case ({is_256, is_192, decrypt_i})
      3'b010: key_o = {key_i[7:6], later, key_i[5:4]};
      3'b011: key_o = {key_i[7:6], key_i[1:0], earlier};
      3'b100: key_o = {made, key_i[7:4]};
      3'b101: key_o = {key_i[3:0], made};
      default: key_o = {key_i[7:4], made};
    endcase
  end
  assign early_o = key_o[7];
  assign first_early_o = first_i[7];
  logic unused_inputs;
  assign unused_inputs = ^{unused_early, first_i[6:0], first_decrypt_i};
endmodule
