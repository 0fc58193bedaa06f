// A register for a beat before an engine that takes its beats one after the other, and one for its answer behind it: while
// the core works on a block, words of the next one come, and those of the one before leave.
//
//   stream in ─▶ [ beat ] ─▶ engine ─▶ [ answer ] ─▶ stream out
//
// Each takes what is offered in the clock in which what it has leaves. The engine's lines are 0 while it offers nothing, and
// so is what stands in the register behind it then. The code of a message that was refused is shown when its answer has left.
module aesmith_beat_registers (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic s_axis_tvalid,
  output logic s_axis_tready,
  input  logic [127:0] s_axis_tdata,
  input  logic [15:0] s_axis_tkeep,
  input  logic [1:0] s_axis_tuser,
  input  logic s_axis_tlast,

  output logic beat_tvalid,
  input  logic beat_tready,
  output logic [127:0] beat_tdata,
  output logic [15:0] beat_tkeep,
  output logic [1:0] beat_tuser,
  output logic beat_tlast,

  input  logic answer_tvalid,
  output logic answer_tready,
  input  logic [127:0] answer_tdata,
  input  logic [15:0] answer_tkeep,
  input  logic [3:0] answer_tuser,
  input  logic answer_tlast,
  input  logic [3:0] answer_code,

  output logic m_axis_tvalid,
  input  logic m_axis_tready,
  output logic [127:0] m_axis_tdata,
  output logic [15:0] m_axis_tkeep,
  output logic [3:0] m_axis_tuser,
  output logic m_axis_tlast,
  output logic [3:0] error_o
);
  logic beat_valid_q, answer_valid_q;
  logic [146:0] beat_q;
  logic [148:0] answer_q;
  logic [3:0] code_q;

  assign s_axis_tready = ~beat_valid_q | beat_tready;
  assign beat_tvalid   = beat_valid_q;
  assign {beat_tdata, beat_tkeep, beat_tuser, beat_tlast} = beat_q;

  assign answer_tready = ~answer_valid_q | m_axis_tready;
  assign m_axis_tvalid = answer_valid_q;
  assign {m_axis_tdata, m_axis_tkeep, m_axis_tuser, m_axis_tlast} = answer_q;
  assign error_o       = answer_valid_q ? code_q : answer_code;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_valid_q   <= 1'b0;
      answer_valid_q <= 1'b0;
    end else begin
      if (s_axis_tready) beat_valid_q <= s_axis_tvalid;
      if (answer_tready) answer_valid_q <= answer_tvalid;
    end
  end
  always_ff @(posedge clk_i) if (s_axis_tvalid & s_axis_tready) beat_q <= {s_axis_tdata, s_axis_tkeep, s_axis_tuser, s_axis_tlast};
  always_ff @(posedge clk_i) if (answer_tvalid & answer_tready) code_q <= answer_code;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answer_q <= '0;
    else if (answer_tready & (answer_tvalid | answer_valid_q)) answer_q <= {answer_tdata, answer_tkeep, answer_tuser, answer_tlast};
  end
endmodule
