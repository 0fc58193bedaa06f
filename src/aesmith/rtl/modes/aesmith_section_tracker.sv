// What is wrong with a beat of 16 bytes: the lowest code that applies, and once one has, that one up to the message's end.
//
//   code  1 KEEP     `keep` is not a run of ones from byte 0, or is 0 in a beat that is not alone in its message
//         2 PARTIAL  the beat before it was partial and of the same kind
//         3 ORDER    a kind that the mode has not (`Kinds`, a bit a kind), or one that comes before that of the last beat
//         6 LENGTH   the bytes of text are other than the command says; known at the last beat
//         7 WRAP     a block of text beyond the 2^CounterBits that a counter serves
//
// What the command is refused for comes first of all. Kinds: 0 IV, 1 AAD, 2 text, 3 tag.
module aesmith_section_tracker #(
  parameter logic [3:0] Kinds = 4'b0100,
  parameter int unsigned CounterBits = 128
) (
  input  logic clk_i,
  input  logic rst_ni,

  // The beat that is looked at, and that it leaves with this clock.
  input  logic take_i,
  input  logic [15:0] keep_i,
  input  logic [1:0] kind_i,
  input  logic last_i,

  // Of its message: why its command is refused, or 0; bytes of text, all ones if that is not said.
  input  logic [3:0] refused_i,
  input  logic [63:0] text_bytes_i,

  output logic first_o,
  output logic [3:0] code_o
);
  localparam logic [1:0] Text = 2'd2;

  logic first_q, partial_q;
  logic [1:0] kind_q;
  logic [3:0] code_q, found;
  logic [59:0] blocks_q, blocks;
  logic [3:0] odd;
  logic empty, keep_wrong, order_wrong, partial_wrong, length_wrong, wrap_wrong, text_block;

  assign empty = keep_i == '0;
  assign keep_wrong = (keep_i & (keep_i + 16'd1)) != '0 | (empty & ~(first_q & last_i));
  assign order_wrong = ~empty & (~Kinds[kind_i] | (~first_q & kind_i < kind_q));
  assign partial_wrong = ~first_q & partial_q & kind_i == kind_q;

  // Bytes of text with this beat: 16 times the whole blocks, and the bytes of one that is not whole.
  assign text_block = kind_i == Text & ~empty;
  assign blocks = first_q ? '0 : blocks_q;
  always_comb begin
    odd = '0;
    for (int unsigned place = 0; place < 15; place++) odd += {3'd0, keep_i[place] & ~keep_i[15] & text_block};
  end
  assign length_wrong = last_i & text_bytes_i != '1 & text_bytes_i != {blocks + 60'(keep_i[15] & text_block), odd};

  if (CounterBits < 60) begin : gen_wrap
    assign wrap_wrong = text_block & |blocks[59:CounterBits];
  end else begin : gen_no_wrap
    assign wrap_wrong = 1'b0;
  end

  always_comb begin
    found = '0;
    if (wrap_wrong) found = 4'd7;
    if (length_wrong) found = 4'd6;
    if (order_wrong) found = 4'd3;
    if (partial_wrong) found = 4'd2;
    if (keep_wrong) found = 4'd1;
    if (refused_i != '0) found = refused_i;
  end

  assign first_o = first_q;
  assign code_o  = ~first_q & code_q != '0 ? code_q : found;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= 1'b1;
    end else if (take_i) begin
      first_q <= last_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      kind_q    <= kind_i;
      partial_q <= ~keep_i[15];
      blocks_q  <= blocks + 60'(text_block);
      code_q    <= code_o;
    end
  end
endmodule
