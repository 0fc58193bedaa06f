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
  output logic moves_o,                // all blocks move on
  output logic key_advance_o,          // the round key is no longer needed: the next one
  output logic load_next_o,            // the next step of the key schedule begins with the initial key
  output logic idle_o,                 // no block is in flight
  output logic load_o,                 // the last stage loads; else it ends a round
  output logic [RoundBits-1:0] round_o
);
  if (Slots < 2) begin : gen_check
    $error("Slots must be at least 2");
  end

  localparam logic [RoundBits-1:0] First = RoundBits'(1);

  logic [Slots-1:0] phase_q; // one bit
  logic [Slots-1:0] valid_q; // of the blocks by their stage
  logic [RoundBits-1:0] round_d, round_q, following_q;
  logic before_last_q;                    // window Rounds - 1, known from its second clock on
  logic last_d, last_q, load_d, load_q;   // window Rounds; or any in which blocks are taken
  logic idle_q, offering_q, ends, key_known_q;
  logic settles_q;                        // the initial key is not yet at the key step
  logic open, accept, taken, taken_q;     // a block; any in this window

  assign ends = phase_q[Slots-1];
  assign open = load_q & key_known_q & ~(idle_q & (key_valid_i | settles_q));
  assign accept = block_valid_i & open;
  assign taken = taken_q | accept;

  assign moves_o = ~offering_q | block_ready_i;
  assign key_advance_o = moves_o & ends;
  assign load_next_o = before_last_q | idle_q;
  assign idle_o = idle_q;
  assign load_o = load_q;
  assign round_o = round_q;

  assign key_ready_o = (~load_q & ~before_last_q) | idle_q;
  assign key_load_o = key_valid_i & key_ready_o;
  assign block_valid_o = offering_q;
  assign block_ready_o = open & moves_o;

  always_comb begin
    round_d = round_q;
    load_d = load_q;
    last_d = last_q;
    if (ends) begin
      round_d = following_q;
      load_d = before_last_q;
      last_d = before_last_q;
      if (load_q) begin
        round_d = taken ? First : '0;
        load_d = ~taken;
        last_d = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= Slots'(1);
      valid_q <= '0;
      round_q <= '0;
      following_q <= '0;
      before_last_q <= 1'b0;
      last_q <= 1'b0;
      load_q <= 1'b1;
      idle_q <= 1'b1;
      offering_q <= 1'b0;
      taken_q <= 1'b0;
      key_known_q <= 1'b0;
      settles_q <= 1'b0;
    end else begin
      key_known_q <= key_known_q | key_load_o;
      following_q <= round_q + First;
      before_last_q <= round_q == RoundBits'(Rounds - 1);
      settles_q <= key_load_o | (ends & load_q & ~taken);
      if (moves_o) begin
        if (~idle_q | accept) phase_q <= {phase_q[Slots-2:0], ends};
        valid_q <= {valid_q[Slots-2:0], load_q ? accept : valid_q[Slots-1]};
        round_q <= round_d;
        last_q <= last_d;
        load_q <= load_d;
        idle_q <= ends ? load_q & ~taken : idle_q & ~accept;
        offering_q <= valid_q[Slots-2] & last_d;
        taken_q <= ~ends & taken;
      end
    end
  end
endmodule
