// The tweak of a message, encrypted beside the cores that its text goes to: one register, which holds what is to be
// encrypted, then words of the result as they come, then the tweak until it is taken.
//
//   put ─▶ [ value ] ─▶ core ─▶ [ tweak ] ─▶ take
//
// The next value is put when the tweak before it has been taken; so it is made while the text of the message before it is
// under way. Byte 0 is the most significant one, as at cores.
module aesmith_tweak_maker #(
  parameter int unsigned WordBits = 128
) (
  input  logic clk_i,
  input  logic rst_ni,

  output logic free_o,
  input  logic put_i,
  input  logic [127:0] value_i,

  output logic known_o,
  input  logic take_i,
  output logic [127:0] tweak_o,

  output logic core_block_valid_o,
  input  logic core_block_ready_i,
  output logic [WordBits-1:0] core_block_o,
  input  logic core_result_valid_i,
  output logic core_result_ready_o,
  input  logic [WordBits-1:0] core_result_i
);
  logic free_q, sends_q, waits_q, known_q;
  logic [127:0] value_q;
  logic [127:0] value_sent, value_received; // with a word less, and with one more
  logic moves, comes, last_word;

  assign free_o = free_q;
  assign known_o = known_q;
  assign tweak_o = value_q;
  assign core_block_valid_o = sends_q;
  assign core_block_o = value_q[127-:WordBits];
  assign core_result_ready_o = waits_q;
  assign moves = sends_q & core_block_ready_i;
  assign comes = waits_q & core_result_valid_i;

  if (WordBits == 128) begin : gen_whole
    assign last_word = 1'b1;
    assign value_sent = value_q;
    assign value_received = core_result_i;
  end else begin : gen_words
    logic [$clog2(128/WordBits)-1:0] word_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        word_q <= '0;
      end else if (moves | comes) begin
        word_q <= word_q + 1'b1;
      end
    end
    assign last_word = word_q == '1;
    assign value_sent = {value_q[127-WordBits:0], WordBits'(0)};
    assign value_received = {value_q[127-WordBits:0], core_result_i};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_q  <= 1'b1;
      sends_q <= 1'b0;
      waits_q <= 1'b0;
      known_q <= 1'b0;
    end else begin
      if (put_i) {free_q, sends_q} <= 2'b01;
      if (moves & last_word) {sends_q, waits_q} <= 2'b01;
      if (comes & last_word) {waits_q, known_q} <= 2'b01;
      if (take_i) {known_q, free_q} <= 2'b01;
    end
  end

  always_ff @(posedge clk_i) begin
    if (put_i) value_q <= value_i;
    else if (moves) value_q <= value_sent;
    else if (comes) value_q <= value_received;
  end
endmodule
