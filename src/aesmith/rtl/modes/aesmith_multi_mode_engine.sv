// An engine of up to eight modes around one core, each message in the mode that its command names. A beat waits at the
// input until the core offers what is to be added to it, and leaves in that clock: nothing of a message is stored but three
// registers of a block and, per key, E(0).
//
//   stream ─▶ text ───┬──────────▶ (ECB, CBC) ─▶ core ─▶ result ─▶ ⊕ ─▶ stream
//                     │      R: IV, chain, counter ─▶ "                  ▲
//                     └─▶ ⊕ Y ─▶ X ─▶ (CMAC, CCM) ─▶ "  ─▶ Y            text
//                                X ─▶ GHASH by digits ───▶ Y
//
//   mode        standard          to the core        what leaves            the next R            X
//   0  ECB      SP 800-38A, 6.1   T                  result
//   1  CBC      6.2  encrypts     T ⊕ R              result                 result
//                    decrypts     T                  result ⊕ R             T
//   2  CFB128   6.3  encrypts     R                  result ⊕ T             what leaves
//                    decrypts     R                  result ⊕ T             T
//   3  OFB      6.4               R                  result ⊕ T             result
//   4  CTR      6.5               R                  result ⊕ T             R + 1 in 32 bits
//   5  CMAC     SP 800-38B        X (+ K1 or K2)     the last result                              Y ⊕ T
//   6  CCM      SP 800-38C        R; X               result ⊕ T             R + 1 in 32 bits      Y ⊕ plaintext
//   7  GCM      SP 800-38D        R                  result ⊕ T             R + 1 in 32 bits      Y ⊕ ciphertext
//
// Command: [0] encrypt, [3:1] mode, [7:4] bytes of the tag (0 for 16), [15:8] key slot (0), [31:24] bytes of the IV, [191:64]
// the IV, its byte 0 in [71:64]. An engine of one mode does not look at [3:1], nor one that computes one way at [0]. The IV
// has 16 bytes: that of CBC, CFB128 and OFB, CTR's first counter block, CCM's B0; GCM's has 12, or with LongIv 0, where
// it comes in front of the stream; ECB and CMAC have none. CCM's header comes with its length in front, as SP 800-38C
// encodes it. With Verified the text of a good message leaves behind its verdict, tlast in its last beat; of a bad one the
// verdict alone does. Else the verdict comes behind the text, in a beat without bytes.
//
// GCM. R is the IV, and its low word counts whole blocks: counter n is n + 2, E(J0) is made last, and lengths come from it.
// With LongIv the low word is the next counter, text_q counts, and J0 is had back by R + ~text_q at the end. Encrypting, X
// takes text ⊕ result as that leaves; decrypting, it does when the counter block goes to the core, whose output is 0 then.
// CCM loads X likewise, directions exchanged.
//
// Codes: 1 KEEP, 2 PARTIAL, 3 ORDER, 4 KEY, 5 IV, 6 LENGTH, 7 WRAP, 8 TAG as in aesmith_section_tracker, and 10 MODE: a
// mode, or a direction of it, that the engine has not. LENGTH: part of a block in ECB and CBC; in GCM text beyond
// 2^32 - 2 blocks, header or IV beyond 2^32 - 1; in CCM text other than B0 says, or a header where it says none, or none
// where it says one; with Verified text to decrypt that the memory has no room for. WRAP: text of CTR beyond 2^32 - 1 blocks.
module aesmith_multi_mode_engine #(
  parameter int unsigned Cores = 1,
  // Bit n: mode n is built.
  parameter logic [7:0] Modes = 8'hff,
  // What the core computes, of which ECB and CBC are made; the other modes encrypt.
  parameter bit Encrypts = 1'b1,
  parameter bit Decrypts = 1'b0,
  // Bits of an operand that GHASH takes a clock: at most 64.
  parameter int unsigned Digit = 16,
  parameter bit LongIv = 1'b0,
  // Text that GCM and CCM decrypted leaves behind its verdict, of at most 2^AddressBits beats, which wait in the memory.
  parameter bit Verified = 1'b0,
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

  // The memory, which gives data one clock after they were read; 0 without one.
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
  output logic core_decrypt_o,
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][127:0] core_result_i
);
  localparam int unsigned Steps = 128 / Digit, StepBits = $clog2(Steps);
  localparam logic [1:0] Iv = 2'd0, Header = 2'd1, Text = 2'd2, Tag = 2'd3;
  localparam bit One = (Modes & (Modes - 8'd1)) == '0, Ghash = Modes[7], Hashes = Modes[7:5] != '0;
  localparam bit OneWay = Modes[7:2] == '0 & Encrypts != Decrypts, LongGcm = Ghash & LongIv;

  if (Cores != 1) begin : gen_refused
    $error("Cores must be 1");
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
  function automatic logic [127:0] masked(input logic [127:0] block, input logic [15:0] keep);
    for (int unsigned place = 0; place < 16; place++) masked[8*place+:8] = block[8*place+:8] & {8{keep[15-place]}};
  endfunction

  typedef enum logic [3:0] {
    Idle, HashKey, FirstBlock, Body, Mac, IvLength, IvHash, IvCount, Restore, Lengths, AtTag, Compare, Verdict, Drain, Refused
  } state_e;
  state_e state_q, state_d;

  // X, Y and H are polynomials, R a block. Y is 0 unless it is waited for.
  logic [127:0] h_q, x_q, y_q, r_q;
  logic [7:0] command_q;
  logic [3:0] error_q;
  logic keyed_q, asked_q, busy_q, failed_q, first_q, part_q, final_q, header_due_q, iv_open_q;
  logic [1:0] section_q;
  // Whole blocks of GCM's header or IV, of CTR's text; of CCM's text what is left, its complement. Bytes behind them.
  logic [31:0] count_q, text_q;
  logic [3:0] odd_q, text_odd_q;

  // Where it is; states that no mode of it has are never.
  logic idle, in_key, in_first, in_mac, in_iv_length, in_iv_count, in_lengths;
  assign idle         = state_q == Idle;
  assign in_key       = (Modes[7] | Modes[5]) & state_q == HashKey;
  assign in_first     = Modes[6] & state_q == FirstBlock;
  assign in_mac       = (Modes[6] | Modes[5]) & state_q == Mac;
  assign in_iv_length = LongGcm & state_q == IvLength;
  assign in_iv_count  = LongGcm & state_q == IvCount;
  assign in_lengths   = (Modes[7] | Modes[6]) & state_q == Lengths;

  // The message's mode.
  logic ecb, cbc, cfb, ofb, ctr, cmac, ccm, gcm, encrypt, has_tag;
  logic [7:0] mode;
  for (genvar number = 0; number < 8; number++) begin : gen_mode
    assign mode[number] = Modes[number] & (One | command_q[3:1] == 3'(number));
  end
  assign {gcm, ccm, cmac, ctr, ofb, cfb, cbc, ecb} = mode;
  assign encrypt = OneWay ? Encrypts : command_q[0];
  assign has_tag  = gcm | ccm | cmac;

  // A command, and what is wrong with it.
  logic take_command;
  logic [7:0] asks;
  logic [127:0] command_iv;
  logic [3:0] tag_size, refusal;
  logic iv_wrong, tag_wrong, length_wrong, mode_wrong, unused_command;
  for (genvar number = 0; number < 8; number++) begin : gen_asks
    assign asks[number] = Modes[number] & (One | s_axis_cmd_tdata[3:1] == 3'(number));
  end
  assign s_axis_cmd_tready = idle & ~key_valid_i;
  assign take_command = s_axis_cmd_tready & s_axis_cmd_tvalid;
  assign command_iv = turned(s_axis_cmd_tdata[191:64]);
  assign tag_size = s_axis_cmd_tdata[7:4];
  assign unused_command = ^{s_axis_cmd_tdata[255:192], s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16]};
  always_comb begin
    iv_wrong = 1'b0;
    if (asks[0] | asks[5]) iv_wrong = s_axis_cmd_tdata[31:24] != 8'd0;
    if (asks[4:1] != '0) iv_wrong = s_axis_cmd_tdata[31:24] != 8'd16;
    if (asks[6]) iv_wrong = s_axis_cmd_tdata[31:24] != 8'd16 | command_iv[127] | command_iv[122:120] == 3'd0;
    if (asks[7]) iv_wrong = s_axis_cmd_tdata[31:24] != 8'd12 & ~(LongIv & s_axis_cmd_tdata[31:24] == 8'd0);
    tag_wrong = 1'b0;
    if (asks[5]) tag_wrong = tag_size inside {4'd1, 4'd2, 4'd3};
    if (asks[6]) tag_wrong = command_iv[125:123] == 3'd0 | tag_size != {command_iv[125:123] + 3'd1, 1'b0};
    if (asks[7]) tag_wrong = ~(tag_size inside {4'd0, 4'd4, 4'd8, 4'd12, 4'd13, 4'd14, 4'd15});
    length_wrong = 1'b0;
    for (int unsigned place = 4; place < 8; place++) begin
      if (asks[6] & command_iv[122:120] >= 3'(place) & command_iv[8*place+:8] != '0) length_wrong = 1'b1;
    end
    mode_wrong = asks == '0 | ((asks[0] | asks[1]) & ~OneWay & ~(s_axis_cmd_tdata[0] ? Encrypts : Decrypts));
    refusal = '0;
    if (mode_wrong) refusal = 4'd10;
    if (tag_wrong) refusal = 4'd8;
    if (length_wrong) refusal = 4'd6;
    if (iv_wrong) refusal = 4'd5;
    if (~keyed_q | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end

  logic [15:0] tag_keep;
  always_comb begin
    tag_keep = 16'd1;
    for (int unsigned place = 1; place < 16; place++) tag_keep[place] = command_q[7:4] == '0 | command_q[7:4] > 4'(place);
  end

  // The beat at the input, and what is wrong with it: CMAC looks at the next one before a block goes to the core.
  logic looks, some, full, no_room, is_iv, is_header, is_text, is_tag, is_empty, behind_iv, good, most;
  logic [3:0] code, odd;
  assign looks     = (state_q == Body | (in_mac & cmac & ~final_q)) & s_axis_tvalid;
  assign some      = s_axis_tkeep[0];
  assign full      = s_axis_tkeep[15];
  assign is_iv     = some & s_axis_tuser == Iv;
  assign is_header = some & s_axis_tuser == Header;
  assign is_text   = some & s_axis_tuser == Text;
  assign is_tag    = some & s_axis_tuser == Tag;
  assign is_empty  = ~some;
  assign most      = &count_q;
  assign behind_iv = LongGcm & iv_open_q & gcm & ~is_iv; // count_q is still of the IV
  always_comb begin
    odd = '0;
    for (int unsigned place = 0; place < 15; place++) odd |= 4'(place + 1) & {4{s_axis_tkeep[place] & ~s_axis_tkeep[place+1]}};
  end
  always_comb begin
    code = '0;
    if (is_tag & s_axis_tkeep != tag_keep) code = 4'd8;
    if (ctr & is_text & most) code = 4'd7;
    if ((ecb | cbc) & is_text & ~full) code = 4'd6;
    if (gcm & is_text & (LongIv ? &text_q[31:1] : &r_q[31:1])) code = 4'd6;
    if (gcm & (is_header | is_iv) & most & ~behind_iv) code = 4'd6;
    if (no_room & is_text) code = 4'd6;
    if (ccm & first_q & is_header != header_due_q) code = 4'd6;
    if (ccm & is_text & (full ? most : ~most | odd != odd_q)) code = 4'd6;
    if (ccm & s_axis_tlast & ~is_text & (~most | odd_q != '0)) code = 4'd6;
    if (ccm & s_axis_tlast & is_text & full & (count_q[31:1] != '1 | count_q[0] | odd_q != '0)) code = 4'd6;
    if (LongGcm & gcm & iv_open_q & first_q & (~is_iv | s_axis_tkeep == 16'h0fff)) code = 4'd5;
    if (is_iv & ~(LongGcm & gcm & iv_open_q)) code = 4'd3;
    if (is_header & ~(gcm | ccm)) code = 4'd3;
    if (is_tag & (encrypt | ~has_tag | ~s_axis_tlast)) code = 4'd3;
    if (has_tag & ~encrypt & s_axis_tlast & ~is_tag) code = 4'd3;
    if (some & ~first_q & s_axis_tuser < section_q) code = 4'd3;
    if (~first_q & part_q & s_axis_tuser == section_q) code = 4'd2;
    if ((s_axis_tkeep[15:1] & ~s_axis_tkeep[14:0]) != '0 | (is_empty & ~(first_q & s_axis_tlast))) code = 4'd1;
  end
  assign good = looks & code == '0;

  // What becomes of it. One that is hashed or chained goes into X; text waits for the core's result. Behind an IV that came
  // in the stream, J0 comes first.
  logic body, absorbs, absorbed, text_here, text_leaves, tag_here, tag_leaves, tag_taken, load_early, load;
  logic out_ready, result_valid, result_taken, issue, issued, last_step, last_mac;
  logic [127:0] result;
  assign result       = core_result_i[0];
  assign result_valid = core_result_valid_i[0];
  assign body         = good & state_q == Body;
  assign absorbs      = body & ~behind_iv & (is_header | is_iv | (cmac & (is_text | is_tag | is_empty)));
  assign absorbed     = absorbs & ~busy_q;
  // GCM decrypting and CCM encrypting: X takes the text as its counter block goes to the core.
  assign load_early   = (gcm & ~encrypt) | (ccm & encrypt);
  assign text_here    = body & ~behind_iv & is_text & ~cmac & result_valid & ~(gcm & encrypt & busy_q);
  assign text_leaves  = text_here & out_ready;
  assign tag_here     = state_q == AtTag & encrypt & result_valid & ~busy_q;
  assign tag_leaves   = tag_here & out_ready;
  assign tag_taken    = state_q == AtTag & ~encrypt & result_valid & ~busy_q;
  assign last_mac     = cmac & (final_q | is_tag);
  assign load = absorbed | tag_taken | ((in_lengths | in_iv_length) & gcm & ~busy_q) |
                ((gcm | ccm) & (load_early ? issued & state_q == Body : text_leaves));

  // The core: one block at a time. A result that is not asked for is not there.
  logic wants_text;
  assign wants_text = body & ~behind_iv & is_text & ~cmac & ~(load_early & busy_q);
  always_comb begin
    issue = wants_text;
    if (in_key | in_first) issue = 1'b1;
    if (in_mac) issue = ccm | final_q | good;
    if (in_lengths | state_q == AtTag) issue = gcm | ccm;
    if (asked_q) issue = 1'b0;
  end
  assign core_block_valid_o  = issue;
  assign issued              = issue & core_block_ready_i[0];
  assign result_taken        = result_valid & core_result_ready_o[0];
  assign core_result_ready_o = in_key | in_first | in_mac | text_leaves | tag_leaves | tag_taken;
  assign core_decrypt_o      = Decrypts & (ecb | cbc) & ~encrypt & state_q == Body;
  assign core_key_valid_o    = idle & key_valid_i;
  assign key_ready_o         = idle & core_key_ready_i[0];

  logic [31:0] next, low;
  logic [127:0] text, x_block, subkey, counted, added;
  assign next = {r_q[31:1] + 31'd1, r_q[0]}; // two on; one on is had of it
  always_comb begin
    low = r_q[31:0];
    if (gcm & ~LongIv) low = state_q == Body ? next : 32'd1;
    if (ccm & (in_lengths | state_q == AtTag)) begin
      low[15:0] = '0;
      if (r_q[122:120] >= 3'd2) low[23:16] = '0;
      if (r_q[122:120] >= 3'd3) low[31:24] = '0;
    end
  end
  assign text    = turned(s_axis_tdata);
  assign x_block = mirrored(x_q);
  assign subkey  = part_q ? doubled(doubled(mirrored(h_q))) : doubled(mirrored(h_q));
  assign counted = {r_q[127:32], low} & {128{~(in_mac | ecb | (cbc & ~encrypt) | in_key)}};
  assign added   = (text & {128{(ecb | cbc) & state_q == Body}}) | (subkey & {128{in_mac & last_mac}});
  assign core_block_o = (counted | (x_block & {128{in_mac}})) ^ added;

  // What leaves, and what is hashed: text, tag or CBC's chain, and the result, which is 0 while there is none.
  logic [127:0] sum, shown, joined, x_in;
  logic [15:0] keep;
  always_comb begin
    sum = text & {128{(state_q == Body & ~ecb & ~cbc) | (state_q == AtTag & ~encrypt)}};
    sum |= mirrored(y_q) & {128{state_q == AtTag & encrypt}};
    sum |= r_q & {128{state_q == Body & cbc & ~encrypt}};
    sum ^= result;
    keep = s_axis_tkeep;
    if (in_lengths | in_iv_length | (cmac & is_tag)) keep = '0;
    if (state_q == AtTag) keep = tag_keep;
    shown = masked(sum, keep);
    // Behind the last block, of which nothing is shown, lengths in bits.
    joined = shown;
    if (gcm & in_lengths) joined |= {28'd0, count_q, odd_q, 28'd0, LongIv ? text_q : r_q[31:0], text_odd_q} << 3;
    if (in_iv_length) joined |= {64'd0, 28'd0, count_q, odd_q} << 3;
    // A one, and zeros, behind CMAC's text.
    if (cmac & state_q == Body) begin
      for (int unsigned place = 0; place < 16; place++) begin
        joined[127-8*place] |= ~keep[place] & (place == 0 | keep[place == 0 ? 0 : place-1]);
      end
    end
    x_in = mirrored(joined) ^ y_q;
  end

  logic [127:0] product;
  if (Ghash) begin : gen_ghash
    logic [StepBits-1:0] step_q;
    aesmith_ghash_step u_step (
      .y_i(y_q),
      .d_i(x_q[127-:Digit]),
      .h_i(h_q),
      .p_o(product)
    );
    assign last_step = step_q == StepBits'(Steps - 1);
    always_ff @(posedge clk_i) step_q <= busy_q ? step_q + 1'b1 : '0;
  end else begin : gen_no_ghash
    assign product   = '0;
    assign last_step = 1'b1;
  end

  logic data_here, out_valid, out_last;
  logic [127:0] out_data;
  logic [15:0] out_keep;
  logic [3:0] out_user;
  assign data_here     = text_here | tag_here;
  assign out_valid = data_here | state_q inside {Verdict, Refused};
  assign out_data  = turned(shown) & {128{data_here}};
  assign out_keep  = keep & {16{data_here}};
  assign out_last  = out_valid & (state_q != Body | (~has_tag & s_axis_tlast));
  assign out_user  = {state_q == Refused, state_q == Verdict & failed_q, out_valid, tag_here};
  assign s_axis_tready = (absorbed & ~is_tag) | text_leaves | (body & is_empty & ~cmac & ~behind_iv) | tag_taken |
                         state_q == Drain;
  assign error_o       = error_q;

  if (Verified) begin : gen_verified
    logic full_memory;
    aesmith_verified_release #(
      .AddressBits(AddressBits)
    ) u_release (
      .clk_i,
      .rst_ni,
      .hold_i          ((gcm | ccm) & ~encrypt),
      .full_o          (full_memory),
      .valid_i         (out_valid),
      .ready_o         (out_ready),
      .data_i          (out_data),
      .keep_i          (out_keep),
      .user_i          (out_user),
      .last_i          (out_last),
      .valid_o         (m_axis_tvalid),
      .ready_i         (m_axis_tready),
      .data_o          (m_axis_tdata),
      .keep_o          (m_axis_tkeep),
      .user_o          (m_axis_tuser),
      .last_o          (m_axis_tlast),
      .memory_enable_o,
      .memory_write_o,
      .memory_address_o,
      .memory_data_o,
      .memory_data_i
    );
    assign no_room = (gcm | ccm) & ~encrypt & full_memory;
  end else begin : gen_at_once
    logic unused_memory;
    assign unused_memory    = ^memory_data_i;
    assign no_room          = 1'b0;
    assign out_ready        = m_axis_tready;
    assign m_axis_tvalid    = out_valid;
    assign m_axis_tdata     = out_data;
    assign m_axis_tkeep     = out_keep;
    assign m_axis_tuser     = out_user;
    assign m_axis_tlast     = out_last;
    assign memory_enable_o  = 1'b0;
    assign memory_write_o   = 1'b0;
    assign memory_address_o = '0;
    assign memory_data_o    = '0;
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: begin
        if (key_valid_i & core_key_ready_i[0] & (Modes[7] | Modes[5])) state_d = HashKey;
        if (take_command) state_d = refusal != '0 ? Drain : asks[6] ? FirstBlock : Body;
      end
      HashKey: if (result_valid) state_d = Idle;
      FirstBlock: if (result_valid) state_d = Body;
      Body: begin
        if (body & behind_iv) state_d = IvLength;
        else if (absorbed & (ccm | cmac)) state_d = Mac;
        else if (absorbed & is_iv & s_axis_tlast) state_d = IvLength;
        else if (text_leaves & ccm) state_d = Mac;
        else if (body & is_empty & ~has_tag) state_d = Verdict;
        else if (text_leaves & ~has_tag & s_axis_tlast) state_d = Idle;
        else if (gcm & (body & is_tag | (absorbed | text_leaves | body & is_empty) & s_axis_tlast)) begin
          state_d = LongIv ? Restore : Lengths;
        end else if (ccm & body & (is_tag | is_empty)) state_d = Lengths;
      end
      Mac: begin
        if (last_mac & issued) state_d = AtTag;
        else if (result_valid) state_d = final_q ? Lengths : Body;
      end
      IvLength: if (~busy_q) state_d = IvHash;
      IvHash: if (~busy_q) state_d = IvCount;
      IvCount: state_d = final_q ? Restore : Body;
      Restore: state_d = Lengths;
      Lengths: if (~busy_q) state_d = AtTag;
      AtTag: begin
        if (tag_taken) state_d = Compare;
        if (tag_leaves) state_d = Idle;
      end
      Compare: state_d = Verdict;
      Drain: if (s_axis_tvalid & s_axis_tlast) state_d = Refused;
      Verdict, Refused: if (out_ready) state_d = Idle;
      default: state_d = Idle;
    endcase
    if (looks & ~good) state_d = Drain;
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
      if (key_valid_i & key_ready_o) keyed_q <= 1'b1;
      if (result_taken) asked_q <= 1'b0;
      else if (issued) asked_q <= 1'b1;
      if (Ghash & load & gcm & ~tag_taken) busy_q <= 1'b1;
      else if (last_step | idle) busy_q <= 1'b0;
      if (state_q == Refused & out_ready) error_q <= command_q[7:4];
    end
  end

  // Of a message that is refused the code takes the place of the bytes of its tag.
  logic counts;
  assign counts = full & ((gcm & absorbed) | ((ccm | ctr) & text_leaves));
  always_ff @(posedge clk_i) begin
    if (Ghash | Modes[5]) begin
      if (in_key & result_valid) h_q <= mirrored(result);
    end else begin
      h_q <= '0;
    end
    if (load | idle | in_iv_count | ~Hashes) y_q <= '0;
    else if (busy_q) y_q <= product;
    else if ((in_first | in_mac) & result_valid) y_q <= mirrored(result);
    if (~Hashes) x_q <= '0;
    else if (load) x_q <= x_in;
    else if (busy_q) x_q <= x_q << Digit;
    failed_q <= state_q == Compare ? masked(x_block, tag_keep) != '0 : failed_q & ~idle;
    if (idle) begin
      command_q <= s_axis_cmd_tdata[7:0];
      if (refusal != '0) command_q[7:4] <= refusal;
      {final_q, first_q} <= 2'b01;
    end else if (looks & ~good) begin
      command_q[7:4] <= code;
    end else if (absorbed | text_leaves) begin
      part_q  <= ~full | is_tag;
      final_q <= s_axis_tlast & ~is_tag;
      if (~is_tag) begin
        first_q   <= 1'b0;
        section_q <= s_axis_tuser;
      end
    end
  end

  // R, and what is counted.
  always_ff @(posedge clk_i) begin
    if (idle) begin
      r_q <= asks[7] ? {command_iv[127:32], LongIv ? 32'd2 : 32'd0} : command_iv;
    end else if (in_first & result_valid) begin // counter block 1 of B0
      r_q[127:123] <= '0;
      r_q[15:0]    <= 16'd1;
      for (int unsigned place = 2; place < 8; place++) if (r_q[122:120] >= 3'(place)) r_q[8*place+:8] <= '0;
    end else if (LongGcm & state_q == IvHash) begin
      r_q <= mirrored(y_q);
    end else if (LongGcm & (in_iv_count | state_q == Restore | (gcm & text_leaves & full))) begin
      r_q[31:0] <= r_q[31:0] + (state_q == Restore ? ~text_q : 32'd1);
    end else if (text_leaves & (cbc | cfb | ofb)) begin
      r_q <= ofb ? result : encrypt ? shown : text;
    end else if (text_leaves & full & (ctr | ccm | gcm)) begin
      r_q[31:0] <= {r_q[0] ? next[31:1] : r_q[31:1], ~r_q[0]};
    end
    if (idle | in_iv_count) begin
      count_q <= '0;
      odd_q   <= '0;
    end else if (in_first & result_valid) begin // of the length in B0
      count_q <= ~{4'd0, r_q[31:24] & {8{r_q[122:120] >= 3'd3}}, r_q[23:16] & {8{r_q[122:120] >= 3'd2}}, r_q[15:4]};
      odd_q   <= r_q[3:0];
    end else if (Modes[7:6] != '0 | Modes[4]) begin
      if (counts) count_q <= count_q + 32'd1;
      if (gcm & absorbed & ~full) odd_q <= odd;
      if (ccm & text_leaves & ~full) odd_q <= '0;
    end
    if (in_first) header_due_q <= r_q[126];
    if (idle) iv_open_q <= LongGcm & s_axis_cmd_tdata[31:24] == '0;
    else if (in_iv_count) iv_open_q <= 1'b0;
    if (idle) text_odd_q <= '0;
    else if (gcm & text_leaves & ~full) text_odd_q <= odd;
    if (idle) text_q <= '0;
    else if (LongGcm & text_leaves & full) text_q <= text_q + 32'd1;
  end
endmodule
