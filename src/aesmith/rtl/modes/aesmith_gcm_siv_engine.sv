// GCM-SIV (RFC 8452) around one core: keys of its own for each message, a tag over the text, and a counter that begins as the
// tag. A message is taken whole, for its first block to leave depends on its last: text waits in a memory.
//
//   nonce ─▶ core under K ─▶ H, K'              once a message
//   header, text ─▶ ⊕ Y ─▶ X ─▶ GHASH by digits ─▶ Y       encrypting while it loads, decrypting as it comes of the core
//   Y ⊕ nonce ─▶ core under K' ─▶ tag           which is compared, or leaves last
//   tag + n ─▶ core under K' ─▶ ⊕ text n        which leaves, or decrypting goes into the memory again, until the verdict
//
//   state      what
//   OwnKey     the core takes K                 NewKey  it takes K'
//   Derive     two calls for H, two or four for K': the first half of each
//   Load       beats come; text goes into the memory
//   Crypt      a counter per block              before Lengths if it decrypts, behind MakeTag if it encrypts
//   Lengths    bits of header and text go to GHASH
//   MakeTag    the tag
//   Compare    what it makes different from the one that came is looked at
//   Unload     decrypted text leaves            TagOut  the tag leaves
//
// POLYVAL is GHASH with the bytes of all blocks turned round and the key times x (RFC 8452, appendix A): with byte 0 of a
// block in the lowest bits, as streams have it, bit i is the coefficient of x^(127 - i). H, X and K' are one shift register
// while keys are derived: of 256 bits K' is X and Y.
//
// Command: [0] encrypt, [7:4] bytes of the tag (0, which is 16), [15:8] key slot (0), [31:24] bytes of the nonce (12),
// [159:64] the nonce, its byte 0 in [71:64]. Other bits are not looked at.
//
// Codes: 1 KEEP, 2 PARTIAL, 3 ORDER, 4 KEY, 5 IV, 8 TAG as in aesmith_section_tracker; 6 LENGTH: more text than the memory
// has room for, or a header beyond 2^32 - 1 blocks.
module aesmith_gcm_siv_engine #(
  parameter int unsigned Cores = 1,
  // 128 or 256.
  parameter int unsigned KeyBits = 128,
  // Bits of an operand that GHASH takes a clock: at most 64.
  parameter int unsigned Digit = 16,
  // A message has at most 2^AddressBits beats of text.
  parameter int unsigned AddressBits = 10
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [KeyBits-1:0] key_i,

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
  output logic [KeyBits-1:0] core_key_o,
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
  localparam logic [2:0] LastHalf = KeyBits == 256 ? 3'd5 : 3'd3;

  if (Cores != 1) begin : gen_refused_cores
    $error("Cores must be 1");
  end
  if (KeyBits != 128 && KeyBits != 256) begin : gen_refused_keys
    $error("KeyBits must be 128 or 256");
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
    Idle, OwnKey, Derive, NewKey, Load, Crypt, Lengths, MakeTag, TagOut, Compare, Unload, Empty, Failed, Refused
  } state_e;
  state_e state_q, state_d;

  // K, H as its bytes come of the core, X and Y as polynomials; nonce and tag as the stream has them.
  logic [KeyBits-1:0] k_q;
  logic [127:0] h_q, x_q, y_q, tag_q;
  logic [95:0] nonce_q;
  logic [3:0] code_q, error_q;
  logic keyed_q, asked_q, busy_q, encrypt_q;
  // Whole blocks of the header, beats of text, bytes behind the whole blocks of both; the half of a key or the block of text
  // that is at work.
  logic [31:0] header_q;
  logic [CountBits-1:0] text_q, at_q, next_at;
  logic [2:0] half_q;
  logic [3:0] header_odd_q, text_odd_q;

  logic idle, own_key, derive, new_key, load, crypt, lengths, make_tag, tag_out, compares, unload;
  assign idle     = state_q == Idle;
  assign own_key  = state_q == OwnKey;
  assign derive   = state_q == Derive;
  assign new_key  = state_q == NewKey;
  assign load     = state_q == Load;
  assign crypt    = state_q == Crypt;
  assign lengths  = state_q == Lengths;
  assign make_tag = state_q == MakeTag;
  assign tag_out  = state_q == TagOut;
  assign compares = state_q == Compare;
  assign unload   = state_q == Unload;

  // A command, and what is wrong with it.
  logic take_command, unused_command;
  logic [3:0] refusal;
  assign s_axis_cmd_tready = idle & ~key_valid_i;
  assign take_command = s_axis_cmd_tready & s_axis_cmd_tvalid;
  assign unused_command = ^{s_axis_cmd_tdata[255:160], s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[3:1]};
  always_comb begin
    refusal = '0;
    if (s_axis_cmd_tdata[7:4] != '0) refusal = 4'd8;
    if (s_axis_cmd_tdata[31:24] != 8'd12) refusal = 4'd5;
    if (~keyed_q | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end

  // The beat at the input. What is hashed waits for GHASH.
  logic takes, good, is_header, is_text, is_tag, hashes, no_room, unused_first;
  logic [3:0] code, odd;
  assign is_header = s_axis_tkeep[0] & s_axis_tuser == Header;
  assign is_text   = s_axis_tkeep[0] & s_axis_tuser == Text;
  assign is_tag    = s_axis_tkeep[0] & s_axis_tuser == Tag;
  assign no_room   = (is_text & text_q[AddressBits]) | (is_header & header_q == '1);
  assign hashes    = is_header | (is_text & encrypt_q);
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
    .tag_i       ({16{~encrypt_q}}),
    .large_i     (no_room),
    .first_o     (unused_first),
    .code_o      (code)
  );
  assign s_axis_tready = load & (code != '0 | ~hashes | ~busy_q);
  assign good = takes & code == '0;
  always_comb begin
    odd = '0;
    for (int unsigned place = 0; place < 15; place++) odd |= 4'(place + 1) & {4{s_axis_tkeep[place] & ~s_axis_tkeep[place+1]}};
  end

  // The core: one block at a time.
  logic issued, result_valid, result_taken, leaves, last_text, free;
  logic [127:0] result, derives, hashed, made, counter;
  assign free         = ~(busy_q & ~encrypt_q); // decrypted text goes to GHASH
  assign result_valid = core_result_valid_i[0];
  assign result       = turned(core_result_i[0]);
  assign core_key_valid_o   = own_key | new_key;
  assign core_block_valid_o = (derive | crypt | (make_tag & ~busy_q)) & ~asked_q;
  assign issued             = core_block_valid_o[0] & core_block_ready_i[0];
  assign core_result_ready_o = derive | make_tag | (crypt & (encrypt_q ? m_axis_tready : free));
  assign result_taken       = result_valid & core_result_ready_o[0];
  if (KeyBits == 256) begin : gen_key_256
    assign core_key_o = own_key ? k_q : {x_q, y_q};
  end else begin : gen_key_128
    assign core_key_o = own_key ? k_q : x_q;
  end
  assign derives = {nonce_q, 32'(half_q)};
  assign hashed  = mirrored(y_q);
  assign made    = (hashed ^ {32'd0, nonce_q}) & {1'b0, {127{1'b1}}};
  assign counter = {1'b1, tag_q[126:32], tag_q[31:0] + 32'(at_q)};
  assign core_block_o = turned((derives & {128{derive}}) | (made & {128{make_tag}}) | (counter & {128{crypt}}));

  // What becomes of text and tag: it leaves, goes to GHASH, to the memory, or is compared.
  logic [127:0] sum, shown, length_block;
  logic [CountBits-1:0] whole;
  logic [15:0] last_keep, keep;
  assign next_at   = at_q + CountBits'(1);
  assign last_text = (unload ? at_q : next_at) == text_q;
  always_comb begin
    last_keep = '1;
    for (int unsigned place = 1; place < 16; place++) last_keep[place] = text_odd_q == '0 | text_odd_q > 4'(place);
    keep = '1;
    if (load) keep = s_axis_tkeep;
    if ((crypt | unload) & last_text) keep = last_keep;
    sum = s_axis_tdata & {128{load}};
    sum |= memory_data_i & {128{crypt | unload}};
    sum |= tag_q & {128{tag_out | (make_tag & ~encrypt_q)}};
    sum ^= result & {128{crypt | make_tag}};
    for (int unsigned place = 0; place < 16; place++) shown[8*place+:8] = sum[8*place+:8] & {8{keep[place]}};
  end
  assign whole        = text_q - CountBits'(text_odd_q != '0);
  assign length_block = {64'({whole, text_odd_q, 3'd0}), 25'd0, header_q, header_odd_q, 3'd0};

  logic hash, makes_tag;
  assign hash = (good & hashes) | (crypt & ~encrypt_q & result_taken) | (lengths & ~busy_q);
  assign makes_tag = make_tag & result_taken;

  // GHASH.
  logic [127:0] product;
  logic [StepBits-1:0] step_q;
  logic last_step;
  aesmith_ghash_step u_step (
    .y_i(y_q),
    .d_i(x_q[127-:Digit]),
    .h_i(doubled(mirrored(turned(h_q)))),
    .p_o(product)
  );
  assign last_step = step_q == StepBits'(Steps - 1);

  // The memory: text is written as it comes or is decrypted, and read as its counter goes to the core, or before it leaves.
  logic writes;
  assign writes           = (good & is_text) | (crypt & ~encrypt_q & result_taken);
  assign memory_write_o   = writes;
  assign memory_enable_o  = writes | (crypt & issued) | compares | (unload & m_axis_tready);
  assign memory_address_o = load ? text_q[AddressBits-1:0] : at_q[AddressBits-1:0];
  assign memory_data_o    = shown;

  // What leaves.
  logic shows;
  assign shows         = (crypt & encrypt_q & result_valid) | unload | tag_out;
  assign leaves        = m_axis_tvalid & m_axis_tready;
  assign m_axis_tvalid = shows | state_q inside {Empty, Failed, Refused};
  assign m_axis_tdata  = shown & {128{shows}};
  assign m_axis_tkeep  = keep & {16{shows}};
  assign m_axis_tlast  = m_axis_tvalid & ~crypt & (~unload | last_text);
  assign m_axis_tuser  = {state_q == Refused, state_q == Failed, m_axis_tvalid, tag_out};
  assign error_o       = error_q;
  assign key_ready_o   = idle;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (take_command) state_d = refusal != '0 ? Load : OwnKey;
      OwnKey: if (core_key_ready_i[0]) state_d = Derive;
      Derive: if (result_taken & half_q == LastHalf) state_d = NewKey;
      NewKey: if (core_key_ready_i[0]) state_d = Load;
      Load: begin
        if (takes & s_axis_tlast) begin
          if (~good) state_d = Refused;
          else state_d = encrypt_q | text_q == '0 ? Lengths : Crypt;
        end
      end
      Crypt: if (result_taken & last_text) state_d = encrypt_q ? TagOut : Lengths;
      Lengths: if (~busy_q) state_d = MakeTag;
      MakeTag: begin
        if (result_taken) begin
          if (~encrypt_q) state_d = Compare;
          else state_d = text_q == '0 ? TagOut : Crypt;
        end
      end
      Compare: begin
        if (x_q != '0) state_d = Failed;
        else state_d = text_q == '0 ? Empty : Unload;
      end
      Unload: if (leaves & last_text) state_d = Idle;
      TagOut, Empty, Failed, Refused: if (leaves) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      keyed_q <= 1'b0;
      asked_q <= 1'b0;
      busy_q  <= 1'b0;
      error_q <= '0;
    end else begin
      state_q <= state_d;
      if (key_valid_i & idle) keyed_q <= 1'b1;
      if (result_taken) asked_q <= 1'b0;
      else if (issued) asked_q <= 1'b1;
      if (hash) busy_q <= 1'b1;
      else if (last_step | idle) busy_q <= 1'b0;
      if (state_q == Refused & leaves) error_q <= code_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (key_valid_i & idle) k_q <= key_i;
    step_q <= busy_q ? step_q + 1'b1 : '0;
    if (derive & result_taken) h_q <= {h_q[63:0], x_q[127:64]};
    if (derive & result_taken) x_q <= {x_q[63:0], KeyBits == 256 ? y_q[127:64] : core_result_i[0][127:64]};
    else if (hash | makes_tag) x_q <= mirrored(lengths ? length_block : shown) ^ y_q;
    else if (busy_q) x_q <= x_q << Digit;
    if (KeyBits == 256 & derive & result_taken) y_q <= {y_q[63:0], core_result_i[0][127:64]};
    else if (new_key | hash | (make_tag & issued)) y_q <= '0;
    else if (busy_q) y_q <= product;
  end

  always_ff @(posedge clk_i) begin
    if (idle) begin
      encrypt_q <= s_axis_cmd_tdata[0];
      nonce_q   <= s_axis_cmd_tdata[159:64];
      code_q    <= refusal;
      {header_q, header_odd_q, text_q, text_odd_q, half_q} <= '0;
    end else if (load & s_axis_tvalid) begin
      code_q <= code;
    end
    if (good & is_header) begin
      header_odd_q <= odd;
      if (s_axis_tkeep[15]) header_q <= header_q + 32'd1;
    end
    if (good & is_text) begin
      text_odd_q <= odd;
      text_q     <= text_q + CountBits'(1);
    end
    if ((good & is_tag) | (makes_tag & encrypt_q)) tag_q <= shown;
    if (derive & result_taken) half_q <= half_q + 3'd1;
    if (idle | lengths) at_q <= '0;
    else if ((crypt & result_taken) | compares | (unload & leaves)) at_q <= next_at;
  end
endmodule
