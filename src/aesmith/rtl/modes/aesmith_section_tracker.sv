// What is wrong with a beat of one or more lanes of 16 bytes: the lowest code that applies to one of them, and once one
// has, that one up to the message's end.
//
//   code  1 KEEP     `keep` is not a run of ones from byte 0, or is 0 in a lane that is not alone in its message nor behind
//                    all others
//         2 PARTIAL  the lane before it was partial and of the same kind
//         3 ORDER    a kind that the message may not have, or one that comes before that of the last lane; a tag that is
//                    not the last lane, or a last lane that is not the tag where there must be one
//         5 IV       no IV in front where there must be one, or one of 12 bytes, which goes in the command
//         6 LENGTH   the bytes of text are other than the command says, known at the last lane; or a beat that there is no
//                    room for
//         8 TAG      other bytes of tag than the command says
//
// MostCode, 6 or 7: a block of text beyond 2^MostBits - MostLess; from 60 bits on there is no such limit. With MostLess 0
// that is text alone, which is whole beats. What the command is refused for comes first of all. Kinds: 0 IV, 1 header,
// 2 text, 3 tag. Lane 0 is the first one.
module aesmith_section_tracker #(
  parameter int unsigned Lanes = 1,
  parameter int unsigned MostBits = 60,
  parameter int unsigned MostLess = 0,
  parameter logic [3:0] MostCode = 4'd7
) (
  input  logic clk_i,
  input  logic rst_ni,

  // The beat that is looked at, and that it leaves with this clock.
  input  logic take_i,
  input  logic [Lanes-1:0][15:0] keep_i,
  input  logic [Lanes-1:0][1:0] kind_i,
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
  localparam int unsigned CountBits = $clog2(Lanes + 1);
  localparam bit Limited = MostBits < 60;
  localparam logic [59:0] MostBlocks = (60'd1 << MostBits) - 60'(MostLess);

  logic first_q, partial_q;
  logic [1:0] kind_q;
  logic [3:0] code_q, found;
  // Of the text so far: whole blocks, and bytes of one that is not; and with this beat.
  logic [59:0] blocks_q, blocks, blocks_after;
  logic [3:0] odd_q, odd, odd_after;
  // Of each lane: it has bytes, it is the last one of the message, there is one before it, and what that was.
  logic [Lanes:0] used;
  logic [Lanes-1:0] ends, behind, partial_before;
  logic [Lanes-1:0][1:0] kind_before;
  logic [Lanes-1:0][3:0] bytes;
  logic [Lanes-1:0] is_text, whole, is_tag, keep_wrong, order_wrong, partial_wrong, tag_wrong;
  logic [CountBits-1:0] wholes;
  logic iv_wrong, length_wrong, most_wrong;

  assign used[Lanes] = 1'b0;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    if (lane == 0) begin : gen_before
      assign {behind[lane], kind_before[lane], partial_before[lane]} = {~first_q, kind_q, partial_q};
    end else begin : gen_before
      assign {behind[lane], kind_before[lane], partial_before[lane]} = {1'b1, kind_i[lane-1], ~keep_i[lane-1][15]};
    end
    // Of a run of ones from byte 0 that is not whole, its length; what is not a run is wrong anyhow.
    logic [15:0] keep;
    assign keep = keep_i[lane];
    always_comb begin
      bytes[lane] = '0;
      for (int unsigned place = 0; place < 15; place++) bytes[lane] |= 4'(place + 1) & {4{keep[place] & ~keep[place+1]}};
    end
    assign used[lane]    = keep_i[lane] != '0;
    assign ends[lane]    = last_i & ~used[lane+1] & (lane == 0 | used[lane]);
    assign is_text[lane] = kind_i[lane] == Text & used[lane];
    assign whole[lane]   = is_text[lane] & keep[15];
    assign is_tag[lane]  = kind_i[lane] == Tag & used[lane];
    assign keep_wrong[lane] = (keep_i[lane] & (keep_i[lane] + 16'd1)) != '0 |
                              (~used[lane] & (used[lane+1] | ~last_i | (lane == 0 & ~first_q)));
    assign partial_wrong[lane] = behind[lane] & partial_before[lane] & kind_i[lane] == kind_before[lane] &
                                 (lane == 0 | used[lane]);
    assign order_wrong[lane] = (tag_i != '0 & ends[lane] != is_tag[lane]) |
                               (used[lane] & (~kinds_i[kind_i[lane]] | (behind[lane] & kind_i[lane] < kind_before[lane])));
    assign tag_wrong[lane] = is_tag[lane] & keep_i[lane] != tag_i;
  end
  assign iv_wrong = iv_i & first_q & (~used[0] | kind_i[0] != Iv | keep_i[0] == 16'h0fff);

  // At most one lane of text is partial.
  always_comb begin
    odd = '0;
    wholes = '0;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      odd |= bytes[lane] & {4{is_text[lane]}};
      wholes += CountBits'(whole[lane]);
    end
  end
  assign blocks = first_q ? '0 : blocks_q;
  always_comb begin
    blocks_after = blocks;
    for (int unsigned count = 1; count <= Lanes; count++) begin
      if (wholes == CountBits'(count)) blocks_after = blocks + 60'(count);
    end
  end
  assign odd_after    = is_text != '0 ? odd : odd_q & {4{~first_q}};
  assign length_wrong = last_i & text_bytes_i != '1 & text_bytes_i != {blocks_after, odd_after};

  // Of a beat whose text may begin anywhere, lane by lane: there are as many blocks as leave no room for one more.
  logic [CountBits-1:0] texts;
  always_comb begin
    texts = '0;
    most_wrong = is_text != '0 & Limited & blocks == MostBlocks;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      if (MostLess != 0) most_wrong |= Limited & texts != '0 & is_text[lane] & MostBlocks - 60'(texts) == blocks;
      texts += CountBits'(is_text[lane]);
    end
  end

  always_comb begin
    found = '0;
    if (tag_wrong != '0) found = 4'd8;
    if (most_wrong) found = MostCode;
    if (length_wrong | large_i) found = 4'd6;
    if (iv_wrong) found = 4'd5;
    if (order_wrong != '0) found = 4'd3;
    if (partial_wrong != '0) found = 4'd2;
    if (keep_wrong != '0) found = 4'd1;
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
      kind_q    <= kind_i[Lanes-1];
      partial_q <= ~keep_i[Lanes-1][15];
      blocks_q  <= blocks_after;
      odd_q     <= odd_after;
      code_q    <= code_o;
    end
  end
endmodule
