// The key schedule both ways, a word in a clock, in a ring of as many words as the key has. It turns one way only.
//
//   forward    head w[i - N] is replaced by w[i] = w[i - N] + f(w[i - 1])
//   backward   head w[i] is replaced by w[i - N] = w[i] + f(w[i - 1])
//
// The ring stands in words 8 - N … 7: its head in word 8 - N, what was made last in word 7. What is below the head means
// nothing. f is SubWord, with RotWord and the round constant where whole_i is set, or nothing (FIPS-197 section 5.2).
// Backward, too, words come in ascending order, so w[i - 1] has just been replaced: previous_q is what it was.
module aesmith_column_two_way_key #(
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,

  input  logic [2:0] words_i,           // 4, 6 or 8 words, one-hot
  input  logic advance_i,
  input  logic take_i,                  // the word that comes is the key's
  input  logic head_i,                  // what is added to the head, or to nothing, or to the last word but one:
  input  logic second_last_i,
  input  logic last_i,                  // the last word,
  input  logic previous_i,                // the word that was the head before,
  input  logic substitute_i,            // or SubWord
  input  logic whole_i,
  input  logic [7:0] round_constant_i,
  input  logic [31:0] key_i,
  input  logic [31:0] sub_word_i,

  output logic [31:0] head_o,
  output logic [31:0] sum_o            // without SubWord
);
  logic clk, enable;
  logic [7:0][31:0] word_q;
  logic [31:0] previous_q, base, substitute, made;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_enable (
    .clk_i,
    .enable_i(advance_i),
    .clk_o   (clk),
    .enable_o(enable)
  );

  assign head_o = ({32{words_i[0]}} & word_q[4]) | ({32{words_i[1]}} & word_q[2]) | ({32{words_i[2]}} & word_q[0]);
  assign base = ({32{head_i}} & head_o) | ({32{second_last_i}} & word_q[6]) | ({32{take_i}} & key_i);
  assign substitute = whole_i ? {sub_word_i[23:0], sub_word_i[31:24]} ^ {round_constant_i, 24'd0} : sub_word_i;
  assign sum_o = base ^ (({32{last_i}} & word_q[7]) | ({32{previous_i}} & previous_q));
  assign made = sum_o ^ ({32{substitute_i}} & substitute);

  always_ff @(posedge clk) begin
    if (enable) begin
      word_q <= {made, word_q[7:1]};
      previous_q <= head_o;
    end
  end
endmodule
