// Control of a ring of slots, one for each stage of a round: how far the block in each is.
//
// round_q[s] is that of the block whose state is at the input of stage s + 1: 0 (no block) or 1 to Rounds. In the last
// stage of round Rounds the block is offered as the result. If it is taken, or there was none, a new one is loaded there.
// A result that is not taken stops the ring. A key is taken in any clock.
module aesmith_slot_sequencer #(
  parameter int unsigned Slots = 2,
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
  output logic moves_o,                // all slots move on
  output logic load_o,                 // the last stage loads; else it ends a round
  output logic [RoundBits-1:0] round_o // of the block in the last stage, 0 if that loads
);
  if (Slots < 2) begin : gen_check
    $error("Slots must be at least 2");
  end

  localparam logic [RoundBits-1:0] Empty = '0;
  localparam logic [RoundBits-1:0] First = RoundBits'(1);
  localparam logic [RoundBits-1:0] Last = RoundBits'(Rounds);

  logic [Slots-1:0][RoundBits-1:0] round_d, round_q;
  logic offering_q, load_q; // of the last stage, decided a clock before
  logic key_known_q;

  assign moves_o = ~offering_q | block_ready_i;
  assign load_o = load_q;
  assign round_o = round_q[Slots-1] & {RoundBits{~load_q}};

  assign key_ready_o = 1'b1;
  assign key_load_o = key_valid_i;
  assign block_valid_o = offering_q;
  assign block_ready_o = load_q & key_known_q & moves_o;

  assign round_d[Slots-1:1] = round_q[Slots-2:0];
  always_comb begin
    round_d[0] = Empty;
    if (!load_q) round_d[0] = round_q[Slots-1] + First;
    else if (block_valid_i & key_known_q) round_d[0] = First;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= '0;
      offering_q <= 1'b0;
      load_q <= 1'b1;
      key_known_q <= 1'b0;
    end else begin
      key_known_q <= key_known_q | key_valid_i;
      if (moves_o) begin
        round_q <= round_d;
        offering_q <= round_d[Slots-1] == Last;
        load_q <= (round_d[Slots-1] == Last) | (round_d[Slots-1] == Empty);
      end
    end
  end
endmodule
