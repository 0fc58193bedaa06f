// CMAC (SP 800-38B) as a stream: X_i = E(X_{i-1} + M_i), the last block with K1 added, or padded with K2; the tag is X_n.
//
//   command ─▶ message front ─▶ + chain, + K1 or K2 ─▶ core ─▶ chain ─▶ tag, or its comparison ─▶ stream out
//   stream ──▶      "     "
//
// One block is under way at a time, so the chain is the one register of text, and the tag leaves from it. A core of words
// of fewer bits than a block sends its result into it word by word. With `Direct` a result goes to the next block in the
// clock in which it comes, or the block's first word is offered with the last one of the result; else it is in the clock
// behind it. A new key's first block is zero: K1 is kept of its encryption, and K2 is K1 doubled.
//
// A message to compare is text and, last, its tag. A block of it is sent once it is known whether the tag comes behind it;
// that is looked up at the input, where the beat waits. The comparison takes one clock, whatever is compared, and the tag
// that was made does not leave.
//
// Command: [0] 1 makes the tag, 0 compares it, [7:4] bytes of the tag (0 are 16), [15:8] key slot (0), [31:24] bytes of an
// IV (0), [255:192] bytes of text, or all ones. The other bits are not looked at.
module aesmith_cmac_engine #(
  parameter int unsigned Cores = 1,
  parameter int unsigned WordBits = 128,
  parameter bit Direct = 1'b1
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
  input  logic [127:0] s_axis_tdata,
  input  logic [15:0] s_axis_tkeep,
  input  logic [1:0] s_axis_tuser,
  input  logic s_axis_tlast,

  output logic m_axis_tvalid,
  input  logic m_axis_tready,
  output logic [127:0] m_axis_tdata,
  output logic [15:0] m_axis_tkeep,
  output logic [3:0] m_axis_tuser,
  output logic m_axis_tlast,

  // The code of the last message that was refused; 0 if none was.
  output logic [3:0] error_o,

  output logic [Cores-1:0] core_key_valid_o,
  input  logic [Cores-1:0] core_key_ready_i,
  output logic [Cores-1:0] core_block_valid_o,
  input  logic [Cores-1:0] core_block_ready_i,
  output logic [WordBits-1:0] core_block_o,
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][WordBits-1:0] core_result_i
);
  localparam logic [1:0] Tag = 2'd3;

  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction

  function automatic logic [127:0] doubled(input logic [127:0] value);
    doubled = {value[126:0], 1'b0} ^ {120'd0, 8'h87 & {8{value[127]}}};
  endfunction

  function automatic logic [15:0] ones(input logic [3:0] bytes);
    for (int unsigned place = 0; place < 16; place++) ones[place] = bytes == '0 | 4'(place) < bytes;
  endfunction

  logic valid, last, first, take, make, unused_command;
  logic [127:0] text;
  logic [63:0] unused_text_bytes;
  logic [15:0] keep;
  logic [1:0] kind;
  logic [3:0] code, refusal, tag_bytes;

  // What is under way: a block, which is of a new key, or gives a tag that is shown; of a key there is none yet.
  logic busy_q, of_key_q, of_tag_q, key_due_q;

  always_comb begin
    refusal = '0;
    if (s_axis_cmd_tdata[7:4] inside {4'd1, 4'd2, 4'd3}) refusal = 4'd8;
    if (s_axis_cmd_tdata[31:24] != '0) refusal = 4'd5;
  end
  assign unused_command = ^{s_axis_cmd_tdata[191:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[3:1]};

  aesmith_message_front #(
    .Cores    (Cores),
    .FieldBits(1 + 4),
    .Queue    (1)
  ) u_front (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .core_key_valid_o,
    .core_key_ready_i,
    .idle_i      (~busy_q & ~key_due_q),
    .s_axis_cmd_tvalid,
    .s_axis_cmd_tready,
    .slot_i      (s_axis_cmd_tdata[15:8]),
    .text_bytes_i(s_axis_cmd_tdata[255:192]),
    .refusal_i   (refusal),
    .fields_i    ({s_axis_cmd_tdata[0], s_axis_cmd_tdata[7:4]}),
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tuser,
    .s_axis_tlast,
    .valid_o     (valid),
    .take_i      (take),
    .fields_o    ({make, tag_bytes}),
    .text_bytes_o(unused_text_bytes),
    .text_o      (text),
    .keep_o      (keep),
    .kind_o      (kind),
    .last_o      (last),
    .first_o     (first),
    .code_o      (code),
    .kinds_i     ({~make, 3'b100}),
    .tag_i       (ones(tag_bytes) & {16{~make}}),
    .large_i     (1'b0)
  );

  // The beat behind the one at the head waits at the input: whether it is there, and is the tag.
  logic behind_q, behind_tag_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      behind_q <= 1'b0;
    end else begin
      behind_q <= valid & s_axis_tvalid & ~take;
    end
  end
  always_ff @(posedge clk_i) behind_tag_q <= s_axis_tuser == Tag;

  // The block at the head: one of text, or none at all in front of the tag of an empty message.
  logic [127:0] chain_q, key_q, chain, result, block, padded;
  logic [15:0] used, before_end;
  logic is_tag, is_block, final_block, sent_q, send, sent, result_taken, result_last, result_goes_on;
  logic shows_tag_q, verdict, shows_error;

  assign is_tag      = ~make & kind == Tag;
  assign is_block    = is_tag ? first & ~sent_q : make | behind_q;
  assign final_block = make ? last : is_tag | behind_tag_q;
  assign used        = is_tag ? '0 : keep;
  assign before_end  = {used[14:0], 1'b1};
  for (genvar place = 0; place < 16; place++) begin : gen_byte
    assign padded[8*place+:8] = used[place] ? text[8*place+:8] : {before_end[place], 7'd0};
  end

  always_comb begin
    block = turned(padded);
    if (~first) block ^= chain;
    if (final_block) block ^= used[15] ? key_q : doubled(key_q);
    if (key_due_q) block = '0;
  end
  assign send = key_due_q | (valid & code == '0 & is_block);
  assign core_block_valid_o[0] = send & (~busy_q | result_goes_on);

  // The core's words, byte 0 of a block in the first.
  assign core_result_ready_o[0] = ~shows_tag_q;
  assign result_taken = core_result_valid_i[0] & core_result_ready_o[0];
  if (WordBits == 128) begin : gen_whole
    assign core_block_o   = block;
    assign sent           = core_block_valid_o[0] & core_block_ready_i[0];
    assign result         = core_result_i[0];
    assign result_last    = result_taken;
    assign result_goes_on = Direct & result_taken & ~of_key_q;
    assign chain          = Direct & busy_q ? result : chain_q;
  end else begin : gen_words
    localparam int unsigned Words = 128 / WordBits;
    // The last word of a block in element 0.
    logic [Words-1:0][WordBits-1:0] words;
    localparam int unsigned PlaceBits = $clog2(Words);
    logic [PlaceBits-1:0] word_q, place;
    logic moves;
    // The first word of the next block is offered with the last one of a result, which is not needed for it.
    assign place          = busy_q ? '0 : word_q;
    assign moves          = core_block_valid_o[0] & core_block_ready_i[0];
    assign words          = block;
    assign core_block_o   = words[~place];
    assign sent           = moves & place == '1;
    assign result         = {chain_q[127-WordBits:0], core_result_i[0]};
    assign result_last    = result_taken & word_q == '1;
    assign result_goes_on = Direct & result_last & ~of_key_q;
    assign chain          = Direct & busy_q ? {chain_q[127-WordBits:0], WordBits'(0)} : chain_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        word_q <= '0;
      end else begin
        if (result_taken) word_q <= word_q + 1'b1;
        if (moves) word_q <= place + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      key_due_q   <= 1'b0;
      sent_q      <= 1'b0;
      shows_tag_q <= 1'b0;
    end else begin
      if (sent) busy_q <= 1'b1;
      else if (result_last) busy_q <= 1'b0;
      if (key_valid_i & key_ready_o) key_due_q <= 1'b1;
      else if (sent) key_due_q <= 1'b0;
      if (take & last) sent_q <= 1'b0;
      else if (sent & ~key_due_q & final_block & ~make) sent_q <= 1'b1;
      if (result_last & of_tag_q) shows_tag_q <= 1'b1;
      else if (m_axis_tready) shows_tag_q <= 1'b0;
    end
  end

  // Bytes of the tag of the block that is under way, and of the tag that is shown.
  logic [3:0] of_bytes_q, tag_bytes_q;
  always_ff @(posedge clk_i) begin
    if (sent) begin
      of_key_q   <= key_due_q;
      of_tag_q   <= ~key_due_q & final_block & make;
      of_bytes_q <= tag_bytes;
    end
    if (result_last) tag_bytes_q <= of_bytes_q;
    if (result_taken) chain_q <= result;
    if (result_last & of_key_q) key_q <= doubled(result);
  end

  // What leaves: the tag, the verdict, or the end of a wrong message, each in its turn.
  function automatic logic wrong(input logic [127:0] difference, input logic [15:0] looked_at);
    wrong = 1'b0;
    for (int unsigned place = 0; place < 16; place++) wrong |= |difference[8*place+:8] & looked_at[place];
  endfunction

  logic [15:0] shown;
  logic [127:0] tag;
  assign verdict       = valid & is_tag & code == '0 & sent_q & ~busy_q;
  assign shows_error   = valid & code != '0 & last & ~shows_tag_q & ~(busy_q & of_tag_q);
  assign m_axis_tvalid = shows_tag_q | verdict | shows_error;
  assign shown         = ones(tag_bytes_q) & {16{shows_tag_q}};
  assign tag           = turned(chain_q);
  assign m_axis_tkeep  = shown;
  assign m_axis_tlast  = m_axis_tvalid;
  assign m_axis_tuser  = {shows_error, verdict & wrong(tag ^ text, keep), m_axis_tvalid, shows_tag_q};
  for (genvar place = 0; place < 16; place++) begin : gen_shown
    assign m_axis_tdata[8*place+:8] = tag[8*place+:8] & {8{shown[place]}};
  end

  assign take = (sent & ~key_due_q & ~is_tag) | (verdict & m_axis_tready) | (valid & code != '0 & ~last) |
                (shows_error & m_axis_tready);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_o <= '0;
    end else if (shows_error & m_axis_tready) begin
      error_o <= code;
    end
  end
endmodule
