// CTR (SP 800-38A, section 6.5) as a stream: C_i = P_i + E(T_i), T_{i+1} = T_i with its low CounterBits bits plus one.
//
//   command ─▶ queue ─▶ counter ─▶ cores in turn ─▶ key stream ─┐
//   stream ─▶ queue ─▶ section tracker ─▶ text ring ◀───────────┘
//                                             └─▶ stream out
//
// A beat of text sends its counter block to a core and takes its place in the ring, in the same clock. A message that is
// wrong is taken up to its last beat; from the beat on at which that was found nothing of it is processed, and one beat
// without bytes ends it. Commands are taken ahead, two at most; a key waits until the messages whose commands were taken
// have been sent to the cores, and no command is taken while one waits.
//
// A beat has `Lanes` blocks, block i in lane i, with a counter block and a core of each lane. Of the last beat of a message
// the first lanes may be used only; all have cores, and what does not count is dropped.
//
// Command: [0] encrypt (either is the same), [15:8] key slot (0), [31:24] bytes of the IV (16), [191:64] the first counter
// block, its byte 0 in [71:64], [255:192] bytes of text, or all ones. The other bits are not looked at.
module aesmith_ctr_engine #(
  // In all lanes together: core i is in lane i mod Lanes, and its turn is i / Lanes.
  parameter int unsigned Cores = 1,
  parameter int unsigned Lanes = 1,
  parameter int unsigned Entries = 4,
  parameter int unsigned CounterBits = 128
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
  localparam int unsigned PlaceBits = $clog2(Entries);
  localparam int unsigned CommandBits = 4 + 128 + 64;

  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction

  // The command, with what it is refused for.
  logic command_room, command_valid, keyed;
  logic [3:0] refusal, refused;
  logic [127:0] first_counter;
  logic [63:0] text_bytes;
  logic unused_command;

  always_comb begin
    refusal = '0;
    if (s_axis_cmd_tdata[31:24] != 8'd16) refusal = 4'd5;
    if (~keyed | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end
  assign unused_command = ^{s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[7:0]};
  assign s_axis_cmd_tready = command_room & ~key_valid_i;

  // The beat.
  logic beat_valid, beat_last, first, blocked, served, put, take, turn_ready, room;
  logic [128*Lanes-1:0] beat_text;
  logic [16*Lanes-1:0] beat_keep;
  logic [2*Lanes-1:0] beat_kind;
  logic [3:0] code;

  aesmith_stream_fifo #(
    .Width(CommandBits)
  ) u_commands (
    .clk_i,
    .rst_ni,
    .valid_i(s_axis_cmd_tvalid & ~key_valid_i),
    .ready_o(command_room),
    .data_i ({refusal, s_axis_cmd_tdata[191:64], s_axis_cmd_tdata[255:192]}),
    .valid_o(command_valid),
    .ready_i(take & beat_last),
    .data_o ({refused, first_counter, text_bytes})
  );

  aesmith_core_keys #(
    .Cores(Cores)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .open_i (~command_valid),
    .key_valid_i,
    .key_ready_o,
    .keyed_o(keyed),
    .core_key_valid_o,
    .core_key_ready_i
  );

  aesmith_stream_fifo #(
    .Width((128 + 16 + 2) * Lanes + 1)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .valid_i(s_axis_tvalid),
    .ready_o(s_axis_tready),
    .data_i ({s_axis_tdata, s_axis_tkeep, s_axis_tuser, s_axis_tlast}),
    .valid_o(beat_valid),
    .ready_i(take),
    .data_o ({beat_text, beat_keep, beat_kind, beat_last})
  );

  aesmith_section_tracker #(
    .Lanes   (Lanes),
    .MostBits(CounterBits),
    .MostCode(4'd7)
  ) u_tracker (
    .clk_i,
    .rst_ni,
    .take_i      (take),
    .keep_i      (beat_keep),
    .kind_i      (beat_kind),
    .last_i      (beat_last),
    .refused_i   (refused),
    .text_bytes_i(text_bytes),
    .kinds_i     (4'b0100),
    .iv_i        (1'b0),
    .tag_i       ('0),
    .large_i     (1'b0),
    .first_o     (first),
    .code_o      (code)
  );

  // A beat is served by a block, or it ends a message without one, or it is dropped.
  assign served  = code == '0 & beat_keep != '0;
  assign blocked = ((served | beat_last) & ~room) | (served & ~turn_ready);
  assign take    = beat_valid & command_valid & ~blocked;
  assign put     = take & (served | beat_last);

  if (Lanes == 1) begin : gen_counter
    logic [127:0] counter_q, counter;
    assign counter = first ? turned(first_counter) : counter_q;
    assign core_block_o = counter;

    always_ff @(posedge clk_i) begin
      if (take) begin
        counter_q <= counter;
        counter_q[CounterBits-1:0] <= counter[CounterBits-1:0] + 1'b1;
      end
    end
  end else begin : gen_counters
    localparam int unsigned LowBits = $clog2(Lanes);
    logic [CounterBits-LowBits-1:0] above;
    logic [127:0] begins;
    logic unused_room, unused_valid, unused_begins;
    assign begins = turned(s_axis_cmd_tdata[191:64]);
    assign unused_begins = ^begins;

    // The number above that of the first counter block, made as its command comes; it waits beside it.
    aesmith_stream_fifo #(
      .Width(CounterBits - LowBits)
    ) u_above (
      .clk_i,
      .rst_ni,
      .valid_i(s_axis_cmd_tvalid & s_axis_cmd_tready),
      .ready_o(unused_room),
      .data_i (begins[CounterBits-1:LowBits] + 1'b1),
      .valid_o(unused_valid),
      .ready_i(take & beat_last),
      .data_o (above)
    );

    aesmith_lane_counters #(
      .Lanes      (Lanes),
      .CounterBits(CounterBits)
    ) u_counters (
      .clk_i,
      .take_i (take),
      .first_i(first),
      .head_i (turned(first_counter)),
      .above_i(above),
      .block_o(core_block_o)
    );
  end

  logic [PlaceBits-1:0] place, result_place;
  logic [Lanes-1:0][127:0] result, stream;
  logic result_valid;
  always_comb for (int unsigned lane = 0; lane < Lanes; lane++) stream[lane] = turned(result[lane]);

  aesmith_core_turns #(
    .Cores    (Cores / Lanes),
    .Lanes    (Lanes),
    .LabelBits(PlaceBits),
    .Blocks   (Entries)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .valid_i(beat_valid & command_valid & served & room),
    .ready_o(turn_ready),
    .label_i(place),
    .valid_o(result_valid),
    .ready_i(1'b1),
    .label_o(result_place),
    .block_o(result),
    .core_block_valid_o,
    .core_block_ready_i,
    .core_result_valid_i,
    .core_result_ready_o,
    .core_result_i
  );

  logic [3:0] out_code;
  logic out_error;

  aesmith_text_ring #(
    .Entries(Entries),
    .Lanes  (Lanes)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .put_i       (put),
    .room_o      (room),
    .place_o     (place),
    .text_i      (code == '0 ? beat_text : (128 * Lanes)'(code)),
    .keep_i      (code == '0 ? beat_keep : '0),
    .last_i      (beat_last),
    .error_i     (code != '0),
    .done_i      (~served),
    .add_i       (result_valid),
    .add_place_i (result_place),
    .add_stream_i(stream),
    .valid_o     (m_axis_tvalid),
    .ready_i     (m_axis_tready),
    .text_o      (m_axis_tdata),
    .keep_o      (m_axis_tkeep),
    .last_o      (m_axis_tlast),
    .error_o     (out_error),
    .code_o      (out_code)
  );

  assign m_axis_tuser = {out_error, 1'b0, {Lanes{m_axis_tvalid, 1'b0}}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_o <= '0;
    end else if (out_error & m_axis_tready) begin
      error_o <= out_code;
    end
  end
endmodule
