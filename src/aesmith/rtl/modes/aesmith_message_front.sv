// What stands before the engine of a mode, whatever the mode: commands and beats are queued, a key goes to the cores when
// the engine is idle, and each beat at the head has its section and what is wrong with it.
//
//   command ─▶ queue ─▶ fields, refusal ─┐
//   stream ─▶ queue ─▶ section tracker ◀─┘ ─▶ the beat and its code
//
// `Queue` commands and as many beats are taken ahead; with 1 a beat comes every other clock at most. No command is taken
// while a key waits, and a key waits until no command does and the engine is idle. Of the command [15:8] and [255:192] are
// looked at here: the key slot, which must be 0, and the bytes of text. The mode says what else it is refused for, and
// which of its bits it wants to see again. What is wrong with a beat of one or more lanes, and after how many blocks of
// text, aesmith_section_tracker says.
module aesmith_message_front #(
  parameter int unsigned Cores = 1,
  parameter int unsigned FieldBits = 1,
  parameter int unsigned Queue = 2,
  parameter int unsigned Lanes = 1,
  parameter int unsigned MostBits = 60,
  parameter int unsigned MostLess = 0,
  parameter logic [3:0] MostCode = 4'd7
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  output logic [Cores-1:0] core_key_valid_o,
  input  logic [Cores-1:0] core_key_ready_i,
  input  logic idle_i,

  input  logic s_axis_cmd_tvalid,
  output logic s_axis_cmd_tready,
  input  logic [7:0] slot_i,
  input  logic [63:0] text_bytes_i,
  input  logic [3:0] refusal_i,
  input  logic [FieldBits-1:0] fields_i,

  input  logic s_axis_tvalid,
  output logic s_axis_tready,
  input  logic [128*Lanes-1:0] s_axis_tdata,
  input  logic [16*Lanes-1:0] s_axis_tkeep,
  input  logic [2*Lanes-1:0] s_axis_tuser,
  input  logic s_axis_tlast,

  // The beat at the head and the fields of its message's command; it is taken in the clock of `take_i`.
  output logic valid_o,
  input  logic take_i,
  output logic [FieldBits-1:0] fields_o,
  output logic [63:0] text_bytes_o,
  output logic [128*Lanes-1:0] text_o,
  output logic [16*Lanes-1:0] keep_o,
  output logic [2*Lanes-1:0] kind_o,
  output logic last_o,
  output logic first_o,
  output logic [3:0] code_o,

  // Rules for its message, as the section tracker has them.
  input  logic [3:0] kinds_i,
  input  logic [15:0] tag_i,
  input  logic large_i
);
  logic keyed, command_room, command_valid, beat_valid;
  logic [3:0] refusal, refused;

  assign refusal = ~keyed | slot_i != '0 ? 4'd4 : refusal_i;
  assign s_axis_cmd_tready = command_room & ~key_valid_i;
  assign valid_o = command_valid & beat_valid;

  aesmith_stream_fifo #(
    .Width  (4 + FieldBits + 64),
    .Entries(Queue)
  ) u_commands (
    .clk_i,
    .rst_ni,
    .valid_i(s_axis_cmd_tvalid & ~key_valid_i),
    .ready_o(command_room),
    .data_i ({refusal, fields_i, text_bytes_i}),
    .valid_o(command_valid),
    .ready_i(take_i & last_o),
    .data_o ({refused, fields_o, text_bytes_o})
  );

  aesmith_core_keys #(
    .Cores(Cores)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .open_i (~command_valid & idle_i),
    .key_valid_i,
    .key_ready_o,
    .keyed_o(keyed),
    .core_key_valid_o,
    .core_key_ready_i
  );

  aesmith_stream_fifo #(
    .Width  ((128 + 16 + 2) * Lanes + 1),
    .Entries(Queue)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .valid_i(s_axis_tvalid),
    .ready_o(s_axis_tready),
    .data_i ({s_axis_tdata, s_axis_tkeep, s_axis_tuser, s_axis_tlast}),
    .valid_o(beat_valid),
    .ready_i(take_i),
    .data_o ({text_o, keep_o, kind_o, last_o})
  );

  aesmith_section_tracker #(
    .Lanes   (Lanes),
    .MostBits(MostBits),
    .MostLess(MostLess),
    .MostCode(MostCode)
  ) u_tracker (
    .clk_i,
    .rst_ni,
    .take_i,
    .keep_i      (keep_o),
    .kind_i      (kind_o),
    .last_i      (last_o),
    .refused_i   (refused),
    .text_bytes_i(text_bytes_o),
    .kinds_i,
    .iv_i        (1'b0),
    .tag_i,
    .large_i,
    .first_o,
    .code_o
  );
endmodule
