// Control of a round-based core: one round a clock, the round in round_q.
//
//   round_q   0          1 … Rounds-1   Rounds
//             idle       rounds         the result is offered
//
// A block is taken when idle, or in the clock in which the result before it leaves.
// load_phase is 1 when idle or offering a result: then the registers can only load, never run.
module aesmith_round_sequencer #(
  parameter int unsigned Rounds = 10,
  localparam int unsigned RoundBits = $clog2(Rounds + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic key_load_o,     // the initial key register takes key_i
  output logic data_load_o,    // the data register takes a block,
  output logic data_run_o,     // … the result of the round,
  output logic data_hold_o,    // … or keeps its value: one of the three
  output logic key_advance_o,  // the round key register takes its next value
  output logic key_start_o,    // the key schedule starts from the initial key,
  output logic key_run_o,      // … or from the round key: one of both
  output logic key_run_next_o, // key_run_o in the next clock
  output logic [RoundBits-1:0] round_o
);
  if (Rounds < 2) begin : gen_check_rounds
    $error("Rounds must be at least 2");
  end

  localparam logic [RoundBits-1:0] Idle = '0;
  localparam logic [RoundBits-1:0] First = RoundBits'(1);
  localparam logic [RoundBits-1:0] Last = RoundBits'(Rounds);

  logic [RoundBits-1:0] round_d, round_q;
  logic key_known_q;
  logic accept, load_phase_d;

  // The load phase, once in each polarity: each drives the AND gates of what it selects.
  logic load_phase_q, running_q;

  assign key_ready_o = 1'b1;
  assign key_load_o = key_valid_i;

  assign block_valid_o = load_phase_q & (round_q != Idle);
  assign block_ready_o = load_phase_q & key_known_q & (~block_valid_o | block_ready_i);
  assign accept = block_valid_i & block_ready_o;
  assign data_load_o = accept;
  assign data_run_o = running_q;
  assign data_hold_o = load_phase_q & ~accept;
  assign key_advance_o = running_q | accept;
  assign key_start_o = load_phase_q;
  assign key_run_o = running_q;
  assign key_run_next_o = ~load_phase_d;
  assign round_o = round_q;

  always_comb begin
    round_d = round_q;
    if (accept) round_d = First;
    else if (!load_phase_q) round_d = round_q + First;
    else if (block_ready_i) round_d = Idle;
  end
  assign load_phase_d = (round_d == Idle) | (round_d == Last);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= Idle;
      load_phase_q <= 1'b1;
      running_q <= 1'b0;
      key_known_q <= 1'b0;
    end else begin
      round_q <= round_d;
      load_phase_q <= load_phase_d;
      running_q <= ~load_phase_d;
      key_known_q <= key_known_q | key_valid_i;
    end
  end
endmodule
