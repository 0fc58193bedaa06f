// Control of a batch: up to Slots blocks, one for each stage of a round, which go through their rounds together under one
// round key.
//
// A window is Slots moves, in which each block of the batch has been in the last stage of its round once. In window
// round_q = 1 to Rounds the round key is that of this round. In window Rounds results are offered, and blocks of the next
// batch taken in their places; with none in flight (round_q = 0) a window begins with the first block. What is taken in
// a window is a batch, under one key: so no key is taken meanwhile, and with none in flight a key comes before a block.
// A result that is not taken stops everything.
module aesmith_batch_sequencer #(
  parameter int unsigned Slots = 2,
  parameter int unsigned Rounds = 10,
  localparam int unsigned RoundBits = $clog2(Rounds + 1),
  localparam int unsigned PhaseBits = $clog2(Slots)
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
  output logic moves_o,                // all blocks move on
  output logic key_advance_o,          // the round key is no longer needed: the next one
  output logic load_o,                 // the last stage loads; else it ends a round
  output logic [RoundBits-1:0] round_o
);
  if (Slots < 2) begin : gen_check
    $error("Slots must be at least 2");
  end

  localparam logic [RoundBits-1:0] First = RoundBits'(1);
  localparam logic [RoundBits-1:0] Last = RoundBits'(Rounds);

  logic [RoundBits-1:0] round_d, round_q;
  logic [PhaseBits-1:0] phase_d, phase_q;
  logic [Slots-1:0] valid_d, valid_q; // of the blocks by their stage
  logic offering_q, load_q, idle_q, ends_q; // of round, phase and the last stage, decided a clock before
  logic key_known_q, accept;

  assign moves_o = ~offering_q | block_ready_i;
  assign key_advance_o = moves_o & ends_q;
  assign load_o = load_q;
  assign round_o = round_q;

  assign key_ready_o = ~load_q | idle_q;
  assign key_load_o = key_valid_i & key_ready_o;
  assign block_valid_o = offering_q;
  assign block_ready_o = load_q & key_known_q & moves_o & ~(idle_q & key_valid_i);
  assign accept = block_valid_i & load_q & key_known_q & ~(idle_q & key_valid_i);

  assign valid_d = {valid_q[Slots-2:0], load_q ? accept : valid_q[Slots-1]};
  always_comb begin
    round_d = round_q;
    phase_d = phase_q;
    if (ends_q) begin
      phase_d = '0;
      if (!load_q) round_d = round_q + First;
      else round_d = valid_d == '0 ? '0 : First;
    end else if (!idle_q || accept) begin
      phase_d = phase_q + PhaseBits'(1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= '0;
      phase_q <= '0;
      valid_q <= '0;
      offering_q <= 1'b0;
      load_q <= 1'b1;
      idle_q <= 1'b1;
      ends_q <= 1'b0;
      key_known_q <= 1'b0;
    end else begin
      key_known_q <= key_known_q | key_load_o;
      if (moves_o) begin
        round_q <= round_d;
        phase_q <= phase_d;
        valid_q <= valid_d;
        offering_q <= valid_d[Slots-1] & round_d == Last;
        load_q <= (round_d == Last) | (round_d == '0);
        idle_q <= (round_d == '0) & (phase_d == '0);
        ends_q <= phase_d == PhaseBits'(Slots - 1);
      end
    end
  end
endmodule
