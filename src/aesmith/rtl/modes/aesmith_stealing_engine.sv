// CBC with ciphertext stealing (SP 800-38A, addendum: CBC-CS1, CS2, CS3) around one core: text of 16 bytes or more, as many
// of ciphertext. A beat waits at the input until it is known whether it is the last, which the one before it depends on.
//
//   encrypts   T ⊕ R ─▶ core ─▶ R      R leaves while the core has the next block; of the last one in which order, as said
//   decrypts   B ─▶ core ─▶ ⊕ R        B is the block before the beat at the input; behind it R takes B, and B the beat
//
// Of the last two parts of ciphertext, C* of d bytes, the first of a block, and C:
//
//              whole (d = 16)     partial       to decrypt
//   0  CS1     C*, C              C*, C         C turns by d bytes: C* and the first of C are in one beat
//   1  CS2     C*, C              C, C*
//   2  CS3     C, C*              C, C*         Z = D(C); the last text is Z ⊕ C*, the one before it D(C* and the rest of Z) ⊕ R
//
// Command: [0] encrypt, [3:1] mode, [15:8] key slot (0), [31:24] bytes of the IV (16), [191:64] the IV, its byte 0 in [71:64].
// Other bits are not looked at, nor [3:1] in an engine of one mode, nor [0] in one around a core of one direction.
//
// Codes: 1 KEEP, 2 PARTIAL, 3 ORDER, 4 KEY, 5 IV as in aesmith_section_tracker; 6 LENGTH: text of less than a block; 10 MODE:
// one that the engine has not. Of a message that is refused all leaves that comes of the beats before the last good one.
module aesmith_stealing_engine #(
  parameter int unsigned Cores = 1,
  // Bit n: mode n is built.
  parameter logic [2:0] Modes = 3'b111,
  // What the core computes.
  parameter bit Encrypts = 1'b1,
  parameter bit Decrypts = 1'b1
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
  localparam bit One = (Modes & (Modes - 3'd1)) == '0, OneWay = Encrypts != Decrypts;

  if (Cores != 1) begin : gen_refused
    $error("Cores must be 1");
  end

  // The first byte of a stream in the highest bits, as a core has it, or back.
  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction

  typedef enum logic [2:0] {Idle, First, Next, Second, Tail, Drain, Refused} state_e;
  state_e state_q, state_d;

  // IV, or the ciphertext before; what is to be decrypted next; the last text of CS1.
  logic [127:0] r_q, b_q, p_q;
  logic [3:0] code_q, error_q;
  logic [2:0] command_q;
  logic keyed_q, asked_q, left_q, only_q;

  logic idle, first, next, second, tail;
  assign idle   = state_q == Idle;
  assign first  = Decrypts & state_q == First;
  assign next   = state_q == Next;
  assign second = Decrypts & state_q == Second;
  assign tail   = state_q == Tail;

  // A command, and what is wrong with it.
  logic take_command, encrypt_asked, encrypt, unused_command;
  logic [3:0] refusal;
  assign s_axis_cmd_tready = idle & ~key_valid_i;
  assign take_command = s_axis_cmd_tready & s_axis_cmd_tvalid;
  assign unused_command = ^{s_axis_cmd_tdata[255:192], s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[7:4]};
  assign encrypt_asked = OneWay ? Encrypts : s_axis_cmd_tdata[0];
  assign encrypt       = OneWay ? Encrypts : command_q[0];
  logic [2:0] asks;
  logic cs1, cs3;
  for (genvar number = 0; number < 3; number++) begin : gen_asks
    assign asks[number] = Modes[number] & (One | s_axis_cmd_tdata[3:1] == 3'(number));
  end
  assign cs1 = Modes[0] & (One | command_q[2:1] == 2'd0);
  assign cs3 = Modes[2] & (One | command_q[2:1] == 2'd2);
  always_comb begin
    refusal = '0;
    if (asks == '0) refusal = 4'd10;
    if (s_axis_cmd_tdata[31:24] != 8'd16) refusal = 4'd5;
    if (~keyed_q | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end

  // The beat at the input.
  logic looks, good, bad, is_first, whole, takes;
  logic [3:0] code;
  assign looks = s_axis_tvalid & (first | (next & ~only_q));
  assign takes = s_axis_tvalid & s_axis_tready;
  assign whole = s_axis_tkeep[15];
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
    .large_i     (is_first & ~whole),
    .first_o     (is_first),
    .code_o      (code)
  );
  assign good = looks & code == '0;
  assign bad  = looks & code != '0;

  // The last two parts: in the order of CBC, exchanged, or C turned.
  logic ends, straight, turns;
  assign ends     = s_axis_tlast & ~is_first;
  assign straight = ~ends | (whole & ~cs3);
  assign turns    = cs1 & ~straight;

  logic [127:0] text, mask, cut;
  logic [3:0] odd;
  assign text = turned(s_axis_tdata);
  always_comb begin
    odd = '0;
    for (int unsigned place = 0; place < 15; place++) odd |= 4'(place + 1) & {4{s_axis_tkeep[place] & ~s_axis_tkeep[place+1]}};
  end
  for (genvar place = 0; place < 16; place++) begin : gen_mask
    assign mask[127-8*place-:8] = {8{s_axis_tkeep[place]}};
  end
  assign cut = text & mask;

  // The core: one block at a time.
  logic issue, issued, result_valid, result_taken;
  logic [127:0] result, merged, turned_in, turned_out;
  assign result       = core_result_i[0];
  assign result_valid = core_result_valid_i[0];
  assign issue        = (next & (only_q | good)) | second;
  assign core_block_valid_o = issue & ~asked_q;
  assign issued       = core_block_valid_o[0] & core_block_ready_i[0];
  assign result_taken = result_valid & core_result_ready_o[0];
  assign core_decrypt_o   = Decrypts & ~encrypt;
  assign core_key_valid_o = idle & key_valid_i;
  assign key_ready_o      = idle & core_key_ready_i[0];
  assign merged = cut | (b_q & ~mask);
  always_comb begin
    core_block_o = b_q;
    if (second & ~turns) core_block_o = merged;
    if (next & ~only_q & turns) core_block_o = turned_in;
    if (encrypt) core_block_o = cut ^ r_q;
  end

  // Encrypting C turns on, so that the rest of it follows C*; decrypting C* and the rest are turned back.
  if (Modes[0] & Encrypts) begin : gen_turn_out
    always_comb begin
      turned_out = result;
      for (int unsigned bits = 0; bits < 4; bits++) begin
        if (odd[bits]) turned_out = 128'({turned_out, turned_out} >> (8 << bits));
      end
    end
  end else begin : gen_no_turn_out
    assign turned_out = '0;
  end
  if (Modes[0] & Decrypts) begin : gen_turn_in
    always_comb begin
      turned_in = merged;
      for (int unsigned bits = 0; bits < 4; bits++) begin
        if (odd[bits]) turned_in = 128'({turned_in, turned_in} >> (128 - (8 << bits)));
      end
    end
  end else begin : gen_no_turn_in
    assign turned_in = '0;
  end

  // What leaves: encrypting R, while the core works, then what comes of it, or the other way round; decrypting the result.
  logic early, shows_r, shows_result, leaves, ended;
  logic [127:0] shown;
  assign early        = next & encrypt & good & ~is_first & straight & ~left_q;
  assign shows_r      = early | (tail & encrypt & ~turns);
  always_comb begin
    shows_result = result_valid & second;
    if (next & result_valid & ~encrypt) shows_result = only_q | straight;
    if (next & result_valid & encrypt) shows_result = s_axis_tlast & (is_first | left_q | ~straight);
  end
  assign leaves = m_axis_tvalid & m_axis_tready;
  assign ended  = (next & (encrypt ? s_axis_tlast & straight & (is_first | left_q) : only_q)) | tail;
  always_comb begin
    shown = '0;
    if (shows_result) shown = encrypt ? result : result ^ r_q;
    if (shows_result & encrypt & next & turns) shown = (r_q & mask) | (turned_out & ~mask);
    if (shows_r) shown = r_q;
    if (tail & encrypt & turns) shown = turned_out;
    if (tail & ~encrypt) shown = turns ? p_q : b_q ^ text;
    if (tail) shown &= mask;
  end
  assign m_axis_tvalid = shows_r | shows_result | tail | state_q == Refused;
  assign m_axis_tdata  = turned(shown);
  assign m_axis_tkeep  = tail ? s_axis_tkeep : {16{shows_r | shows_result}};
  assign m_axis_tlast  = m_axis_tvalid & (ended | state_q == Refused);
  assign m_axis_tuser  = {state_q == Refused, 1'b0, m_axis_tvalid, 1'b0};
  assign error_o       = error_q;

  // The result goes as it leaves, or into R or B; of what turns, as its rest leaves. The beat at the input goes with what it
  // was waited for.
  always_comb begin
    core_result_ready_o = '0;
    if (next & encrypt & ~s_axis_tlast) core_result_ready_o = is_first | left_q | leaves;
    if (next & encrypt & s_axis_tlast) core_result_ready_o = shows_result & leaves & ~turns;
    if (next & ~encrypt) core_result_ready_o = only_q | straight ? m_axis_tready : 1'b1;
    if (second) core_result_ready_o = m_axis_tready;
    if (tail) core_result_ready_o = encrypt & turns & m_axis_tready;
  end
  always_comb begin
    s_axis_tready = state_q == Drain | bad | (first & good) | (tail & m_axis_tready);
    if (next & good & straight & result_taken) s_axis_tready = 1'b1;
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (take_command) state_d = refusal != '0 ? Drain : encrypt_asked ? Next : First;
      First: if (good) state_d = Next;
      Next: begin
        if (leaves & ended) state_d = Idle;
        else if (good & ~straight & encrypt & leaves) state_d = Tail;
        else if (good & ~straight & ~encrypt & result_taken) state_d = Second;
      end
      Second: if (leaves) state_d = Tail;
      Tail, Refused: if (m_axis_tready) state_d = Idle;
      Drain: if (s_axis_tvalid & s_axis_tlast) state_d = Refused;
      default: state_d = Idle;
    endcase
    if (bad) state_d = s_axis_tlast ? Refused : Drain;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      keyed_q <= 1'b0;
      asked_q <= 1'b0;
      state_q <= Idle;
      error_q <= '0;
    end else begin
      state_q <= state_d;
      keyed_q <= keyed_q | (key_valid_i & key_ready_o);
      if (result_taken) asked_q <= 1'b0;
      else if (issued) asked_q <= 1'b1;
      if (state_q == Refused & m_axis_tready) error_q <= code_q;
    end
  end

  logic behind; // decrypting, the next block is that of the beat
  assign behind = next & ~encrypt & straight & ~only_q & result_taken;
  always_ff @(posedge clk_i) begin
    if (idle) begin
      command_q <= s_axis_cmd_tdata[2:0];
      code_q    <= refusal;
    end else if (bad) begin
      code_q <= code;
    end
    if (idle | result_taken) left_q <= 1'b0;
    else if (early & m_axis_tready) left_q <= 1'b1;
    if (idle) only_q <= 1'b0;
    else if ((first & good) | behind) only_q <= s_axis_tlast;
    if (idle) r_q <= turned(s_axis_cmd_tdata[191:64]);
    else if (next & encrypt & ~s_axis_tlast & result_taken) r_q <= result;
    else if (behind) r_q <= b_q;
    if (Decrypts) begin
      if ((first & good) | behind) b_q <= text;
      else if (next & ~encrypt & ~only_q & result_taken) b_q <= turns ? (b_q & mask) | (result & ~mask) : result;
    end else begin
      b_q <= '0;
    end
    if (Decrypts & Modes[0]) begin
      if (next & ~encrypt & result_taken) p_q <= result ^ b_q;
    end else begin
      p_q <= '0;
    end
  end
endmodule
