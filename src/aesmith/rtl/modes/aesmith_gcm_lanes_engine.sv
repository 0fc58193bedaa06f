// GCM (SP 800-38D) as a stream of several lanes, a slot of `Lanes` blocks a clock: C_i = P_i + E(J0 + i),
// tag = GHASH(header, C, lengths) + E(J0).
//
//   command ─▶ queue ─┐
//   stream ─▶ queue, section tracker ─▶ slots ─▶ cores in turn ─▶ result ─▶ sum ──────▶ tag ─▶ release ─▶ queue ─▶ stream out
//                                         └────── text ────────────┘         └─▶ GHASH ─┘
//
// Slots stay in their order, each a register behind the one before, and move together: what the receiver does not take
// makes the cores wait. So text leaves as it comes, decrypted or not, and only the last beat of a message says whether it was
// authentic. A message that is wrong is taken up to its last beat; from the beat on at which that was found nothing of it is
// processed, and one beat without bytes ends it. A key waits until the messages whose commands were taken have been sent to
// the cores, and no command is taken while one waits.
//
// Command: [0] encrypt, [7:4] bytes of the tag (0 are 16), [15:8] key slot (0), [31:24] bytes of the IV, which are 12, in
// [159:64], its byte 0 in [71:64]; [255:192] bytes of text, or all ones. The other bits are not looked at.
module aesmith_gcm_lanes_engine #(
  // In all lanes together: core i is in lane i mod Lanes, and its turn is i / Lanes.
  parameter int unsigned Cores = 2,
  parameter int unsigned Lanes = 2,
  // Slots that may be in the cores.
  parameter int unsigned Slots = 2
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
  input  logic [128*Lanes-1:0] s_axis_tdata,
  input  logic [16*Lanes-1:0] s_axis_tkeep,
  input  logic [2*Lanes-1:0] s_axis_tuser,
  input  logic s_axis_tlast,

  output logic m_axis_tvalid,
  input  logic m_axis_tready,
  output logic [128*Lanes-1:0] m_axis_tdata,
  output logic [16*Lanes-1:0] m_axis_tkeep,
  output logic [2*Lanes+1:0] m_axis_tuser,
  output logic m_axis_tlast,

  // The code of the last message that was refused; 0 if none was.
  output logic [3:0] error_o,

  output logic [Cores-1:0] core_key_valid_o,
  input  logic [Cores-1:0] core_key_ready_i,
  output logic [Cores/Lanes-1:0] core_block_valid_o,
  input  logic [Cores-1:0] core_block_ready_i,
  output logic [Lanes-1:0][127:0] core_block_o,
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores/Lanes-1:0] core_result_ready_o,
  input  logic [Cores-1:0][127:0] core_result_i
);
  // A slot as aesmith_lane_slots has it.
  typedef struct packed {
    logic wrong;
    logic hash_key;
    logic first;
    logic last;
    logic decrypt;
    logic [Lanes-1:0] header;
    logic [Lanes-1:0] text;
    logic [Lanes-1:0] tag;
    logic [Lanes-1:0][15:0] keep;
    logic [Lanes-1:0][127:0] data;
  } slot_t;

  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction

  function automatic logic [127:0] spread(input logic [15:0] keep);
    for (int unsigned place = 0; place < 16; place++) spread[8*place+:8] = {8{keep[place]}};
  endfunction

  // The command, with what it is refused for, and the beat at the head.
  logic [3:0] refusal, tag_bytes, code;
  logic valid, take, encrypt, last, first, known, slots_idle, sent_valid, unused_command;
  logic [95:0] iv;
  logic [63:0] unused_text_bytes;
  logic [128*Lanes-1:0] text;
  logic [16*Lanes-1:0] keep;
  logic [2*Lanes-1:0] kind;
  logic [15:0] tag_keep;

  always_comb begin
    refusal = '0;
    if (s_axis_cmd_tdata[7:4] inside {4'd1, 4'd2, 4'd3, [4'd5 : 4'd7], [4'd9 : 4'd11]}) refusal = 4'd8;
    if (s_axis_cmd_tdata[31:24] != 8'd12) refusal = 4'd5;
    for (int unsigned place = 0; place < 16; place++) tag_keep[place] = tag_bytes == '0 | 4'(place) < tag_bytes;
  end
  assign unused_command = ^{s_axis_cmd_tdata[191:160], s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[3:1]};

  // A text of 2^32 - 2 blocks is the longest of which no counter block comes twice.
  aesmith_message_front #(
    .Cores    (Cores),
    .FieldBits(1 + 4 + 96),
    .Lanes    (Lanes),
    .MostBits (32),
    .MostLess (2),
    .MostCode (4'd6)
  ) u_front (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .core_key_valid_o,
    .core_key_ready_i,
    .idle_i      (slots_idle & ~sent_valid & known),
    .s_axis_cmd_tvalid,
    .s_axis_cmd_tready,
    .slot_i      (s_axis_cmd_tdata[15:8]),
    .text_bytes_i(s_axis_cmd_tdata[255:192]),
    .refusal_i   (refusal),
    .fields_i    ({s_axis_cmd_tdata[0], s_axis_cmd_tdata[7:4], s_axis_cmd_tdata[159:64]}),
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tuser,
    .s_axis_tlast,
    .valid_o     (valid),
    .take_i      (take),
    .fields_o    ({encrypt, tag_bytes, iv}),
    .text_bytes_o(unused_text_bytes),
    .text_o      (text),
    .keep_o      (keep),
    .kind_o      (kind),
    .last_o      (last),
    .first_o     (first),
    .code_o      (code),
    .kinds_i     ({~encrypt, 3'b110}),
    .tag_i       (tag_keep & {16{~encrypt}}),
    .large_i     (1'b0)
  );

  logic slot_valid, slot_ready, sent_ready, key_taken;
  logic [Lanes-1:0][127:0] block;
  slot_t slot, sent;
  assign key_taken = key_valid_i & key_ready_o;

  aesmith_lane_slots #(
    .Lanes(Lanes)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .key_i     (key_taken),
    .known_i   (known),
    .idle_o    (slots_idle),
    .valid_i   (valid),
    .take_o    (take),
    .encrypt_i (encrypt),
    .tag_keep_i(tag_keep),
    .iv_i      (iv),
    .text_i    (text),
    .keep_i    (keep),
    .kind_i    (kind),
    .last_i    (last),
    .first_i   (first),
    .code_i    (code),
    .valid_o   (slot_valid),
    .ready_i   (slot_ready),
    .block_o   (block),
    .slot_o    (slot)
  );

  aesmith_output_register #(
    .Width(128 * Lanes + $bits(slot_t))
  ) u_sent (
    .clk_i,
    .rst_ni,
    .valid_i(slot_valid),
    .ready_o(slot_ready),
    .data_i ({block, slot}),
    .valid_o(sent_valid),
    .ready_i(sent_ready),
    .data_o ({core_block_o, sent})
  );

  logic turn_valid, move;
  slot_t turn;
  logic [Lanes-1:0][127:0] turn_block;

  aesmith_core_turns #(
    .Cores    (Cores / Lanes),
    .Lanes    (Lanes),
    .LabelBits($bits(slot_t)),
    .Blocks   (Slots),
    .Skips    (1'b1)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .valid_i(sent_valid),
    .ready_o(sent_ready),
    .label_i(sent),
    .valid_o(turn_valid),
    .ready_i(move),
    .label_o(turn),
    .block_o(turn_block),
    .core_block_valid_o,
    .core_block_ready_i,
    .core_result_valid_i,
    .core_result_ready_o,
    .core_result_i
  );

  // The slot with its results; with their sums, while it is hashed; and when its hash is there.
  logic result_valid_q, sum_valid_q, tag_valid_q, release_next;
  slot_t result_q, sum_q, tag_q;
  logic [Lanes-1:0][127:0] stream_q, sum, hashed;
  assign move = ~tag_valid_q | release_next;

  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      sum[lane] = result_q.data[lane] ^ stream_q[lane];
      if (result_q.text[lane]) sum[lane] &= spread(result_q.keep[lane]);
      if (result_q.wrong) sum[lane] = result_q.data[lane];
      hashed[lane] = (result_q.text[lane] & ~result_q.decrypt) | result_q.hash_key ? sum[lane] :
                     result_q.data[lane] & {128{~result_q.tag[lane]}};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      result_valid_q <= 1'b0;
      sum_valid_q    <= 1'b0;
      tag_valid_q    <= 1'b0;
    end else if (move) begin
      result_valid_q <= turn_valid;
      sum_valid_q    <= result_valid_q & ~result_q.hash_key;
      tag_valid_q    <= sum_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (move) begin
      result_q   <= turn;
      sum_q      <= result_q;
      sum_q.data <= sum;
      tag_q      <= sum_q;
      for (int unsigned lane = 0; lane < Lanes; lane++) stream_q[lane] <= turned(turn_block[lane]);
    end
  end

  logic [127:0] hash;
  aesmith_ghash_lanes #(
    .Lanes(Lanes)
  ) u_ghash (
    .clk_i,
    .rst_ni,
    .key_i     (key_taken),
    .known_o   (known),
    .move_i    (move),
    .slot_i    (result_valid_q & ~result_q.hash_key),
    .hash_key_i(result_valid_q & result_q.hash_key),
    .first_i   (result_q.first),
    .header_i  (result_q.header),
    .text_i    (result_q.text),
    .tag_i     (result_q.tag),
    .keep_i    (result_q.keep),
    .block_i   (hashed),
    .hash_o    (hash)
  );

  logic [Lanes-1:0][127:0] with_hash;
  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) with_hash[lane] = tag_q.data[lane] ^ (hash & {128{tag_q.tag[lane]}});
  end

  localparam int unsigned BeatBits = (128 + 16 + 2) * Lanes + 3 + 4;
  logic out_valid, out_ready, out_last, out_failed, out_error, beat_valid, unused_hash_key;
  logic [128*Lanes-1:0] out_text;
  logic [16*Lanes-1:0] out_keep;
  logic [2*Lanes-1:0] out_kind;
  logic [3:0] out_code;
  logic [BeatBits-1:0] beat;
  assign unused_hash_key = tag_q.hash_key;

  aesmith_lane_release #(
    .Lanes(Lanes)
  ) u_release (
    .clk_i,
    .rst_ni,
    .slot_valid_i  (tag_valid_q),
    .slot_next_o   (release_next),
    .slot_wrong_i  (tag_q.wrong),
    .slot_first_i  (tag_q.first),
    .slot_last_i   (tag_q.last),
    .slot_decrypt_i(tag_q.decrypt),
    .slot_header_i (tag_q.header),
    .slot_text_i   (tag_q.text),
    .slot_tag_i    (tag_q.tag),
    .slot_keep_i   (tag_q.keep),
    .slot_data_i   (with_hash),
    .valid_o       (out_valid),
    .ready_i       (out_ready),
    .text_o        (out_text),
    .keep_o        (out_keep),
    .kind_o        (out_kind),
    .last_o        (out_last),
    .failed_o      (out_failed),
    .error_o       (out_error),
    .code_o        (out_code)
  );

  logic m_failed, m_error;
  logic [3:0] m_code;
  logic [2*Lanes-1:0] m_kind;
  aesmith_stream_fifo #(
    .Width(BeatBits)
  ) u_out (
    .clk_i,
    .rst_ni,
    .valid_i(out_valid),
    .ready_o(out_ready),
    .data_i ({out_text, out_keep, out_kind, out_last, out_failed, out_error, out_code}),
    .valid_o(beat_valid),
    .ready_i(m_axis_tready),
    .data_o (beat)
  );
  assign m_axis_tvalid = beat_valid;
  assign {m_axis_tdata, m_axis_tkeep, m_kind, m_axis_tlast, m_failed, m_error, m_code} = beat & {BeatBits{beat_valid}};
  assign m_axis_tuser = {m_error, m_failed, m_kind};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_o <= '0;
    end else if (m_error & m_axis_tready) begin
      error_o <= m_code;
    end
  end
endmodule
