// OCB3 (RFC 7253) as a stream: C_i = E(P_i + Δ_i) + Δ_i, and to decrypt D in place of E; C_* = P_* + E(Δ_*); the tag is
// E(ΣP + Δ + L_$) + HASH, and HASH the sum of E(A_i + Δ_i) over the header.
//
//   command ─▶ message front ──────────────┐    nonce maker ─▶ Δ_0 ─▶ offset maker ─▶ Δ
//   stream ──▶      "     "  ─▶ block ──── + Δ ─▶ cores in turn ─▶ results + what waited beside them ─▶ release buffer ─▶
//                                 └──▶ checksum ◀── plaintext ──────┴──▶ HASH
//
// Blocks go to the cores as beats come, and behind a message's last one that of its tag; what a result is added to (the
// offset, the part of a block, the tag to compare with) waits beside the cores. So results come in the order of the stream,
// and there is one checksum and one HASH. To decrypt, the tag waits for the last plaintext. The first block of a key is
// zero, and its result L_*. The nonce of the next message is encrypted when the message before it has its Δ_0.
//
// A message that is wrong ends when what was sent of it has come back. Text that is decrypted waits in the release buffer
// for the verdict, which takes one clock, whatever is compared; unless `Verified`, only its last beat does.
//
// Command: [0] encrypt, [7:4] bytes of the tag (0 are 16), [15:8] key slot (0), [31:24] bytes of the nonce, 1 to 15, from
// [71:64] on, [255:192] bytes of text, or all ones. The other bits are not looked at, nor is [0] where it only encrypts.
module aesmith_ocb_engine #(
  parameter int unsigned Cores = 1,
  parameter int unsigned Entries = 4,
  // Blocks in the cores.
  parameter int unsigned Blocks = 2,
  parameter bit Decrypts = 1'b1,
  parameter bit Verified = 1'b1
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
  output logic [127:0] core_block_o,
  output logic core_decrypt_o,
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][127:0] core_result_i
);
  localparam logic [1:0] Header = 2'd1, Text = 2'd2, Tag = 2'd3;
  localparam int unsigned CountBits = $clog2(Entries + 1);

  // What a block in the cores is.
  typedef enum logic [2:0] {
    OfStar,
    OfNonce,
    OfHeader,
    OfText,
    OfTag
  } of_e;

  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction

  function automatic logic [15:0] ones(input logic [3:0] bytes);
    for (int unsigned place = 0; place < 16; place++) ones[place] = bytes == '0 | 4'(place) < bytes;
  endfunction

  // Bytes that count, and behind them, if there are fewer than 16, a one and zeros.
  function automatic logic [127:0] padded(input logic [127:0] bytes, input logic [15:0] keep);
    logic [16:0] one_at;
    one_at = {keep, 1'b1};
    for (int unsigned place = 0; place < 16; place++) begin
      padded[8*place+:8] = keep[place] ? bytes[8*place+:8] : {one_at[place], 7'd0};
    end
  endfunction

  function automatic logic wrong(input logic [127:0] difference, input logic [15:0] looked_at);
    wrong = 1'b0;
    for (int unsigned place = 0; place < 16; place++) wrong |= |difference[8*place+:8] & looked_at[place];
  endfunction

  // The command: what it is refused for, and its nonce with the bits that stand before it (RFC 7253, section 4.2).
  logic [3:0] refusal, nonce_bytes;
  logic [127:0] nonce;
  logic command_ready, with_nonce, nonce_free, keyed_q, unused_command;
  assign refusal     = s_axis_cmd_tdata[31:28] != '0 | nonce_bytes == '0 ? 4'd5 : 4'd0;
  assign nonce_bytes = s_axis_cmd_tdata[27:24];
  assign nonce       = {s_axis_cmd_tdata[7:4], 124'd0} |
                       128'({1'b1, turned(s_axis_cmd_tdata[191:64])} >> {4'd0 - nonce_bytes, 3'd0});
  assign with_nonce  = keyed_q & s_axis_cmd_tdata[15:8] == '0 & refusal == '0;
  assign unused_command = ^{s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[3:1]};
  assign s_axis_cmd_tready = command_ready & nonce_free;

  logic key_taken, idle, valid, last, take, encrypt, decrypts, wanted, too_large, unused_first;
  logic [127:0] text;
  logic [63:0] unused_text_bytes;
  logic [15:0] keep, tag_keep;
  logic [3:0] code, tag_bytes;
  logic [1:0] kind;

  aesmith_message_front #(
    .Cores    (Cores),
    .FieldBits(1 + 4 + 1),
    .Queue    (2)
  ) u_front (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .core_key_valid_o,
    .core_key_ready_i,
    .idle_i      (idle),
    .s_axis_cmd_tvalid(s_axis_cmd_tvalid & nonce_free),
    .s_axis_cmd_tready(command_ready),
    .slot_i      (s_axis_cmd_tdata[15:8]),
    .text_bytes_i(s_axis_cmd_tdata[255:192]),
    .refusal_i   (refusal),
    .fields_i    ({s_axis_cmd_tdata[0], s_axis_cmd_tdata[7:4], with_nonce}),
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tuser,
    .s_axis_tlast,
    .valid_o     (valid),
    .take_i      (take),
    .fields_o    ({encrypt, tag_bytes, wanted}),
    .text_bytes_o(unused_text_bytes),
    .text_o      (text),
    .keep_o      (keep),
    .kind_o      (kind),
    .last_o      (last),
    .first_o     (unused_first),
    .code_o      (code),
    .kinds_i     ({decrypts, 3'b110}),
    .tag_i       (tag_keep & {16{decrypts}}),
    .large_i     (too_large)
  );
  assign key_taken = key_valid_i & key_ready_o;
  assign decrypts  = Decrypts & ~encrypt;
  assign tag_keep  = ones(tag_bytes);

  // Beats of text of this message: one to decrypt is held until its tag was compared, and leaves room for what is made
  // of that.
  logic [CountBits-1:0] texts_q;
  assign too_large = Verified & decrypts & kind == Text & texts_q == CountBits'(Entries - 1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) texts_q <= '0;
    else if (take) begin
      if (last) texts_q <= '0;
      else if (kind == Text & texts_q != CountBits'(Entries - 1)) texts_q <= texts_q + 1'b1;
    end
  end

  // Δ_0 of the message at the head, or that of the next one: Ktop, stretched, from bit `bottom` on.
  logic nonce_known, nonce_take, nonce_valid, nonce_ready, nonce_result, unused_nonce_ready;
  logic [5:0] bottom_q;
  logic [127:0] nonce_block, first_offset, result, shifted_top;
  assign shifted_top = 128'(({result, result[127:64] ^ result[119:56]} << bottom_q) >> 64);

  aesmith_tweak_maker u_nonce (
    .clk_i,
    .rst_ni,
    .free_o (nonce_free),
    .put_i  (s_axis_cmd_tvalid & s_axis_cmd_tready & with_nonce),
    .value_i({nonce[127:6], 6'd0}),
    .known_o(nonce_known),
    .take_i (nonce_take),
    .tweak_o(first_offset),
    .core_block_valid_o (nonce_valid),
    .core_block_ready_i (nonce_ready),
    .core_block_o       (nonce_block),
    .core_result_valid_i(nonce_result),
    .core_result_ready_o(unused_nonce_ready),
    .core_result_i      (shifted_top)
  );

  // The beat at the head, of which a block goes; behind it, if a message to encrypt ends with it, that of the tag. `sent_q`:
  // the former has gone. `hashes_q` and `open_q`: a block of its header, of its text has.
  logic star_due_q, known_q, sent_q, hashes_q, open_q, waits_q;
  logic is_empty, is_header, is_text, is_tag, of_tag, waits_for_text, good, offers, goes, sent, ends_wrong;
  logic room, buffer_room, turn_ready, with_nonce_block;
  logic [CountBits-1:0] count, under_way_q;
  logic [127:0] offset;
  assign good      = code == '0;
  assign is_empty  = keep == '0;
  assign is_header = kind == Header & ~is_empty;
  assign is_text   = kind == Text & ~is_empty;
  assign is_tag    = kind == Tag & ~is_empty;
  assign of_tag    = is_tag | is_empty | sent_q;
  assign room      = {1'b0, count} + {1'b0, under_way_q} < (CountBits + 1)'(Entries);
  assign waits_for_text = is_tag & under_way_q != '0;
  assign offers    = valid & good & known_q & room & ~waits_for_text & (open_q | (is_header & ~of_tag) | nonce_known);

  // A block that is offered stays, whatever comes.
  assign with_nonce_block = nonce_valid & ~waits_q;
  assign goes        = offers & ~star_due_q & ~with_nonce_block;
  assign sent        = goes & turn_ready;
  assign nonce_ready = ~star_due_q & with_nonce_block & turn_ready;
  assign ends_wrong  = valid & ~good & last & under_way_q == '0 & buffer_room & (~wanted | open_q | nonce_known);
  assign take        = (sent & (of_tag | ~last)) | (valid & ~good & ~last) | ends_wrong;
  assign nonce_take  = ~open_q & ((sent & (of_tag | is_text)) | (ends_wrong & wanted));
  assign idle        = under_way_q == '0 & (known_q | ~keyed_q);

  logic result_valid, result_decrypts, star_result, message_result;
  of_e of, result_of;
  logic [15:0] of_keep, result_keep;
  logic [127:0] beside, result_beside;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      keyed_q     <= 1'b0;
      star_due_q  <= 1'b0;
      known_q     <= 1'b0;
      sent_q      <= 1'b0;
      hashes_q    <= 1'b0;
      open_q      <= 1'b0;
      waits_q     <= 1'b0;
      under_way_q <= '0;
    end else begin
      if (key_taken) begin
        keyed_q    <= 1'b1;
        star_due_q <= 1'b1;
        known_q    <= 1'b0;
      end else begin
        if (turn_ready) star_due_q <= 1'b0;
        if (star_result) known_q <= 1'b1;
      end
      if (sent) begin
        sent_q <= last & ~of_tag;
        if (is_header & ~of_tag) hashes_q <= 1'b1;
        if (is_text & ~of_tag) open_q <= 1'b1;
      end
      if ((sent & of_tag) | ends_wrong) begin
        hashes_q <= 1'b0;
        open_q   <= 1'b0;
      end
      waits_q     <= goes & ~turn_ready;
      under_way_q <= under_way_q + CountBits'(sent) - CountBits'(message_result);
    end
  end

  always_ff @(posedge clk_i) if (s_axis_cmd_tvalid & s_axis_cmd_tready & with_nonce) bottom_q <= nonce[5:0];

  aesmith_offset_maker u_offset (
    .clk_i,
    .star_valid_i(star_result),
    .star_i      (result),
    .first_i     (is_header & ~of_tag ? ~hashes_q : ~open_q),
    .begin_i     (first_offset & {128{~is_header | of_tag}}),
    .whole_i     (keep[15]),
    .tag_i       (of_tag),
    .offset_o    (offset),
    .next_i      (sent)
  );

  logic [127:0] checksum_q, hash_q, block, filled;
  assign filled = turned(padded(text, keep));
  always_comb begin
    of      = OfText;
    of_keep = keep;
    beside  = keep[15] ? turned(offset) : text;
    block   = (filled & {128{keep[15] | is_header}}) ^ offset;
    if (is_header) of = OfHeader;
    if (of_tag) begin
      of      = OfTag;
      of_keep = tag_keep;
      beside  = text & {128{is_tag}};
      block   = checksum_q ^ offset;
    end
    if (with_nonce_block) begin
      of    = OfNonce;
      block = nonce_block;
    end
    if (star_due_q) begin
      of    = OfStar;
      block = '0;
    end
  end
  assign core_block_o   = block;
  assign core_decrypt_o = goes & decrypts & is_text & keep[15];

  logic [2:0] result_of_bits;
  aesmith_core_turns #(
    .Cores    (Cores),
    .LabelBits(3 + 1 + 16 + 128),
    .Blocks   (Blocks)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .valid_i(star_due_q | with_nonce_block | offers),
    .ready_o(turn_ready),
    .label_i({of, decrypts, of_keep, beside}),
    .valid_o(result_valid),
    .ready_i(1'b1),
    .label_o({result_of_bits, result_decrypts, result_keep, result_beside}),
    .block_o(result),
    .core_block_valid_o,
    .core_block_ready_i,
    .core_result_valid_i,
    .core_result_ready_o,
    .core_result_i
  );
  assign result_of      = of_e'(result_of_bits);
  assign star_result    = result_valid & result_of == OfStar;
  assign nonce_result   = result_valid & result_of == OfNonce;
  assign message_result = result_valid & ~star_result & ~nonce_result;

  // What a result makes: text, a tag, or the verdict.
  logic header_result, text_result, tag_result, verdict, failed, shown_q;
  logic [127:0] answer;
  assign header_result = result_valid & result_of == OfHeader;
  assign text_result   = result_valid & result_of == OfText;
  assign tag_result    = result_valid & result_of == OfTag;
  assign answer        = turned(result ^ (hash_q & {128{tag_result}})) ^ result_beside;
  assign verdict       = tag_result & result_decrypts;
  assign failed        = wrong(answer, result_keep);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) shown_q <= 1'b0;
    else if (text_result) shown_q <= 1'b1;
    else if (tag_result | ends_wrong) shown_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (key_taken | ends_wrong | (sent & of_tag)) checksum_q <= '0;
    else if (sent & is_text & ~decrypts) checksum_q <= checksum_q ^ filled;
    else if (text_result & result_decrypts) checksum_q <= checksum_q ^ turned(padded(answer, result_keep));
    if (key_taken | ends_wrong | tag_result) hash_q <= '0;
    else if (header_result) hash_q <= hash_q ^ result;
  end

  logic hides, out_tag, out_error;
  logic [3:0] out_code;
  assign hides = Verified & verdict & failed;

  aesmith_release_buffer #(
    .Entries(Entries),
    .Holds  (!Verified)
  ) u_buffer (
    .clk_i,
    .rst_ni,
    .put_i   (text_result | (tag_result & (~verdict | hides | ~shown_q)) | ends_wrong),
    .commit_i(tag_result | ends_wrong | (text_result & ~(Verified & result_decrypts))),
    .hold_i  (text_result & result_decrypts),
    .drop_i  (Verified & (hides | ends_wrong)),
    .end_i   (verdict & shown_q & ~hides),
    .room_o  (buffer_room),
    .count_o (count),
    .text_i  (ends_wrong ? {124'd0, code} : answer),
    .keep_i  (result_keep & {16{(text_result | tag_result) & ~verdict}}),
    .tag_i   (tag_result & ~verdict),
    .last_i  (~text_result),
    .failed_i(verdict & failed),
    .error_i (ends_wrong),
    .valid_o (m_axis_tvalid),
    .ready_i (m_axis_tready),
    .text_o  (m_axis_tdata),
    .keep_o  (m_axis_tkeep),
    .tag_o   (out_tag),
    .last_o  (m_axis_tlast),
    .failed_o(m_axis_tuser[2]),
    .error_o (out_error),
    .code_o  (out_code)
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
