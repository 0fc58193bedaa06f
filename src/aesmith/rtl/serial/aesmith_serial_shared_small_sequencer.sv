// Control of the smallest ring: what each slot of a pass is for. Key and block are not held twice, nor their bytes counted
// beside the slots.
//
//   pass      slots               turn round leave  state                                   key
//   Idle      0 … 15                0    0     0    bytes of a block come                   bytes of a key come, else turns
//   Round     0 … 15                0    1     0    a round                                 words 1, 2, 3
//             16 … 19               1    1     0    stands still                            word 0 of the next round key
//   Leave     0 … 15                0    0     1    results leave                           words 1, 2, 3
//   Back      16 … 19, ten times    1    0     0    stands still                            a round key back each time
//                                   1    0     1    bytes of a block come in 16 of them     the same
//
//   Idle → 10 × Round → Leave → Back → Idle, or the next block's first pass if it came in Back
//
// A block that is offered when the last result byte leaves comes in Back, as long as block_slot_i is 1; any other one in
// Idle, after it. All stands still while a result waits, and while a byte is awaited when no result is left to leave. A
// key that waits goes before a block that has not begun; it costs Idle a clock.
//
// Slots 16 … 19 are 0 … 3 with turn. The number of the round goes forwards and back, and stays at the last and at the
// first until the other way is gone: it is the first in Idle.
module aesmith_serial_shared_small_sequencer (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic advance_clk_i,     // clk_i, or clk_i gated by advance_o,
  input  logic advance_enable_i,  // with advance_o as its enable, or none
  output logic advance_o,         // else all stands still
  output logic number_step_o,     // the number of the round moves

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  input  logic first_round_i,
  input  logic last_round_i,
  input  logic block_slot_i,      // in four of the ten rounds

  output logic key_enters_o,
  output logic substitute_o,      // the state has the S-box, in slots 0 … 15
  output logic [3:1] swap_o,      // it changes places with the byte 4, 8 or 12 clocks before
  output logic sum_u_o,           // MixColumns: C0 takes u[0], u[1], u[2]
  output logic last_u_o,          // C1 takes u[3]
  output logic first_rest_o,
  output logic mixed_o,           // a byte of MixColumns leaves
  output logic turn_o,            // slots 16 … 19: words of the key turn in themselves
  output logic back_o,
  output logic last_word_o,       // the byte of RotWord is a sum
  output logic [1:0] row_o,
  output logic chain_o,
  output logic state_moves_o
);
  logic [3:0] slot_d, slot_q;
  logic turn_d, turn_q, round_d, round_q, leave_d, leave_q;
  logic whole_d, whole_q; // there is a key, and no other has begun
  logic idle, block_in_back, key_first, byte_comes, end_of_data, end_of_turn;
  logic [1:0] quarter, row;

  assign {quarter, row} = slot_q;
  assign idle = ~turn_q & ~round_q & ~leave_q;
  assign block_in_back = turn_q & leave_q & block_slot_i;
  assign key_first = idle & key_valid_i & (slot_q == '0);

  assign key_ready_o = idle & ~whole_q;
  assign block_ready_o = block_in_back | (idle & whole_q & ~key_first);
  assign block_valid_o = leave_q & ~turn_q;
  assign byte_comes = whole_q ? block_valid_i & ~key_first : key_valid_i;
  assign advance_o = block_valid_o ? block_ready_i : byte_comes | ~(idle | block_in_back);

  assign key_enters_o = ~whole_q;
  assign substitute_o = round_q;
  assign swap_o[1] = round_q & ((row == 2'd1 & quarter != 2'd0) | (row == 2'd3 & quarter == 2'd1));
  assign swap_o[2] = round_q & ((row == 2'd2 & quarter[1]) | (row == 2'd3 & quarter == 2'd2));
  assign swap_o[3] = round_q & row == 2'd3 & quarter == 2'd3;
  // Column 0 of the next round is whole with slot 15.
  assign sum_u_o = round_q & (slot_q == '1 ? ~last_round_i : ~first_round_i) & (row != 2'd2);
  assign last_u_o = round_q & ~first_round_i & (row == 2'd1);
  assign first_rest_o = row == 2'd0;
  assign mixed_o = round_q & ~first_round_i & ~turn_q;
  assign turn_o = turn_q;
  assign back_o = turn_q & ~round_q;
  assign last_word_o = back_o & (row != '1);
  assign row_o = row;
  assign chain_o = ~turn_q & ~first_round_i & (quarter != '1);
  assign state_moves_o = ~turn_q | block_in_back;

  assign end_of_data = ~turn_q & (slot_q == '1);
  assign end_of_turn = turn_q & (row == '1);
  assign number_step_o = end_of_turn & ~(round_q ? last_round_i : first_round_i);

  always_comb begin
    slot_d = {quarter + {1'b0, ~turn_q & (row == '1)}, row + 2'd1};
    turn_d = turn_q;
    round_d = round_q;
    leave_d = leave_q;
    if (end_of_data) begin
      turn_d = round_q | leave_q;
      round_d = round_q | (whole_q & ~leave_q);
      leave_d = leave_q & block_valid_i & ~key_valid_i;
    end
    if (end_of_turn & round_q) begin
      turn_d = 1'b0;
      round_d = ~last_round_i;
      leave_d = last_round_i;
    end else if (end_of_turn & first_round_i) begin
      turn_d = 1'b0;
      round_d = leave_q;
      leave_d = 1'b0;
    end
  end
  assign whole_d = whole_q ? ~key_first : key_valid_i & (slot_q == '1);

  always_ff @(posedge advance_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q <= '0;
      turn_q <= 1'b0;
      round_q <= 1'b0;
      leave_q <= 1'b0;
    end else if (advance_enable_i) begin
      slot_q <= slot_d;
      turn_q <= turn_d;
      round_q <= round_d;
      leave_q <= leave_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) whole_q <= 1'b0;
    else whole_q <= whole_d;
  end
endmodule
