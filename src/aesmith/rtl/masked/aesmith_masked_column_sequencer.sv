// Control of a masked core of 32 bits: what each slot of a round is for. Nothing of it depends on a share or a fresh bit.
//
//   slot                   enters the S-boxes          leaves them      round key
//   0                      column 0                    column 3         word 0 is added
//   1                      column 1                    SubWord          word 1; word 0 of the next one is made
//   2, 3                   columns 2, 3                                 words 2, 3; words 1, 2
//   4                      the next round key's word 3                  word 3 is made
//   Clocks … Clocks + 2    0                           columns 0 … 2
//
// With 4 clocks that is slots 4, 5, 6; with 3 slots 3, 4, 5. What is under way:
//
//   loads_q      round 1: in slots 0 … 3 words of a block come, each with a word of fresh bits, or nothing moves
//   runs_q       rounds 2 … 10. In slot 4 of round 10 the kept key's word 3 enters the S-boxes, for the next block; word 3
//                of the last round key is made while the result's word 0 leaves
//   leaves_q     with loads_q: words of the result leave
//   keys_q       words 1 … 3 of a key come; word 0 came in slot 0 of round 1
//   prepares_q   slots 1 … for a new key: in slot 4 its word 3 enters the S-boxes, in all others 0
//
// A word of a block comes in a clock in which a word of the result leaves, or after all of it has left. If none is offered
// the result leaves alone: turn_q, its slot, goes on, and the S-boxes stand still. The round key turns with it, and
// turns on (turns) until turn_q is where the block is: what was made of the next round key is in its place again.
//
// The kept key turns with words 0, 1 and 2 of a block, and by one more in the slot 4 in which its word 3 is read.
module aesmith_masked_column_sequencer #(
  parameter int unsigned Clocks = 4 // of an S-box
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic random_valid_i,
  output logic random_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic move_o,              // S-boxes take their next values
  output logic [3:0] row_advance_o, // so do the rows; 1 to 3 are what of them stands while other bytes go by
  output logic key_advance_o,       // the kept key turns,
  output logic key_take_o,          // … and takes a word
  output logic round_key_advance_o, // words 0 to 2 of the round key take their next values,
  output logic last_word_advance_o, // … and word 3

  output logic load_o,              // S-boxes: a word of the block,
  output logic mixed_o,             // … or a column after MixColumns,
  output logic kept_o,              // … plus a word of the kept key,
  output logic round_key_o,         // … of the round key,
  output logic made_o,              // … or the last word of the next one
  output logic substituted_o,       // word 3 of the round key: plus SubWord and the round constant,
  output logic chained_o,           // … or plus the word before
  output logic stood_o,             // row 1: byte 0, which stood, goes behind the others
  output logic overtakes_o,         // row 2: what leaves the S-boxes goes before what stands
  output logic passes_o,            // row 3: what leaves the S-boxes goes before all that stands
  output logic [7:0] constant_o
);
  if (Clocks < 3) begin : gen_check_clocks
    $error("Clocks must be at least 3");
  end

  localparam int unsigned Slots = Clocks + 3;
  localparam logic [Slots-1:0] Slot0 = Slots'(1);
  localparam logic [Slots-1:0] Slot1 = Slots'(2);
  localparam logic [7:0] FirstConstant = 8'h01;

  logic [Slots-1:0] slot_d, slot_q;
  logic [3:0] turn_d, turn_q;
  logic loads_d, loads_q, runs_d, runs_q, leaves_d, leaves_q, keys_d, keys_q, prepares_d, prepares_q, known_q;
  logic [7:0] constant_d, constant_q;
  logic columns, awaits, together, may_come, comes, left, turns, last, of_words;

  assign columns = slot_q[3:0] != '0;
  assign awaits = loads_q & columns;
  assign together = (turn_q & slot_q[3:0]) != '0;
  // The round constant counts the rounds: 36 is the only one with bits 1 and 2 set.
  assign last = runs_q & constant_q[1] & constant_q[2];

  // A key that waits goes before a block that has not begun.
  assign key_ready_o = (loads_q & slot_q[0] & ~leaves_q) | keys_q;
  assign key_take_o = key_valid_i & key_ready_o;
  assign may_come = awaits & together & (~slot_q[0] | (known_q & ~key_valid_i)) & (~leaves_q | block_ready_i);
  assign comes = may_come & block_valid_i & random_valid_i;
  assign block_ready_o = may_come & random_valid_i;
  assign random_ready_o = awaits ? may_come & block_valid_i : ~keys_q;
  assign move_o = random_valid_i & random_ready_o;
  assign block_valid_o = leaves_q;
  assign left = leaves_q & block_ready_i;
  assign turns = awaits & ~together & ~leaves_q;

  assign row_advance_o[0] = move_o | left;
  assign row_advance_o[1] = row_advance_o[0] & ~(overtakes_o | slot_q[Slots-2]);
  assign row_advance_o[2] = row_advance_o[0] & ~overtakes_o;
  assign row_advance_o[3] = row_advance_o[0] & ~passes_o;
  assign stood_o = turn_q[1];
  assign overtakes_o = turn_q[0] | slot_q[Slots-1];
  assign passes_o = turn_q[0];

  assign of_words = (runs_q & columns) | comes; // a word of the round key is added, and one of the next is made
  assign round_key_advance_o = (of_words & move_o) | left | turns;
  assign last_word_advance_o = round_key_advance_o | (made_o & move_o);
  assign key_advance_o = key_take_o | (loads_q & slot_q[2:0] != '0 & move_o)
                       | (prepares_q & slot_q[4:1] != '0 & move_o) | (last & slot_q[4] & move_o);

  assign load_o = awaits;
  assign mixed_o = runs_q & columns;
  assign kept_o = comes | (slot_q[4] & (last | prepares_q));
  assign round_key_o = mixed_o | (awaits & ~comes);
  assign made_o = slot_q[4] & ~last & ~prepares_q;
  assign substituted_o = slot_q[1] & of_words;
  assign chained_o = (turn_q[0] & leaves_q) | (slot_q[3:2] != '0 & of_words) | slot_q[4];
  assign constant_o = constant_q;

  // What follows in the next clock in which something moves.
  always_comb begin
    slot_d = {slot_q[Slots-2:0], slot_q[Slots-1]};
    loads_d = loads_q;
    runs_d = runs_q;
    leaves_d = leaves_q & ~turn_q[3];
    keys_d = keys_q;
    prepares_d = prepares_q;
    constant_d = constant_q;
    if (key_take_o) begin
      loads_d = 1'b0;
      keys_d = ~slot_q[3];
      prepares_d = slot_q[3];
      if (slot_q[3]) slot_d = Slot1;
    end else if (awaits & ~comes) begin
      slot_d = slot_q;
    end else if (slot_q[Slots-1]) begin
      loads_d = prepares_q | last;
      runs_d = ~prepares_q & ~last;
      leaves_d = last;
      prepares_d = 1'b0;
      constant_d = {constant_q[6:0], 1'b0} ^ (8'h1b & {8{constant_q[7]}});
      if (loads_d) constant_d = FirstConstant;
    end
    turn_d = awaits & ~comes & ~key_take_o ? {turn_q[2:0], turn_q[3]} : slot_d[3:0];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q <= Slot0;
      turn_q <= Slot0[3:0];
      loads_q <= 1'b1;
      runs_q <= 1'b0;
      leaves_q <= 1'b0;
      keys_q <= 1'b0;
      prepares_q <= 1'b0;
      known_q <= 1'b0;
      constant_q <= FirstConstant;
    end else if (move_o | left | turns | key_take_o) begin
      slot_q <= slot_d;
      turn_q <= turn_d;
      loads_q <= loads_d;
      runs_q <= runs_d;
      leaves_q <= leaves_d;
      keys_q <= keys_d;
      prepares_q <= prepares_d;
      known_q <= known_q | keys_q;
      constant_q <= constant_d;
    end
  end
endmodule
