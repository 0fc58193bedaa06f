// GCM (SP 800-38D) as a stream: C_i = P_i + E(J0 + i), tag = GHASH(header, C, lengths) + E(J0).
//
//   command ─▶ queue ─▶ start ─┐            ┌─▶ counter sender ─▶ cores in turn ─▶ streams ─┐
//   stream ─▶ queue ─▶ section tracker ─▶ message ring ◀────────────────────────────────────┘
//                                           ├─▶ GHASH ─▶ hash ─┐
//                                           └──────────────────┴─▶ tagged release ─▶ stream out
//
// A message that is wrong is taken up to its last beat; from the beat on at which that was found nothing of it is processed,
// and one beat without bytes ends it. Commands are taken ahead, two at most; a key waits until the messages whose commands
// were taken have left, and no command is taken while one waits.
//
// Command: [0] encrypt, [7:4] bytes of the tag (0 are 16), [15:8] key slot (0), [31:24] bytes of the IV: 12, in [159:64], its
// byte 0 in [71:64], or 0: it is the first section of the stream; [255:192] bytes of text, or all ones. The other bits are
// not looked at.
module aesmith_gcm_engine #(
  parameter int unsigned Cores = 1,
  parameter int unsigned Entries = 4,
  parameter int unsigned Digit = 8,
  // Stages of GHASH's multiplier. With more than one the period is to be short: there are registers behind the look at a
  // beat, at the ends of the ring, and before and behind the cores.
  parameter int unsigned Stages = 1,
  // Hashes of messages that may wait for the encryption of their first counter block, beside one in the making.
  parameter int unsigned Hashes = 1,
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
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][127:0] core_result_i
);
  localparam int unsigned PlaceBits = $clog2(Entries);
  localparam int unsigned CountBits = $clog2(Entries + 1);
  localparam int unsigned CommandBits = 4 + 1 + 4 + 1 + 96 + 64;
  localparam logic [2:0] Text = 3'd2, Tag = 3'd3, Start = 3'd4, StartIv = 3'd5, Error = 3'd6;
  localparam logic [1:0] Iv = 2'd0;

  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction

  // The command, with what it is refused for.
  logic command_room, command_valid, keyed, hash_key_known, ring_empty, all_read, release_busy;
  logic [3:0] refusal, refused, tag_bytes;
  logic encrypt, iv_in_stream;
  logic [95:0] iv;
  logic [63:0] text_bytes;
  logic unused_command;

  always_comb begin
    refusal = '0;
    if (s_axis_cmd_tdata[7:4] inside {4'd1, 4'd2, 4'd3, [4'd5 : 4'd7], [4'd9 : 4'd11]}) refusal = 4'd8;
    if (~(s_axis_cmd_tdata[31:24] inside {8'd0, 8'd12})) refusal = 4'd5;
    if (~keyed | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end
  assign unused_command = ^{s_axis_cmd_tdata[191:160], s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[3:1]};
  assign s_axis_cmd_tready = command_room & ~key_valid_i;

  logic beat_valid, beat_last, look, take, waits_q, unused_first;
  logic [127:0] beat_text;
  logic [15:0] beat_keep;
  logic [1:0] beat_kind;
  logic [3:0] code;

  aesmith_stream_fifo #(
    .Width(CommandBits)
  ) u_commands (
    .clk_i,
    .rst_ni,
    .valid_i(s_axis_cmd_tvalid & ~key_valid_i),
    .ready_o(command_room),
    .data_i ({refusal, s_axis_cmd_tdata[0], s_axis_cmd_tdata[7:4], s_axis_cmd_tdata[31:24] == '0, s_axis_cmd_tdata[159:64],
              s_axis_cmd_tdata[255:192]}),
    .valid_o(command_valid),
    .ready_i(look & beat_last),
    .data_o ({refused, encrypt, tag_bytes, iv_in_stream, iv, text_bytes})
  );

  // What is on its way to the ring is behind a start that is in it, or ends a message that is refused.
  aesmith_core_keys #(
    .Cores(Cores)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .open_i (~command_valid & ~waits_q & all_read & ~release_busy & (hash_key_known | ~keyed)),
    .key_valid_i,
    .key_ready_o,
    .keyed_o(keyed),
    .core_key_valid_o,
    .core_key_ready_i
  );

  aesmith_stream_fifo #(
    .Width(128 + 16 + 2 + 1)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .valid_i(s_axis_tvalid),
    .ready_o(s_axis_tready),
    .data_i ({s_axis_tdata, s_axis_tkeep, s_axis_tuser, s_axis_tlast}),
    .valid_o(beat_valid),
    .ready_i(look),
    .data_o ({beat_text, beat_keep, beat_kind, beat_last})
  );

  logic [15:0] tag_keep;
  always_comb begin
    for (int unsigned place = 0; place < 16; place++) tag_keep[place] = tag_bytes == '0 | 4'(place) < tag_bytes;
  end

  // Beats of this message between IV and tag: one to decrypt must fit in the ring, where it is held until its tag was
  // compared.
  logic [CountBits-1:0] held_q;
  logic too_large;
  assign too_large = Verified & ~encrypt & ~beat_last & beat_kind != Iv & held_q == CountBits'(Entries - 2);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else if (look) begin
      if (beat_last) held_q <= '0;
      else if (beat_kind != Iv & held_q != CountBits'(Entries - 2)) held_q <= held_q + 1'b1;
    end
  end

  // A text of 2^32 - 2 blocks is the longest of which no counter block comes twice.
  aesmith_section_tracker #(
    .MostBits(32),
    .MostLess(2),
    .MostCode(4'd6)
  ) u_tracker (
    .clk_i,
    .rst_ni,
    .take_i      (look),
    .keep_i      (beat_keep),
    .kind_i      (beat_kind),
    .last_i      (beat_last),
    .refused_i   (refused),
    .text_bytes_i(text_bytes),
    .kinds_i     ({~encrypt, 2'b11, iv_in_stream}),
    .iv_i        (iv_in_stream),
    .tag_i       (tag_keep & {16{~encrypt}}),
    .large_i     (too_large),
    .first_o     (unused_first),
    .code_o      (code)
  );

  // What was found, with the beat and what its command says: a clock later, or at once, and then a command may come first.
  localparam bit Later = Stages > 1;
  localparam int unsigned LookedBits = 128 + 16 + 2 + 1 + 4 + 1 + 1 + 1 + 16 + 96;
  logic [LookedBits-1:0] looked, looked_q;
  logic at_command, at_beat, last, is_refused, encrypted, with_iv;
  logic [127:0] text;
  logic [15:0] keep, first_keep;
  logic [1:0] kind;
  logic [3:0] fault;
  logic [95:0] first;
  assign looked = {beat_text, beat_keep, beat_kind, beat_last, code, refused != '0, encrypt, iv_in_stream, tag_keep, iv};
  assign {text, keep, kind, last, fault, is_refused, encrypted, with_iv, first_keep, first} = Later ? looked_q : looked;
  assign look       = Later ? beat_valid & command_valid & (~waits_q | take) : take;
  assign at_command = Later ? waits_q : command_valid;
  assign at_beat    = Later ? waits_q : beat_valid;

  if (Later) begin : gen_later
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) waits_q <= 1'b0;
      else waits_q <= look | (waits_q & ~take);
    end
    always_ff @(posedge clk_i) if (look) looked_q <= looked;
  end else begin : gen_at_once
    assign waits_q  = 1'b0;
    assign looked_q = '0;
  end

  // A message that is not refused has an item of its own where its IV ends; each beat is one, or is dropped, or ends a wrong
  // message. A last beat of IV is one, and behind the start the end of a message without text.
  logic started_q, room, begins, awaits_start, iv_put_q, put, put_iv_end, put_start, put_beat;
  assign begins       = at_command & ~is_refused & ~started_q;
  assign put_iv_end   = begins & with_iv & at_beat & last & kind == Iv & fault == '0 & ~iv_put_q & room;
  assign put_start    = begins & room & (~with_iv | (at_beat & fault == '0 & (kind != Iv | iv_put_q)));
  assign awaits_start = begins & (~with_iv | (fault == '0 & (kind != Iv | last)));
  assign take         = at_beat & at_command & ~awaits_start & (room | (fault != '0 & ~last));
  assign put_beat     = take & (fault == '0 | last);
  assign put          = put_iv_end | put_start | put_beat;

  logic [2:0] put_kind;
  logic [15:0] put_keep;
  logic [127:0] put_text;
  always_comb begin
    put_kind = iv_put_q | keep == '0 ? Text : {1'b0, kind};
    put_keep = keep & {16{~iv_put_q}};
    put_text = text;
    if (fault != '0) begin
      put_kind = Error;
      put_text = {124'd0, fault};
    end
    if (put_start) begin
      put_kind = with_iv ? StartIv : Start;
      put_keep = first_keep;
      put_text = {32'h01000000, first};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      iv_put_q  <= 1'b0;
    end else begin
      if (put_start) started_q <= 1'b1;
      if (put_iv_end) iv_put_q <= 1'b1;
      if (take & last) begin
        started_q <= 1'b0;
        iv_put_q  <= 1'b0;
      end
    end
  end

  logic send_valid, send_next, send_hashed, send_keep, send_decrypt;
  logic hash_valid, hash_next, hash_done, hash_last, hash_decrypt;
  logic read_valid, read_next, read_last, read_decrypt, behind_valid;
  logic [2:0] send_kind, hash_kind, read_kind, behind_kind;
  logic [15:0] hash_keep, read_keep;
  logic [127:0] send_text, hash_text, read_text, result;
  logic [PlaceBits-1:0] send_place;
  logic [PlaceBits:0] result_label;
  logic result_valid, result_is_hash_key;

  // Between the parts: as it is, or where the period is to be short, a clock later from a register.
  localparam int unsigned ItemBits = 3 + 16 + 1 + 1 + 128;
  logic item_put, ring_last, ring_decrypt;
  logic [2:0] ring_kind;
  logic [15:0] ring_keep;
  logic [127:0] ring_text;
  logic [ItemBits-1:0] put_item, ring_item;
  assign put_item = {put_kind, put_keep, put_beat & last, ~encrypted, put_text};
  assign {ring_kind, ring_keep, ring_last, ring_decrypt, ring_text} = ring_item;

  logic block_valid, block_ready, sent_valid, sent_ready, turn_valid;
  logic [PlaceBits:0] block_label, sent_label, turn_label;
  logic [127:0] block, turn_block;

  logic item_valid, item_next, item_last, item_decrypt, item_behind, behind_tag;
  logic [2:0] item_kind;
  logic [15:0] item_keep;
  logic [127:0] item_text;

  if (Later) begin : gen_registers
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        item_put     <= 1'b0;
        result_valid <= 1'b0;
      end else begin
        item_put     <= put;
        result_valid <= turn_valid;
      end
    end

    always_ff @(posedge clk_i) begin
      if (put) ring_item <= put_item;
      if (turn_valid) result_label <= turn_label;
      if (turn_valid) result <= turn_block;
    end

    aesmith_output_register #(
      .Width(PlaceBits + 1 + 128)
    ) u_sent (
      .clk_i,
      .rst_ni,
      .valid_i(block_valid),
      .ready_o(block_ready),
      .data_i ({block_label, block}),
      .valid_o(sent_valid),
      .ready_i(sent_ready),
      .data_o ({sent_label, core_block_o})
    );

    aesmith_ring_reader u_reader (
      .clk_i,
      .rst_ni,
      .ring_empty_i  (ring_empty),
      .read_valid_i  (read_valid),
      .read_next_o   (read_next),
      .read_kind_i   (read_kind),
      .read_keep_i   (read_keep),
      .read_last_i   (read_last),
      .read_decrypt_i(read_decrypt),
      .read_text_i   (read_text),
      .behind_valid_i(behind_valid),
      .behind_kind_i (behind_kind),
      .empty_o       (all_read),
      .item_valid_o  (item_valid),
      .item_next_i   (item_next),
      .item_kind_o   (item_kind),
      .item_keep_o   (item_keep),
      .item_last_o   (item_last),
      .item_decrypt_o(item_decrypt),
      .item_text_o   (item_text),
      .behind_valid_o(item_behind),
      .behind_tag_o  (behind_tag)
    );
  end else begin : gen_wires
    assign {item_put, ring_item} = {put, put_item};
    assign {sent_valid, sent_label, core_block_o} = {block_valid, block_label, block};
    assign block_ready = sent_ready;
    assign {result_valid, result_label, result} = {turn_valid, turn_label, turn_block};
    assign all_read  = ring_empty;
    assign read_next = item_next;
    assign {item_valid, item_kind, item_keep} = {read_valid, read_kind, read_keep};
    assign {item_last, item_decrypt, item_text} = {read_last, read_decrypt, read_text};
    assign {item_behind, behind_tag} = {behind_valid, behind_kind == Tag};
  end

  aesmith_message_ring #(
    .Entries(Entries)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .coming_i      (Later & item_put),
    .put_i         (item_put),
    .room_o        (room),
    .empty_o       (ring_empty),
    .kind_i        (ring_kind),
    .keep_i        (ring_keep),
    .last_i        (ring_last),
    .decrypt_i     (ring_decrypt),
    .text_i        (ring_text),
    .send_valid_o  (send_valid),
    .send_next_i   (send_next),
    .send_hashed_o (send_hashed),
    .send_place_o  (send_place),
    .send_kind_o   (send_kind),
    .send_keep_o   (send_keep),
    .send_decrypt_o(send_decrypt),
    .send_text_o   (send_text),
    .hash_valid_o  (hash_valid),
    .hash_next_i   (hash_next),
    .hash_done_o   (hash_done),
    .hash_kind_o   (hash_kind),
    .hash_keep_o   (hash_keep),
    .hash_last_o   (hash_last),
    .hash_decrypt_o(hash_decrypt),
    .hash_text_o   (hash_text),
    .read_valid_o  (read_valid),
    .read_next_i   (read_next),
    .read_kind_o   (read_kind),
    .read_keep_o   (read_keep),
    .read_last_o   (read_last),
    .read_decrypt_o(read_decrypt),
    .read_text_o   (read_text),
    .behind_valid_o(behind_valid),
    .behind_kind_o (behind_kind),
    .add_i         (result_valid & ~result_is_hash_key),
    .add_place_i   (result_label[PlaceBits-1:0]),
    .add_stream_i  (turned(result))
  );
  assign result_is_hash_key = result_label[PlaceBits];

  logic hashed_valid, hashed_ready, release_ready, counter_ready, hashed_first_counter, given_up;
  logic [127:0] hashed;

  aesmith_counter_sender #(
    .PlaceBits(PlaceBits)
  ) u_sender (
    .clk_i,
    .rst_ni,
    .key_i           (key_valid_i & key_ready_o),
    .item_valid_i    (send_valid),
    .item_next_o     (send_next),
    .item_hashed_i   (send_hashed),
    .item_place_i    (send_place),
    .item_kind_i     (send_kind),
    .item_keep_i     (send_keep),
    .item_decrypt_i  (send_decrypt),
    .item_counter_i  (turned(send_text)),
    .hashed_valid_i  (hashed_valid & hashed_first_counter),
    .hashed_ready_o  (counter_ready),
    .hashed_counter_i(turned(hashed)),
    .valid_o         (block_valid),
    .ready_i         (block_ready),
    .block_o         (block),
    .label_o         (block_label)
  );

  aesmith_core_turns #(
    .Cores    (Cores),
    .LabelBits(PlaceBits + 1),
    .Blocks   (Entries + 1)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .valid_i(sent_valid),
    .ready_o(sent_ready),
    .label_i(sent_label),
    .valid_o(turn_valid),
    .ready_i(1'b1),
    .label_o(turn_label),
    .block_o(turn_block),
    .core_block_valid_o,
    .core_block_ready_i,
    .core_result_valid_i,
    .core_result_ready_o,
    .core_result_i
  );

  aesmith_ghash #(
    .Digit (Digit),
    .Stages(Stages)
  ) u_ghash (
    .clk_i,
    .rst_ni,
    .key_i           (key_valid_i & key_ready_o),
    .hash_key_valid_i(result_valid & result_is_hash_key),
    .hash_key_i      (turned(result)),
    .hash_key_known_o(hash_key_known),
    .item_valid_i    (hash_valid),
    .item_next_o     (hash_next),
    .item_done_i     (hash_done),
    .item_kind_i     (hash_kind),
    .item_keep_i     (hash_keep),
    .item_last_i     (hash_last),
    .item_decrypt_i  (hash_decrypt),
    .item_text_i     (hash_text),
    .valid_o         (hashed_valid),
    .ready_i         (hashed_ready),
    .hash_o          (hashed),
    .first_counter_o (hashed_first_counter),
    .given_up_o      (given_up)
  );

  logic hashes_room, release_valid, released_given_up;
  logic [127:0] released_hash;
  assign hashed_ready = hashed_first_counter ? counter_ready : hashes_room;

  aesmith_stream_fifo #(
    .Width  (128 + 1),
    .Entries(Hashes)
  ) u_hashes (
    .clk_i,
    .rst_ni,
    .valid_i(hashed_valid & ~hashed_first_counter),
    .ready_o(hashes_room),
    .data_i ({hashed, given_up}),
    .valid_o(release_valid),
    .ready_i(release_ready),
    .data_o ({released_hash, released_given_up})
  );

  logic out_error, out_failed;
  logic [1:0] out_kind;
  logic [3:0] out_code;

  aesmith_tagged_release #(
    .Verified(Verified)
  ) u_release (
    .clk_i,
    .rst_ni,
    .item_valid_i  (item_valid),
    .item_next_o   (item_next),
    .item_kind_i   (item_kind),
    .item_keep_i   (item_keep),
    .item_last_i   (item_last),
    .item_decrypt_i(item_decrypt),
    .item_text_i   (item_text),
    .behind_valid_i(item_behind),
    .behind_tag_i  (behind_tag),
    .hash_valid_i  (release_valid),
    .hash_ready_o  (release_ready),
    .hash_i        (released_hash),
    .given_up_i    (released_given_up),
    .busy_o        (release_busy),
    .valid_o       (m_axis_tvalid),
    .ready_i       (m_axis_tready),
    .text_o        (m_axis_tdata),
    .keep_o        (m_axis_tkeep),
    .kind_o        (out_kind),
    .last_o        (m_axis_tlast),
    .failed_o      (out_failed),
    .error_o       (out_error),
    .code_o        (out_code)
  );
  assign m_axis_tuser = {out_error, out_failed, out_kind};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_o <= '0;
    end else if (out_error & m_axis_tready) begin
      error_o <= out_code;
    end
  end
endmodule
