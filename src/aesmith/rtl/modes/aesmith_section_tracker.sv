// What is wrong with a beat of 16 bytes: the lowest code that applies, and once one has, that one up to the message's end.
//
//   code  1 KEEP     `keep` is not a run of ones from byte 0, or is 0 in a beat that is not alone in its message
//         2 PARTIAL  the beat before it was partial and of the same kind
//         3 ORDER    a kind that the message may not have, or one that comes before that of the last beat; a tag that is
//                    not the last beat, or a last beat that is not the tag where there must be one
//         5 IV       no IV in front where there must be one, or one of 12 bytes, which goes in the command
//         6 LENGTH   the bytes of text are other than the command says, known at the last beat; or a beat that there is no
//                    room for
//         8 TAG      other bytes of tag than the command says
//
// MostCode, 6 or 7: a block of text beyond 2^MostBits - MostLess; from 60 bits on there is no such limit. What the command
// is refused for comes first of all. Kinds: 0 IV, 1 header, 2 text, 3 tag.
module aesmith_section_tracker #(
  parameter int unsigned MostBits = 60,
  parameter int unsigned MostLess = 0,
  parameter logic [3:0] MostCode = 4'd7
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
  // Of its message: the kinds it may have, a bit a kind; that it begins with an IV; the bytes of its tag, as a mask,
  // or 0 where it has none.
  input  logic [3:0] kinds_i,
  input  logic iv_i,
  input  logic [15:0] tag_i,
  // There is no room for this beat.
  input  logic large_i,

  output logic first_o,
  output logic [3:0] code_o
);
  localparam logic [1:0] Iv = 2'd0, Text = 2'd2, Tag = 2'd3;
  localparam bit Limited = MostBits < 60;
  localparam logic [59:0] MostBlocks = (60'd1 << MostBits) - 60'(MostLess);

  logic first_q, partial_q;
  logic [1:0] kind_q;
  logic [3:0] code_q, found;
  // Of the text so far: whole blocks, and bytes of one that is not; and with this beat.
  logic [59:0] blocks_q, blocks, blocks_after;
  logic [3:0] odd_q, odd, odd_after;
  logic empty, keep_wrong, order_wrong, partial_wrong, iv_wrong, length_wrong, most_wrong, tag_wrong, text_block, is_tag;

  assign empty = keep_i == '0;
  assign keep_wrong = (keep_i & (keep_i + 16'd1)) != '0 | (empty & ~(first_q & last_i));
  assign is_tag = kind_i == Tag & ~empty;
  assign order_wrong = (~empty & (~kinds_i[kind_i] | (~first_q & kind_i < kind_q))) | (tag_i != '0 & last_i != is_tag);
  assign iv_wrong = iv_i & first_q & (empty | kind_i != Iv | keep_i == 16'h0fff);
  assign tag_wrong = is_tag & keep_i != tag_i;
  assign partial_wrong = ~first_q & partial_q & kind_i == kind_q;

  assign text_block = kind_i == Text & ~empty;
  assign blocks = first_q ? '0 : blocks_q;
  // Of a run of ones from byte 0, its length; what is not a run is wrong anyhow.
  always_comb begin
    odd = '0;
    for (int unsigned place = 0; place < 15; place++) odd |= 4'(place + 1) & {4{keep_i[place] & ~keep_i[place+1]}};
  end
  assign blocks_after = keep_i[15] & text_block ? blocks + 60'd1 : blocks;
  assign odd_after    = text_block ? odd : odd_q & {4{~first_q}};
  assign length_wrong = last_i & text_bytes_i != '1 & text_bytes_i != {blocks_after, odd_after};

  assign most_wrong = text_block & Limited & blocks == MostBlocks;

  always_comb begin
    found = '0;
    if (tag_wrong) found = 4'd8;
    if (most_wrong) found = MostCode;
    if (length_wrong | large_i) found = 4'd6;
    if (iv_wrong) found = 4'd5;
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
      blocks_q  <= blocks_after;
      odd_q     <= odd_after;
      code_q    <= code_o;
    end
  end
endmodule
