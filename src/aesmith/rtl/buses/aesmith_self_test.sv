// The self-test of an engine with registers: known answers through the registers and the engine, and the lock until they came.
//
//   bus ───────────────┐
//                      ├─▶ register port ─▶ registers ─▶ engine
//   ROM: steps ────────┘                         │
//   ROM: answers ─▶ compared with each word that DATA_OUT has
//
// A step is a write, which is repeated while it has an error, or a read, which is repeated until it has the value of the step.
// Whenever DATA_OUT has a word it is read before the next step and must be the next answer. A word that differs, one too many
// or too few, and 2^TimeBits clocks without a step or an answer, are failures. A failure stays until reset. The bus has every other clock at
// least; what it may reach meanwhile the registers say.
module aesmith_self_test #(
  parameter int unsigned Steps = 2,
  parameter int unsigned Answers = 1,
  parameter int unsigned TimeBits = 11,
  // Whether nothing is served before a test has passed.
  parameter bit OnReset = 1'b1,
  localparam int unsigned StepBits = $clog2(Steps + 1),
  localparam int unsigned AnswerBits = $clog2(Answers + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic request_i,
  input  logic write_i,
  input  logic [8:2] address_i,
  input  logic [31:0] data_i,
  input  logic [3:0] strobe_i,
  output logic ack_o,

  output logic request_o,
  output logic write_o,
  output logic [8:2] address_o,
  output logic [31:0] data_o,
  output logic [3:0] strobe_o,
  input  logic ack_i,
  input  logic error_i,
  input  logic [31:0] read_data_i,

  // A test is asked for; everything is wiped; DATA_OUT has a word.
  input  logic start_i,
  input  logic wipe_i,
  input  logic shown_i,
  // The request is the test's; the bus is locked out; a test runs, has passed, has failed.
  output logic own_o,
  output logic locked_o,
  output logic running_o,
  output logic passed_o,
  output logic failed_o,

  output logic [StepBits-1:0] step_o,
  input  logic step_write_i,
  input  logic [8:2] step_address_i,
  input  logic [31:0] step_data_i,
  output logic [AnswerBits-1:0] answer_o,
  input  logic [31:0] answer_data_i
);
  localparam logic [8:2] DataOut = 7'h60;

  logic running_q, passed_q, failed_q, served_q, all_steps, all_answers, done, right, steps, answers, wrong;
  logic [StepBits-1:0] step_q;
  logic [AnswerBits-1:0] answer_q;
  logic [TimeBits-1:0] time_q;

  // The bus is served unless it was in the clock before.
  assign own_o     = running_q & (~request_i | served_q);
  assign request_o = own_o ? shown_i | ~all_steps : request_i;
  assign write_o   = own_o ? ~shown_i & step_write_i : write_i;
  assign address_o = own_o ? (shown_i ? DataOut : step_address_i) : address_i;
  assign data_o    = own_o ? step_data_i : data_i;
  assign strobe_o  = own_o ? 4'b1111 : strobe_i;
  assign ack_o     = ack_i & ~own_o;

  assign all_steps   = step_q == StepBits'(Steps);
  assign all_answers = answer_q == AnswerBits'(Answers);
  assign done        = own_o & request_o & ack_i;
  assign right       = done & ~error_i & (shown_i | step_write_i | read_data_i == step_data_i);
  assign steps       = right & ~shown_i;
  assign answers     = right & shown_i;
  assign wrong       = (done & shown_i & (error_i | all_answers | read_data_i != answer_data_i)) |
                       (own_o & ~shown_i & all_steps & ~all_answers) | time_q == '1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= OnReset;
      passed_q  <= 1'b0;
      failed_q  <= 1'b0;
      served_q  <= 1'b0;
      step_q    <= '0;
      answer_q  <= '0;
      time_q    <= '0;
    end else begin
      served_q <= running_q & request_i & ~own_o;
      if (running_q & ~wipe_i & wrong) begin
        running_q <= 1'b0;
        failed_q  <= 1'b1;
      end else if (start_i & ~failed_q) begin
        running_q <= 1'b1;
        passed_q  <= 1'b0;
      end else if (own_o & ~wipe_i & ~shown_i & all_steps) begin
        running_q <= 1'b0;
        passed_q  <= 1'b1;
      end
      if (~running_q | wipe_i) begin
        step_q   <= '0;
        answer_q <= '0;
      end else begin
        step_q   <= step_q + StepBits'(steps);
        answer_q <= answer_q + AnswerBits'(answers);
      end
      time_q <= ~running_q | wipe_i | right ? '0 : time_q + 1'b1;
    end
  end

  assign locked_o  = running_q | failed_q | (OnReset & ~passed_q);
  assign running_o = running_q;
  assign passed_o  = passed_q;
  assign failed_o  = failed_q;
  assign step_o    = step_q;
  assign answer_o  = answer_q;
endmodule
