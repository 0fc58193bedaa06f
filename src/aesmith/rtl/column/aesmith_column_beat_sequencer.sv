// Control of the core of 32 bits whose channels are 32 bits wide: what each slot of a round is for.
//
//   slot             state                                           key
//   0                column 0 enters the S-boxes                     SubWord leaves them: word 0 of the next round key
//   1 … 3            columns 1 … 3                                   words 1 … 3
//   4                                                                word 3 enters the S-boxes
//   SboxStages - 1 … SboxStages + 2: columns leave the S-boxes, and rows turn with the last, which ends the round
//
// The first four slots of a block's first round are for the channels (first_q). Results of the block before leave (leave_q),
// and words of a block come in their place (take_q). A pass in which no block has come ends with slot 3.
//
//   leave take filling
//     1    1      -     a word of the result leaves, and a word of a block comes with it; if none is offered, the rest of
//                       the result leaves alone
//     1    0      -     the result alone; if a block has begun (filling), resume_q is the number of its next word
//     0    1      0     idle in slot 0: a block may come, or a key, whose words have slots 0 … 3
//     0    1      1     words of the block alone
//     0    0      1     words that came before turn to their places: slots 0 … resume_q - 1
//
// All stands still while a result waits, or a word is awaited and no result is left to leave. Round key 1 is made in the
// first such pass after a block or a key (fresh_q), whether a block comes in it or not. In the last round slot 4 takes the
// kept key's last word for it; after a new key slot 4 runs once by itself.
module aesmith_column_beat_sequencer #(
  parameter int unsigned SboxStages = 2
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic enable_i,          // advance_o, unless it gates the clock
  output logic advance_o,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic key_take_o,
  output logic key_advance_o,       // words of the kept key
  output logic round_key_advance_o, // words of the round key
  output logic first_o,             // columns are the block's, words of the round key the kept key's
  output logic entered_o,           // what leaves the S-boxes is a column
  output logic column_0_o,
  output logic key_word_o,
  output logic kept_o,
  output logic turn_o,
  output logic [7:0] round_constant_o
);
  if (SboxStages < 2 || SboxStages > 4) begin : gen_check_stages
    $error("SboxStages must be 2 to 4");
  end

  localparam int unsigned Slots = SboxStages + 3;
  localparam int unsigned Ranks = SboxStages - 1;
  localparam logic [Slots-1:0] Slot0 = Slots'(1);
  localparam logic [7:0] FirstConstant = 8'h01;

  logic [Slots-1:0] slot_d, slot_q;
  logic first_d, first_q, leave_d, leave_q, take_d, take_q, filling_d, filling_q, fresh_d, fresh_q, known_d, known_q;
  logic [3:1] resume_d, resume_q;
  logic [Ranks-1:0] entered_q;
  logic [7:0] constant_d, constant_q;
  logic of_columns, takes, last_round, ends;

  assign of_columns = slot_q[3:0] != '0;
  assign ends = slot_q[Slots-1];
  // The round constant counts the rounds: 36 is the only one with bits 1 and 2 set.
  assign last_round = constant_q[1] & constant_q[2];

  // A key that waits goes before a block that has not begun.
  assign key_ready_o = take_q & ~leave_q & ~filling_q;
  assign key_take_o = key_valid_i & key_ready_o;
  assign block_valid_o = leave_q;
  assign block_ready_o = take_q & (filling_q | (known_q & ~key_valid_i)) & (~leave_q | block_ready_i);
  assign takes = block_valid_i & block_ready_o;
  assign advance_o = leave_q ? block_ready_i : ~take_q | takes | key_take_o;

  assign key_advance_o = advance_o & first_q & of_columns;
  assign round_key_advance_o = advance_o & (fresh_q | ~first_q) & of_columns;
  assign first_o = first_q;
  assign entered_o = entered_q[Ranks-1];
  assign column_0_o = slot_q[0];
  assign key_word_o = slot_q[4];
  assign kept_o = first_q | last_round;
  assign turn_o = ends;
  assign round_constant_o = constant_q;

  // What follows in the next clock in which something moves.
  always_comb begin
    slot_d = {slot_q[Slots-2:0], ends};
    first_d = first_q;
    leave_d = leave_q;
    take_d = take_q;
    filling_d = filling_q | takes;
    fresh_d = fresh_q;
    known_d = key_take_o ? slot_q[3] : known_q;
    resume_d = take_q ? slot_q[3:1] : resume_q;
    constant_d = constant_q;
    if (first_q & slot_q[3]) begin
      if (~takes & ~key_take_o) slot_d = Slot0;
      first_d = ~takes;
      leave_d = 1'b0;
      take_d = ~takes & ~key_take_o & ~filling_q;
      filling_d = ~takes & filling_q;
      fresh_d = 1'b0;
    end else if (first_q & of_columns) begin
      take_d = leave_q ? takes : take_q | ((slot_q[2:0] & resume_q) != '0);
    end else if (ends) begin
      constant_d = {constant_q[6:0], 1'b0} ^ (8'h1b & {8{constant_q[7]}});
      if (kept_o) begin
        first_d = 1'b1;
        leave_d = ~first_q;
        take_d = 1'b1;
        fresh_d = 1'b1;
        constant_d = FirstConstant;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q <= Slot0;
      first_q <= 1'b1;
      leave_q <= 1'b0;
      take_q <= 1'b1;
      filling_q <= 1'b0;
      known_q <= 1'b0;
      constant_q <= FirstConstant;
    end else if (enable_i) begin
      slot_q <= slot_d;
      first_q <= first_d;
      leave_q <= leave_d;
      take_q <= take_d;
      filling_q <= filling_d;
      known_q <= known_d;
      constant_q <= constant_d;
    end
  end

  // Before the first block these say something of no block and no key.
  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      fresh_q <= fresh_d;
      resume_q <= resume_d;
      entered_q <= Ranks'({entered_q, takes | ~first_q});
    end
  end
endmodule
