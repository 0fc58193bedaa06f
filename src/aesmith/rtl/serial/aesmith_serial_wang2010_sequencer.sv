// Control of the core with one S-box: Wang and Heys, 2010, section III.E, tables 1 and 2, for 1 to 5 S-box stages.
//
//             Loading          rounds                    last round
//   phase     0 … 15           0 … 18 + SboxStages       0 … LastOfFinal
//   cycle     0 … 15           16 …                      … 246 (4 stages)
//
// Rounds: in phases 0 to 3 the key expansion has the S-box and the data stand still; 4 to 19 the data bytes enter it;
// their results make the next state from phase SboxStages + 7 on. In the last they leave from phase Unload on.
// Loading: in phases 0 to 3 the ring takes the first four key bytes; in 4 to 15 the state and ring fill together.
// Before phase 4, three block bytes wait in the column shift register (fill_q). The last four phases of the last round
// stand for the first four of the next block's loading: that is the overlap.
//
// A longer key has L = KeyBytes - 16 bytes more to come before phase 0: Leading, phases 0 … L-1; while results leave, the
// key comes in L shifts of the ring earlier.
//
// What a clock is for is decided in the clock before: all that the data path sees are registers, and advance_o, which looks
// at the channels. So phase_q and the kind of round are those of the clock to come. The round constant counts the rounds.
// Without a block byte, loading waits; without block_ready_i, the last round stands still as a whole.
module aesmith_serial_wang2010_sequencer #(
  parameter int unsigned SboxStages = 4,
  parameter int unsigned KeyBytes = 16,
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  input  logic block_valid_i,
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  input  logic key_whole_i,
  output logic key_open_o,
  output logic key_step_o,

  output logic advance_o,
  output logic sbox_key_o,        // the S-box takes a byte of the key
  output logic first_of_word_o,   // that byte is at R26, else before R29
  output logic substitute_o,      // the S-box gives a byte of the key

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
  output logic key_plain_o,       // SubWord without RotWord
  output logic [7:0] round_constant_o // with the first byte of a word, else 0
);
  if (SboxStages < 1 || SboxStages > 5) begin : gen_check_stages
    $error("SboxStages must be 1 to 5");
  end

  typedef logic [4:0] phase_t;
  localparam bit Leads = KeyBytes > 16;
  localparam phase_t DataIn = 5'd4;
  localparam phase_t DataOut = phase_t'(SboxStages + 3);
  localparam phase_t KeyOut = phase_t'(SboxStages - 1);
  localparam phase_t Fed = phase_t'(SboxStages + 7);
  localparam phase_t Unload = phase_t'(SboxStages == 5 ? 9 : 8);
  localparam phase_t LastOfLeading = phase_t'(Leads ? KeyBytes - 17 : 0);
  localparam phase_t LastOfLoading = 5'd15;
  localparam phase_t LastOfRound = phase_t'(SboxStages + 18);
  localparam phase_t LastOfFinal = Unload + 5'd15;
  localparam phase_t Window = LastOfFinal - 5'd3;

  // The clock to come.
  phase_t phase_q, before_last, since_key_out, begin_chain, since_chain;
  logic leading_q, loading_q, first_q, final_q, last_q;
  logic idle, before_final, key_in, fed, in_key, out_key, in_tail, unloading, column_start, column_load, chain;
  logic takes, takes_constant, chain_start, chain_first, chain_second, chain_third, chain_fourth;
  // This clock: what may hold it up, who may send, and what it does.
  logic await_key_q, await_block_q, block_open_q, idle_q, fill_open_q, unloading_q, advance, restart, empty, full, fills, take;
  logic sbox_key_q, first_of_word_q, substitute_q, mix_q, accumulate_q, bypass_q, column_load_q, add_column_q;
  logic ring_moves_q, turn_q, tail_q, key_load_q, chain_q, add_constant_q;
  logic [1:0] rotation_q;
  logic [2:0] fill_q; // 1 for each byte that waits
  logic [7:0] constant_q;

  // A key may come whenever the ring does not read it, but not between the bytes of a block.
  assign {empty, full} = {~fill_q[0], fill_q[2]};
  assign key_open_o = empty & (idle_q | ~key_load_q);
  assign key_step_o = key_load_q & key_shift_o & key_whole_i;

  // A key that waits goes before a block that has not begun.
  assign fills = fill_open_q & key_whole_i & ~full & (~empty | ~(idle_q & key_valid_i));
  assign block_ready_o = fills | (block_open_q & full);
  assign take = block_valid_i & block_ready_o;
  assign block_valid_o = unloading_q;

  // In round 0 byte 15 is awaited before the key expansion begins, but taken in phase 4.
  assign advance = (~await_key_q | key_whole_i)
                 & (~await_block_q | (block_valid_i & full))
                 & (~unloading_q | block_ready_i);
  assign advance_o = advance;

  // A new key makes loading begin again, whatever is loaded with its first byte. It comes before phase 5 of loading.
  assign restart = idle_q & empty & key_valid_i;

  logic clk, enable;
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_clock_enable (
    .clk_i,
    .enable_i(advance | restart),
    .clk_o   (clk),
    .enable_o(enable)
  );

  assign idle = leading_q | loading_q;
  always_comb begin
    before_last = LastOfRound - 5'd1;
    if (leading_q) before_last = LastOfLeading - 5'd1;
    else if (loading_q) before_last = LastOfLoading - 5'd1;
    else if (final_q) before_last = LastOfFinal - 5'd1;
  end

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= 5'd1;
      {leading_q, loading_q} <= Leads ? 2'b10 : 2'b01;
      {first_q, final_q, last_q} <= '0;
    end else if (enable) begin
      phase_q <= phase_q + 5'd1;
      last_q <= phase_q == before_last;
      if (restart) begin
        phase_q <= 5'd1;
        {leading_q, loading_q} <= Leads ? 2'b10 : 2'b01;
        last_q <= 1'b0;
      end else if (last_q) begin
        phase_q <= (final_q & key_whole_i) ? DataIn : '0;
        leading_q <= final_q & Leads & ~key_whole_i;
        loading_q <= leading_q | (final_q & (key_whole_i | ~Leads));
        first_q <= loading_q;
        final_q <= ~idle & before_final;
      end
    end
  end

  assign since_key_out = phase_q - KeyOut;
  assign fed = (phase_q[4:2] != '0); // DataIn or later
  assign in_key = ~idle & ~fed;
  assign out_key = ~idle & (since_key_out < 5'd4);
  assign in_tail = ~idle & (phase_q[4:2] == 3'd1);
  assign unloading = final_q & (phase_q >= Unload);
  // A column begins to leave the S-box, and the one before it is complete.
  assign column_start = phase_q[1:0] == DataOut[1:0];
  assign column_load = ~idle & ((phase_q[4:3] != '0) ? column_start & ~final_q : ~first_q & (phase_q[1:0] == '0));

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      {await_key_q, idle_q, fill_open_q} <= {2'b11, ~Leads};
      {await_block_q, block_open_q, unloading_q} <= '0;
    end else if (enable) begin
      await_key_q <= restart | leading_q | (loading_q & ~fed);
      await_block_q <= ~restart & ((loading_q & fed) | (first_q & (phase_q == '0)));
      block_open_q <= ~restart & ((loading_q & fed) | (first_q & (phase_q == DataIn)));
      idle_q <= idle;
      fill_open_q <= restart ? ~Leads : loading_q | (final_q & (phase_q >= Window));
      unloading_q <= unloading;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) fill_q <= '0;
    else if (fills & block_valid_i) fill_q <= {fill_q[1:0], 1'b1};
    else if (block_open_q & ~idle_q) fill_q <= '0;
  end

  // None of these is looked at between reset and a key, whose first byte sets all as in loading.
  always_ff @(posedge clk) begin
    if (enable) begin
      sbox_key_q <= in_key;
      first_of_word_q <= phase_q[1:0] == 2'd3;
      substitute_q <= out_key & takes;
      rotation_q <= phase_q[1:0] & {2{in_tail}};
      mix_q <= phase_q >= DataOut;
      accumulate_q <= ~final_q & ~column_start;
      bypass_q <= final_q;
      column_load_q <= column_load;
      add_column_q <= column_load | unloading;
      ring_moves_q <= idle | in_key | (phase_q >= (final_q ? Unload : Fed));
      turn_q <= out_key & ~in_key;
      tail_q <= in_tail;
      key_load_q <= idle | (final_q & key_in);
      chain_q <= chain;
      add_constant_q <= ~idle & (phase_q == KeyOut) & takes_constant;
      if (idle_q) constant_q <= 8'h01;
      else if (add_constant_q) constant_q <= {constant_q[6:0], 1'b0} ^ (8'h1b & {8{constant_q[7]}});
    end
  end

  assign sbox_key_o = sbox_key_q;
  assign first_of_word_o = first_of_word_q;
  assign substitute_o = substitute_q;
  assign state_enable_o = advance & ~sbox_key_q;
  assign rotation_o = rotation_q;
  assign mix_enable_o = advance & mix_q;
  assign accumulate_o = accumulate_q;
  assign bypass_o = bypass_q;
  assign column_enable_o = take | ~(idle_q | sbox_key_q | unloading_q);
  assign column_load_o = column_load_q;
  assign add_column_o = add_column_q;
  assign add_tail_o = tail_q;
  assign key_shift_o = advance & ring_moves_q;
  assign key_turn_o = turn_q;
  assign key_tail_o = tail_q;
  assign key_load_o = key_load_q;
  assign key_chain_o = chain_q;
  assign round_constant_o = constant_q & {8{add_constant_q}};

  // Which word of the next round key takes SubWord: 0, 2 (late) or none. A byte of that word has no byte chained to it,
  // and neither has a byte of the key itself. The ring takes the key (key_in) in its last shifts before the next block's
  // first phase: 4 of them, and L more.
  if (KeyBytes == 16) begin : gen_every_round
    assign {takes, takes_constant} = '1;
    assign key_in = phase_q >= Window;
    assign before_final = constant_q[1] & constant_q[2]; // 36, the last of ten
    assign chain_start = ~first_q;
    assign chain_first = 1'b0;
    assign {chain_second, chain_third, chain_fourth} = '1;
    assign {key_late_o, key_own_o, key_plain_o} = '0;
  end else if (KeyBytes == 24) begin : gen_two_of_three
    logic word_0_q, word_2_q, late_q, own_q;
    always_ff @(posedge clk) begin
      if (enable) begin
        if (idle) {word_2_q, word_0_q} <= 2'b10;
        else if (last_q) {word_2_q, word_0_q} <= {word_0_q, ~word_2_q & ~word_0_q};
        {late_q, own_q} <= {word_2_q, first_q};
      end
    end
    assign takes = word_0_q | word_2_q;
    assign takes_constant = takes;
    assign key_in = phase_q >= LastOfFinal - 5'd11;
    assign before_final = constant_q[7] & ~takes; // 80, the last of eight
    assign chain_start = ~first_q;
    assign chain_first = ~first_q & ~word_0_q;
    assign chain_second = ~first_q;
    assign chain_third = ~word_2_q;
    assign chain_fourth = 1'b1;
    assign {key_late_o, key_own_o, key_plain_o} = {late_q, own_q, 1'b0};
  end else begin : gen_but_the_first
    logic odd_q, plain_q;
    always_ff @(posedge clk) begin
      if (enable) begin
        odd_q <= (odd_q ^ last_q) & ~idle;
        plain_q <= ~odd_q;
      end
    end
    assign takes = ~first_q;
    assign takes_constant = odd_q;
    assign key_in = 1'b1;
    assign before_final = constant_q[6] & ~odd_q; // 40, the last of seven
    assign chain_start = ~first_q & ~(odd_q & constant_q[0]); // from round 2 on
    assign chain_first = 1'b0;
    assign {chain_second, chain_third, chain_fourth} = {3{~first_q}};
    assign {key_late_o, key_own_o, key_plain_o} = {2'b00, plain_q};
  end

  // Bytes 1 to 15 enter R29 from begin_chain on, three of the first word.
  assign begin_chain = final_q ? Unload : Fed;
  assign since_chain = phase_q - begin_chain;
  always_comb begin
    chain = 1'b0;
    if (in_key) begin
      chain = (phase_q[1:0] == 2'd3) ? chain_first : chain_start;
    end else if (~idle & (phase_q >= begin_chain) & ~(final_q & last_q)) begin
      if (since_chain < 5'd3) chain = chain_first;
      else if (since_chain < 5'd7) chain = chain_second;
      else if (since_chain < 5'd11) chain = chain_third;
      else chain = chain_fourth;
    end
  end
endmodule
