// Control of the smallest ring: what each slot of a pass is for. Key and block are not held twice.
//
//   pass    slots                round leave   state                               key
//   Idle    0 … 15                 0     0     bytes of a key or block come in their slots, the others turn
//   Round   0 … 15, 16 … 19        1     0     a round; stands still               words 1, 2, 3; word 0 (SubWord)
//   Leave   0 … 15                 0     1     results leave, block bytes come     words 1, 2, 3 of the last round key
//   Back    16 … 19, ten times     0    0, 1   stands still                        a round key back each time
//
//   Idle → 10 × Round → Leave → Back → Idle, or the next block's first Round if it is whole: then leave is 1 in Back
//
// A byte that does not come in its slot comes 16 clocks later, so that no sender holds a result. The number of the round
// goes forwards and back: it stays at the last from the last Round to Back, and at the first from Back to the first Round.
module aesmith_serial_shared_small_sequencer (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic advance_clk_i,     // clk_i, or clk_i gated by advance_o,
  input  logic advance_enable_i,  // with advance_o as its enable, or none
  output logic advance_o,         // else all stands still but what counts bytes that come
  output logic constant_step_o,   // the number of the round moves

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  input  logic first_round_i,
  input  logic last_round_i,
  output logic key_take_o,
  output logic block_take_o,
  output logic round_o,
  output logic turn_o,            // slots 16 … 19: words of the key turn in themselves
  output logic back_o,
  output logic [1:0] row_o,
  output logic rotate_o,
  output logic mix_o,
  output logic chain_o
);
  logic [4:0] slot_d, slot_q;
  logic [3:0] count_d, count_q; // bytes of a key or block that have come
  logic round_d, round_q, leave_d, leave_q, key_whole_d, key_whole_q;
  logic in_turn, none, takes, last_quarter, last_of_pass;

  assign none = count_q == '0;
  assign in_turn = ~round_q & ~slot_q[4] & (count_q == slot_q[3:0]);

  // A key that waits goes before a block that has not begun. A key that is not whole is the one that comes.
  assign key_ready_o = in_turn & ~leave_q & (~key_whole_q | none);
  assign key_take_o = key_ready_o & key_valid_i;
  assign block_ready_o = in_turn & key_whole_q & ~(none & key_valid_i) & (~leave_q | block_ready_i);
  assign block_take_o = block_ready_o & block_valid_i;
  assign block_valid_o = leave_q & ~slot_q[4];
  assign takes = key_take_o | block_take_o;
  assign advance_o = ~block_valid_o | block_ready_i;

  assign turn_o = slot_q[4];
  assign back_o = slot_q[4] & ~round_q;
  assign row_o = slot_q[1:0];
  assign last_quarter = ~slot_q[4] & (slot_q[3:2] == '1);
  assign last_of_pass = slot_q[1:0] == '1;
  assign round_o = round_q;
  assign rotate_o = round_q & last_quarter;
  assign mix_o = round_q & ~slot_q[4] & last_of_pass & (last_quarter ? ~last_round_i : ~first_round_i);
  assign chain_o = ~slot_q[4] & ~last_quarter & (leave_q | (round_q & ~first_round_i));
  assign constant_step_o = slot_q[4] & last_of_pass & ~(round_q ? last_round_i : first_round_i);

  always_comb begin
    slot_d = slot_q + 5'd1;
    round_d = round_q;
    leave_d = leave_q;
    if (last_of_pass & last_quarter) begin
      // The last byte of a block comes in the last slot of Idle or Leave, if not in a later pass.
      leave_d = leave_q & block_take_o;
      if (~round_q & ~leave_q) begin
        slot_d = '0;
        round_d = block_take_o;
      end
    end
    if (last_of_pass & slot_q[4]) begin
      slot_d = {back_o & ~first_round_i, 4'd0};
      leave_d = round_q ? last_round_i : leave_q & ~first_round_i;
      round_d = round_q ? ~last_round_i : leave_q & first_round_i;
    end
  end

  assign count_d = takes ? slot_d[3:0] : count_q;
  assign key_whole_d = key_take_o ? last_of_pass & last_quarter : key_whole_q;

  always_ff @(posedge advance_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q <= '0;
      round_q <= 1'b0;
      leave_q <= 1'b0;
    end else if (advance_enable_i) begin
      slot_q <= slot_d;
      round_q <= round_d;
      leave_q <= leave_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      key_whole_q <= 1'b0;
    end else begin
      count_q <= count_d;
      key_whole_q <= key_whole_d;
    end
  end
endmodule
