// Control of a round of two stages with two blocks in flight. The blocks change places in every clock:
//
//   slot A   the block in the data register, on its way to the inverted register
//   slot B   the block in the inverted register, on its way to the next round, or offered as the result
//
// A slot's round is 0 (empty) or 1 to Rounds. A block is taken into the data register when slot B is empty or its result
// leaves. A result that is not taken stops both slots.
module aesmith_two_slot_sequencer #(
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

  output logic key_load_o,
  output logic data_load_o,         // a new block to the data register,
  output logic data_run_o,          // … slot B,
  output logic data_hold_o,         // … or neither: one of the three
  output logic inverted_advance_o,  // slot A to the inverted register
  output logic key_sums_advance_o,  // the key schedule of slot B, or of a new block, to its middle registers
  output logic round_key_advance_o, // the key schedule of slot A to the round key register
  output logic key_start_o,         // the key schedule starts from the initial key,
  output logic key_run_o,           // … or from the round key: one of both
  output logic key_run_next_o,      // key_run_o in the next clock
  output logic [RoundBits-1:0] round_o // of slot B
);
  localparam logic [RoundBits-1:0] Empty = '0;
  localparam logic [RoundBits-1:0] First = RoundBits'(1);
  localparam logic [RoundBits-1:0] Last = RoundBits'(Rounds);

  logic [RoundBits-1:0] round_a_d, round_a_q, round_b_q;
  logic load_phase_d, load_phase_q, running_q; // slot B is empty or a result, or not
  logic offering_q, key_known_q;
  logic moves, accept;

  assign key_ready_o = 1'b1;
  assign key_load_o = key_valid_i;

  assign moves = ~offering_q | block_ready_i;
  assign block_valid_o = offering_q;
  assign block_ready_o = load_phase_q & key_known_q & moves;
  assign accept = block_valid_i & block_ready_o;

  assign data_load_o = accept;
  assign data_run_o = running_q;
  assign data_hold_o = load_phase_q & ~accept;
  assign key_sums_advance_o = accept | running_q;
  assign inverted_advance_o = moves & (round_a_q != Empty);
  assign round_key_advance_o = inverted_advance_o;
  assign key_start_o = load_phase_q;
  assign key_run_o = running_q;
  assign key_run_next_o = ~load_phase_d;
  assign round_o = round_b_q;

  always_comb begin
    round_a_d = Empty;
    if (accept) round_a_d = First;
    else if (running_q) round_a_d = round_b_q + First;
  end
  assign load_phase_d = moves ? (round_a_q == Empty) | (round_a_q == Last) : load_phase_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_a_q <= Empty;
      round_b_q <= Empty;
      load_phase_q <= 1'b1;
      running_q <= 1'b0;
      offering_q <= 1'b0;
      key_known_q <= 1'b0;
    end else begin
      if (moves) begin
        round_a_q <= round_a_d;
        round_b_q <= round_a_q;
        offering_q <= round_a_q == Last;
      end
      load_phase_q <= load_phase_d;
      running_q <= ~load_phase_d;
      key_known_q <= key_known_q | key_valid_i;
    end
  end
endmodule
