// The key schedule both ways, a word in a clock, in a window of as many words as the key has.
//
//   forward    w[g] … w[g + N - 1]  ▶  w[g + 1] … w[g + N]        w[i] = w[i - N] + f(w[i - 1])
//   backward   w[g] … w[g + N - 1]  ▶  w[g - 1] … w[g + N - 2]    w[i - N] = w[i] + f(w[i - 1])
//
// The window stands in words 8 - N … 7; what is below it means nothing. f is SubWord, with RotWord and the round constant
// where whole_i is set, or nothing (FIPS-197 section 5.2). rotate_i turns the window without making a word.
module aesmith_column_two_way_key #(
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,

  input  logic [2:0] words_i,           // 4, 6 or 8 words, one-hot
  input  logic advance_i,
  input  logic take_i,                  // forward, and the word that comes is the key's
  input  logic forward_i,
  input  logic rotate_i,
  input  logic substitute_i,
  input  logic whole_i,
  input  logic [7:0] round_constant_i,
  input  logic [31:0] key_i,
  input  logic [31:0] sub_word_i,

  output logic [31:0] first_o,          // w[g]
  output logic [31:0] third_last_o,
  output logic [31:0] second_last_o,
  output logic [31:0] last_o            // w[g + N - 1]
);
  logic clk, enable;
  logic [7:0][31:0] word_d, word_q;
  logic [31:0] made, base, addend;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_enable (
    .clk_i,
    .enable_i(advance_i),
    .clk_o   (clk),
    .enable_o(enable)
  );

  assign first_o = ({32{words_i[0]}} & word_q[4]) | ({32{words_i[1]}} & word_q[2]) | ({32{words_i[2]}} & word_q[0]);
  assign third_last_o = word_q[5];
  assign second_last_o = word_q[6];
  assign last_o = word_q[7];

  assign base = forward_i ? first_o : word_q[7];
  always_comb begin
    addend = forward_i ? word_q[7] : word_q[6];
    if (substitute_i) addend = whole_i ? {sub_word_i[23:0], sub_word_i[31:24]} ^ {round_constant_i, 24'd0} : sub_word_i;
    if (rotate_i) addend = '0;
  end
  assign made = take_i ? key_i : base ^ addend;

  always_comb begin
    if (forward_i) begin
      word_d = {made, word_q[7:1]};
    end else begin
      word_d = {word_q[6:0], made};
      if (words_i[1]) word_d[2] = made;
      if (words_i[0]) word_d[4] = made;
    end
  end

  always_ff @(posedge clk) begin
    if (enable) word_q <= word_d;
  end
endmodule
