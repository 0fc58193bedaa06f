// Control of the core of 32 bits for both directions.
//
// The key schedule stands at one of its ends: at the key, from which encryption goes forward, or at the last round key, from
// which decryption goes backward. A block takes it from one end to the other. For a second block in the same direction the
// schedule runs back by itself, while the result leaves and the block comes.
//
//   slot         state                                   key schedule
//   OfKey        column 3 leaves the S-boxes, rows turn  a word enters the S-boxes
//   0 … 3        column 0 … 3 enters                     a step; in slot 0 with SubWord
//   OfKey6       column 1 leaves; the front stands still (192 bits) a word enters the S-boxes, and slot 2 has SubWord
//
// A pass is OfKey and slots 0 … 3; there are as many as round keys. In pass 0 nothing leaves in OfKey; the last pass adds
// the last round key, and its words go by the S-boxes. Where all words are made that there are, the window only turns:
// it ends as it has to stand for the other direction.
//
// Backward the word that is added is the last but one of the window, so that its OfKey is in the place of the forward one:
// the window is turned by one word in the first OfKey, and back in one that follows the last pass. Running backward
// without a block there is no OfKey: words enter the S-boxes a slot before SubWord of them is added.
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
  output logic forward_o,
  output logic rotate_o,
  output logic substitute_o,
  output logic whole_o,
  output logic [7:0] round_constant_o,

  output logic front_advance_o,
  output logic back_advance_o,
  output logic up_o,
  output logic block_take_o,
  output logic turn_o,
  output logic first_o,
  output logic last_o,
  output logic backward_o,
  output logic busy_o,
  output logic key_word_o,
  output logic result_up_o
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
    logic one;
    logic zero;
    logic of_key;
  } slot_t;

  localparam slot_t Idle = 6'b000000;
  localparam slot_t OfKey = 6'b000001;
  localparam slot_t One = 6'b000100;

  ring_e ring_d, ring_q;
  slot_t slot_d, slot_q;
  logic [1:0] count_d, count_q, third_d, third_q;
  logic [2:0] key_count_d, key_count_q;
  logic [3:0] left_d, left_q;
  logic [7:0] constant_d, constant_q;
  logic known_d, known_q, decrypt_d, decrypt_q, at_end_d, at_end_q, busy_d, busy_q, first_d, first_q;
  logic [2:1] words_next;           // of the key that comes
  logic [7:0] last_constant;
  logic moving, runs_back, steps, closing, last, after_last, middle, made, run_ends, ends, passes;
  logic whole, free, at_end, starts, starts_run, moves;

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
  always_comb begin
    last_constant = 8'h36;
    if (words_o[1]) last_constant = 8'h80;
    if (words_o[2]) last_constant = 8'h40;
  end
  assign moving = slot_q != Idle;
  assign runs_back = at_end_q & ~busy_q;
  assign steps = slot_q.zero | slot_q.one | slot_q.two | slot_q.three;
  assign closing = left_q == 4'd1;
  assign last = left_q == 4'd0;
  assign after_last = left_q == '1;
  assign middle = words_o[1] & (third_q == 2'd1);

  // All words are made that there are.
  always_comb begin
    if (at_end_q) begin
      made = first_q & slot_q.zero;
      if (words_o[0]) made |= last & ~slot_q.zero;
      if (words_o[1]) made |= last | (closing & slot_q.three);
      if (words_o[2]) made |= last | (closing & ~slot_q.zero);
    end else begin
      made = last;
      if (words_o[1]) made |= closing & (slot_q.two | slot_q.three);
      if (words_o[2]) made |= closing;
    end
  end

  assign run_ends = ~busy_q & steps & made;
  assign passes = slot_q.three & ~run_ends;
  assign ends = run_ends | (passes & busy_q & last & ~at_end_q) | (slot_q.of_key & after_last);

  assign forward_o = ~at_end_q | key_take_o | (slot_q.of_key & first_q);
  assign rotate_o = slot_q.of_key | made;
  assign substitute_o = (slot_q.zero & (~words_o[1] | (third_q == 2'd0))) | (slot_q.two & middle);
  assign whole_o = ~words_o[2] | (left_q[0] == at_end_q);
  assign round_constant_o = constant_q;
  assign key_advance_o = key_take_o | (steps & ~run_ends)
                       | (slot_q.of_key & at_end_q & busy_q & (first_q | after_last));
  assign backward_o = at_end_q;
  assign busy_o = busy_q;
  assign key_word_o = ~busy_q | slot_q.of_key | slot_q.of_key_6;

  // What waits. A key goes before a block that has not begun.
  assign key_ready_o = (ring_q == Fill) & (count_q == '0) & ~moving;
  assign key_take_o = key_valid_i & key_ready_o;
  assign block_ready_o = (ring_q == Fill) & known_q & ((count_q != '0) | ~key_valid_i);
  assign block_take_o = block_valid_i & block_ready_o;
  assign block_valid_o = ring_q == Leave;
  assign moves = block_take_o | (block_valid_o & block_ready_i);

  assign whole = (ring_q == Work) | (block_take_o & (count_q == '1));
  assign free = ~moving | run_ends;
  assign at_end = at_end_q ^ ends;
  // The schedule goes where a block begins as soon as one is offered, so it stands there when the block is whole.
  assign starts = free & whole;
  assign starts_run = free & ~whole & block_valid_i & known_q & ~key_valid_i & (decrypt_i != at_end);

  // The state.
  assign up_o = (ring_q == Fill) ? decrypt_i : (ring_q == Leave) & decrypt_q;
  assign result_up_o = decrypt_q;
  assign turn_o = slot_q.of_key & busy_q & (ring_q == Work);
  assign first_o = first_q;
  assign last_o = last & steps;
  always_comb begin
    front_advance_o = moves;
    back_advance_o = moves;
    if ((ring_q == Work) & busy_q) begin
      front_advance_o = steps | (slot_q.of_key & ~first_q);
      back_advance_o = (steps & ~(slot_q.two & middle)) | (slot_q.of_key & ~first_q) | slot_q.of_key_6;
    end
  end

  always_comb begin
    ring_d = ring_q;
    count_d = count_q + {1'b0, moves};
    decrypt_d = block_take_o ? decrypt_i : decrypt_q;
    unique case (ring_q)
      Fill: if (block_take_o & (count_q == '1)) ring_d = Work;
      Work: if (passes & busy_q & last) ring_d = Leave;
      default: if (moves & (count_q == '1)) ring_d = Fill;
    endcase

    known_d = known_q;
    key_count_d = key_count_q;
    if (key_take_o) begin
      known_d = key_count_q == {words_next[2] | words_next[1], words_next[2] | ~words_next[1], 1'b1};
      key_count_d = known_d ? '0 : key_count_q + 3'd1;
    end
  end

  always_comb begin
    busy_d = busy_q;
    first_d = first_q;
    left_d = left_q;
    third_d = third_q;
    constant_d = constant_q;
    at_end_d = at_end & ~key_take_o;

    slot_d.of_key = slot_q.three & ~runs_back;
    slot_d.zero = slot_q.of_key | (slot_q.three & runs_back);
    slot_d.one = slot_q.zero;
    slot_d.of_key_6 = slot_q.one & middle & ~runs_back;
    slot_d.two = (slot_q.one & ~(middle & ~runs_back)) | slot_q.of_key_6;
    slot_d.three = slot_q.two;
    if (passes) begin
      first_d = 1'b0;
      left_d = left_q - 4'd1;
      third_d = third_q == 2'd2 ? 2'd0 : third_q + 2'd1;
    end
    if (substitute_o & whole_o & ~made) begin
      constant_d = at_end_q ? {constant_q[0], constant_q[7:1]} ^ (8'h0d & {8{constant_q[0]}})
                            : {constant_q[6:0], constant_q[7]} ^ (8'h1a & {8{constant_q[7]}});
    end
    if (ends) slot_d = Idle;
    if (starts | starts_run) begin
      slot_d = starts_run & at_end ? One : OfKey;
      busy_d = starts;
      first_d = 1'b1;
      left_d = {1'b1, words_o[2] | words_o[1], words_o[2] | words_o[0], 1'b0};
      third_d = at_end ? 2'd2 : 2'd0;
      constant_d = at_end ? last_constant : FirstConstant;
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
      decrypt_q <= 1'b0;
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
      decrypt_q <= decrypt_d;
      at_end_q <= at_end_d;
      busy_q <= busy_d;
      first_q <= first_d;
    end
  end
endmodule
