// GHASH (SP 800-38D, section 6.4) along the items of messages (aesmith_message_ring): Y = (Y + X) H for each block of header
// and ciphertext and for that of their lengths, 128 / Digit clocks each. Of an IV that is not in the command it makes the
// first counter block likewise (section 7.1), when it comes to the start behind that IV.
//
//   item ─▶ X + Y ─▶ digits, the highest power first ─▶ Y x^Digit + digit H ─▶ Y ─▶ + tag to compare with ─▶ hash
//
// A block in the stream has byte 0 in its lowest bits; GCM's coefficient of x^0 is the highest bit of byte 0: within each
// byte bits are reversed, and that is all.
module aesmith_ghash #(
  parameter int unsigned Digit = 8,
  // The pipelined GHASH has more.
  parameter int unsigned Stages = 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  // A new key is taken: the hash key is not known until it comes.
  input  logic key_i,
  input  logic hash_key_valid_i,
  input  logic [127:0] hash_key_i,
  output logic hash_key_known_o,

  input  logic item_valid_i,
  output logic item_next_o,
  input  logic item_done_i,
  input  logic [2:0] item_kind_i,
  input  logic [15:0] item_keep_i,
  input  logic item_last_i,
  input  logic item_decrypt_i,
  input  logic [127:0] item_text_i,

  // Of a message the hash, with the tag to compare with added to it; or its first counter block; or that it had to be
  // given up, if it was to be decrypted.
  output logic valid_o,
  input  logic ready_i,
  output logic [127:0] hash_o,
  output logic first_counter_o,
  output logic given_up_o
);
  localparam logic [2:0] Iv = 3'd0, Header = 3'd1, Text = 3'd2, Tag = 3'd3, Start = 3'd4, StartIv = 3'd5, Error = 3'd6;
  localparam int unsigned Steps = 128 / Digit;

  if (Stages != 1) begin : gen_refused
    $error("Stages must be 1");
  end

  typedef enum logic {Items, Lengths} phase_e;

  function automatic logic [127:0] reversed_in_bytes(input logic [127:0] word);
    for (int unsigned i = 0; i < 128; i++) reversed_in_bytes[i] = word[8*(i/8)+7-i%8];
  endfunction

  function automatic logic [127:0] reversed(input logic [127:0] word);
    for (int unsigned i = 0; i < 128; i++) reversed[i] = word[127-i];
  endfunction

  phase_e phase_q;
  logic hash_key_known_q, iv_open_q, started_q, closing_q, waiting_q;
  logic [127:0] hash_key_q, y_q;
  logic [60:0] header_bytes_q, text_bytes_q;

  // What is to be done with the item.
  logic is_start, is_block, free, idle, begin_block, begin_iv_length, begin_lengths, skip, give_up, last_step;
  assign is_start = item_kind_i == Start | item_kind_i == StartIv;
  assign is_block = item_kind_i == Iv | item_kind_i == Header | (item_kind_i == Text & item_keep_i[0]);

  // The result has a place; a multiplication that ends without one waits.
  logic valid_q, first_counter_q, given_up_q;
  logic [127:0] hash_q;
  assign free = ~valid_q | ready_i;

  logic busy_q;
  logic close_iv, item_here, ends_wrong;
  assign idle = ~busy_q & ~waiting_q;
  assign close_iv = iv_open_q & item_kind_i == StartIv;
  assign item_here = idle & phase_q == Items & item_valid_i;

  assign begin_block     = item_here & hash_key_known_q & is_block & (item_kind_i != Text | item_decrypt_i | item_done_i);
  assign begin_iv_length = hash_key_known_q & item_here & close_iv;
  assign begin_lengths   = hash_key_known_q & ((item_here & item_kind_i == Tag) | (idle & phase_q == Lengths));
  assign give_up         = item_here & item_kind_i == Error & started_q & item_decrypt_i & free;
  assign skip            = item_here & ((item_kind_i == Error & ~(started_q & item_decrypt_i)) |
                                        (item_kind_i == Text & ~item_keep_i[0]));
  assign ends_wrong      = give_up | (skip & item_kind_i == Error);

  // The multiplication.
  logic [127:0] block, x, sum;
  logic [Digit-1:0] later_digit;
  logic start, running;
  assign start   = begin_block | begin_iv_length | begin_lengths;
  assign running = start | busy_q;
  always_comb begin
    block = '0;
    for (int unsigned place = 0; place < 16; place++) block[8*place+:8] = item_text_i[8*place+:8] & {8{item_keep_i[place]}};
    block = reversed_in_bytes(block);
    if (begin_iv_length) block = reversed({64'd0, text_bytes_q, 3'd0});
    if (begin_lengths) block = reversed({header_bytes_q, 3'd0, text_bytes_q, 3'd0});
  end
  assign x = y_q ^ block;

  aesmith_ghash_step u_step (
    .y_i(start ? '0 : y_q),
    .d_i(start ? x[127-:Digit] : later_digit),
    .h_i(hash_key_q),
    .p_o(sum)
  );

  if (Steps > 1) begin : gen_digits
    localparam int unsigned StepBits = $clog2(Steps);
    logic [127:0] x_q;
    logic [StepBits-1:0] step_q;
    assign later_digit = x_q[127-:Digit];
    assign last_step   = busy_q & step_q == StepBits'(Steps - 1);
    always_ff @(posedge clk_i) begin
      if (running) begin
        x_q    <= (start ? x : x_q) << Digit;
        step_q <= start ? StepBits'(1) : step_q + 1'b1;
      end
    end
  end else begin : gen_at_once
    assign later_digit = '0;
    assign last_step   = start;
  end

  // What the multiplication was of; at once, in the clock in which it begins.
  logic closing, lengths, ending, for_lengths_q;
  assign closing = start ? begin_iv_length : closing_q;
  assign lengths = start ? begin_lengths : for_lengths_q;
  assign ending  = (running & last_step & (closing | lengths)) | waiting_q;

  logic give, at_tag;
  logic [127:0] result, tag;
  assign give   = ending & free;
  assign result = reversed_in_bytes(waiting_q ? y_q : sum);
  assign at_tag = item_valid_i & item_kind_i == Tag & lengths;
  assign tag    = item_text_i & {128{at_tag}};

  logic new_message;
  assign new_message = item_valid_i & is_start & ((idle & phase_q == Items & ~close_iv) | (give & lengths & ~at_tag));
  assign item_next_o = begin_block | skip | give_up | new_message | (give & at_tag);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q          <= Items;
      hash_key_known_q <= 1'b0;
      iv_open_q        <= 1'b0;
      started_q        <= 1'b0;
      busy_q           <= 1'b0;
      waiting_q        <= 1'b0;
      valid_q          <= 1'b0;
    end else begin
      if (key_i) hash_key_known_q <= 1'b0;
      else if (hash_key_valid_i) hash_key_known_q <= 1'b1;
      busy_q    <= running & ~last_step;
      waiting_q <= ending & ~free;
      if (give | give_up) valid_q <= 1'b1;
      else if (ready_i) valid_q <= 1'b0;
      if (begin_block & item_last_i) phase_q <= Lengths;
      if (skip & item_kind_i == Text) phase_q <= Lengths;
      if (give) begin
        phase_q <= Items;
        if (closing) iv_open_q <= 1'b0;
        if (lengths) started_q <= 1'b0;
      end
      if (begin_block & item_kind_i == Iv) iv_open_q <= 1'b1;
      if (ends_wrong) started_q <= 1'b0;
      if (new_message) started_q <= 1'b1;
    end
  end

  // Whole blocks, and behind them, once, a partial one.
  function automatic logic [60:0] bytes_with(input logic [56:0] blocks, input logic [15:0] keep);
    logic [3:0] odd;
    odd = '0;
    for (int unsigned place = 0; place < 15; place++) odd += {3'd0, keep[place] & ~keep[15]};
    return {blocks + 57'(keep[15]), odd};
  endfunction

  always_ff @(posedge clk_i) begin
    if (hash_key_valid_i) hash_key_q <= reversed_in_bytes(hash_key_i);
    if (key_i | new_message | give | ends_wrong) y_q <= '0;
    else if (running) y_q <= sum;
    if (start) begin
      closing_q     <= begin_iv_length;
      for_lengths_q <= begin_lengths;
    end
    if (key_i | new_message | give | ends_wrong) text_bytes_q <= '0;
    else if (begin_block & item_kind_i != Header) text_bytes_q <= bytes_with(text_bytes_q[60:4], item_keep_i);
    if (new_message) header_bytes_q <= '0;
    else if (begin_block & item_kind_i == Header) header_bytes_q <= bytes_with(header_bytes_q[60:4], item_keep_i);
    if (give) hash_q <= result ^ tag;
    if (give | give_up) begin
      first_counter_q <= give & closing;
      given_up_q      <= give_up;
    end
  end

  assign hash_key_known_o = hash_key_known_q;
  assign valid_o         = valid_q;
  assign hash_o          = hash_q;
  assign first_counter_o = first_counter_q;
  assign given_up_o      = given_up_q;
endmodule
