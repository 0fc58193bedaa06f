// GHASH (SP 800-38D, section 6.4) along the items of messages, as aesmith_ghash, with a block in every clock and a multiplier
// of several stages: each stage has a partial hash of its own in it, and what a product is added to comes back as many
// clocks later.
//
//   item ─▶ window of Stages clocks ─▶ C, H^W ─▶ (Y + C) H^W in Stages clocks ─▶ Y ─▶ + in the place of the result ─▶ hash
//                                                  ▲                             │
//                                                  └─────────────────────────────┘
//
// Each clock has its product, also one without a block. W is the number of blocks of the same hash in the Stages clocks that
// begin with it: so every block has been multiplied by H once for itself and for each block behind it, whatever clocks were
// without one, and the last Stages products of a hash add up to it. The next hash begins in the clock behind the last block.
module aesmith_ghash_pipelined #(
  parameter int unsigned Digit = 128,
  parameter int unsigned Stages = 2
) (
  input  logic clk_i,
  input  logic rst_ni,

  // A new key is taken: the hash key is not known until it comes, and its powers are made.
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
  // Results of messages of one block each that are on their way, and one that waits.
  localparam int unsigned Results = Stages + 3;
  localparam int unsigned PlaceBits = $clog2(Results);
  localparam int unsigned CountBits = $clog2(Results + 1);
  localparam int unsigned PowerBits = $clog2(Stages + 1);

  if (Digit != 128 | Stages < 2) begin : gen_refused
    $error("Digit must be 128 and Stages 2 or more");
  end

  typedef enum logic {Items, Lengths} phase_e;

  function automatic logic [127:0] reversed_in_bytes(input logic [127:0] word);
    for (int unsigned i = 0; i < 128; i++) reversed_in_bytes[i] = word[8*(i/8)+7-i%8];
  endfunction

  function automatic logic [127:0] reversed(input logic [127:0] word);
    for (int unsigned i = 0; i < 128; i++) reversed[i] = word[127-i];
  endfunction

  phase_e phase_q;
  logic hash_key_known_q, iv_open_q, started_q;
  logic [60:0] header_bytes_q, text_bytes_q;

  // What is to be done with the item. A hash that ends has the place of its result from then on.
  logic is_start, is_block, room, close_iv, item_here, lengths_here;
  logic begin_block, begin_iv_length, begin_lengths, give_up, skip, ends_wrong, new_message;
  assign is_start     = item_kind_i == Start | item_kind_i == StartIv;
  assign is_block     = item_kind_i == Iv | item_kind_i == Header | (item_kind_i == Text & item_keep_i[0]);
  assign close_iv     = iv_open_q & item_kind_i == StartIv;
  assign item_here    = phase_q == Items & item_valid_i;
  assign lengths_here = (item_here & item_kind_i == Tag) | phase_q == Lengths;

  assign begin_block     = item_here & hash_key_known_q & is_block & (item_kind_i != Text | item_decrypt_i | item_done_i);
  assign begin_iv_length = item_here & hash_key_known_q & close_iv & room;
  assign begin_lengths   = lengths_here & hash_key_known_q & room;
  assign give_up         = item_here & item_kind_i == Error & started_q & item_decrypt_i & room;
  assign skip            = item_here & ((item_kind_i == Error & ~(started_q & item_decrypt_i)) |
                                        (item_kind_i == Text & ~item_keep_i[0]));
  assign ends_wrong      = give_up | (skip & item_kind_i == Error);
  assign new_message     = item_valid_i & is_start & ((phase_q == Items & ~close_iv) | (phase_q == Lengths & begin_lengths));
  assign item_next_o     = begin_block | skip | give_up | new_message | (begin_lengths & phase_q == Items);

  logic put, closes;
  assign closes = begin_iv_length | begin_lengths;
  assign put    = begin_block | closes;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q   <= Items;
      iv_open_q <= 1'b0;
      started_q <= 1'b0;
    end else begin
      if (begin_lengths) phase_q <= Items;
      if ((begin_block & item_last_i) | (skip & item_kind_i == Text)) phase_q <= Lengths;
      if (begin_block & item_kind_i == Iv) iv_open_q <= 1'b1;
      if (begin_iv_length) iv_open_q <= 1'b0;
      if (begin_lengths | ends_wrong) started_q <= 1'b0;
      if (new_message) started_q <= 1'b1;
    end
  end

  // Whole blocks, and behind them, once, a partial one: `keep` is a run of ones.
  function automatic logic [60:0] bytes_with(input logic [56:0] blocks, input logic [15:0] keep);
    logic [3:0] odd;
    odd = '0;
    for (int unsigned place = 0; place < 15; place++) odd |= 4'(place + 1) & {4{keep[place] & ~keep[place+1]}};
    return {keep[15] ? blocks + 57'd1 : blocks, odd};
  endfunction

  always_ff @(posedge clk_i) begin
    if (key_i | new_message | closes | ends_wrong) text_bytes_q <= '0;
    else if (begin_block & item_kind_i != Header) text_bytes_q <= bytes_with(text_bytes_q[60:4], item_keep_i);
    if (new_message) header_bytes_q <= '0;
    else if (begin_block & item_kind_i == Header) header_bytes_q <= bytes_with(header_bytes_q[60:4], item_keep_i);
  end

  // The window: what came in the last Stages clocks, the oldest in front.
  typedef struct packed {
    logic block;
    logic first;
    logic last;
    logic [PlaceBits-1:0] place;
  } clock_t;

  clock_t [Stages-1:0] window_q;
  logic [Stages-1:0][127:0] block_q;
  logic open_q;
  logic [PlaceBits-1:0] put_q;
  logic [127:0] text;
  always_comb begin
    for (int unsigned place = 0; place < 16; place++) text[8*place+:8] = item_text_i[8*place+:8] & {8{item_keep_i[place]}};
    text = reversed_in_bytes(text);
    if (close_iv) text = reversed({64'd0, text_bytes_q, 3'd0});
    if (lengths_here) text = reversed({header_bytes_q, 3'd0, text_bytes_q, 3'd0});
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q   <= 1'b0;
      window_q <= '0;
    end else begin
      if (closes | ends_wrong | key_i) open_q <= 1'b0;
      else if (put) open_q <= 1'b1;
      window_q <= {window_q[Stages-2:0], clock_t'{block: put, first: put & ~open_q, last: closes, place: put_q}};
    end
  end
  always_ff @(posedge clk_i) block_q <= {block_q[Stages-2:0], text};

  // Blocks of the oldest clock's hash in the window, and the place of its result if it ends there. Another hash begins with
  // its first block, behind the last one of this or behind one that was broken off.
  logic [PowerBits-1:0] blocks;
  logic ends, beyond;
  logic [PlaceBits-1:0] ends_at;
  always_comb begin
    blocks  = '0;
    ends    = 1'b0;
    beyond  = 1'b0;
    ends_at = '0;
    for (int unsigned age = 0; age < Stages; age++) begin
      if (age > 0 & window_q[Stages-1-age].first) beyond = 1'b1;
      if (~beyond) begin
        blocks += PowerBits'(window_q[Stages-1-age].block);
        if (window_q[Stages-1-age].last) begin
          ends    = 1'b1;
          ends_at = window_q[Stages-1-age].place;
        end
      end
    end
  end

  // Clocks since the hash began, as far as they matter: the product that comes back is of the same one.
  logic [PowerBits-1:0] since_q, since;
  always_comb begin
    since = since_q;
    if (window_q[Stages-1].first) since = '0;
    else if (since_q != PowerBits'(Stages)) since = since_q + 1'b1;
  end

  // Powers of the hash key, each made of the one before it by the multiplier, while nothing else is in it that matters.
  logic [Stages:1][127:0] power_q;
  logic [PowerBits-1:0] powers_q, chosen;
  logic make_q, made;
  logic [127:0] power;
  assign chosen = make_q ? powers_q : blocks;
  always_comb begin
    power = reversed({1'b1, 127'd0});
    for (int unsigned number = 1; number <= Stages; number++) begin
      if (chosen == PowerBits'(number)) power = power_q[number];
    end
  end

  // The product: its factors, and what becomes of it.
  typedef struct packed {
    logic adds;
    logic last;
    logic power;
    logic [PlaceBits-1:0] place;
  } use_t;

  use_t [Stages:0] use_q;
  use_t ready;
  logic chained_q;
  logic [127:0] c_q, power_of_h_q, y_q, product;
  assign ready = use_q[Stages];
  assign made  = ready.power;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) use_q <= '0;
    else use_q <= {use_q[Stages-1:0], use_t'{adds: ends, last: window_q[Stages-1].last, power: make_q, place: ends_at}};
  end
  always_ff @(posedge clk_i) begin
    since_q      <= since;
    chained_q    <= since == PowerBits'(Stages) & ~make_q;
    c_q          <= make_q ? power_q[1] : block_q[Stages-1] & {128{window_q[Stages-1].block}};
    power_of_h_q <= power;
    y_q          <= product;
  end

  aesmith_ghash_product u_product (
    .clk_i,
    .a_i(c_q ^ (y_q & {128{chained_q}})),
    .b_i(power_of_h_q),
    .p_o(product)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hash_key_known_q <= 1'b0;
      make_q           <= 1'b0;
    end else begin
      if (key_i) hash_key_known_q <= 1'b0;
      else if (made & powers_q == PowerBits'(Stages - 1)) hash_key_known_q <= 1'b1;
      make_q <= hash_key_valid_i | (made & powers_q != PowerBits'(Stages - 1));
    end
  end
  always_ff @(posedge clk_i) begin
    if (hash_key_valid_i) powers_q <= PowerBits'(1);
    else if (made) powers_q <= powers_q + 1'b1;
    if (hash_key_valid_i) power_q[1] <= reversed_in_bytes(hash_key_i);
    for (int unsigned number = 2; number <= Stages; number++) begin
      if (made & powers_q == PowerBits'(number - 1)) power_q[number] <= y_q;
    end
  end

  // Results in their order. One has its place from when its last block came; a tag to compare with is there first.
  logic [Results-1:0][127:0] result_q;
  logic [Results-1:0] done_q, first_counter_q, given_up_q;
  logic [PlaceBits-1:0] read_q;
  logic [CountBits-1:0] count_q;
  // Whether a result was reserved is known late in the clock, so its tag is written in the next; products come after that.
  logic reserved_q, has_tag_q;
  logic [PlaceBits-1:0] reserved_place_q;
  logic [127:0] tag_q;
  logic reserve, taken;
  assign room    = count_q != CountBits'(Results);
  assign reserve = closes | give_up;
  assign valid_o = count_q != '0 & done_q[read_q];
  assign taken   = valid_o & ready_i;

  function automatic logic [PlaceBits-1:0] after(input logic [PlaceBits-1:0] place);
    return place == PlaceBits'(Results - 1) ? '0 : place + 1'b1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      put_q      <= '0;
      read_q     <= '0;
      count_q    <= '0;
      reserved_q <= 1'b0;
    end else begin
      reserved_q <= reserve;
      if (reserve) put_q <= after(put_q);
      if (taken) read_q <= after(read_q);
      count_q <= count_q + CountBits'(reserve) - CountBits'(taken);
    end
  end

  always_ff @(posedge clk_i) begin
    tag_q            <= reversed_in_bytes(item_text_i);
    has_tag_q        <= begin_lengths & phase_q == Items;
    reserved_place_q <= put_q;
    for (int unsigned number = 0; number < Results; number++) begin
      if (reserved_q & reserved_place_q == PlaceBits'(number)) result_q[number] <= tag_q & {128{has_tag_q}};
      else if (ready.adds & ready.place == PlaceBits'(number)) result_q[number] <= result_q[number] ^ y_q;

      if (reserve & put_q == PlaceBits'(number)) begin
        done_q[number]          <= give_up;
        given_up_q[number]      <= give_up;
        first_counter_q[number] <= begin_iv_length;
      end else if (ready.adds & ready.place == PlaceBits'(number)) begin
        done_q[number] <= ready.last;
      end
    end
  end

  assign hash_key_known_o = hash_key_known_q;
  assign hash_o          = reversed_in_bytes(result_q[read_q]);
  assign first_counter_o = first_counter_q[read_q];
  assign given_up_o      = given_up_q[read_q];
endmodule
