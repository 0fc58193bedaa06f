// GCM (SP 800-38D) around cores that take blocks in turn, a block each: counters go ahead of the text, of the next message,
// too, and key stream waits in the cores, which stand still, for text, which waits at the input. Nothing of a message is
// stored but its hash, and the encryption of its first counter block, which comes last and masks its tag.
//
//   command ─▶ {N, Q + 2}, …, {N, 1} ─▶ cores in turn ─┬─▶ key stream ─▶ ⊕ ─▶ stream
//                                                      └─▶ mask ─┐        ▲
//   stream ─▶ text ──────────────────────────────────────────────│────────┘
//                └─▶ ⊕ Y ─▶ X ─▶ GHASH by digits ─▶ Y ─▶ ⊕ mask ─┴─▶ tag
//
// The text's length is in the command: then as many counter blocks are made as it has blocks. Or it is not, and all ones are:
// then they are made until the end is seen, and key stream that is left over is dropped. Encrypting, X takes what leaves, as it
// leaves; decrypting, text is hashed in a clock before it leaves.
//
// Command: [0] encrypt, [7:4] bytes of the tag (0 for 16), [15:8] key slot (0), [31:24] bytes of the IV (12), [159:64] the IV,
// its byte 0 in [71:64], [255:192] bytes of text, or all ones.
// Frame and codes are those of aesmith_multi_mode_engine, of GCM alone: 1 KEEP, 2 PARTIAL, 3 ORDER, 4 KEY, 5 IV, 6 LENGTH,
// 8 TAG; LENGTH, too: more blocks of text than the command says; at the last beat, other bytes; a command that says more than
// GCM has.
module aesmith_gcm_ahead_engine #(
  parameter int unsigned Cores = 2,
  // Bits of an operand that GHASH takes a clock: at most 64.
  parameter int unsigned Digit = 32,
  // Text that was decrypted leaves behind its verdict, of at most 2^AddressBits beats, which wait in the memory.
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
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][127:0] core_result_i
);
  localparam int unsigned Steps = 128 / Digit, StepBits = $clog2(Steps);
  // Blocks in the cores: one each.
  localparam int unsigned FlightBits = $clog2(Cores + 1);
  localparam logic [1:0] Iv = 2'd0, Header = 2'd1, Text = 2'd2, Tag = 2'd3;

  // The first byte of a stream in the highest bits, as a core has it, or back.
  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction
  // A block as a polynomial of GHASH, bit i the coefficient of x^i, or back.
  function automatic logic [127:0] mirrored(input logic [127:0] block);
    for (int unsigned i = 0; i < 128; i++) mirrored[i] = block[127-i];
  endfunction
  function automatic logic [127:0] masked(input logic [127:0] block, input logic [15:0] keep);
    for (int unsigned place = 0; place < 16; place++) masked[8*place+:8] = block[8*place+:8] & {8{keep[15-place]}};
  endfunction

  // What goes to the cores: nothing, 0 of a new key, the counter blocks of a message's text, its first counter block.
  typedef enum logic [1:0] {None, Zero, Counters, First} sends_e;
  sends_e sends_q, sends_d;
  typedef enum logic [3:0] {Idle, HashKey, Body, Lengths, AtTag, Verdict, Drain, Refused} state_e;
  state_e state_q, state_d;

  // X, Y and H are polynomials, the mask is a block.
  logic [127:0] h_q, x_q, y_q, mask_q;
  logic [3:0] error_q;
  // The message whose counters are made, and whether its text is still behind that of another one.
  logic [95:0] iv_q;
  logic [31:0] sent_q, whole_q;
  logic next_q, next_encrypt_q, next_refused_q, next_told_q;
  logic [3:0] next_tag_q, next_odd_q;
  // The message whose text passes; of one that is refused the code takes the place of the bytes of its tag.
  logic encrypt_q, told_q, first_q, part_q, failed_q, busy_q, hashed_q, stop_q;
  logic [1:0] section_q;
  logic [3:0] tag_q, told_odd_q, odd_q, text_odd_q;
  logic [31:0] count_q, text_q;
  // In the cores: its key stream, and that of the next one; and its mask came, or none does.
  logic [FlightBits-1:0] own_q, ahead_q;
  logic masks_q;

  logic keyed, idle, starts, ends, at_tag;
  assign idle   = state_q == Idle;
  assign at_tag = state_q == AtTag;
  assign starts = next_q & (idle | ends);

  // A key is taken when nothing is under way, and before a command that comes with it.
  aesmith_core_keys #(
    .Cores(Cores)
  ) u_keys (
    .clk_i,
    .rst_ni,
    .open_i (idle & ~next_q & sends_q == None),
    .key_valid_i,
    .key_ready_o,
    .keyed_o(keyed),
    .core_key_valid_o,
    .core_key_ready_i
  );

  // A command, and what is wrong with it. It is taken when all counter blocks of the message before have gone.
  logic take_command, told, empty, unused_command;
  logic [3:0] tag_size, refusal, told_odd;
  logic [31:0] whole;
  logic [127:0] command_iv;
  assign s_axis_cmd_tready = sends_q == None & (~next_q | starts) & ~key_valid_i;
  assign take_command = s_axis_cmd_tready & s_axis_cmd_tvalid;
  assign tag_size = s_axis_cmd_tdata[7:4];
  assign command_iv = turned(s_axis_cmd_tdata[191:64]);
  assign told     = ~(&s_axis_cmd_tdata[255:192]);
  assign empty    = s_axis_cmd_tdata[255:192] == '0;
  assign whole    = s_axis_cmd_tdata[227:196];
  assign told_odd = s_axis_cmd_tdata[195:192];
  assign unused_command = ^{command_iv[31:0], s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[3:1]};
  always_comb begin
    refusal = '0;
    if (~(tag_size inside {4'd0, 4'd4, 4'd8, 4'd12, 4'd13, 4'd14, 4'd15})) refusal = 4'd8;
    if (told & (s_axis_cmd_tdata[255:228] != '0 | (&whole[31:1] & (whole[0] | told_odd != '0)))) refusal = 4'd6;
    if (s_axis_cmd_tdata[31:24] != 8'd12) refusal = 4'd5;
    if (~keyed | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end

  // Blocks go to the cores in turn, each when its core takes it, so that none is offered before.
  logic [Cores-1:0] sending_q, receiving_q;
  logic issued, issued_text, issued_own, wants_first, last_counter;
  logic [31:0] next_sent;
  logic [30:0] next_pair;
  function automatic logic [Cores-1:0] after(input logic [Cores-1:0] turn);
    return (turn << 1) | (turn >> (Cores - 1));
  endfunction
  assign wants_first  = sends_q == First | (sends_q == Counters & stop_q);
  assign core_block_valid_o = core_block_ready_i & sending_q & {Cores{sends_q != None}};
  assign issued       = core_block_valid_o != '0;
  assign issued_text  = issued & sends_q == Counters & ~wants_first;
  assign issued_own   = issued_text & ~next_q;
  assign next_pair    = sent_q[31:1] + 31'd1;
  assign next_sent    = {sent_q[0] ? next_pair : sent_q[31:1], ~sent_q[0]};
  assign last_counter = next_told_q & (next_odd_q != '0 ? sent_q : next_sent) == whole_q;
  assign core_block_o = {iv_q, wants_first ? 32'd1 : {next_pair, sent_q[0]}} & {128{sends_q != Zero}};
  always_comb begin
    sends_d = sends_q;
    if (key_valid_i & key_ready_o) sends_d = Zero;
    if (take_command & refusal == '0) sends_d = empty ? First : Counters;
    if (sends_q == Zero & issued) sends_d = None;
    if (sends_q == Counters & issued & last_counter) sends_d = First;
    if (wants_first) sends_d = issued ? None : First;
  end

  logic [15:0] tag_keep;
  always_comb begin
    tag_keep = 16'd1;
    for (int unsigned place = 1; place < 16; place++) tag_keep[place] = tag_q == '0 | tag_q > 4'(place);
  end

  // The beat at the input, and what is wrong with it. Of a length that was told, blocks that are in the cores, or still go there,
  // are left to come.
  logic looks, some, full, is_header, is_text, is_tag, all_sent, own, good, no_room;
  logic [3:0] code, odd;
  assign looks     = state_q == Body & s_axis_tvalid;
  assign some      = s_axis_tkeep[0];
  assign full      = s_axis_tkeep[15];
  assign is_header = some & s_axis_tuser == Header;
  assign is_text   = some & s_axis_tuser == Text;
  assign is_tag    = some & s_axis_tuser == Tag;
  assign all_sent  = next_q | sends_q != Counters;
  assign own       = own_q != '0;
  always_comb begin
    odd = '0;
    for (int unsigned place = 0; place < 15; place++) odd |= 4'(place + 1) & {4{s_axis_tkeep[place] & ~s_axis_tkeep[place+1]}};
  end
  always_comb begin
    code = '0;
    if (is_tag & s_axis_tkeep != tag_keep) code = 4'd8;
    if (is_text & (&text_q[31:1])) code = 4'd6;
    if (is_header & (&count_q)) code = 4'd6;
    if (is_text & no_room) code = 4'd6;
    if (told_q & is_text & all_sent & ~own) code = 4'd6;
    if (told_q & s_axis_tlast) begin
      if (is_text & own & (own_q != FlightBits'(1) | ~all_sent)) code = 4'd6;
      if (~is_text & (own | ~all_sent)) code = 4'd6;
      if ((is_text ? odd : text_odd_q) != told_odd_q) code = 4'd6;
    end
    if (some & s_axis_tuser == Iv) code = 4'd3;
    if (is_tag & (encrypt_q | ~s_axis_tlast)) code = 4'd3;
    if (~encrypt_q & s_axis_tlast & ~is_tag) code = 4'd3;
    if (some & ~first_q & s_axis_tuser < section_q) code = 4'd3;
    if (~first_q & part_q & s_axis_tuser == section_q) code = 4'd2;
    if ((s_axis_tkeep[15:1] & ~s_axis_tkeep[14:0]) != '0 | (~some & ~(first_q & s_axis_tlast))) code = 4'd1;
  end
  assign good = looks & code == '0;

  // What becomes of it. The oldest result in the cores is key stream of this message, or its mask, or of the next one.
  logic result_valid, out_ready, absorbed, text_here, text_leaves, text_hashed, tag_here, tag_taken;
  logic x_free, last_step, load, dropped, mask_taken, result_taken;
  assign result_valid = (core_result_valid_i & receiving_q) != '0;
  assign x_free       = ~busy_q | last_step;
  assign absorbed     = good & is_header & x_free;
  assign text_hashed  = good & is_text & ~encrypt_q & ~hashed_q & x_free;
  assign text_here    = good & is_text & own & result_valid & (encrypt_q ? x_free : hashed_q);
  assign text_leaves  = text_here & out_ready;
  assign tag_here     = at_tag & encrypt_q & masks_q & ~busy_q;
  assign tag_taken    = at_tag & ~encrypt_q & masks_q & ~busy_q;
  assign load         = absorbed | text_hashed | (text_leaves & encrypt_q) | (state_q == Lengths & x_free);
  assign dropped      = result_valid & own & state_q != Body;
  assign mask_taken   = result_valid & ~own & ~masks_q & state_q != Body;
  assign result_taken = text_leaves | dropped | mask_taken | (state_q == HashKey & result_valid);
  assign core_result_ready_o = receiving_q & {Cores{result_taken}};

  // What leaves, and what is hashed: text, hash or both, and key stream or mask; of a tag that is compared, what differs.
  logic [127:0] text, result, sum, shown, joined;
  logic [15:0] keep;
  logic uses;
  assign text = turned(s_axis_tdata);
  assign uses = state_q == Body ? is_text & (encrypt_q | hashed_q) : ~(at_tag & masks_q);
  always_comb begin
    result = '0;
    for (int unsigned core = 0; core < Cores; core++) result |= core_result_i[core] & {128{receiving_q[core] & uses}};
  end
  always_comb begin
    sum = (text & {128{state_q == Body | ~encrypt_q}}) ^ ((mirrored(y_q) ^ mask_q) & {128{at_tag}}) ^ result;
    keep = s_axis_tkeep;
    if (state_q == Lengths) keep = '0;
    if (at_tag) keep = tag_keep;
    shown = masked(sum, keep);
    joined = shown;
    // Behind the last block lengths in bits.
    if (state_q == Lengths) joined |= {28'd0, count_q, odd_q, 28'd0, text_q, text_odd_q} << 3;
  end

  logic [127:0] product;
  logic [StepBits-1:0] step_q;
  aesmith_ghash_step u_step (
    .y_i(y_q),
    .d_i(x_q[127-:Digit]),
    .h_i(h_q),
    .p_o(product)
  );
  assign last_step = step_q == StepBits'(Steps - 1);
  always_ff @(posedge clk_i) step_q <= busy_q ? step_q + 1'b1 : '0;

  logic data_here, out_valid, out_last;
  logic [127:0] out_data;
  logic [15:0] out_keep;
  logic [3:0] out_user;
  assign data_here = text_here | tag_here;
  assign out_valid = data_here | state_q == Verdict | (state_q == Refused & masks_q);
  assign out_data  = turned(shown) & {128{data_here}};
  assign out_keep  = keep & {16{data_here}};
  assign out_last  = out_valid & state_q != Body;
  assign out_user  = {out_valid & state_q == Refused, state_q == Verdict & failed_q, out_valid, tag_here};
  assign ends      = out_last & out_ready;
  assign s_axis_tready = absorbed | text_leaves | (good & ~some) | tag_taken | state_q == Drain;
  assign error_o       = error_q;

  if (Verified) begin : gen_verified
    logic full_memory;
    aesmith_verified_release #(
      .AddressBits(AddressBits)
    ) u_release (
      .clk_i,
      .rst_ni,
      .hold_i          (~encrypt_q),
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
    assign no_room = ~encrypt_q & full_memory;
  end else begin : gen_at_once
    logic unused_memory;
    assign unused_memory = ^memory_data_i;
    assign {no_room, out_ready} = {1'b0, m_axis_tready};
    assign {m_axis_tvalid, m_axis_tdata, m_axis_tkeep, m_axis_tuser, m_axis_tlast} = {out_valid, out_data, out_keep, out_user, out_last};
    assign {memory_enable_o, memory_write_o, memory_address_o, memory_data_o} = '0;
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (key_valid_i & key_ready_o) state_d = HashKey;
      HashKey: if (result_valid) state_d = Idle;
      Body: begin
        if (good & (is_tag | ((absorbed | text_leaves | ~some) & s_axis_tlast))) state_d = Lengths;
        if (looks & ~good) state_d = Drain;
      end
      Lengths: if (x_free) state_d = AtTag;
      AtTag: if (tag_taken) state_d = Verdict;
      Drain: if (s_axis_tvalid & s_axis_tlast) state_d = Refused;
      Verdict, Refused: ;
      default: state_d = Idle;
    endcase
    if (ends) state_d = Idle;
    if (starts) state_d = next_refused_q ? Drain : Body;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= Idle;
      sends_q     <= None;
      sending_q   <= Cores'(1);
      receiving_q <= Cores'(1);
      next_q      <= 1'b0;
      own_q       <= '0;
      ahead_q     <= '0;
      masks_q     <= 1'b1;
      busy_q      <= 1'b0;
      error_q     <= '0;
    end else begin
      state_q <= state_d;
      sends_q <= sends_d;
      if (issued) sending_q <= after(sending_q);
      if (result_taken) receiving_q <= after(receiving_q);
      next_q <= take_command | (next_q & ~starts);
      // Of the key stream that goes ahead of the text before it all becomes that of the message that starts.
      if (starts) own_q <= ahead_q + FlightBits'(issued_text);
      else own_q <= own_q + FlightBits'(issued_own) - FlightBits'(text_leaves | dropped);
      if (starts) ahead_q <= '0;
      else if (issued_text & next_q) ahead_q <= ahead_q + 1'b1;
      if (starts) masks_q <= next_refused_q;
      else if (mask_taken) masks_q <= 1'b1;
      busy_q <= (load | (busy_q & ~last_step)) & ~idle & ~starts;
      if (state_q == Refused & ends) error_q <= tag_q;
    end
  end

  // What is sent.
  always_ff @(posedge clk_i) begin
    if (take_command) begin
      iv_q           <= command_iv[127:32];
      whole_q        <= whole;
      next_odd_q     <= told_odd;
      next_told_q    <= told;
      next_encrypt_q <= s_axis_cmd_tdata[0];
      next_refused_q <= refusal != '0;
      next_tag_q     <= refusal != '0 ? refusal : tag_size;
    end
    if (take_command) sent_q <= '0;
    else if (issued_text) sent_q <= next_sent;
    // The end of the text is seen, and all of it has its key stream under way.
    stop_q <= sends_q == Counters & ~wants_first & ~next_q &
              (state_q != Body | (looks & (~good | (s_axis_tlast & (~is_text | own)))));
  end

  // What passes.
  always_ff @(posedge clk_i) begin
    if (state_q == HashKey & result_valid) h_q <= mirrored(result);
    if (mask_taken) mask_q <= result;
    if (load | idle | starts) y_q <= '0;
    else if (busy_q) y_q <= product;
    if (load) x_q <= mirrored(joined) ^ (busy_q ? product : y_q);
    else if (busy_q) x_q <= x_q << Digit;
    if (at_tag) failed_q <= shown != '0;
    hashed_q <= (text_hashed | hashed_q) & ~text_leaves & ~starts;
    if (starts) begin
      encrypt_q  <= next_encrypt_q;
      tag_q      <= next_tag_q;
      told_q     <= next_told_q;
      told_odd_q <= next_odd_q;
    end else if (looks & ~good) begin
      tag_q      <= code;
    end
    if (starts) begin
      first_q <= 1'b1;
    end else if (absorbed | text_leaves) begin
      first_q   <= 1'b0;
      part_q    <= ~full;
      section_q <= s_axis_tuser;
    end
    if (starts) {count_q, odd_q} <= '0;
    else if (absorbed & full) count_q <= count_q + 32'd1;
    else if (absorbed) odd_q <= odd;
    if (starts) {text_q, text_odd_q} <= '0;
    else if (text_leaves & full) text_q <= text_q + 32'd1;
    else if (text_leaves) text_odd_q <= odd;
  end
endmodule
