// Control of the core with one S-box: Wang and Heys, 2010, section III.E, tables 1 and 2, for 1 to 5 S-box stages.
//
//   round_q   Loading          0 … 8                     9
//   phase_q   0 … 15           0 … 18 + SboxStages       0 … LastOfFinal
//   cycle     0 … 15           16 …                      … 246 (4 stages)
//
// Rounds: in phases 0 to 3 the key expansion has the S-box and the data stand still; 4 to 19 the data bytes enter it;
// their results make the next state from phase SboxStages + 7 on. In round 9 they leave from phase Unload on.
// Loading: in phases 0 to 3 the ring takes the first four key bytes; in 4 to 15 the state and ring fill together.
// Before phase 4, three block bytes wait in the column shift register (fill_q). The last four phases of round 9 stand
// for the first four of the next block's loading: that is the overlap.
//
// Without a block byte, loading waits; without block_ready_i, the last round stands still as a whole.
module aesmith_serial_wang2010_sequencer #(
  parameter int unsigned SboxStages = 4
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  input  logic block_valid_i,
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  input  logic key_whole_i,
  input  logic key_take_i,
  output logic key_open_o,
  output logic key_step_o,

  output logic [3:0] round_o,
  output logic sbox_enable_o,
  output logic sbox_key_o,        // the S-box takes a byte of the key
  output logic first_of_word_o,   // that byte is at R26, else before R29
  output logic substitute_o,      // the S-box gives a byte of the key
  output logic round_constant_o,

  output logic state_enable_o,
  output logic [1:0] rotation_o,
  output logic mix_enable_o,
  output logic accumulate_o,
  output logic bypass_o,
  output logic column_enable_o,
  output logic column_load_o,
  output logic add_column_o,      // AddRoundKey takes R13, else R14
  output logic add_tail_o,        // AddRoundKey takes R25, else R29

  output logic key_shift_o,
  output logic key_turn_o,
  output logic key_tail_o,
  output logic key_load_o,
  output logic key_chain_o
);
  if (SboxStages < 1 || SboxStages > 5) begin : gen_check_stages
    $error("SboxStages must be 1 to 5");
  end

  typedef logic [4:0] phase_t;
  typedef logic [3:0] round_t;
  localparam round_t Loading = 4'd15; // one before round 0
  localparam round_t Final = 4'd9;
  localparam phase_t DataIn = 5'd4;
  localparam phase_t DataOut = phase_t'(SboxStages + 3);
  localparam phase_t KeyOut = phase_t'(SboxStages - 1);
  localparam phase_t Fed = phase_t'(SboxStages + 7);
  localparam phase_t Unload = phase_t'(SboxStages == 5 ? 9 : 8);
  localparam phase_t LastOfLoading = 5'd15;
  localparam phase_t LastOfRound = phase_t'(SboxStages + 18);
  localparam phase_t LastOfFinal = Unload + 5'd15;

  round_t round_d, round_q;
  phase_t phase_d, phase_q, last, since_key_out;
  logic [1:0] fill_d, fill_q;
  logic loading, first, final_round, window, unloading, fill_open, full;
  logic advance, take, wrap, in_key, out_key, in_tail, column_start, ring_moves;

  assign loading = round_q == Loading;
  assign first = round_q == '0;
  assign final_round = round_q == Final;
  assign unloading = final_round & (phase_q >= Unload);
  assign window = final_round & (phase_q >= LastOfFinal - 5'd3);
  assign in_key = phase_q < DataIn;
  assign in_tail = phase_q[4:2] == 3'd1;
  assign full = fill_q == 2'd3;

  // A key may come whenever the ring does not read it, but not between the bytes of a block.
  assign key_open_o = loading ? (fill_q == '0) & (phase_q <= DataIn) : ~window & ~(first & (phase_q <= DataIn));
  assign key_step_o = key_load_o & advance & key_whole_i;

  // A key that waits goes before a block that has not begun.
  assign fill_open = key_whole_i & ~full
                   & (window | (loading & (phase_q <= DataIn) & ((fill_q != '0) | ~key_valid_i)));
  assign block_ready_o = fill_open | (loading & full & ~in_key) | (first & (phase_q == DataIn));
  assign take = block_valid_i & block_ready_o;
  assign block_valid_o = unloading;

  // In round 0 byte 15 is awaited before the key expansion begins, but taken in phase 4.
  always_comb begin
    advance = 1'b1;
    if (loading) advance = in_key ? key_whole_i & ~key_take_i : block_valid_i & full;
    else if (first & (phase_q == '0)) advance = block_valid_i;
    else if (unloading) advance = block_ready_i;
  end

  always_comb begin
    last = LastOfRound;
    if (loading) last = LastOfLoading;
    else if (final_round) last = LastOfFinal;
  end
  assign wrap = phase_q == last;

  always_comb begin
    phase_d = phase_q;
    round_d = round_q;
    if (loading & key_take_i) begin
      phase_d = '0;
    end else if (advance) begin
      phase_d = phase_q + 5'd1;
      if (wrap) begin
        phase_d = (final_round & key_whole_i) ? DataIn : '0;
        round_d = final_round ? Loading : round_q + 4'd1;
      end
    end
  end

  always_comb begin
    fill_d = fill_q;
    if (fill_open & block_valid_i) fill_d = fill_q + 2'd1;
    else if (first) fill_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= Loading;
      phase_q <= '0;
      fill_q <= '0;
    end else begin
      round_q <= round_d;
      phase_q <= phase_d;
      fill_q <= fill_d;
    end
  end

  assign since_key_out = phase_q - KeyOut;
  assign out_key = ~loading & (since_key_out < 5'd4);
  assign round_o = round_q;
  assign sbox_enable_o = ~unloading | block_ready_i;
  assign sbox_key_o = in_key;
  assign first_of_word_o = phase_q[1:0] == 2'd3;
  assign substitute_o = out_key;
  assign round_constant_o = phase_q == KeyOut;

  // The phase in which a column begins to leave the S-box, and the one before it is complete.
  assign column_start = phase_q[1:0] == DataOut[1:0];
  assign state_enable_o = advance & ~in_key;
  assign rotation_o = (~loading & in_tail) ? phase_q[1:0] : '0;
  assign mix_enable_o = advance & (phase_q >= DataOut);
  assign accumulate_o = ~final_round & ~column_start;
  assign bypass_o = final_round;
  assign add_column_o = ~loading
                      & ((phase_q[4:3] != '0) ? column_start | final_round : ~first & (phase_q[1:0] == '0));
  assign column_load_o = add_column_o & ~unloading;
  assign column_enable_o = take | (~loading & ~in_key & ~unloading);
  assign add_tail_o = ~loading & in_tail;

  assign ring_moves = loading | in_key | (phase_q >= (final_round ? Unload : Fed));
  assign key_shift_o = advance & ring_moves;
  assign key_turn_o = out_key & ~in_key;
  assign key_tail_o = ~loading & in_tail;
  assign key_load_o = loading | window;
  assign key_chain_o = ~loading & (in_key ? ~first & ~first_of_word_o
                                          : (phase_q >= (final_round ? Unload : Fed) + 5'd3) & ~(final_round & wrap));
endmodule
