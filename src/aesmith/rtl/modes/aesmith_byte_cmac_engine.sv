// CMAC (SP 800-38B) in bytes around a core of bytes: X_i = E(X_{i-1} + M_i), the last block with K1 or K2 added; the tag is X_n.
//
//   stream ─▶ + ─▶ y, 16 bytes that turn ─▶ core ─▶ y, or the tag
//
// The chain is the one register of a block: it turns by a byte as text is added to it, as it goes to the core, and as the
// result comes back. No subkey is kept: before the last block goes, 16 zeros do, and E(0) is added to the chain doubled once
// or twice as it leaves the core, highest byte first: what a byte hands on to the one before it comes a byte late.
//
//   state      what moves                                        then
//   Absorb     a byte of text: y + text                          Look behind 16 of them, Pad behind the last one
//   Pad        a byte of padding: y + 80 00 00 …                 Zero
//   Look       nothing: is the tag next?                         Zero, or Feed
//   Zero       a zero to the core                                Double
//   Double     a byte of E(0): y + 2 E(0) or 4 E(0)              Feed
//   Feed       a byte of y to the core                           Take, or Tag for the last block
//   Take       a byte of the result to y                         Absorb
//   Tag        a byte of the result leaves or is compared        Idle, Verdict, Drain
//
// Command: [0] 1 makes the tag, 0 compares it, [7:4] bytes of the tag (0 for 16), [15:8] key slot (0), [31:24] bytes of the
// IV (0). Codes, of the first byte that is wrong: 1 KEEP, a word without a byte in a message that has some, or is to be
// compared with a tag behind it; 3 ORDER, a byte that is neither text nor tag, text behind a byte of the tag, a tag to a message
// whose tag is made, or none to one whose tag is compared; 4 KEY, 5 IV, 8 TAG, more or fewer bytes of tag than the command says.
module aesmith_byte_cmac_engine #(
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
  localparam logic [1:0] Text = 2'd2, TagKind = 2'd3;

  if (Cores != 1) begin : gen_refused
    $error("Cores must be 1");
  end

  typedef enum logic [3:0] {Idle, Absorb, Pad, Look, Zero, Double, Feed, Take, Tag, Verdict, Drain, Refused} state_e;
  state_e state_q, state_d;

  logic [15:0][7:0] y_q; // the next byte to go in element 0
  logic [3:0] place_q, error_q;
  // Of the command: bytes of the tag, in whose place the code of a message that is refused is; 1 to make the tag.
  logic [3:0] size_q;
  logic make_q, keyed_q;
  // There is no block before; text is over; its last block is padded; past what a state does first; a byte of the tag is wrong.
  logic first_q, final_q, part_q, past_q, wrong_q;
  logic [1:0] top_q;

  logic idle, last_place, result_valid, block_ready;
  logic [7:0] result;
  assign idle         = state_q == Idle;
  assign last_place   = &place_q;
  assign result       = core_result_i[0];
  assign result_valid = core_result_valid_i[0];
  assign block_ready  = core_block_ready_i[0];

  // Keys and commands.
  logic take_command, unused_command;
  logic [3:0] refusal;
  assign core_key_valid_o  = idle & key_valid_i;
  assign key_ready_o       = idle & core_key_ready_i[0];
  assign s_axis_cmd_tready = idle & ~key_valid_i;
  assign take_command      = s_axis_cmd_tready & s_axis_cmd_tvalid;
  assign unused_command    = ^{s_axis_cmd_tdata[255:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[3:1]};
  always_comb begin
    refusal = '0;
    if (s_axis_cmd_tdata[7:4] inside {4'd1, 4'd2, 4'd3}) refusal = 4'd8;
    if (s_axis_cmd_tdata[31:24] != '0) refusal = 4'd5;
    if (~keyed_q | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end

  // The word at the input, where text is expected and where the tag is; what is wrong with it.
  logic is_tag, empty, at_tag, looks, tag_ends;
  logic [3:0] code;
  assign is_tag   = s_axis_tkeep & s_axis_tuser == TagKind;
  assign empty    = ~s_axis_tkeep & first_q & place_q == '0 & s_axis_tlast;
  assign at_tag   = state_q == Tag & ~make_q & ~past_q & result_valid;
  assign looks    = (state_q == Absorb | at_tag) & s_axis_tvalid;
  assign tag_ends = place_q == size_q - 4'd1;
  always_comb begin
    code = '0;
    if (at_tag & s_axis_tlast != tag_ends) code = 4'd8;
    if (at_tag ? s_axis_tuser != TagKind : is_tag ? make_q : s_axis_tuser != Text | (s_axis_tlast & ~make_q)) code = 4'd3;
    if (~at_tag & empty) code = make_q ? 4'd0 : 4'd3;
    if (~s_axis_tkeep & (at_tag | ~empty)) code = 4'd1;
  end

  logic good, absorbs, moves, steps, takes, sends;
  assign good    = looks & code == '0;
  assign absorbs = good & state_q == Absorb & ~is_tag & s_axis_tkeep;
  assign takes   = result_valid & (state_q inside {Double, Take} |
                   (state_q == Tag & (past_q | (make_q ? m_axis_tready : s_axis_tvalid))));
  assign sends   = state_q inside {Zero, Feed};
  assign moves   = absorbs | state_q == Pad | (state_q == Feed & block_ready) | (takes & state_q != Tag);
  assign steps   = absorbs | state_q == Pad | (sends & block_ready) | takes;

  // What is added to the byte that turns. Twice or four times a byte of E(0) lacks the lowest bits, which are the highest ones
  // of the next byte and go to it then; behind the last byte comes what the first byte's highest bits are reduced to.
  logic [7:0] added, folded;
  logic [1:0] carry;
  assign folded = part_q ? ({8{top_q[1]}} & 8'h0e) ^ ({8{top_q[0]}} & 8'h87) : {8{top_q[1]}} & 8'h87;
  always_comb begin
    added = '0;
    carry = '0;
    unique case (state_q)
      Absorb: added = s_axis_tdata;
      Pad: added = {~past_q, 7'd0};
      Take: added = result;
      Double: begin
        added = (part_q ? {result[5:0], 2'd0} : {result[6:0], 1'b0}) ^ (folded & {8{last_place}});
        if (place_q != '0) carry = part_q ? {result[7], result[6] ^ (last_place & top_q[1])} : {1'b0, result[7]};
      end
      default: ;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (moves) begin
      y_q     <= {y_q[0], y_q[15:1]};
      y_q[14] <= y_q[15] ^ {6'd0, carry};
      y_q[15] <= (y_q[0] & {8{~(state_q == Take | (first_q & state_q inside {Absorb, Pad}))}}) ^ added;
    end
  end

  assign core_block_valid_o  = sends;
  assign core_block_o        = y_q[0] & {8{state_q == Feed}};
  assign core_result_ready_o = takes;

  // What leaves.
  logic shows;
  assign shows         = state_q == Tag & make_q & ~past_q & result_valid;
  assign m_axis_tvalid = shows | state_q inside {Verdict, Refused};
  assign m_axis_tdata  = result & {8{shows}};
  assign m_axis_tkeep  = shows;
  assign m_axis_tlast  = m_axis_tvalid & (~shows | tag_ends);
  assign m_axis_tuser  = {state_q == Refused, state_q == Verdict & wrong_q, m_axis_tvalid, shows};
  assign s_axis_tready = absorbs | (good & (at_tag | ~s_axis_tkeep)) | state_q == Drain;
  assign error_o       = error_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (take_command) state_d = refusal != '0 ? Drain : Absorb;
      Absorb: begin
        if (absorbs) state_d = last_place ? Look : s_axis_tlast ? Pad : Absorb;
        else if (good) state_d = Pad;
        else if (looks) state_d = Drain;
      end
      Pad: if (last_place) state_d = Zero;
      Look: if (final_q | s_axis_tvalid) state_d = final_q | (is_tag & ~make_q) ? Zero : Feed;
      Zero: if (block_ready & last_place) state_d = Double;
      Double: if (takes & last_place) state_d = Feed;
      Feed: if (block_ready & last_place) state_d = final_q ? Tag : Take;
      Take: if (takes & last_place) state_d = Absorb;
      Tag: if (takes & last_place) state_d = make_q ? Idle : final_q & ~(looks & ~good) ? Verdict : Drain;
      Drain: if (s_axis_tvalid & s_axis_tlast) state_d = Refused;
      Verdict, Refused: if (m_axis_tready) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      keyed_q <= 1'b0;
      error_q <= '0;
    end else begin
      state_q <= state_d;
      if (key_valid_i & key_ready_o) keyed_q <= 1'b1;
      if (state_q == Refused & m_axis_tready) error_q <= size_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (idle) begin
      {size_q, make_q} <= {s_axis_cmd_tdata[7:4], s_axis_cmd_tdata[0]};
      if (refusal != '0) size_q <= refusal;
      place_q          <= '0;
      first_q          <= 1'b1;
      {final_q, part_q, past_q, wrong_q} <= '0;
    end else begin
      if (steps) place_q <= place_q + 4'd1;
      // Behind the first byte of padding; behind the bytes of the tag that count.
      if (state_q == Pad | (state_q == Tag & takes & ~past_q & (tag_ends | code != '0) & (~make_q | tag_ends))) past_q <= ~last_place;
      if ((absorbs & s_axis_tlast) | (state_q == Absorb & good & ~absorbs) | (state_q == Look & state_d == Zero)) final_q <= 1'b1;
      if (state_q == Pad) part_q <= 1'b1;
      if (state_q == Feed) first_q <= 1'b0;
      if (state_q == Double & takes & place_q == '0) top_q <= result[7:6];
      if (at_tag & takes) wrong_q <= wrong_q | s_axis_tdata != result;
      // A wrong word behind which the core still has bytes to give: they are taken before it is.
      if (looks & ~good) {size_q, final_q} <= {code, 1'b0};
    end
  end
endmodule
