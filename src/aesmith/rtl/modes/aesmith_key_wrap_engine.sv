// KW and KWP (SP 800-38F, sections 6.2 and 6.3; RFC 3394 and RFC 5649) around one core: keys, or any bytes, wrapped under
// another key. A message is taken whole, goes through the core six times, and leaves: nothing leaves before all is known.
//
//   stream ─▶ semiblocks ─▶ R[1..n] in a memory ─┐         wrap    A | R[i] ← E(A | R[i]),     A ← A ⊕ t     t = 1 … 6 n
//                 └────────▶ A ⊕ t ──────────────┴▶ core   unwrap  A | R[i] ← D(A ⊕ t | R[i])                t = 6 n … 1
//                            A, R[i] ◀─────────────── "
//
//   state      A                              memory
//   Load       wrapped: the first semiblock   the others, one per clock
//   Begin      to wrap: what the mode says    read: the first one of a pass
//   Call       what comes of the core, ⊕ t    read ahead: the next one; written: what comes of the core
//   Reread                                    read: the first to leave; unwrapped: the last, whose padding is looked at
//   Verify     is compared                    read: the first
//   Fetch      the next to leave              read: the one behind it
//   Out        leaves, and in the same beat the one that was read
//
// A begins as A6A6A6A6A6A6A6A6 in KW; in KWP as A65959A6 and the bytes of the text, which zeros fill to whole semiblocks.
// KWP of one semiblock is one call, without t. Unwrapped, A must be that again, and what fills it zeros: else a beat with
// *failed* is all that leaves. The clocks to the verdict do not depend on what was wrong.
//
// A core of words of fewer bits than a block sends its result into A and a register below it, word by word.
//
// Command: [0] wrap, [3:1] mode: 0 KW, 1 KWP, [15:8] key slot (0), [31:24] bytes of an IV (0). Other bits are not looked at,
// nor [3:1] in an engine of one mode, nor [0] in one around a core of one direction.
//
// Codes: 1 KEEP, 2 PARTIAL, 3 ORDER, 4 KEY, 5 IV as in aesmith_section_tracker; 6 LENGTH: part of a semiblock, but of the
// text of KWP; less than two semiblocks of text in KW, nothing in KWP; more than Semiblocks; 10 MODE: one that the engine
// has not.
module aesmith_key_wrap_engine #(
  parameter int unsigned Cores = 1,
  // Bit 0: KW is built, bit 1: KWP.
  parameter logic [1:0] Modes = 2'b11,
  // What the core computes.
  parameter bit Encrypts = 1'b1,
  parameter bit Decrypts = 1'b1,
  // Semiblocks of text that there is room for: 2 to 2^AddressBits.
  parameter int unsigned Semiblocks = 8,
  parameter int unsigned AddressBits = 3,
  // Bits of a word of the core: 128, or up to 32.
  parameter int unsigned WordBits = 128
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

  // The memory of the semiblocks, which gives data one clock after they were read.
  output logic memory_enable_o,
  output logic memory_write_o,
  output logic [AddressBits-1:0] memory_address_o,
  output logic [63:0] memory_data_o,
  input  logic [63:0] memory_data_i,

  output logic [Cores-1:0] core_key_valid_o,
  input  logic [Cores-1:0] core_key_ready_i,
  output logic [Cores-1:0] core_block_valid_o,
  input  logic [Cores-1:0] core_block_ready_i,
  output logic [WordBits-1:0] core_block_o,
  output logic core_decrypt_o,
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][WordBits-1:0] core_result_i
);
  localparam int unsigned PlaceBits = AddressBits + 1, StepBits = AddressBits + 3;
  localparam logic [63:0] Icv = 64'ha6a6_a6a6_a6a6_a6a6;
  localparam logic [31:0] IcvPadded = 32'ha659_59a6;
  localparam bit One = Modes != 2'b11, OneWay = Encrypts != Decrypts;

  if (Cores != 1) begin : gen_refused_cores
    $error("Cores must be 1");
  end
  if (Semiblocks < 2 || Semiblocks > 1 << AddressBits) begin : gen_refused_semiblocks
    $error("Semiblocks must be 2 to 2^AddressBits");
  end

  // The first byte of a stream in the highest bits, as a core has it, or back.
  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction
  // The first `odd` bytes of a semiblock, its first byte in the highest bit; of 0 all.
  function automatic logic [7:0] used(input logic [2:0] odd);
    for (int unsigned place = 0; place < 8; place++) used[place] = odd == '0 | 3'(7 - place) < odd;
  endfunction

  typedef enum logic [3:0] {Idle, Load, Begin, Call, Reread, Verify, Fetch, Out, Failed, Refused} state_e;
  state_e state_q, state_d;

  logic [63:0] a_q;
  // Semiblocks of text; which one is at work, or is read next; the step t; bytes of a last semiblock that is not whole.
  logic [PlaceBits-1:0] count_q, at_q;
  logic [StepBits-1:0] step_q;
  logic [2:0] pass_q, odd_q;
  logic [3:0] code_q, error_q;
  logic keyed_q, asked_q, wrap_q, padded_q, half_q;

  logic idle, load, begins, call, reread, verify, fetch, out;
  assign idle   = state_q == Idle;
  assign load   = state_q == Load;
  assign begins = state_q == Begin;
  assign call   = state_q == Call;
  assign reread = state_q == Reread;
  assign verify = state_q == Verify;
  assign fetch  = state_q == Fetch;
  assign out    = state_q == Out;

  // A command, and what is wrong with it.
  logic take_command, asks_padded, unused_command;
  logic [3:0] refusal;
  assign s_axis_cmd_tready = idle & ~key_valid_i;
  assign take_command = s_axis_cmd_tready & s_axis_cmd_tvalid;
  assign asks_padded = One ? Modes[1] : s_axis_cmd_tdata[1];
  assign unused_command = ^{s_axis_cmd_tdata[255:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[7:4]};
  always_comb begin
    refusal = '0;
    if (~One & s_axis_cmd_tdata[3:2] != '0) refusal = 4'd10;
    if (s_axis_cmd_tdata[31:24] != '0) refusal = 4'd5;
    if (~keyed_q | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end

  // The message's mode and direction.
  logic wrap, padded;
  assign wrap   = OneWay ? Encrypts : wrap_q;
  assign padded = One ? Modes[1] : padded_q;

  // The beat at the input: two semiblocks, one per clock, but that which A takes; what is wrong with it.
  logic takes, takes_a, second, has_one, has_two, writes, beat_ends, is_first, good, wrong_length;
  logic [3:0] code;
  logic [PlaceBits-1:0] after;
  assign takes   = load & s_axis_tvalid & s_axis_tready;
  assign takes_a = is_first & ~wrap;
  assign second  = s_axis_tkeep[8];
  // R behind this beat, counted in both of its clocks alike.
  assign has_one = second | ~takes_a;
  assign has_two = second & ~half_q & ~takes_a;
  assign after   = count_q + PlaceBits'(has_one) + PlaceBits'(has_two);
  always_comb begin
    wrong_length = ~(wrap & padded) & (~s_axis_tkeep[7] | (second & ~s_axis_tkeep[15]));
    if (~s_axis_tkeep[0] | after > PlaceBits'(Semiblocks)) wrong_length = 1'b1;
    if (s_axis_tlast & after < (padded ? PlaceBits'(1) : PlaceBits'(2))) wrong_length = 1'b1;
  end

  aesmith_section_tracker u_tracker (
    .clk_i,
    .rst_ni,
    .take_i      (takes),
    .keep_i      (s_axis_tkeep),
    .kind_i      (s_axis_tuser),
    .last_i      (s_axis_tlast),
    .refused_i   (code_q),
    .text_bytes_i('1),
    .kinds_i     (4'b0100),
    .iv_i        (1'b0),
    .tag_i       ('0),
    .large_i     (wrong_length),
    .first_o     (is_first),
    .code_o      (code)
  );
  assign good          = load & s_axis_tvalid & code == '0;
  assign writes        = good & has_one;
  assign beat_ends     = half_q | ~second | takes_a;
  assign s_axis_tready = load & (code != '0 | beat_ends);

  // The semiblock that is written; zeros fill it.
  logic [127:0] text;
  logic [63:0] semiblock;
  logic [7:0] keep, mask;
  logic takes_second;
  assign text         = turned(s_axis_tdata);
  assign takes_second = half_q | takes_a;
  assign keep         = takes_second ? s_axis_tkeep[15:8] : s_axis_tkeep[7:0];
  for (genvar place = 0; place < 8; place++) begin : gen_byte
    assign mask[7-place] = keep[place];
    assign semiblock[8*place+:8] = (takes_second ? text[8*place+:8] : text[64+8*place+:8]) & {8{mask[place]}};
  end
  logic [2:0] odd;
  always_comb begin
    odd = '0;
    for (int unsigned place = 0; place < 7; place++) odd |= 3'(place + 1) & {3{keep[place] & ~keep[place+1]}};
  end

  // What A begins as, and what it must be in the end. The bytes of the text: whole semiblocks, and those behind them.
  logic [63:0] wanted;
  logic [PlaceBits-1:0] whole;
  logic [2:0] behind;
  logic [7:0] of_text;
  logic authentic, filled;
  assign behind  = wrap ? odd_q : a_q[2:0];
  assign of_text = used(behind);
  assign whole  = count_q - PlaceBits'(behind != '0);
  assign wanted = padded ? {IcvPadded, (29)'(whole), behind} : Icv;
  always_comb begin
    filled = 1'b1;
    for (int unsigned place = 0; place < 8; place++) begin
      if (padded & ~of_text[place] & memory_data_i[8*place+:8] != '0) filled = 1'b0;
    end
  end
  assign authentic = a_q == wanted & filled;

  // Steps. The core has one block; meanwhile the next semiblock is read, which is another one if there are several.
  logic single, first_place, last_place, last_step, issued, word_taken, result_taken;
  logic [PlaceBits-1:0] next_at;
  logic [63:0] step, result_a, shifted_a;
  logic [127:0] block, result;
  assign single      = count_q == PlaceBits'(1);
  assign first_place = at_q == '0;
  assign last_place  = at_q + PlaceBits'(1) == count_q;
  assign last_step   = single | (pass_q == 3'd5 & (wrap ? last_place : first_place));
  always_comb begin
    if (wrap) next_at = last_place ? '0 : at_q + PlaceBits'(1);
    else next_at = (first_place ? count_q : at_q) - PlaceBits'(1);
  end
  assign step                = 64'(step_q) & {64{~single}};
  assign core_block_valid_o  = call & ~asked_q;
  assign block               = {a_q ^ (step & {64{~wrap}}), memory_data_i};
  assign core_decrypt_o      = Decrypts & ~wrap;
  assign core_result_ready_o = call;
  assign word_taken          = core_result_valid_i[0] & core_result_ready_o[0];
  assign result_a            = result[127:64] ^ (step & {64{wrap}});
  assign core_key_valid_o    = idle & key_valid_i;
  assign key_ready_o         = idle & core_key_ready_i[0];

  // The core's words, byte 0 of a block in the first. Those of a result before the last are in A and below it.
  if (WordBits == 128) begin : gen_whole
    assign core_block_o = block;
    assign issued       = core_block_valid_o[0] & core_block_ready_i[0];
    assign result       = core_result_i[0];
    assign result_taken = word_taken;
    assign shifted_a    = '0;
  end else begin : gen_words
    localparam int unsigned Words = 128 / WordBits, NumberBits = $clog2(Words);
    logic [Words-1:0][WordBits-1:0] words;
    logic [NumberBits-1:0] number_q;
    logic [63-WordBits:0] below_q;
    logic sent;
    assign words        = block;
    assign core_block_o = words[~number_q];
    assign sent         = core_block_valid_o[0] & core_block_ready_i[0];
    assign issued       = sent & number_q == '1;
    assign result       = {a_q, below_q, core_result_i[0]};
    assign result_taken = word_taken & number_q == '1;
    assign shifted_a    = result[127-WordBits-:64];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        number_q <= '0;
      end else if (sent | word_taken) begin
        number_q <= number_q + 1'b1;
      end
    end
    always_ff @(posedge clk_i) if (word_taken) below_q <= result[63-WordBits:0];
  end

  // The memory: a place is written as it comes, read as it is needed next.
  logic leaves;
  logic [PlaceBits-1:0] address;
  always_comb begin
    address = at_q;
    if (load) address = count_q;
    if (begins) address = wrap ? '0 : count_q - PlaceBits'(1);
    if (issued) address = next_at;
  end
  assign memory_write_o   = writes | result_taken;
  assign memory_enable_o  = memory_write_o | begins | issued | reread | verify | fetch | leaves;
  assign memory_address_o = address[AddressBits-1:0];
  assign memory_data_o    = load ? semiblock : result[63:0];

  // What leaves: A and the semiblock that was read, at_q behind it, but for one that is behind the last.
  logic out_last, alone;
  logic [7:0] last_used;
  logic [15:0] shown;
  assign alone     = at_q > count_q;
  assign out_last  = at_q >= count_q;
  assign last_used = wrap | ~padded ? '1 : used(odd_q);
  assign leaves    = out & m_axis_tready;
  always_comb begin
    shown = '1;
    if (out_last) shown[7:0] = last_used;
    if (alone) shown = {last_used, 8'd0};
  end
  assign m_axis_tvalid = out | state_q inside {Failed, Refused};
  assign m_axis_tlast  = m_axis_tvalid & (out_last | ~out);
  assign m_axis_tuser  = {state_q == Refused, state_q == Failed, m_axis_tvalid, 1'b0};
  for (genvar each = 0; each < 16; each++) begin : gen_out
    assign m_axis_tkeep[each] = shown[15-each] & out;
    if (each < 8) begin : gen_first
      assign m_axis_tdata[8*each+:8] = a_q[8*(7-each)+:8] & {8{m_axis_tkeep[each]}};
    end else begin : gen_second
      assign m_axis_tdata[8*each+:8] = memory_data_i[8*(15-each)+:8] & {8{m_axis_tkeep[each]}};
    end
  end
  assign error_o = error_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (take_command) state_d = Load;
      Load: if (takes & s_axis_tlast) state_d = good ? Begin : Refused;
      Begin: state_d = Call;
      Call: if (result_taken & last_step) state_d = Reread;
      Reread: state_d = wrap ? Out : Verify;
      Verify: state_d = authentic ? Fetch : Failed;
      Fetch: state_d = Out;
      Out: if (m_axis_tready) state_d = out_last ? Idle : Fetch;
      Failed, Refused: if (m_axis_tready) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      keyed_q <= 1'b0;
      asked_q <= 1'b0;
      error_q <= '0;
    end else begin
      state_q <= state_d;
      if (key_valid_i & key_ready_o) keyed_q <= 1'b1;
      if (result_taken) asked_q <= 1'b0;
      else if (issued) asked_q <= 1'b1;
      if (state_q == Refused & m_axis_tready) error_q <= code_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (idle) begin
      wrap_q   <= s_axis_cmd_tdata[0];
      padded_q <= asks_padded;
    end
    if (idle) code_q <= refusal;
    else if (load & s_axis_tvalid) code_q <= code;
    if (good & takes_a) a_q <= text[127:64];
    else if (begins & wrap) a_q <= wanted;
    else if (result_taken) a_q <= result_a;
    else if (word_taken) a_q <= shifted_a;
    else if (fetch) a_q <= memory_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (idle) half_q <= 1'b0;
    else if (good) half_q <= ~beat_ends;
    if (idle) count_q <= '0;
    else if (writes) count_q <= count_q + PlaceBits'(1);
    if (writes) odd_q <= odd;
    else if (verify) odd_q <= behind;
    if (begins) begin
      at_q   <= address;
      pass_q <= '0;
      step_q <= wrap ? StepBits'(1) : (StepBits'(count_q) << 2) + (StepBits'(count_q) << 1);
    end else if (result_taken) begin
      at_q   <= next_at;
      step_q <= wrap ? step_q + StepBits'(1) : step_q - StepBits'(1);
      if (wrap ? last_place : first_place) pass_q <= pass_q + 3'd1;
    end else if (reread & ~wrap) begin
      at_q <= '0;
    end else if (reread | verify | fetch | leaves) begin
      at_q <= at_q + PlaceBits'(1);
    end
  end
endmodule
