// CCM (SP 800-38C) as a stream: a CBC-MAC of B0, the header behind its length, and the text, X_i = E(X_{i-1} + B_i); text
// added to E(A_i), i = 1, 2, …; the tag is X_n + E(A_0).
//
//   command ─▶ message front ─▶ A_i, or B_i + chain ─▶ core ─▶ chain, stream
//   stream ──▶      "     "  ─▶ + stream ─▶ release buffer ─▶ stream out
//
//   B0   flags2 │ nonce │ bytes of text in q bytes        q = 15 - bytes of the nonce
//   A_i  q - 1  │ nonce │ i in q bytes
//
// One block is under way at a time, whatever the core's width (aesmith_cmac_engine). Of a message: B0, its header, for each
// beat of text its A_i and itself, and A_0. Two bytes of the header wait for the beat behind them, since its length comes in
// front. The result of A_0 is added to the chain, which then is the tag.
//
// Text that is decrypted waits in the release buffer for the verdict, which takes one clock, whatever is compared; without it
// none of it leaves, and the tag that was made does not leave.
//
// Command: [0] encrypt, [7:4] bytes of the tag (0 are 16), [15:8] key slot (0), [31:24] bytes of the nonce, 7 to 13, from
// [71:64] on, [63:32] bytes of header, below 65,280, [255:192] bytes of text, below 2^32. The other bits are not looked at.
module aesmith_ccm_engine #(
  parameter int unsigned Cores = 1,
  parameter int unsigned WordBits = 128,
  // Beats of text that a message to decrypt may have.
  parameter int unsigned Entries = 8
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
  localparam logic [1:0] Header = 2'd1, Text = 2'd2, Tag = 2'd3;
  localparam int unsigned FieldBits = 1 + 4 + 4 + 104 + 16;

  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction

  function automatic logic [15:0] ones(input logic [3:0] bytes);
    for (int unsigned place = 0; place < 16; place++) ones[place] = bytes == '0 | 4'(place) < bytes;
  endfunction

  function automatic logic wrong(input logic [127:0] difference, input logic [15:0] looked_at);
    wrong = 1'b0;
    for (int unsigned place = 0; place < 16; place++) wrong |= |difference[8*place+:8] & looked_at[place];
  endfunction

  // The command, with what it is refused for.
  logic [7:0] nonce_bytes;
  logic [63:0] told_text;
  logic [3:0] refusal;
  logic too_long, unused_command;
  assign nonce_bytes = s_axis_cmd_tdata[31:24];
  assign told_text   = s_axis_cmd_tdata[255:192];
  assign too_long    = told_text[63:32] != '0 | (nonce_bytes == 8'd13 & told_text[31:16] != '0) |
                       (nonce_bytes == 8'd12 & told_text[31:24] != '0) | s_axis_cmd_tdata[63:48] != '0 |
                       s_axis_cmd_tdata[47:40] == '1 | (~s_axis_cmd_tdata[0] & told_text[31:0] > 32'(16 * Entries));
  always_comb begin
    refusal = '0;
    if (s_axis_cmd_tdata[4] | s_axis_cmd_tdata[7:4] == 4'd2) refusal = 4'd8;
    if (too_long) refusal = 4'd6;
    if (nonce_bytes < 8'd7 | nonce_bytes > 8'd13) refusal = 4'd5;
  end
  assign unused_command = ^{s_axis_cmd_tdata[191:168], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[3:1]};

  logic valid, last, first, take, encrypt, long_header, too_much;
  logic [127:0] text;
  logic [103:0] nonce;
  logic [31:0] text_bytes, unused_text_bytes;
  logic [15:0] keep, header_bytes;
  logic [1:0] kind;
  logic [3:0] code, tag_bytes, nonce_ends;
  logic busy_q;

  aesmith_message_front #(
    .Cores    (Cores),
    .FieldBits(FieldBits),
    .Queue    (1)
  ) u_front (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .core_key_valid_o,
    .core_key_ready_i,
    .idle_i      (~busy_q),
    .s_axis_cmd_tvalid,
    .s_axis_cmd_tready,
    .slot_i      (s_axis_cmd_tdata[15:8]),
    .text_bytes_i(told_text),
    .refusal_i   (refusal),
    .fields_i    ({s_axis_cmd_tdata[0], s_axis_cmd_tdata[7:4], nonce_bytes[3:0], s_axis_cmd_tdata[167:64],
                   s_axis_cmd_tdata[47:32]}),
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tuser,
    .s_axis_tlast,
    .valid_o     (valid),
    .take_i      (take),
    .fields_o    ({encrypt, tag_bytes, nonce_ends, nonce, header_bytes}),
    .text_bytes_o({unused_text_bytes, text_bytes}),
    .text_o      (text),
    .keep_o      (keep),
    .kind_o      (kind),
    .last_o      (last),
    .first_o     (first),
    .code_o      (code),
    .kinds_i     ({~encrypt, 3'b110}),
    .tag_i       (ones(tag_bytes) & {16{~encrypt}}),
    .large_i     (long_header | too_much)
  );

  // Bytes of header that are yet to come, before this beat and behind it: it must be as long as the command says.
  logic [15:0] left_q, left, left_behind;
  logic [4:0] used_bytes;
  logic is_header, is_text, is_tag;
  assign is_header = kind == Header & keep != '0;
  assign is_text   = kind == Text & keep != '0;
  assign is_tag    = kind == Tag & keep != '0;
  always_comb begin
    used_bytes = '0;
    for (int unsigned place = 0; place < 16; place++) used_bytes += {4'd0, keep[place] & is_header};
  end
  assign left        = first ? header_bytes : left_q;
  assign left_behind = left - {11'd0, used_bytes};
  assign long_header = {11'd0, used_bytes} > left | ((~is_header | last) & left_behind != '0);

  // Which block is next. Of a beat: its first block, a second one, or none; then A_0, if it is the end of its message.
  logic begun_q, second_q, over_q, masked_q, put_q;
  logic first_block, adds, makes, ends, two, over, send, sent, shows;
  assign first_block = ~begun_q;
  assign over        = over_q | is_tag | keep == '0;
  assign ends        = begun_q & over;
  assign makes       = begun_q & ~over & is_text & ~second_q;
  assign adds        = begun_q & ~over & (is_header | second_q);
  assign two         = is_text | (left_behind == '0 & keep[14]);

  logic [27:0] counter_q;
  logic [15:0] rest_q;
  logic [127:0] chain_q, stream_q, other, plain, added, counter_block, block;
  logic [7:0] flags;
  for (genvar place = 0; place < 16; place++) begin : gen_byte
    assign other[8*place+:8] = (text[8*place+:8] ^ stream_q[8*(15-place)+:8]) & {8{keep[place]}};
    assign plain[8*place+:8] = encrypt ? text[8*place+:8] & {8{keep[place]}} : other[8*place+:8];
  end
  always_comb begin
    added = plain;
    if (is_header) begin
      added = {112'd0, rest_q};
      for (int unsigned place = 0; place < 14; place++) begin
        if (keep[place] & ~second_q) added[8*(place+2)+:8] = text[8*place+:8];
      end
    end
  end

  // B0 and A_i: byte 0 is in the highest bits.
  logic [31:0] number;
  logic [2:0] tag_code;
  assign tag_code = 3'((tag_bytes - 4'd2) >> 1);
  assign number = first_block ? text_bytes : {4'd0, counter_q & {28{~ends}}};
  assign flags  = {1'b0, first_block & header_bytes != '0, {3{first_block}} & tag_code, 3'd6 - 3'(nonce_ends - 4'd8)};
  always_comb begin
    counter_block = {flags, 120'd0};
    for (int unsigned place = 1; place < 16; place++) begin
      if (place < 14 & 4'(place) <= nonce_ends) counter_block[8*(15-place)+:8] = nonce[8*((place-1)%13)+:8];
      else if (place >= 12) counter_block[8*(15-place)+:8] = number[8*((15-place)%4)+:8];
    end
  end
  assign block = adds ? chain_q ^ turned(added) : counter_block;

  // Text leaves once its stream is there; the block behind it is not sent before there was room. If there is none and
  // nothing leaves, all places have decrypted text of this message, and it has more of it than its command says.
  logic room, room_behind_drop;
  assign too_much = ~encrypt & is_text & ~put_q & ~room & ~m_axis_tvalid;
  assign shows = valid & code == '0 & is_text & adds & ~busy_q & ~put_q & room;
  assign send  = valid & code == '0 & ~masked_q & ~(is_text & adds & ~put_q & ~room);
  assign core_block_valid_o[0] = send & ~busy_q;

  // The core's words, byte 0 of a block in the first.
  logic of_stream_q, of_tag_q, of_end_q, tag_due_q, result_taken, result_last;
  logic [127:0] chained, streamed;
  assign core_result_ready_o[0] = ~tag_due_q;
  assign result_taken = core_result_valid_i[0] & core_result_ready_o[0];
  if (WordBits == 128) begin : gen_whole
    assign core_block_o = block;
    assign sent         = core_block_valid_o[0] & core_block_ready_i[0];
    assign result_last  = result_taken;
    assign chained      = core_result_i[0] ^ (chain_q & {128{of_end_q}});
    assign streamed     = core_result_i[0];
  end else begin : gen_words
    localparam int unsigned Words = 128 / WordBits;
    // The last word of a block in element 0.
    logic [Words-1:0][WordBits-1:0] words;
    logic [$clog2(Words)-1:0] word_q;
    assign words        = block;
    assign core_block_o = words[~word_q];
    assign sent         = core_block_valid_o[0] & core_block_ready_i[0] & word_q == '1;
    assign result_last  = result_taken & word_q == '1;
    assign chained      = {chain_q[127-WordBits:0], core_result_i[0] ^ (chain_q[127-:WordBits] & {WordBits{of_end_q}})};
    assign streamed     = {stream_q[127-WordBits:0], core_result_i[0]};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        word_q <= '0;
      end else if (result_taken | (core_block_valid_o[0] & core_block_ready_i[0])) begin
        word_q <= word_q + 1'b1;
      end
    end
  end

  // How a beat is taken: its blocks have been sent, and at the end of a message A_0; or its verdict is given; or its message
  // is refused.
  logic done, verdict, refused, put_tag, failed, is_empty;
  assign done    = sent & (ends ? encrypt : adds & (is_text | second_q | ~two) & ~(encrypt & last));
  assign verdict = valid & code == '0 & masked_q & ~busy_q & room_behind_drop;
  assign refused = valid & code != '0 & last & room_behind_drop & ~tag_due_q & ~(busy_q & of_tag_q);
  assign take    = done | verdict | refused | (valid & code != '0 & ~last);
  assign put_tag = tag_due_q & room;
  assign failed  = wrong(turned(chain_q) ^ text, keep);

  // A message to decrypt without text ends with a beat without bytes.
  assign is_empty = text_bytes == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q    <= 1'b0;
      begun_q   <= 1'b0;
      second_q  <= 1'b0;
      over_q    <= 1'b0;
      masked_q  <= 1'b0;
      put_q     <= 1'b0;
      tag_due_q <= 1'b0;
    end else begin
      if (sent) busy_q <= 1'b1;
      else if (result_last) busy_q <= 1'b0;
      if (result_last & of_tag_q) tag_due_q <= 1'b1;
      else if (put_tag) tag_due_q <= 1'b0;
      if (sent) begin
        begun_q  <= 1'b1;
        second_q <= ~first_block & ~ends & ~second_q & two;
        over_q   <= adds & (is_text | second_q | ~two) & encrypt & last;
        masked_q <= ends & ~encrypt;
      end
      if (shows) put_q <= 1'b1;
      if (take) begin
        second_q <= 1'b0;
        put_q    <= 1'b0;
        over_q   <= 1'b0;
        masked_q <= 1'b0;
        if (last) begun_q <= 1'b0;
      end
    end
  end

  // Bytes of the tag of the block that is under way, and of the tag that waits for room.
  logic [3:0] of_bytes_q, tag_bytes_q;
  always_ff @(posedge clk_i) begin
    if (sent) begin
      of_stream_q <= makes;
      of_end_q    <= ends;
      of_tag_q    <= ends & encrypt;
      of_bytes_q  <= tag_bytes;
      counter_q   <= first_block ? 28'd1 : counter_q + 28'(is_text & adds);
      rest_q      <= first_block ? {header_bytes[7:0], header_bytes[15:8]} : {text[127:120] & {8{keep[15]}}, text[119:112]};
    end
    if (result_last) tag_bytes_q <= of_bytes_q;
    if (result_taken & of_stream_q) stream_q <= streamed;
    if (result_taken & ~of_stream_q) chain_q <= chained;
    if (take) left_q <= left_behind;
  end

  logic put, out_tag, out_error;
  logic [127:0] put_text;
  logic [15:0] put_keep;
  logic [3:0] out_code;
  always_comb begin
    put_text = other;
    put_keep = keep & {16{shows}};
    if (put_tag) begin
      put_text = turned(chain_q);
      put_keep = ones(tag_bytes_q);
    end
    if (refused) put_text = {124'd0, code};
  end
  assign put = shows | put_tag | refused | (verdict & (failed | is_empty));

  logic [$clog2(Entries+1)-1:0] unused_count;
  aesmith_release_buffer #(
    .Entries(Entries)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .put_i             (put),
    .commit_i          (put_tag | refused | verdict | (shows & encrypt)),
    .hold_i            (1'b0),
    .drop_i            (refused | (verdict & failed)),
    .end_i             (verdict & ~failed & ~is_empty),
    .room_o            (room),
    .room_behind_drop_o(room_behind_drop),
    .count_o           (unused_count),
    .text_i            (put_text),
    .keep_i            (put_keep),
    .tag_i             (put_tag),
    .last_i            (~shows),
    .failed_i          (verdict & failed),
    .error_i           (refused),
    .valid_o           (m_axis_tvalid),
    .ready_i           (m_axis_tready),
    .text_o            (m_axis_tdata),
    .keep_o            (m_axis_tkeep),
    .tag_o             (out_tag),
    .last_o            (m_axis_tlast),
    .failed_o          (m_axis_tuser[2]),
    .error_o           (out_error),
    .code_o            (out_code)
  );
  assign m_axis_tuser[3]   = out_error;
  assign m_axis_tuser[1:0] = {m_axis_tvalid, out_tag};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_o <= '0;
    end else if (out_error & m_axis_tready) begin
      error_o <= out_code;
    end
  end
endmodule
