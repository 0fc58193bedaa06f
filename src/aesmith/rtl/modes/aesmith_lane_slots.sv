// What beats of several lanes ask of the cores of GCM: a slot for each beat, with a block for each lane.
//
//   beat ─▶ what its lanes are ─▶ slot, counter blocks ─▶
//
//   slot  [ no block | hash key | first | last | decrypt | header | text | tag | keep | data ], the lanes side by side
//
// The last slot of a message has the lane of its tag behind all others: to decrypt the one that came, to encrypt one of
// zeros, for which there is a slot more where the last beat has no lane left. The block of that lane is the first counter
// block, J0 = IV || 1, those of text are the ones behind (SP 800-38D, section 7.1), which begin in whatever lane text does.
// Blocks of other lanes are not looked at. What is wrong from some beat on has one slot, without a block, whose data is the
// code. A new key's first slot is zero: its result is the hash key, and no other one goes before that is `known`.
module aesmith_lane_slots #(
  parameter int unsigned Lanes = 2,
  localparam int unsigned SlotBits = 5 + (3 + 16 + 128) * Lanes
) (
  input  logic clk_i,
  input  logic rst_ni,

  // A new key is taken; the hash key and its powers are known.
  input  logic key_i,
  input  logic known_i,
  output logic idle_o,

  input  logic valid_i,
  output logic take_o,
  input  logic encrypt_i,
  input  logic [15:0] tag_keep_i,
  input  logic [95:0] iv_i,
  input  logic [128*Lanes-1:0] text_i,
  input  logic [Lanes-1:0][15:0] keep_i,
  input  logic [Lanes-1:0][1:0] kind_i,
  input  logic last_i,
  input  logic first_i,
  input  logic [3:0] code_i,

  output logic valid_o,
  input  logic ready_i,
  output logic [Lanes-1:0][127:0] block_o,
  output logic [SlotBits-1:0] slot_o
);
  localparam logic [1:0] Header = 2'd1, Text = 2'd2, Tag = 2'd3;
  localparam int unsigned LowBits = $clog2(Lanes);

  // The beat, and what its lanes are if nothing is wrong with it.
  logic more;
  logic [Lanes-1:0] used, behind, header, text, tag;
  logic [Lanes-1:0][15:0] keep;
  logic [Lanes-1:0][15:0][7:0] bytes, data;
  assign more   = last_i & encrypt_i & used[Lanes-1];
  assign bytes  = text_i;
  assign behind = {used[Lanes-2:0], 1'b1};
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    assign used[lane]   = keep_i[lane] != '0;
    assign header[lane] = used[lane] & kind_i[lane] == Header;
    assign text[lane]   = used[lane] & kind_i[lane] == Text;
    assign tag[lane]    = encrypt_i ? last_i & behind[lane] & ~used[lane] : used[lane] & kind_i[lane] == Tag;
    assign keep[lane]   = tag[lane] ? tag_keep_i : keep_i[lane];
    for (genvar place = 0; place < 16; place++) begin : gen_byte
      assign data[lane][place] = bytes[lane][place] & {8{keep_i[lane][place]}};
    end
  end

  // The same in a register, with what was found, which comes late.
  logic waits_q, first_q, last_q, more_q, decrypt_q;
  logic [3:0] code_q;
  logic [Lanes-1:0] header_q, text_q, tag_q;
  logic [Lanes-1:0][15:0] keep_q;
  logic [128*Lanes-1:0] data_q;
  logic [15:0] tag_keep_q;
  logic [95:0] iv_q;
  logic leaves;
  assign take_o = valid_i & (~waits_q | leaves);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waits_q <= 1'b0;
    else waits_q <= take_o | (waits_q & ~leaves);
  end

  always_ff @(posedge clk_i) begin
    if (take_o) begin
      first_q    <= first_i;
      last_q     <= last_i;
      more_q     <= more;
      decrypt_q  <= ~encrypt_i;
      code_q     <= code_i;
      header_q   <= header;
      text_q     <= text;
      tag_q      <= tag;
      keep_q     <= keep;
      data_q     <= data;
      tag_keep_q <= tag_keep_i;
      iv_q       <= iv_i;
    end
  end

  // Its slot, and behind it one of a tag alone. What is wrong has none before its last beat.
  logic hash_key_q, extra_q, wrong, drops, two, sent, ends;
  logic [16*Lanes-1:0] tag_alone;
  assign wrong     = code_q != '0;
  assign drops     = wrong & ~last_q;
  assign two       = more_q & ~wrong;
  assign tag_alone = (16 * Lanes)'(tag_keep_q);
  assign ends      = extra_q | (last_q & ~two);
  assign valid_o   = hash_key_q | (waits_q & ~drops & known_i);
  assign sent      = valid_o & ready_i & ~hash_key_q;
  assign leaves    = (sent & (extra_q | ~two)) | drops;
  assign idle_o    = ~waits_q & ~hash_key_q;

  always_comb begin
    slot_o = {2'b00, first_q, ends, decrypt_q, header_q, text_q, tag_q, keep_q, data_q};
    if (wrong) slot_o = {2'b10, first_q, 1'b1, decrypt_q, {(3 + 16 + 128) * Lanes - 4{1'b0}}, code_q};
    if (extra_q) slot_o = {5'b00010, {2 * Lanes{1'b0}}, Lanes'(1), tag_alone, {128 * Lanes{1'b0}}};
    if (hash_key_q) slot_o = {2'b01, {SlotBits - 2{1'b0}}};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hash_key_q <= 1'b0;
      extra_q    <= 1'b0;
    end else begin
      if (key_i) hash_key_q <= 1'b1;
      else if (ready_i) hash_key_q <= 1'b0;
      if (sent) extra_q <= two & ~extra_q;
    end
  end

  // Counter blocks: J0 + 1 in the lane in which text begins, so J0 + 1 - `headers` in lane 0.
  logic begun_q;
  logic [LowBits-1:0] headers;
  logic [31:0] begins;
  logic [127:0] initial_block;
  logic [Lanes-1:0][127:0] counters;
  always_comb begin
    headers = '0;
    for (int unsigned lane = 0; lane < Lanes - 1; lane++) headers += LowBits'(header_q[lane]);
    for (int unsigned place = 0; place < 12; place++) initial_block[127-8*place-:8] = iv_q[8*place+:8];
    initial_block[31:0] = 32'd1;
  end
  assign begins = 32'd2 - 32'(headers);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begun_q <= 1'b0;
    else if (sent) begun_q <= ~ends & (begun_q | text_q != '0);
  end

  aesmith_lane_counters #(
    .Lanes      (Lanes),
    .CounterBits(32)
  ) u_counters (
    .clk_i,
    .take_i (sent),
    .first_i(~begun_q),
    .head_i ({initial_block[127:32], begins}),
    .above_i(begins[31:LowBits] + 1'b1),
    .block_o(counters)
  );

  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      block_o[lane] = tag_q[lane] | (extra_q & lane == 0) ? initial_block : counters[lane];
      if (hash_key_q) block_o[lane] = '0;
    end
  end
endmodule
