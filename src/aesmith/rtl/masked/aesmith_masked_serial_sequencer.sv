// Control of a masked ring of bytes: what each of the 20 slots of a pass is for. Nothing of it depends on a share or a
// fresh bit.
//
//   slot     state                                                  key
//   0 … 3    byte `slot` enters the S-box                           SubWord leaves it; the next round key is made …
//   4 … 15   the same, and byte `slot` - 4 leaves it                … up to slot 11
//   16 … 19  bytes 12 … 15 leave the S-box; no byte moves in        bytes 13, 14, 15, 12 enter it
//
// A block takes ten passes, and 16 slots more in which its result leaves (leave_q). In slots 0 … 15 of the first pass its
// bytes come (take_q). What enters the S-box where nothing is to be substituted is 0.
//
// Everything moves in the clocks in which a word of fresh bits is taken, and only then. So a result byte may leave before
// that: offering_q is 0 from then on. No word is asked for while a result waits, or a block byte is awaited.
module aesmith_masked_serial_sequencer (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic move_clk_i,        // clk_i, or clk_i gated by move_o,
  input  logic move_enable_i,     // with move_o as its enable, or none
  output logic move_o,

  input  logic block_valid_i,
  output logic block_ready_o,
  output logic filling_o,         // a block has begun to come, and is not whole
  input  logic random_valid_i,
  output logic random_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic enter_o,           // a byte of a block enters the S-box,
  output logic round_o,           // … or the next byte of a round,
  output logic turn_o,            // … or a byte of the key
  output logic [3:0] swap_o,
  output logic sum_u_o,
  output logic last_u_o,
  output logic first_rest_o,
  output logic substitute_o,
  output logic schedule_o,
  output logic chain_o,
  output logic [7:0] constant_o
);
  localparam logic [3:0] First = 4'b0001;
  localparam logic [3:0] LastRound = 4'b1011; // in the last slot of round 10

  logic [2:0] quarter_d, quarter_q, leaving;
  logic [1:0] row_q;
  logic take_d, take_q, leave_d, leave_q, offering_q;
  logic [3:0] number_q; // steps in slots 16 to 19: powers of x modulo x^4 + x^3 + 1
  logic [7:0] constant;
  logic last_row, end_of_data, end_of_pass, last_round, left;

  assign left = ~offering_q | block_ready_i;
  assign random_ready_o = leave_q ? left : ~take_q | block_valid_i;
  assign move_o = random_ready_o & random_valid_i;
  assign block_ready_o = take_q & random_valid_i;
  assign block_valid_o = offering_q;
  assign filling_o = take_q & ({quarter_q, row_q} != '0);

  assign last_row = row_q == '1;
  assign end_of_data = last_row & (quarter_q[1:0] == '1);
  assign end_of_pass = last_row & quarter_q[2];
  assign last_round = number_q == LastRound;

  always_comb begin
    quarter_d = quarter_q + {2'b0, last_row};
    if (end_of_pass | (end_of_data & leave_q)) quarter_d = '0;
    take_d = end_of_data ? leave_q : take_q;
    leave_d = end_of_pass ? last_round : leave_q & ~end_of_data;
  end

  always_ff @(posedge move_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      quarter_q <= '0;
      row_q <= '0;
      take_q <= 1'b1;
      leave_q <= 1'b0;
    end else if (move_enable_i) begin
      quarter_q <= quarter_d;
      row_q <= row_q + 2'd1;
      take_q <= take_d;
      leave_q <= leave_d;
    end
  end
  always_ff @(posedge move_clk_i) begin
    if (move_enable_i) begin
      if (take_q) number_q <= First;
      else if (turn_o) number_q <= {number_q[2:0], number_q[3] ^ number_q[2]};
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) offering_q <= 1'b0;
    else if (move_o) offering_q <= leave_d;
    else if (block_ready_i) offering_q <= 1'b0;
  end

  assign turn_o = quarter_q[2];
  assign enter_o = take_q & ~turn_o;
  assign round_o = ~take_q & ~leave_q & ~turn_o;

  // The byte that leaves the S-box is that of slot - 4.
  assign leaving = quarter_q - 3'd1;
  assign swap_o[1] = ~leaving[2] & ((row_q == 2'd1 & leaving != 3'd0) | (row_q == 2'd3 & leaving == 3'd1));
  assign swap_o[2] = ~leaving[2] & ((row_q == 2'd2 & leaving[1]) | (row_q == 2'd3 & leaving == 3'd2));
  assign swap_o[3] = row_q == 2'd3 & leaving == 3'd3;
  assign swap_o[0] = swap_o[3:1] == '0;

  // Column 0 of the next round is whole with slot 19.
  assign sum_u_o = (turn_o ? ~last_round : round_o) & (row_q != 2'd2);
  assign last_u_o = round_o & (row_q == 2'd1);
  assign first_rest_o = row_q == 2'd0;

  // A round key is made in a block's own rounds, and while its result leaves.
  assign schedule_o = ~take_q & ~turn_o;
  assign substitute_o = schedule_o & (quarter_q[1:0] == '0);
  assign chain_o = schedule_o & (quarter_q[1:0] != '1);
  assign constant_o = constant & {8{substitute_o & first_rest_o}};
  aesmith_round_constants u_round_constants (
    .x_i(number_q),
    .y_o(constant)
  );
endmodule
