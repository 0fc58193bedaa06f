// Control of the ring with one shared S-box: what each of the 20 slots of a pass is for, decided a clock ahead.
//
//   slot     state                                                        key
//   0 … 15   byte `slot` enters the S-box                                 next round key: words 1, 2, 3 (to slot 11)
//   16 … 19  bytes 12 … 15 leave Z, row 0 … 3 rotated; no byte moves in   bytes 13, 14, 15, 12 enter the S-box
//
// Ten passes are the ten rounds. In the first, slots 0 … 15 are for the channels: results of the block before leave
// (leave_q), bytes of a block come in their place (take_q). A pass in which no block has come ends with slot 15.
//
//   first leave take filling
//     1     1    1      -     a result byte leaves, and a block byte comes with it; if none is offered, the rest of
//                             the result leaves alone
//     1     1    0      -     results alone; if a block has begun (filling), resume_q is the number of its next byte
//     1     0    1      0     idle, in slot 0
//     1     0    1      1     block bytes alone
//     1     0    0      1     block bytes that came before turn to their places: slots 0 … resume_q - 1
//     0     0    0      0     all that is not the first 16 slots of a block
//
// All stands still while a result waits, or a block byte is awaited and no result is left to leave.
module aesmith_serial_shared_sequencer (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic enable_i,          // advance_o, unless it gates the clock
  output logic advance_o,

  input  logic block_valid_i,
  output logic block_ready_o,
  output logic filling_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic take_o,            // the byte of this slot comes from the block channel
  output logic [1:0] rotation_o,
  output logic filled_o,          // Z has a byte of the state
  output logic mix_o,
  output logic turn_o,            // slots 16 … 19
  output logic chain_o,
  output logic substitute_o,
  output logic [7:0] round_constant_o // with the first byte of a word, else 0
);
  localparam logic [4:0] LastOfData = 5'd15;
  localparam logic [4:0] LastOfPass = 5'd19;
  localparam logic [7:0] FirstConstant = 8'h01;

  logic [4:0] slot_d, slot_q;
  logic first_d, first_q, leave_d, leave_q, take_d, take_q, filling_d, filling_q;
  logic [3:0] resume_d, resume_q;
  logic [2:0] filled_q;
  logic [7:0] constant_d, constant_q;
  logic [1:0] rotation_q;
  logic mix_q, chain_q, substitute_q, add_constant_q;
  logic takes, last_round, end_of_data, end_of_pass, schedules;

  assign takes = take_q & block_valid_i;
  assign block_ready_o = take_q & (~leave_q | block_ready_i);
  assign advance_o = leave_q ? block_ready_i : ~take_q | block_valid_i;

  // The round constant counts the rounds: 36 is the only one with bits 1 and 2 set.
  assign last_round = constant_q[1] & constant_q[2];
  assign end_of_data = first_q & (slot_q == LastOfData);
  assign end_of_pass = slot_q == LastOfPass;

  always_comb begin
    slot_d = slot_q + 5'd1;
    first_d = first_q;
    leave_d = leave_q;
    take_d = take_q;
    filling_d = filling_q | takes;
    resume_d = resume_q;
    constant_d = constant_q;
    if (end_of_data) begin
      first_d = ~takes;
      leave_d = 1'b0;
      take_d = ~takes & ~filling_q;
      filling_d = ~takes & filling_q;
      if (~takes) slot_d = '0;
    end else if (first_q) begin
      if (leave_q) take_d = takes;
      else take_d = take_q | (slot_d[3:0] == resume_q);
    end else if (end_of_pass) begin
      slot_d = '0;
      constant_d = {constant_q[6:0], 1'b0} ^ (8'h1b & {8{constant_q[7]}});
      if (last_round) begin
        constant_d = FirstConstant;
        first_d = 1'b1;
        leave_d = 1'b1;
        take_d = 1'b1;
      end
    end
    if (take_q | ~first_q) resume_d = slot_q[3:0];
  end

  // Only in a block's own rounds and while its result leaves is there a round key to be made.
  assign schedules = ~first_d | leave_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q <= '0;
      first_q <= 1'b1;
      leave_q <= 1'b0;
      take_q <= 1'b1;
      filling_q <= 1'b0;
      constant_q <= FirstConstant;
    end else if (enable_i) begin
      slot_q <= slot_d;
      first_q <= first_d;
      leave_q <= leave_d;
      take_q <= take_d;
      filling_q <= filling_d;
      constant_q <= constant_d;
    end
  end

  // Whatever these do in slot 0 after reset, they do to bytes of no block.
  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      resume_q <= resume_d;
      filled_q <= {filled_q[1:0], ~slot_q[4] & (takes | ~first_q)};
      rotation_q <= {^slot_d[1:0], ~slot_d[0]} & {2{slot_d[4]}};
      mix_q <= (slot_d[1:0] == '1) & (slot_d[4] ? ~last_round : ~first_d & (slot_d[3:2] != '1));
      chain_q <= schedules & ~slot_d[4] & (slot_d[3:2] != '1);
      substitute_q <= (slot_d == LastOfPass) | (schedules & (slot_d < 5'd3));
      add_constant_q <= slot_d == LastOfPass;
    end
  end

  assign filling_o = filling_q;
  assign block_valid_o = leave_q;
  assign take_o = take_q;
  assign rotation_o = rotation_q;
  assign filled_o = filled_q[2];
  assign mix_o = mix_q;
  assign turn_o = slot_q[4];
  assign chain_o = chain_q;
  assign substitute_o = substitute_q;
  assign round_constant_o = constant_q & {8{add_constant_q}};
endmodule
