// The clear of an engine as its streams see it. In a clock with `clear_i` all that the engine inside holds is gone, and with it
// the messages that had begun: their command was taken, or their first word. Of each what still comes is taken here and
// dropped, and what was shown of an answer gets an end.
//
//   command, words ─▶ of a message that had begun? ─▶ engine inside ─▶ answer, or the end of one that was cut
//                        └─▶ dropped
//
// Nothing is taken in a clock with `clear_i`. A word that was offered to the receiver becomes the end: it stays offered, with
// nothing but tlast and *error*. Registers here know how many messages had begun, and nothing of keys and texts; reset
// makes them forget that.
module aesmith_stream_clear #(
  parameter int unsigned WordBits = 128,
  parameter int unsigned UserBits = 4
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic clear_i,
  // There was a clear, and nothing was offered to the engine inside since.
  output logic cleared_o,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic s_axis_cmd_tvalid,
  output logic s_axis_cmd_tready,
  input  logic s_axis_tvalid,
  output logic s_axis_tready,
  input  logic s_axis_tlast,

  output logic m_axis_tvalid,
  input  logic m_axis_tready,
  output logic [WordBits-1:0] m_axis_tdata,
  output logic [WordBits/8-1:0] m_axis_tkeep,
  // *error* is the highest bit.
  output logic [UserBits-1:0] m_axis_tuser,
  output logic m_axis_tlast,

  // The engine inside, which gets all other lines from the ports.
  input  logic inside_key_ready,
  output logic inside_cmd_tvalid,
  input  logic inside_cmd_tready,
  output logic inside_s_tvalid,
  input  logic inside_s_tready,

  input  logic inside_m_tvalid,
  output logic inside_m_tready,
  input  logic [WordBits-1:0] inside_m_tdata,
  input  logic [WordBits/8-1:0] inside_m_tkeep,
  input  logic [UserBits-1:0] inside_m_tuser,
  input  logic inside_m_tlast
);
  localparam int unsigned CountBits = 4;
  // Messages whose command was taken and whose last word was not, or the other way round: so many at most.
  localparam logic [CountBits-1:0] Most = CountBits'(6);

  // Of messages that are dropped: how many commands, and how many last words, are still to come; below 0, in two's
  // complement, how many more have come of messages that are not. One of both is not below 0.
  logic [CountBits-1:0] commands_q, lasts_q, commands, lasts, late, late_begun;
  logic begun_q, drops_command, drops_word, cmd_full, word_full, cmd_taken, word_taken, both_below;

  assign late          = commands_q - lasts_q; // last words that came without their command
  assign drops_command = ~commands_q[CountBits-1] & commands_q != '0;
  assign drops_word    = ~lasts_q[CountBits-1] & lasts_q != '0;
  assign cmd_full      = late == -Most;
  assign word_full     = late == Most;

  assign key_ready_o       = inside_key_ready & ~clear_i;
  assign inside_cmd_tvalid = s_axis_cmd_tvalid & ~drops_command & ~cmd_full;
  assign s_axis_cmd_tready = (drops_command | inside_cmd_tready) & ~cmd_full & ~clear_i;
  assign inside_s_tvalid   = s_axis_tvalid & ~drops_word & ~word_full;
  assign s_axis_tready     = (drops_word | inside_s_tready) & ~word_full & ~clear_i;
  assign cmd_taken         = s_axis_cmd_tvalid & s_axis_cmd_tready;
  assign word_taken        = s_axis_tvalid & s_axis_tready;

  assign commands   = commands_q - CountBits'(cmd_taken);
  assign lasts      = lasts_q - CountBits'(word_taken & s_axis_tlast);
  assign both_below = commands[CountBits-1] & lasts[CountBits-1];
  assign late_begun = late + CountBits'(begun_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      commands_q <= '0;
      lasts_q    <= '0;
      begun_q    <= 1'b0;
    end else if (clear_i) begin
      // All messages of which one or the other has begun.
      commands_q <= late_begun[CountBits-1] ? '0 : late_begun;
      lasts_q    <= late[CountBits-1] ? -late : CountBits'(begun_q);
    end else begin
      commands_q <= commands + CountBits'(both_below);
      lasts_q    <= lasts + CountBits'(both_below);
      if (word_taken) begun_q <= ~s_axis_tlast;
    end
  end

  // The answer: some of it was taken, its next word was offered and was not, its end is owed.
  logic open_q, offered_q, cut_q, cut;

  assign cut             = cut_q | (clear_i & (open_q | offered_q));
  assign m_axis_tvalid   = cut | (inside_m_tvalid & ~clear_i);
  assign m_axis_tdata    = inside_m_tdata & {WordBits{~cut & ~clear_i}};
  assign m_axis_tkeep    = inside_m_tkeep & {WordBits / 8{~cut & ~clear_i}};
  assign m_axis_tuser    = cut ? {1'b1, (UserBits - 1)'(0)} : inside_m_tuser & {UserBits{~clear_i}};
  assign m_axis_tlast    = cut | (inside_m_tlast & ~clear_i);
  assign inside_m_tready = m_axis_tready & ~cut;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q    <= 1'b0;
      offered_q <= 1'b0;
      cut_q     <= 1'b0;
      cleared_o <= 1'b0;
    end else begin
      if (m_axis_tvalid & m_axis_tready) open_q <= ~m_axis_tlast;
      offered_q <= m_axis_tvalid & ~m_axis_tready;
      cut_q     <= cut & ~m_axis_tready;
      cleared_o <= clear_i | (cleared_o & ~(key_valid_i | inside_cmd_tvalid | inside_s_tvalid));
    end
  end
endmodule
