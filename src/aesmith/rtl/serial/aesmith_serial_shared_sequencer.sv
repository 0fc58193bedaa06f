// Control of the ring with one shared S-box: what each of the 20 slots of a pass is for, decided a clock ahead.
//
//   slot     state                                                        key
//   0 … 15   byte `slot` enters the S-box                                 next round key: words 1, 2, 3 (to slot 11)
//   16 … 19  bytes 12 … 15 leave Z, row 0 … 3 rotated; no byte moves in   bytes 13, 14, 15, 12 enter the S-box
//
// In the first pass of a block, slots 0 … 15 are for the channels: results of the block before leave
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
// Ten passes are the rounds of AES-128, twelve and fourteen those of longer keys. What SubWord is for then differs from
// pass to pass (phase_q), and a key longer than a round key is not all in use before the second pass:
//
//   key   phase  SubWord of                           goes to                 and the round constant
//   128     –    the last word                        word 0                  yes
//   192     0    word 1, which is still to be made    word 2                  yes
//           1    –                                    –
//           2    the last word                        word 0                  yes
//   256     0    the last word, not rotated           word 0, not in pass 0   no
//           1    the last word                        word 0                  yes
//
// All stands still while a result waits, or a block byte is awaited and no result is left to leave.
module aesmith_serial_shared_sequencer #(
  parameter int unsigned KeyBytes = 16
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic enable_i,          // advance_o, unless it gates the clock
  output logic advance_o,

  input  logic block_valid_i,
  output logic block_ready_o,
  output logic filling_o,
  output logic key_used_o,        // passes 0 and 1 of a block that is whole, with a key that is longer than a round key
  output logic key_turns_o,       // a clock of pass 1 for each byte of the key beyond 16
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic take_o,            // the byte of this slot comes from the block channel
  output logic take_later_o,      // and with it a byte of the key beyond 16
  output logic in_place_o,        // no result leaves: what has come of a key turns in its place
  output logic last_quarter_o,    // slots 12 … 15
  output logic [1:0] rotation_o,
  output logic filled_o,          // Z has a byte of the state
  output logic mix_o,
  output logic turn_o,            // slots 16 … 19
  output logic chain_o,
  output logic phase_0_o,
  output logic [1:0] substitute_o,         // for word 0, word 2
  output logic [1:0][7:0] round_constant_o // with the first byte of the word, else 0
);
  if (KeyBytes != 16 && KeyBytes != 24 && KeyBytes != 32) begin : gen_check_key
    $error("KeyBytes must be 16, 24 or 32");
  end

  localparam logic [4:0] LastOfData = 5'd15;
  localparam logic [4:0] LastOfPass = 5'd19;
  localparam logic [7:0] FirstConstant = 8'h01;

  logic [4:0] slot_d, slot_q;
  logic first_d, first_q, leave_d, leave_q, take_d, take_q, filling_d, filling_q;
  logic [3:0] resume_d, resume_q;
  logic [2:0] filled_q;
  logic [7:0] constant_d, constant_q;
  logic [1:0] rotation_q;
  logic mix_q, chain_q;
  logic [1:0] substitute_d, substitute_q, add_constant_d, add_constant_q;
  logic takes, last_round, end_of_data, end_of_pass, counts, chain_d, head, last_slot;

  assign takes = take_q & block_valid_i;
  assign block_ready_o = take_q & (~leave_q | block_ready_i);
  assign advance_o = leave_q ? block_ready_i : ~take_q | block_valid_i;

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
      if (counts) constant_d = {constant_q[6:0], 1'b0} ^ (8'h1b & {8{constant_q[7]}});
      if (last_round) begin
        constant_d = FirstConstant;
        first_d = 1'b1;
        leave_d = 1'b1;
        take_d = 1'b1;
      end
    end
    if (take_q | ~first_q) resume_d = slot_q[3:0];
  end

  // Round constants count the rounds, with the phase. Only in a block's own rounds and while its result leaves is there a
  // round key to be made.
  assign last_slot = slot_d == LastOfPass;
  assign head = slot_d < 5'd3;
  if (KeyBytes == 16) begin : gen_short
    logic schedules;
    // 36 is the only constant with bits 1 and 2 set.
    assign last_round = constant_q[1] & constant_q[2];
    assign counts = 1'b1;
    assign schedules = ~first_d | leave_d;
    assign chain_d = schedules & ~slot_d[4] & (slot_d[3:2] != '1);
    assign substitute_d = {1'b0, last_slot | (schedules & head)};
    assign add_constant_d = {1'b0, last_slot};
    assign phase_0_o = 1'b0;
    assign key_used_o = 1'b0;
    assign key_turns_o = 1'b0;
  end else if (KeyBytes == 24) begin : gen_middle
    logic [2:0] phase_d, phase_q;
    logic schedules;
    assign phase_d = end_of_pass ? {phase_q[1:0], phase_q[2]} : phase_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) phase_q <= 3'b001;
      else if (enable_i) phase_q <= phase_d;
    end
    assign last_round = constant_q[7] & phase_q[2];
    assign counts = ~phase_q[1];
    assign schedules = ~first_d | leave_d;
    // Word 0 of the next round key is made in slots 12 … 15, of the word before it.
    always_comb begin
      unique case (slot_d[3:2])
        2'd1: chain_d = schedules & ~phase_d[1];
        2'd3: chain_d = ~first_d & ~phase_d[2];
        default: chain_d = schedules;
      endcase
      if (slot_d[4]) chain_d = 1'b0;
    end
    assign add_constant_d = {2{last_slot}} & {phase_d[0], phase_d[2]};
    assign substitute_d = add_constant_d | ({2{schedules & head}} & phase_d[1:0]);
    assign phase_0_o = phase_q[0];
    assign key_used_o = ~first_q & (constant_q[0] | (constant_q[1] & phase_q[1]));
    assign key_turns_o = ~first_q & constant_q[1] & phase_q[1] & (slot_q < 5'd8);
  end else begin : gen_long
    logic phase_d, phase_q, schedules;
    assign phase_d = end_of_pass ? ~phase_q : phase_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) phase_q <= 1'b0;
      else if (enable_i) phase_q <= phase_d;
    end
    assign last_round = constant_q[6] & phase_q;
    assign counts = phase_q;
    // In pass 1 the second half of the key is the round key.
    assign schedules = leave_d | ~constant_d[0];
    assign chain_d = schedules & ~slot_d[4] & (slot_d[3:2] != '1);
    assign add_constant_d = {1'b0, last_slot & phase_d};
    assign substitute_d = {1'b0, (last_slot & (phase_d | ~constant_d[0])) | (schedules & head)};
    assign phase_0_o = ~phase_q;
    assign key_used_o = ~first_q & constant_q[0];
    assign key_turns_o = key_used_o & phase_q & ~slot_q[4];
  end

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
      chain_q <= chain_d;
      substitute_q <= substitute_d;
      add_constant_q <= add_constant_d;
    end
  end

  assign filling_o = filling_q;
  assign block_valid_o = leave_q;
  assign take_o = take_q;
  assign take_later_o = take_q & (KeyBytes == 32 || slot_q[3]);
  assign in_place_o = first_q & ~leave_q;
  assign last_quarter_o = slot_q[3:2] == '1;
  assign rotation_o = rotation_q;
  assign filled_o = filled_q[2];
  assign mix_o = mix_q;
  assign turn_o = slot_q[4];
  assign chain_o = chain_q;
  assign substitute_o = substitute_q;
  assign round_constant_o = {constant_q & {8{add_constant_q[1]}}, constant_q & {8{add_constant_q[0]}}};
endmodule
