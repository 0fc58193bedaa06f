// Control of the core of 32 bits for both directions.
//
// The key schedule stands at one of its ends: at the key, from which encryption goes forward, or at the last round key, from
// which decryption goes backward. A block takes it from one end to the other. For a second block in the same direction the
// schedule runs back by itself, while the result leaves and the block comes.
//
//   slot         state                                   key schedule
//   OfKey        byte 3 leaves the S-boxes               a word enters the S-boxes
//   0 … 3        column 0 … 3 enters                     a step; in slot 0 with SubWord
//   OfKey6       column 1 leaves; the front stands still a word enters the S-boxes, and slot 2 has SubWord (192 bits)
//   Skip         as OfKey6, which then stands still      the ring turns, and does so in OfKey6
//
// A pass is OfKey and slots 0 … 3; there are as many as round keys. In pass 0 nothing leaves in OfKey; the last pass adds
// the last round key, and its words go by the S-boxes. Where all words are made that there are, the ring only turns.
// After the last pass it turns on until its head is where the other direction begins: for 2 words of 6, 4 of 8.
//
// Backward with 192 bits, a round key is made of words of two before it, which stand in a ring of six: w[44] … w[47] after
// w[48] … w[51], but w[46] first. So the columns of every other pass come in the order 2, 3, 0, 1, and between 3 and 0
// the ring turns by two words.
//
// Running without a block there is no OfKey but the first: words enter the S-boxes as they are made. Only backward with
// 128 bits the word is w[i - 4] = w[i] + w[i - 1], two of those in the ring, and has its slot.
module aesmith_column_two_way_sequencer #(
  parameter int unsigned KeyBits = 128  // 128, 192 or 256; 0: as each key says
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [1:0] key_bits_i,        // with each word of a key: 0, 1, 2 = 128, 192, 256 bits; of a fixed size not looked at
  input  logic block_valid_i,
  input  logic decrypt_i,               // with each word of a block
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic [2:0] words_o,           // of the key: 4, 6 or 8, one-hot
  output logic key_take_o,
  output logic key_advance_o,
  output logic head_o,                  // what the key schedule adds
  output logic second_last_o,
  output logic last_word_o,
  output logic previous_o,
  output logic substitute_o,
  output logic whole_o,
  output logic [7:0] round_constant_o,

  output logic front_advance_o,
  output logic back_advance_o,
  output logic block_take_o,
  output logic substituted_o,
  output logic [3:1] from_o,
  output logic left_o,
  output logic half_o,
  output logic first_o,
  output logic last_o,
  output logic decrypt_o,
  output logic substitutes_o
);
  if (KeyBits != 0 && KeyBits != 128 && KeyBits != 192 && KeyBits != 256) begin : gen_check_key_bits
    $error("KeyBits must be 0, 128, 192 or 256");
  end

  localparam logic [7:0] FirstConstant = 8'h01;

  typedef enum logic [1:0] {Fill, Work, Leave} ring_e;

  typedef struct packed {
    logic three;
    logic two;
    logic of_key_6;
    logic skip;
    logic one;
    logic zero;
    logic of_key;
  } slot_t;

  localparam slot_t Idle = 7'b0000000;
  localparam slot_t OfKey = 7'b0000001;

  ring_e ring_d, ring_q;
  slot_t slot_d, slot_q;
  logic [1:0] count_d, count_q, third_d, third_q;
  logic [2:0] key_count_d, key_count_q;
  logic [3:0] left_d, left_q;
  logic [7:0] constant_d, constant_q;
  logic known_d, known_q, at_end_d, at_end_q, busy_d, busy_q, first_d, first_q;
  logic [2:1] words_next;           // of the key that comes
  logic steps, turns, closing, last, swapped, zero_of_6, two_of_6, made, last_constant;
  logic works, inserted, passes, block_ends, ends, whole, at_end, starts, starts_run, moves;

  if (KeyBits == 0) begin : gen_selectable
    logic [1:0] size_q;
    always_ff @(posedge clk_i) begin
      if (key_take_o) size_q <= key_bits_i;
    end
    assign words_o = {size_q[1], size_q[0], ~size_q[1] & ~size_q[0]};
    assign words_next = key_bits_i;
  end else begin : gen_fixed
    logic unused_key_bits;
    assign unused_key_bits = ^key_bits_i;
    assign words_o = {KeyBits == 256, KeyBits == 192, KeyBits == 128};
    assign words_next = words_o[2:1];
  end

  // The key schedule.
  assign closing = left_q == 4'd1;
  assign last = left_q == 4'd0;
  assign swapped = words_o[1] & at_end_q & left_q[0];
  assign zero_of_6 = swapped ? third_q[0] : third_q == 2'd0;
  assign two_of_6 = words_o[1] & (swapped ? third_q == 2'd0 : third_q[0]);

  assign steps = slot_q.zero | slot_q.one | slot_q.two | slot_q.three;
  assign turns = slot_q.skip | (slot_q.of_key_6 & swapped);
  // All words are made that there are.
  assign made = last | (closing & (words_o[2] | (words_o[1] & (slot_q.two | slot_q.three))));

  assign substitute_o = ((slot_q.zero & (~words_o[1] | zero_of_6)) | (slot_q.two & two_of_6)) & ~made;
  assign whole_o = ~words_o[2] | ~left_q[0];
  assign head_o = steps | turns;
  assign second_last_o = slot_q.of_key & words_o[0] & at_end_q;
  always_comb begin
    last_word_o = slot_q.of_key | (slot_q.of_key_6 & ~at_end_q);
    previous_o = slot_q.of_key_6 & at_end_q & ~swapped;
    if (steps & ~made & ~substitute_o) begin
      last_word_o = ~at_end_q | slot_q.zero;
      previous_o = at_end_q & ~slot_q.zero;
    end
  end
  assign key_advance_o = key_take_o | steps | turns;
  assign substitutes_o = ~busy_q | slot_q.of_key | slot_q.of_key_6;
  assign round_constant_o = constant_q;

  // Where the key schedule ends.
  assign passes = slot_q.three & ~last;
  assign block_ends = slot_q.three & busy_q & last;
  assign ends = slot_q.three & (busy_q ? last & words_o[0] : last | closing);
  assign at_end = at_end_q ^ ends;

  // What waits. A key goes before a block that has not begun.
  assign key_ready_o = (ring_q == Fill) & (count_q == '0) & (slot_q == Idle);
  assign key_take_o = key_valid_i & key_ready_o;
  assign block_ready_o = (ring_q == Fill) & known_q & ((count_q != '0) | ~key_valid_i);
  assign block_take_o = block_valid_i & block_ready_o;
  assign block_valid_o = ring_q == Leave;
  assign moves = block_take_o | (block_valid_o & block_ready_i);

  assign whole = ((ring_q == Work) & ~busy_q) | (block_take_o & (count_q == '1));
  // The schedule goes where a block begins as soon as one is offered, so it stands there when the block is whole.
  assign starts = ((slot_q == Idle) | ends) & whole;
  assign starts_run = ((slot_q == Idle) | ends) & ~whole & block_valid_i & known_q & ~key_valid_i & (decrypt_i != at_end);

  // The state.
  assign works = (ring_q == Work) & busy_q;
  assign inserted = slot_q.skip | (slot_q.of_key_6 & ~swapped);
  assign front_advance_o = moves | (works & (steps | (slot_q.of_key & ~first_q)));
  assign back_advance_o = moves | (works & ((steps & ~(slot_q.two & (swapped | two_of_6)))
                                            | (slot_q.of_key & ~first_q) | inserted));
  assign substituted_o = works & (slot_q.of_key | ~last);
  assign from_o[3] = works & slot_q.of_key;
  assign from_o[2] = works & (slot_q.of_key | (slot_q.three & ~last));
  assign from_o[1] = works & (slot_q.of_key | ((slot_q.three | slot_q.two | inserted) & ~last));
  assign half_o = words_o[1] & at_end_q;
  assign left_o = ~at_end_q | half_o;
  assign first_o = first_q;
  assign last_o = works & last & steps;
  assign decrypt_o = at_end_q;

  always_comb begin
    ring_d = ring_q;
    count_d = count_q + {1'b0, moves};
    unique case (ring_q)
      Fill: if (block_take_o & (count_q == '1)) ring_d = Work;
      Work: if (block_ends) ring_d = Leave;
      default: if (moves & (count_q == '1)) ring_d = Fill;
    endcase

    known_d = known_q;
    key_count_d = key_count_q;
    if (key_take_o) begin
      known_d = key_count_q == {words_next[2] | words_next[1], words_next[2] | ~words_next[1], 1'b1};
      key_count_d = known_d ? '0 : key_count_q + 3'd1;
    end
  end

  // At its ends the schedule stands with the constant that comes first, and all counts at 0.
  always_comb begin
    busy_d = busy_q & ~block_ends;
    first_d = first_q & ~passes;
    left_d = left_q - {3'd0, passes};
    third_d = third_q;
    constant_d = constant_q;
    at_end_d = at_end & ~key_take_o;

    slot_d.of_key = passes & (busy_q | (words_o[0] & at_end_q));
    slot_d.zero = slot_q.of_key | (passes & ~busy_q & ~(words_o[0] & at_end_q)) | (block_ends & words_o[2]);
    slot_d.one = slot_q.zero;
    slot_d.skip = slot_q.one & swapped;
    slot_d.of_key_6 = (slot_q.one & two_of_6 & ~swapped & (busy_q | at_end_q)) | slot_q.skip;
    slot_d.two = (slot_q.one & ~slot_d.skip & ~slot_d.of_key_6) | slot_q.of_key_6 | (block_ends & words_o[1]);
    slot_d.three = slot_q.two;
    if (ends) slot_d = Idle;

    if (passes & words_o[1]) begin
      third_d = at_end_q ? {third_q == 2'd0, third_q[1]} : {third_q[0], third_q == 2'd0};
    end
    last_constant = at_end_q ? constant_q[0] & ~constant_q[1]
                             : (words_o[0] & constant_q[1] & constant_q[2]) | (words_o[1] & constant_q[7])
                               | (words_o[2] & constant_q[6]);
    if (substitute_o & whole_o & ~last_constant) begin
      constant_d = at_end_q ? {constant_q[0], constant_q[7:1]} ^ (8'h0d & {8{constant_q[0]}})
                            : {constant_q[6:0], constant_q[7]} ^ (8'h1a & {8{constant_q[7]}});
    end
    if (key_take_o) constant_d = FirstConstant;

    if (starts | starts_run) begin
      slot_d = OfKey;
      busy_d = starts;
      first_d = 1'b1;
      left_d = {1'b1, words_o[2] | words_o[1], words_o[2] | words_o[0], 1'b0};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ring_q <= Fill;
      slot_q <= Idle;
      count_q <= '0;
      third_q <= '0;
      key_count_q <= '0;
      left_q <= '0;
      constant_q <= FirstConstant;
      known_q <= 1'b0;
      at_end_q <= 1'b0;
      busy_q <= 1'b0;
      first_q <= 1'b0;
    end else begin
      ring_q <= ring_d;
      slot_q <= slot_d;
      count_q <= count_d;
      third_q <= third_d;
      key_count_q <= key_count_d;
      left_q <= left_d;
      constant_q <= constant_d;
      known_q <= known_d;
      at_end_q <= at_end_d;
      busy_q <= busy_d;
      first_q <= first_d;
    end
  end
endmodule
