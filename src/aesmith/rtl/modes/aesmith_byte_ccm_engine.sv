// CCM (SP 800-38C) in bytes around a core of bytes: Y_i = E(Y_{i-1} + B_i) over B0, header and text; stream block i is E(A_i),
// A_i = {flags, nonce, i}; the tag is Y_n + E(A_0).
//
//   command ─▶ a, 15 bytes that turn, + 1 ─▶ core ─▶ + text ─▶ answer
//           ─▶ r, 2 bytes that turn: the length of the text
//   stream  ─▶ + ─▶ y, 16 bytes that turn ─▶ core ─▶ y
//
// B0 is read from the command a byte a clock, while the command waits: it begins the chain, its nonce A, and its length r. Texts
// have less than 2^16 bytes, so i is in the last two bytes of A. It goes up as A turns towards the core. The length does not count
// down: its blocks are compared with i as both turn, and `full_q` says that a block of text has 16 bytes, `last_q` that it is the
// last such one.
//
//   state      what moves                                                then
//   Open       a byte of B0 to y, a and r; the command is taken          Feed, Drain; Idle for a key
//   Feed       a byte of y to the core                                   Take
//   Take       a byte of the result to y                                 Absorb, or Stream once all is absorbed
//   Absorb     a byte of header: y + header; of text, with key stream    Feed behind 16 of them, Pad, Stream
//   Pad        a zero to y; its byte of key stream is dropped            Feed
//   Stream     a byte of A_i to the core, in the end of A_0              Absorb, Tag
//   Tag        a byte of y + result leaves or is compared                Rest, Idle, Verdict
//   Rest       a byte of the result behind the tag is dropped            Idle, Verdict
//   Lose       one in front of a word that is wrong                      Drain
//
// Command: [0] 1 encrypts, [7:4] bytes of the tag (0 for 16), [15:8] key slot (0), [31:24] bytes of the IV (16), [191:64] B0. The
// header comes with its encoded length in front. Codes, of the first byte that is wrong: 1 KEEP, a word without a byte in a
// message that has some; 3 ORDER, header behind text, text behind a byte of the tag, a byte of another kind, a tag to a message
// that is encrypted, or none to one that is decrypted; 4 KEY; 5 IV, no B0; 6 LENGTH, another text than B0 says, a header where it
// says none, none where it says one, or 2^16 bytes of text; 8 TAG, another tag than B0 says.
module aesmith_byte_ccm_engine #(
  parameter int unsigned Cores = 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,

  input  logic s_axis_cmd_tvalid,
  output logic s_axis_cmd_tready,
  input  logic [255:0] s_axis_cmd_tdata,

  input  logic s_axis_tvalid,
  output logic s_axis_tready,
  input  logic [7:0] s_axis_tdata,
  input  logic s_axis_tkeep,
  input  logic [1:0] s_axis_tuser,
  input  logic s_axis_tlast,

  output logic m_axis_tvalid,
  input  logic m_axis_tready,
  output logic [7:0] m_axis_tdata,
  output logic m_axis_tkeep,
  output logic [3:0] m_axis_tuser,
  output logic m_axis_tlast,

  // The code of the last message that was refused; 0 if none was.
  output logic [3:0] error_o,

  output logic [Cores-1:0] core_key_valid_o,
  input  logic [Cores-1:0] core_key_ready_i,
  output logic [Cores-1:0] core_block_valid_o,
  input  logic [Cores-1:0] core_block_ready_i,
  output logic [7:0] core_block_o,
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][7:0] core_result_i
);
  localparam logic [1:0] HeaderKind = 2'd1, TextKind = 2'd2, TagKind = 2'd3;

  if (Cores != 1) begin : gen_refused
    $error("Cores must be 1");
  end

  typedef enum logic [3:0] {Idle, Open, Feed, Take, Absorb, Pad, Stream, Tag, Rest, Verdict, Lose, Drain, Refused} state_e;
  state_e state_q, state_d;

  logic [15:0][7:0] y_q; // of these three the next byte to go is in element 0
  logic [14:0][7:0] a_q;
  logic [1:0][7:0] r_q;
  logic [3:0] place_q, error_q;
  // Of the command: the tag's size, in whose place the code of a message that is refused is; 1 to encrypt; bytes of the length
  // less 1.
  logic [3:0] size_q;
  logic make_q, keyed_q;
  logic [2:0] length_q;
  // No word was taken; a header may come; all text has come; all is absorbed; key stream is in the core; this block of text has
  // 16 bytes; it is the last one that has; a byte of the tag is wrong, or of the length.
  logic first_q, header_q, ended_q, final_q, stream_q, full_q, last_q, wrong_q;

  logic open, last_place, result_valid, block_ready;
  logic [7:0] result;
  assign open         = state_q == Open;
  assign last_place   = &place_q;
  assign result_valid = core_result_valid_i[0];
  assign block_ready  = core_block_ready_i[0];
  assign result       = core_result_i[0];

  // Keys and commands: of B0 the flags are checked where they stand, and a byte is read.
  logic [15:0][7:0] first_block;
  logic [7:0] b0;
  logic [3:0] refusal;
  logic in_length, at_count, unused_command;
  assign core_key_valid_o  = (state_q == Idle) & key_valid_i;
  assign key_ready_o       = (state_q == Idle) & core_key_ready_i[0];
  assign s_axis_cmd_tready = open & last_place & ~key_valid_i;
  assign first_block       = s_axis_cmd_tdata[191:64];
  assign in_length         = place_q >= {1'b1, ~length_q};
  assign at_count          = &place_q[3:1];
  assign unused_command    = ^{s_axis_cmd_tdata[255:192], s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[3:1]};
  always_comb begin
    b0 = '0;
    for (int n = 0; n < 16; n++) b0 |= first_block[n] & {8{place_q == 4'(n)}};
    refusal = '0;
    if (first_block[0][5:3] == '0 | s_axis_cmd_tdata[7:4] != {first_block[0][5:3] + 3'd1, 1'b0}) refusal = 4'd8;
    if (wrong_q) refusal = 4'd6;
    if (s_axis_cmd_tdata[31:24] != 8'd16 | first_block[0][7] | first_block[0][2:0] == '0) refusal = 4'd5;
    if (~keyed_q | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) keyed_q <= 1'b0;
    else if (key_valid_i & key_ready_o) keyed_q <= 1'b1;
  end

  // A, and the length.
  logic carry, same;
  logic [7:0] counted, a, length;
  assign carry   = at_count & (place_q[0] | &a_q[1]);
  assign counted = a_q[0] + 8'(carry);
  assign a       = place_q == '0 ? {5'd0, length_q} : counted & {8{~(final_q & at_count)}};
  assign length  = open ? b0 : r_q[0];
  assign same    = (counted & {8{~open}}) == {r_q[1][3:0] & {4{place_q[0]}}, length[7:4]};

  // The word at the input, where header and text are expected and where the tag is; what is wrong with it.
  logic is_header, is_text, is_tag, empty, at_tag, looks, ends, tag_ends, good;
  logic [3:0] code;
  assign is_header = s_axis_tkeep & s_axis_tuser == HeaderKind;
  assign is_text   = s_axis_tkeep & s_axis_tuser == TextKind;
  assign is_tag    = s_axis_tkeep & s_axis_tuser == TagKind;
  assign empty     = ~s_axis_tkeep & first_q & s_axis_tlast;
  assign at_tag    = state_q == Tag;
  assign looks     = (state_q == Absorb | (at_tag & ~make_q & result_valid)) & s_axis_tvalid;
  assign ends      = full_q ? last_place & last_q & r_q[1][3:0] == '0 : place_q == r_q[1][3:0] - 4'd1;
  assign tag_ends  = place_q == {size_q[2:0], 1'b1};
  assign good      = looks & code == '0;
  always_comb begin
    code = '0;
    if (at_tag) begin
      if (s_axis_tlast != tag_ends) code = 4'd8;
      if (s_axis_tuser != TagKind) code = is_text & ~s_axis_tlast & place_q == '0 ? 4'd6 : 4'd3;
    end else begin
      if (is_header ? ~header_q | (s_axis_tlast & ~ended_q)
          : (header_q & first_q) | (is_text ? ended_q | (stream_q & s_axis_tlast & ~ends) : ~ended_q)) code = 4'd6;
      if (is_header ? ~header_q & ~first_q : is_tag ? make_q : ~is_text & ~empty) code = 4'd3;
      if (s_axis_tlast & ~make_q & ~is_tag) code = 4'd3;
    end
    if (~s_axis_tkeep & (at_tag | ~empty)) code = 4'd1;
  end

  logic meets, passes, absorbs, over, takes, sends, moves, steps;
  assign meets   = good & is_text & stream_q & result_valid & ~at_tag;
  assign passes  = meets & m_axis_tready;
  assign absorbs = passes | (good & is_header);
  assign over    = is_header ? s_axis_tlast : ends & (s_axis_tlast | ~make_q);
  assign sends   = state_q inside {Feed, Stream};
  assign takes   = passes | (result_valid & (state_q inside {Take, Rest, Lose} | (state_q == Pad & stream_q) | (at_tag & (make_q ? m_axis_tready : good))));
  assign steps   = open | absorbs | takes | (sends & block_ready) | (state_q == Pad & ~stream_q);
  assign moves   = steps & state_q != Stream;

  logic [7:0] mixed, added;
  assign mixed = result ^ (at_tag ? y_q[0] : s_axis_tdata);
  always_comb begin
    unique case (state_q)
      Open: added = b0;
      Take: added = result;
      Absorb: added = stream_q & ~make_q ? mixed : s_axis_tdata;
      default: added = '0;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (moves) y_q <= {(y_q[0] & {8{~(open | state_q == Take)}}) ^ added, y_q[15:1]};
    if (steps & (open | state_q == Stream)) begin
      if (place_q != '0) a_q <= {open ? b0 & {8{~at_count}} : counted, a_q[14:1]};
      if (at_count) r_q <= {length, r_q[1]};
      last_q <= ~at_count | (last_q & same);
      if (place_q == '0) full_q <= open | (full_q & ~last_q);
    end
  end

  assign core_block_valid_o  = sends;
  assign core_block_o        = state_q == Stream ? a : y_q[0];
  assign core_result_ready_o = takes;

  // What leaves.
  logic shows;
  assign shows         = at_tag & make_q & result_valid;
  assign m_axis_tkeep  = shows | meets;
  assign m_axis_tvalid = m_axis_tkeep | state_q inside {Verdict, Refused};
  assign m_axis_tdata  = mixed & {8{m_axis_tkeep}};
  assign m_axis_tlast  = m_axis_tvalid & ~meets & (~shows | tag_ends);
  assign m_axis_tuser  = {state_q == Refused, state_q == Verdict & wrong_q, m_axis_tvalid, shows};
  assign s_axis_tready = absorbs | (good & (at_tag | ~s_axis_tkeep)) | state_q == Drain;
  assign error_o       = error_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= '0;
    else if (state_q == Refused & m_axis_tready) error_q <= size_q;
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (s_axis_cmd_tvalid & ~key_valid_i) state_d = Open;
      Open: if (key_valid_i | last_place) state_d = key_valid_i ? Idle : refusal != '0 ? Drain : Feed;
      Feed: if (block_ready & last_place) state_d = Take;
      Take: if (takes & last_place) state_d = final_q ? Stream : Absorb;
      Absorb: begin
        if (absorbs) state_d = last_place ? Feed : over ? Pad : Absorb;
        else if (good & ~stream_q) state_d = place_q == '0 ? Stream : Pad;
        else if (looks & ~good) state_d = stream_q ? Lose : Drain;
      end
      Pad: if (moves & last_place) state_d = Feed;
      Stream: if (block_ready & last_place) state_d = final_q ? Tag : Absorb;
      Tag: begin
        if (takes & tag_ends) state_d = ~last_place ? Rest : make_q ? Idle : Verdict;
        else if (looks & ~good) state_d = Lose;
      end
      Rest: if (takes & last_place) state_d = make_q ? Idle : Verdict;
      Lose: if (takes & last_place) state_d = Drain;
      Drain: if (s_axis_tvalid & s_axis_tlast) state_d = Refused;
      Verdict, Refused: if (m_axis_tready) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      place_q  <= '0;
      size_q   <= {1'b0, first_block[0][5:3]};
      make_q   <= s_axis_cmd_tdata[0];
      length_q <= first_block[0][2:0];
      header_q <= first_block[0][6];
      first_q  <= 1'b1;
      {final_q, stream_q, wrong_q} <= '0;
    end else begin
      if (steps) place_q <= place_q + 4'd1;
      if (open) begin
        if (in_length & ~at_count & b0 != '0) wrong_q <= 1'b1;
        if (last_place & refusal != '0) size_q <= refusal;
        ended_q <= last_q & same & length[3:0] == '0;
      end
      if (absorbs) first_q <= 1'b0;
      if (passes & ends) ended_q <= 1'b1;
      if ((absorbs & over) | (good & (is_tag | ~s_axis_tkeep))) final_q <= 1'b1;
      if (state_q == Stream) {header_q, stream_q} <= 2'b01;
      else if (takes & last_place) stream_q <= 1'b0;
      if (at_tag & takes) wrong_q <= wrong_q | s_axis_tdata != mixed;
      if (looks & ~good) size_q <= code;
    end
  end
endmodule
