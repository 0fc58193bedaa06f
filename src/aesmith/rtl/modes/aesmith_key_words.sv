// A whole key for a core that takes it in words: byte 0 of the key, in its highest bits, is in the first word.
module aesmith_key_words #(
  parameter int unsigned KeyBits = 128,
  parameter int unsigned WordBits = 8
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic valid_i,
  output logic ready_o,
  input  logic [KeyBits-1:0] key_i,

  output logic valid_o,
  input  logic ready_i,
  output logic [WordBits-1:0] word_o
);
  localparam int unsigned Words = KeyBits / WordBits;
  localparam int unsigned PlaceBits = $clog2(Words);

  logic [Words-1:0][WordBits-1:0] words; // the last one in element 0
  logic [PlaceBits-1:0] word_q;
  logic is_last;

  assign is_last = word_q == PlaceBits'(Words - 1);
  assign valid_o = valid_i;
  assign ready_o = ready_i & is_last;
  assign words   = key_i;
  assign word_o  = words[PlaceBits'(Words-1)-word_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_q <= '0;
    end else if (valid_i & ready_i) begin
      word_q <= is_last ? '0 : word_q + 1'b1;
    end
  end
endmodule
