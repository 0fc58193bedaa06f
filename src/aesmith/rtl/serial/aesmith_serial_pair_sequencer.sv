// Control of the ring of pairs: what each of the ten slots of a pass is for, decided a clock ahead.
//
//   slot    state                                                                 key
//   0 … 7   pair `slot` enters the S-boxes; in slot 7 row 1 is rotated            next round key: words 1, 2, 3 (to slot 5)
//   8       the last pair comes from them, rows 2, 3 are rotated; none moves in   bytes 13, 14 enter the S-boxes
//   9       MixColumns of the first column; none moves in                         bytes 15, 12 do
//
// In the first pass of a block, slots 0 … 7 are for the channels: results of the block before leave (leave), pairs of a block
// come in their place (take). A pass in which no block has become whole ends with slot 7. What is done in it depends on
// leave, take and filling as in the ring of bytes (aesmith_serial_shared_sequencer): a sender may stop between any two
// pairs, and what has come turns to its place in a further pass of eight clocks.
//
// All stands still while a result waits, or a pair of a block is awaited and no result is left to leave.
module aesmith_serial_pair_sequencer (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       enable_i,          // advance_o, unless it gates the clock
  output logic       advance_o,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  output logic       filling_o,         // a block has begun to come, and is not whole
  output logic       block_valid_o,
  input  logic       block_ready_i,

  output logic [1:0] from_ring_o,       // C0 + Q0 enters the S-boxes; a flag for each
  output logic       take_o,            // a pair of a block and of its key do
  output logic       from_key_o,        // bytes of the key do
  output logic       filled_o,          // a pair of the state comes from the S-boxes
  output logic       rotate_row_1_o,
  output logic       rotate_rows_2_3_o,
  output logic       mix_o,
  output logic       turn_o,            // slots 8 and 9, as from_key_o
  output logic       chain_o,
  output logic       substitute_o,
  output logic [7:0] round_constant_o   // with the first pair of the word, else 0
);
  localparam logic [3:0] LastOfData = 4'd7;
  localparam logic [3:0] LastOfPass = 4'd9;
  localparam logic [7:0] FirstConstant = 8'h01;

  typedef struct packed {
    logic first;   // the first pass of a block
    logic leave;
    logic take;
    logic filling;
  } pass_t;
  localparam pass_t Idle = '{first: 1'b1, leave: 1'b0, take: 1'b1, filling: 1'b0};

  pass_t pass_d, pass_q;
  logic [3:0] slot_d, slot_q;
  logic [2:0] resume_q; // the pair that is to come next, if a block has begun
  logic [7:0] constant_d, constant_q;
  logic takes, last_round, schedules, moves_in, from_ring_d;
  logic from_ring_q, not_from_ring_q, filled_q, last_of_data_q, rotate_q, mix_q;
  logic turn_q, chain_q, substitute_q, add_constant_q;

  assign takes = pass_q.take & block_valid_i;
  assign block_ready_o = pass_q.take & (~pass_q.leave | block_ready_i);
  assign advance_o = pass_q.leave ? block_ready_i : ~pass_q.take | block_valid_i;

  // The round constant counts the rounds: 36 is the only one with bits 1 and 2 set.
  assign last_round = constant_q[1] & constant_q[2];
  assign moves_in = ~slot_q[3] & (takes | ~pass_q.first);

  always_comb begin
    pass_d = pass_q;
    pass_d.filling = pass_q.filling | takes;
    slot_d = slot_q + 4'd1;
    constant_d = constant_q;
    if (pass_q.first & last_of_data_q) begin
      // A block is whole with this pair, or what has come of one turns, or none has begun.
      pass_d = takes ? '0 : '{first: 1'b1, leave: 1'b0, take: ~pass_q.filling, filling: pass_q.filling};
      if (~takes) slot_d = '0;
    end else if (pass_q.first) begin
      pass_d.take = pass_q.leave ? takes : pass_q.take | (slot_d[2:0] == resume_q);
    end else if (slot_q == LastOfPass) begin
      slot_d = '0;
      constant_d = {constant_q[6:0], 1'b0} ^ (8'h1b & {8{constant_q[7]}});
      if (last_round) begin
        constant_d = FirstConstant;
        pass_d = '{first: 1'b1, leave: 1'b1, take: 1'b1, filling: 1'b0};
      end
    end
  end

  // Only in a block's own rounds and while its result leaves is there a round key to be made.
  assign schedules = ~pass_d.first | pass_d.leave;

  // The selection of an S-box's input is the longest path: each has a flag of its own. They are of opposite sense, for two
  // that are alike are made one.
  assign from_ring_d = ~pass_d.take & ~slot_d[3];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pass_q <= Idle;
      slot_q <= '0;
      last_of_data_q <= 1'b0;
      from_ring_q <= 1'b0;
      not_from_ring_q <= 1'b1;
      constant_q <= FirstConstant;
    end else if (enable_i) begin
      pass_q <= pass_d;
      slot_q <= slot_d;
      last_of_data_q <= slot_d == LastOfData;
      from_ring_q <= from_ring_d;
      not_from_ring_q <= ~from_ring_d;
      constant_q <= constant_d;
    end
  end

  // Whatever these do in slot 0 after reset, they do to pairs of no block.
  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      if (pass_q.take | ~pass_q.first) resume_q <= slot_q[2:0];
      filled_q <= moves_in;
      turn_q <= slot_d[3];
      rotate_q <= moves_in & last_of_data_q;
      mix_q <= slot_d[0] & (slot_d[3] ? ~last_round : ~pass_d.first & (slot_d[2:1] != '1));
      chain_q <= schedules & ~slot_d[3] & (slot_d[2:1] != '1);
      substitute_q <= (slot_d == LastOfPass) | (schedules & (slot_d == '0));
      add_constant_q <= slot_d == LastOfPass;
    end
  end

  assign filling_o = pass_q.filling;
  assign block_valid_o = pass_q.leave;
  assign from_ring_o = {~not_from_ring_q, from_ring_q};
  assign from_key_o = slot_q[3];
  assign take_o = pass_q.take;
  assign filled_o = filled_q;
  assign rotate_row_1_o = moves_in & last_of_data_q;
  assign rotate_rows_2_3_o = rotate_q;
  assign mix_o = mix_q;
  assign turn_o = turn_q;
  assign chain_o = chain_q;
  assign substitute_o = substitute_q;
  assign round_constant_o = constant_q & {8{add_constant_q}};
endmodule
