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
// A longer key has L = KeyBytes - 16 bytes more to come before phase 0: Leading, phases 0 … L-1; while results leave, the
// key comes in L shifts of the ring earlier. The last round is 11 or 13.
//
// Without a block byte, loading waits; without block_ready_i, the last round stands still as a whole.
module aesmith_serial_wang2010_sequencer #(
  parameter int unsigned SboxStages = 4,
  parameter int unsigned KeyBytes = 16
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
  output logic key_chain_o,
  output logic key_late_o,        // SubWord is for word 2, not word 0
  output logic key_own_o,         // and made of the key itself
  output logic key_plain_o        // SubWord without RotWord
);
  if (SboxStages < 1 || SboxStages > 5) begin : gen_check_stages
    $error("SboxStages must be 1 to 5");
  end

  typedef logic [4:0] phase_t;
  typedef logic [3:0] round_t;
  localparam round_t Loading = 4'd15; // one before round 0
  localparam round_t Leading = 4'd14;
  localparam bit Leads = KeyBytes > 16;
  localparam round_t Final = round_t'(KeyBytes / 4 + 5);
  localparam phase_t DataIn = 5'd4;
  localparam phase_t DataOut = phase_t'(SboxStages + 3);
  localparam phase_t KeyOut = phase_t'(SboxStages - 1);
  localparam phase_t Fed = phase_t'(SboxStages + 7);
  localparam phase_t Unload = phase_t'(SboxStages == 5 ? 9 : 8);
  localparam phase_t LastOfLeading = phase_t'(Leads ? KeyBytes - 17 : 0);
  localparam phase_t LastOfLoading = 5'd15;
  localparam phase_t LastOfRound = phase_t'(SboxStages + 18);
  localparam phase_t LastOfFinal = Unload + 5'd15;

  round_t round_d, round_q;
  phase_t phase_d, phase_q, last, since_key_out;
  logic [1:0] fill_d, fill_q;
  logic leading, loading, idle, first, final_round, window, key_window, unloading, fill_open, full;
  logic advance, take, wrap, in_key, out_key, in_tail, column_start, ring_moves;

  assign leading = Leads & (round_q == Leading);
  assign loading = round_q == Loading;
  assign idle = leading | loading;
  assign first = round_q == '0;
  assign final_round = round_q == Final;
  assign unloading = final_round & (phase_q >= Unload);
  assign window = final_round & (phase_q >= LastOfFinal - 5'd3);
  // The ring's last shifts before the next block's first phase: 4 of them, and L more.
  assign key_window = KeyBytes == 32 ? final_round
                    : KeyBytes == 24 ? final_round & (phase_q >= LastOfFinal - 5'd11)
                    : window;
  assign in_key = phase_q < DataIn;
  assign in_tail = phase_q[4:2] == 3'd1;
  assign full = fill_q == 2'd3;

  // A key may come whenever the ring does not read it, but not between the bytes of a block.
  assign key_open_o = leading | (loading ? (fill_q == '0) & (phase_q <= DataIn)
                                         : ~key_window & ~(first & (phase_q <= DataIn)));
  assign key_step_o = key_load_o & key_shift_o & key_whole_i;

  // A key that waits goes before a block that has not begun.
  assign fill_open = key_whole_i & ~full
                   & (window | (loading & (phase_q <= DataIn) & ((fill_q != '0) | ~key_valid_i)));
  assign block_ready_o = fill_open | (loading & full & ~in_key) | (first & (phase_q == DataIn));
  assign take = block_valid_i & block_ready_o;
  assign block_valid_o = unloading;

  // In round 0 byte 15 is awaited before the key expansion begins, but taken in phase 4.
  always_comb begin
    advance = 1'b1;
    if (leading) advance = key_whole_i & ~key_take_i;
    else if (loading) advance = in_key ? key_whole_i & ~key_take_i : block_valid_i & full;
    else if (first & (phase_q == '0)) advance = block_valid_i;
    else if (unloading) advance = block_ready_i;
  end

  always_comb begin
    last = LastOfRound;
    if (leading) last = LastOfLeading;
    else if (loading) last = LastOfLoading;
    else if (final_round) last = LastOfFinal;
  end
  assign wrap = phase_q == last;

  always_comb begin
    phase_d = phase_q;
    round_d = round_q;
    if (idle & key_take_i) begin
      phase_d = '0;
      if (Leads) round_d = Leading;
    end else if (advance) begin
      phase_d = phase_q + 5'd1;
      if (wrap) begin
        phase_d = (final_round & key_whole_i) ? DataIn : '0;
        round_d = final_round ? (Leads & ~key_whole_i ? Leading : Loading) : round_q + 4'd1;
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
      round_q <= Leads ? Leading : Loading;
      phase_q <= '0;
      fill_q <= '0;
    end else begin
      round_q <= round_d;
      phase_q <= phase_d;
      fill_q <= fill_d;
    end
  end

  logic takes, takes_late, chain_start, chain_first, chain_second, chain_third, chain_fourth;
  phase_t begin_chain, byte_phase;

  assign since_key_out = phase_q - KeyOut;
  assign out_key = ~idle & (since_key_out < 5'd4);
  assign round_o = round_q;
  assign sbox_enable_o = ~unloading | block_ready_i;
  assign sbox_key_o = in_key;
  assign first_of_word_o = phase_q[1:0] == 2'd3;
  assign substitute_o = out_key & takes;
  assign round_constant_o = phase_q == KeyOut;

  // The phase in which a column begins to leave the S-box, and the one before it is complete.
  assign column_start = phase_q[1:0] == DataOut[1:0];
  assign state_enable_o = advance & ~in_key;
  assign rotation_o = (~idle & in_tail) ? phase_q[1:0] : '0;
  assign mix_enable_o = advance & (phase_q >= DataOut);
  assign accumulate_o = ~final_round & ~column_start;
  assign bypass_o = final_round;
  assign add_column_o = ~idle
                      & ((phase_q[4:3] != '0) ? column_start | final_round : ~first & (phase_q[1:0] == '0));
  assign column_load_o = add_column_o & ~unloading;
  assign column_enable_o = take | (~idle & ~in_key & ~unloading);
  assign add_tail_o = ~idle & in_tail;

  assign ring_moves = idle | in_key | (phase_q >= (final_round ? Unload : Fed));
  assign key_shift_o = advance & ring_moves;
  assign key_turn_o = out_key & ~in_key;
  assign key_tail_o = ~idle & in_tail;
  assign key_load_o = idle | key_window;

  // Which word of the next round key takes SubWord: 0, 2 (late) or none. A byte of that word has no byte chained to it,
  // and neither has a byte of the key itself.
  if (KeyBytes == 16) begin : gen_every_round
    assign takes = 1'b1;
    assign takes_late = 1'b0;
    assign chain_start = ~first;
    assign chain_first = 1'b0;
    assign {chain_second, chain_third, chain_fourth} = '1;
    assign {key_own_o, key_plain_o} = '0;
  end else if (KeyBytes == 24) begin : gen_two_of_three
    localparam logic [15:0] Words0 = 16'b0000_1001_0010_0100;
    localparam logic [15:0] Words2 = 16'b0000_0010_0100_1001;
    assign takes = Words0[round_q] | Words2[round_q];
    assign takes_late = Words2[round_q];
    assign chain_start = ~first;
    assign chain_first = ~first & ~Words0[round_q];
    assign chain_second = ~first;
    assign chain_third = ~takes_late;
    assign chain_fourth = 1'b1;
    assign key_own_o = first;
    assign key_plain_o = 1'b0;
  end else begin : gen_but_the_first
    assign takes = ~first;
    assign takes_late = 1'b0;
    assign chain_start = ~first & (round_q != 4'd1);
    assign chain_first = 1'b0;
    assign {chain_second, chain_third, chain_fourth} = {3{~first}};
    assign key_own_o = 1'b0;
    assign key_plain_o = ~round_q[0];
  end
  assign key_late_o = takes_late;

  // Bytes 1 to 15 enter R29 from here on, three of the first word.
  assign begin_chain = final_round ? Unload : Fed;
  assign byte_phase = phase_q - begin_chain;
  always_comb begin
    key_chain_o = 1'b0;
    if (~idle & in_key) begin
      key_chain_o = first_of_word_o ? chain_first : chain_start;
    end else if (~idle & (phase_q >= begin_chain) & ~(final_round & wrap)) begin
      if (byte_phase < 5'd3) key_chain_o = chain_first;
      else if (byte_phase < 5'd7) key_chain_o = chain_second;
      else if (byte_phase < 5'd11) key_chain_o = chain_third;
      else key_chain_o = chain_fourth;
    end
  end
endmodule
