// GCM-SST (draft-mattsson-cfrg-aes-gcm-sst) around one core: two hash keys and a mask of each nonce, so that short tags are as
// hard to forge as their bits say. To encrypt, text leaves as it comes; decrypted, it waits in a memory for the verdict.
//
//   Z(0) ─▶ H                                Z(i) = E(nonce, i); the core has one key for all of them
//   header, ciphertext ─▶ ⊕ Y ─▶ · H ─▶ Y    by digits
//   Z(3 + n) ─▶ ⊕ text n
//   Z(1) ─▶ H₂, lengths ─▶ ⊕ Y ─▶ · H₂ ─▶ Y
//   Z(2) ⊕ Y ─▶ tag, cut to 6, 12 or 14 bytes, which is compared, or leaves last
//
//   state     what
//   HashKey   H                      Second   H₂, when all is hashed
//   Load      beats come: text waits at the input for its block of key stream
//   Lengths   bits of text and header go to GHASH
//   MakeTag   the tag
//   Compare   what it makes different from the one that came is looked at
//   Unload    decrypted text leaves  TagOut   the tag leaves
//
// POLYVAL is GHASH with the bytes of blocks turned round and keys times x, as in aesmith_gcm_siv_engine.
//
// Command: [0] encrypt, [7:4] bytes of the tag (6, 12 or 14), [15:8] key slot (0), [31:24] bytes of the nonce (12), [159:64]
// the nonce, its byte 0 in [71:64]. Other bits are not looked at.
//
// Codes: 1 KEEP, 2 PARTIAL, 3 ORDER, 4 KEY, 5 IV, 8 TAG as in aesmith_section_tracker; 6 LENGTH: text or header beyond what
// the draft allows with such a tag (2^12, 2^28 or 2^32 - 3 blocks), or text to decrypt that the memory has no room for.
module aesmith_gcm_sst_engine #(
  parameter int unsigned Cores = 1,
  // Bits of an operand that GHASH takes a clock: at most 64.
  parameter int unsigned Digit = 16,
  // A message to decrypt has at most 2^AddressBits beats of text: at most 16.
  parameter int unsigned AddressBits = 10
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,

  input  logic s_axis_cmd_tvalid,
  output logic s_axis_cmd_tready,
  input  logic [255:0] s_axis_cmd_tdata,

  input  logic s_axis_tvalid,
  output logic s_axis_tready,
  input  logic [127:0] s_axis_tdata,
  input  logic [15:0] s_axis_tkeep,
  input  logic [1:0] s_axis_tuser,
  input  logic s_axis_tlast,

  output logic m_axis_tvalid,
  input  logic m_axis_tready,
  output logic [127:0] m_axis_tdata,
  output logic [15:0] m_axis_tkeep,
  output logic [3:0] m_axis_tuser,
  output logic m_axis_tlast,

  // The code of the last message that was refused; 0 if none was.
  output logic [3:0] error_o,

  // The memory, which gives data one clock after they were read.
  output logic memory_enable_o,
  output logic memory_write_o,
  output logic [AddressBits-1:0] memory_address_o,
  output logic [127:0] memory_data_o,
  input  logic [127:0] memory_data_i,

  output logic [Cores-1:0] core_key_valid_o,
  input  logic [Cores-1:0] core_key_ready_i,
  output logic [Cores-1:0] core_block_valid_o,
  input  logic [Cores-1:0] core_block_ready_i,
  output logic [127:0] core_block_o,
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][127:0] core_result_i
);
  localparam int unsigned Steps = 128 / Digit, StepBits = $clog2(Steps);
  localparam int unsigned CountBits = AddressBits + 1;
  localparam logic [1:0] Header = 2'd1, Text = 2'd2, Tag = 2'd3;
  localparam logic [3:0] ShortTag = 4'd6, UsualTag = 4'd12, LongTag = 4'd14;

  if (Cores != 1) begin : gen_refused_cores
    $error("Cores must be 1");
  end
  if (AddressBits > 16) begin : gen_refused_room
    $error("AddressBits must be at most 16");
  end

  // The first byte of a stream in the highest bits, as a core has it, or back.
  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction
  // A block as a polynomial of GHASH, bit i the coefficient of x^i, or back.
  function automatic logic [127:0] mirrored(input logic [127:0] block);
    for (int unsigned i = 0; i < 128; i++) mirrored[i] = block[127-i];
  endfunction
  function automatic logic [127:0] doubled(input logic [127:0] block);
    return {block[126:0], 1'b0} ^ {120'd0, 8'h87 & {8{block[127]}}};
  endfunction

  typedef enum logic [3:0] {
    Idle, HashKey, Load, Second, Lengths, MakeTag, TagOut, Compare, Unload, Empty, Failed, Refused
  } state_e;
  state_e state_q, state_d;

  // Hash keys as they come of the core, X and Y as polynomials; nonce and tag as the stream has them.
  logic [127:0] h_q, x_q, y_q, tag_q;
  logic [95:0] nonce_q;
  logic [3:0] size_q, code_q, error_q;
  logic keyed_q, asked_q, busy_q, encrypt_q;
  // Whole blocks of header and text, bytes behind those; the block that is read.
  logic [31:0] header_q, text_q;
  logic [3:0] header_odd_q, text_odd_q;
  logic [CountBits-1:0] at_q;

  logic idle, hash_key, load, second, lengths, make_tag, tag_out, compares, unload;
  assign idle     = state_q == Idle;
  assign hash_key = state_q == HashKey;
  assign load     = state_q == Load;
  assign second   = state_q == Second;
  assign lengths  = state_q == Lengths;
  assign make_tag = state_q == MakeTag;
  assign tag_out  = state_q == TagOut;
  assign unload   = state_q == Unload;
  assign compares = state_q == Compare;

  // A command, and what is wrong with it.
  logic take_command, unused_command;
  logic [3:0] refusal;
  assign s_axis_cmd_tready = idle & ~key_valid_i;
  assign take_command = s_axis_cmd_tready & s_axis_cmd_tvalid;
  assign unused_command = ^{s_axis_cmd_tdata[255:160], s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[3:1]};
  always_comb begin
    refusal = '0;
    if (~(s_axis_cmd_tdata[7:4] inside {ShortTag, UsualTag, LongTag})) refusal = 4'd8;
    if (s_axis_cmd_tdata[31:24] != 8'd12) refusal = 4'd5;
    if (~keyed_q | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end

  // The beat at the input. Text waits for its key stream, and what is hashed for GHASH.
  logic takes, good, is_header, is_text, is_tag, no_room, text_ready, unused_first;
  logic [3:0] code, odd;
  logic [15:0] tag_keep;
  function automatic logic is_full(input logic [31:0] blocks, input logic [3:0] tag_bytes);
    return (tag_bytes == LongTag & blocks[12]) | (tag_bytes == UsualTag & blocks[28]) | blocks == 32'hffff_fffd;
  endfunction
  assign tag_keep  = {2'd0, {2{size_q == LongTag}}, {6{size_q != ShortTag}}, {6{1'b1}}};
  assign is_header = s_axis_tkeep[0] & s_axis_tuser == Header;
  assign is_text   = s_axis_tkeep[0] & s_axis_tuser == Text;
  assign is_tag    = s_axis_tkeep[0] & s_axis_tuser == Tag;
  assign no_room   = (is_text & (is_full(text_q, size_q) | (~encrypt_q & text_q[AddressBits]))) |
                     (is_header & is_full(header_q, size_q));
  assign takes     = s_axis_tvalid & s_axis_tready;
  aesmith_section_tracker u_tracker (
    .clk_i,
    .rst_ni,
    .take_i      (takes),
    .keep_i      (s_axis_tkeep),
    .kind_i      (s_axis_tuser),
    .last_i      (s_axis_tlast),
    .refused_i   (code_q),
    .text_bytes_i('1),
    .kinds_i     ({~encrypt_q, 3'b110}),
    .iv_i        (1'b0),
    .tag_i       (tag_keep & {16{~encrypt_q}}),
    .large_i     (no_room),
    .first_o     (unused_first),
    .code_o      (code)
  );
  assign text_ready    = core_result_valid_i[0] & ~busy_q & (~encrypt_q | m_axis_tready);
  assign s_axis_tready = load & (code != '0 | (is_text ? text_ready : ~(is_header & busy_q)));
  assign good = takes & code == '0;
  always_comb begin
    odd = '0;
    for (int unsigned place = 0; place < 15; place++) odd |= 4'(place + 1) & {4{s_axis_tkeep[place] & ~s_axis_tkeep[place+1]}};
  end

  // The core: one block at a time.
  logic issued, result_taken, asks_text;
  logic [127:0] result;
  logic [31:0] number;
  assign key_ready_o         = idle & core_key_ready_i[0];
  assign core_key_valid_o    = key_valid_i & idle;
  assign asks_text           = load & s_axis_tvalid & is_text & code == '0;
  assign core_block_valid_o  = (hash_key | second | make_tag | asks_text) & ~asked_q;
  assign issued              = core_block_valid_o[0] & core_block_ready_i[0];
  assign core_result_ready_o = hash_key | ((second | make_tag) & ~busy_q) | (good & is_text);
  assign result              = turned(core_result_i[0]);
  assign result_taken        = core_result_valid_i[0] & core_result_ready_o[0];
  assign number = load ? text_q + 32'd3 : {30'd0, make_tag, second};
  assign core_block_o = {turned({32'd0, nonce_q})[127:32], number};

  // What becomes of text and tag: it leaves, goes to GHASH, to the memory, or is compared.
  logic [127:0] sum, shown, came, hashed, length_block;
  logic [15:0] keep;
  logic last_text;
  assign hashed       = mirrored(y_q);
  assign length_block = {25'd0, header_q, header_odd_q, 3'd0, 25'd0, text_q, text_odd_q, 3'd0};
  assign last_text    = at_q == text_q[CountBits-1:0] + CountBits'(text_odd_q != '0);
  always_comb begin
    keep = '1;
    if (load) keep = s_axis_tkeep;
    if (make_tag | tag_out) keep = tag_keep;
    for (int unsigned place = 1; place < 16; place++) begin
      if (unload & last_text & text_odd_q != '0 & text_odd_q <= 4'(place)) keep[place] = 1'b0;
    end
    sum = s_axis_tdata & {128{load}};
    sum |= memory_data_i & {128{unload}};
    sum |= tag_q & {128{tag_out | (make_tag & ~encrypt_q)}};
    sum ^= hashed & {128{make_tag}};
    sum ^= result & {128{make_tag | (load & is_text)}};
    for (int unsigned place = 0; place < 16; place++) begin
      shown[8*place+:8] = sum[8*place+:8] & {8{keep[place]}};
      came[8*place+:8]  = s_axis_tdata[8*place+:8] & {8{keep[place]}};
    end
  end

  // GHASH: of the header as it comes, and of ciphertext, which comes or leaves.
  logic hash, makes_tag, last_step;
  logic [127:0] operand, product;
  logic [StepBits-1:0] step_q;
  assign hash      = (good & (is_header | is_text)) | lengths;
  assign makes_tag = make_tag & result_taken;
  always_comb begin
    operand = is_text & encrypt_q ? shown : came;
    if (lengths) operand = length_block;
  end
  aesmith_ghash_step u_step (
    .h_i(doubled(mirrored(turned(h_q)))),
    .y_i(y_q),
    .d_i(x_q[127-:Digit]),
    .p_o(product)
  );
  assign last_step = step_q == StepBits'(Steps - 1);

  // The memory: decrypted text is written as it is decrypted, and read before it leaves.
  assign memory_write_o   = good & is_text & ~encrypt_q;
  assign memory_enable_o  = memory_write_o | compares | (unload & m_axis_tready);
  assign memory_address_o = load ? text_q[AddressBits-1:0] : at_q[AddressBits-1:0];
  assign memory_data_o    = shown;

  // What leaves.
  logic shows, leaves;
  assign shows         = (asks_text & encrypt_q & core_result_valid_i[0] & ~busy_q) | unload | tag_out;
  assign leaves        = m_axis_tvalid & m_axis_tready;
  assign m_axis_tvalid = shows | state_q inside {Empty, Failed, Refused};
  assign m_axis_tdata  = shown & {128{shows}};
  assign m_axis_tkeep  = keep & {16{shows}};
  assign m_axis_tlast  = m_axis_tvalid & ~load & (~unload | last_text);
  assign m_axis_tuser  = {state_q == Refused, state_q == Failed, m_axis_tvalid, tag_out};
  assign error_o       = error_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (take_command) state_d = refusal != '0 ? Load : HashKey;
      HashKey: if (result_taken) state_d = Load;
      Load: if (takes & s_axis_tlast) state_d = good ? Second : Refused;
      Second: if (result_taken) state_d = Lengths;
      Lengths: state_d = MakeTag;
      MakeTag: if (result_taken) state_d = encrypt_q ? TagOut : Compare;
      Compare: begin
        if (x_q != '0) state_d = Failed;
        else state_d = text_q == '0 & text_odd_q == '0 ? Empty : Unload;
      end
      Unload: if (leaves & last_text) state_d = Idle;
      default: if (leaves) state_d = Idle; // TagOut, Empty, Failed, Refused
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      error_q <= '0;
      keyed_q <= 1'b0;
      asked_q <= 1'b0;
      busy_q  <= 1'b0;
    end else begin
      state_q <= state_d;
      if (key_valid_i & key_ready_o) keyed_q <= 1'b1;
      if (result_taken) asked_q <= 1'b0;
      else if (issued) asked_q <= 1'b1;
      if (hash) busy_q <= 1'b1;
      else if (last_step | idle) busy_q <= 1'b0;
      if (state_q == Refused & leaves) error_q <= code_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if ((hash_key | second) & result_taken) h_q <= core_result_i[0];
    if (hash) x_q <= mirrored(operand) ^ y_q;
    else if (makes_tag) x_q <= shown;
    else if (busy_q) x_q <= x_q << Digit;
    if (hash_key | hash) y_q <= '0;
    else if (busy_q) y_q <= product;
    step_q <= busy_q ? step_q + 1'b1 : '0;
    if ((good & is_tag) | (makes_tag & encrypt_q)) tag_q <= shown;
  end

  always_ff @(posedge clk_i) begin
    if (idle) begin
      encrypt_q <= s_axis_cmd_tdata[0];
      size_q    <= s_axis_cmd_tdata[7:4];
      nonce_q   <= s_axis_cmd_tdata[159:64];
      code_q    <= refusal;
      {header_q, header_odd_q, text_q, text_odd_q, at_q} <= '0;
    end else if (load & s_axis_tvalid) begin
      code_q <= code;
    end
    if (good & is_header) begin
      header_odd_q <= odd;
      header_q     <= header_q + 32'(s_axis_tkeep[15]);
    end
    if (good & is_text) begin
      text_odd_q <= odd;
      text_q     <= text_q + 32'(s_axis_tkeep[15]);
    end
    if (compares | (unload & leaves)) at_q <= at_q + CountBits'(1);
  end
endmodule
