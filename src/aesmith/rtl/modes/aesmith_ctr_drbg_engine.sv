// CTR_DRBG (SP 800-90A, 10.2.1) without a derivation function, around one core. The entropy source and all health tests are
// outside.
//
//   seed ─────────▶ ⊕ D       D is what the next update is given; its current block is at the top
//   header beats ─▶ "
//   V + 1 ─▶ core under Key ─▶ random bits          a request draws its blocks
//                └──▶ ⊕ D ─▶ Key and V              an update, in as many calls as Key and V have blocks
//
//   state    what
//   Load     the additional input or personalization string comes
//   Start    D turns until its first block is at the top; for a new instance Key and V become 0
//   Key      the core takes Key
//   Update   before what is drawn, if there is a seed or an input; and after it
//   Draw     random bits leave as they come from the core
//   Done     nothing was drawn: a beat without bytes leaves
//
// A seed comes on the key channel, as long as Key and V, and waits in D. The next request uses it: it instantiates if there is
// no instance, and reseeds otherwise. Its header is then the personalization string or the additional input of the reseed, and
// what it draws has no further input (9.3.1, prediction resistance). A refused request drops a waiting seed and changes nothing
// else.
//
// T collects the new Key while the core still has the old one; with 192-bit keys it also holds the first half of the new V.
//
// Command: [3:1] function: 0 generate, 1 the same but a seed must wait, 2 uninstantiate, which zeroes everything, the core's key
// included; [15:8] key slot (0); [31:24] bytes of an IV (0); [255:192] bytes to draw. Other bits are ignored.
//
// Codes: 1 KEEP, 2 PARTIAL, 3 ORDER as in aesmith_section_tracker; 4 KEY: neither an instance nor a seed, or no seed where one
// must wait; 5 IV; 6 LENGTH: more than 2^16 bytes, or more input than Key and V have bytes; 7 WRAP: this seed has served
// 2^IntervalBits requests; 10 MODE: no such function.
module aesmith_ctr_drbg_engine #(
  parameter int unsigned Cores = 1,
  // 128, 192 or 256.
  parameter int unsigned KeyBits = 128,
  // A seed lasts for 2^IntervalBits requests.
  parameter int unsigned IntervalBits = 48,
  localparam int unsigned SeedBits = KeyBits + 128
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [SeedBits-1:0] key_i,

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

  // The code of the last request that was refused; 0 if none was.
  output logic [3:0] error_o,

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
  // Calls of an update, and bits of what is kept up to the last of them.
  localparam int unsigned Calls = (SeedBits + 127) / 128, TBits = 128 * (Calls - 1);
  localparam logic [1:0] LastCall = 2'(Calls - 1);
  localparam logic [2:0] Generate = 3'd0, Seeded = 3'd1, Uninstantiate = 3'd2;

  if (Cores != 1) begin : gen_refused_cores
    $error("Cores must be 1");
  end
  if (KeyBits != 128 && KeyBits != 192 && KeyBits != 256) begin : gen_refused_keys
    $error("KeyBits must be 128, 192 or 256");
  end

  // The first byte of a stream in the highest bits, as a core has it, or back.
  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction

  typedef enum logic [2:0] {Idle, Load, Start, Key, Update, Draw, Done, Refused} state_e;
  state_e state_q, state_d;

  logic [TBits-1:0] t_q;
  logic [127:0] v_q;
  logic [Calls-1:0][127:0] d_q; // the block at the top is the last element
  logic [1:0] at_q;             // blocks that D has turned by
  logic [IntervalBits:0] served_q;
  logic [12:0] left_q;          // whole blocks to be drawn, and bytes behind them
  logic [3:0] odd_q, code_q, error_q;
  // There is an instance; a seed waits; the core has a block; the request uninstantiates, draws nothing, has as much input as
  // fits; an update is due before the draw, and one after it.
  logic instance_q, seeded_q, asked_q, wipe_q, none_q, full_q, before_q, behind_q;

  logic idle, load, start, key, update, draw, done, refused;
  assign idle    = state_q == Idle;
  assign load    = state_q == Load;
  assign start   = state_q == Start;
  assign key     = state_q == Key;
  assign update  = state_q == Update;
  assign draw    = state_q == Draw;
  assign done    = state_q == Done;
  assign refused = state_q == Refused;

  // A command, and what is wrong with it.
  logic take_key, take_command, wipes, unused_command;
  logic [2:0] asks;
  logic [63:0] size;
  logic [3:0] refusal;
  assign key_ready_o       = idle;
  assign take_key          = idle & key_valid_i;
  assign s_axis_cmd_tready = idle & ~key_valid_i;
  assign take_command      = s_axis_cmd_tready & s_axis_cmd_tvalid;
  assign asks              = s_axis_cmd_tdata[3:1];
  assign size              = s_axis_cmd_tdata[255:192];
  assign wipes             = asks == Uninstantiate;
  assign unused_command    = ^{s_axis_cmd_tdata[191:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[7:4], s_axis_cmd_tdata[0]};
  always_comb begin
    refusal = '0;
    if (~(asks inside {Generate, Seeded, Uninstantiate})) refusal = 4'd10;
    if (~wipes & ~seeded_q & served_q[IntervalBits]) refusal = 4'd7;
    if (size > 64'h1_0000 | (wipes & size != '0)) refusal = 4'd6;
    if (s_axis_cmd_tdata[31:24] != '0) refusal = 4'd5;
    if (~wipes & ~seeded_q & (~instance_q | asks == Seeded)) refusal = 4'd4;
    if (s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end

  // The beat at the input.
  logic takes, good, adds, no_room, unused_first;
  logic [3:0] code;
  logic [127:0] given;
  assign s_axis_tready = load;
  assign takes         = load & s_axis_tvalid;
  assign good          = takes & code == '0;
  assign adds          = good & s_axis_tkeep[0];
  assign no_room       = s_axis_tkeep[0] & (wipe_q | full_q | (KeyBits == 192 & at_q == LastCall & s_axis_tkeep[8]));
  for (genvar each = 0; each < 16; each++) begin : gen_byte
    assign given[8*(15-each)+:8] = s_axis_tdata[8*each+:8] & {8{adds & s_axis_tkeep[each]}};
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
    .kinds_i     (4'b0010),
    .iv_i        (1'b0),
    .tag_i       ('0),
    .large_i     (no_room),
    .first_o     (unused_first),
    .code_o      (code)
  );

  // The core: one block at a time.
  logic issued, result_taken, last_block, last_call, updated, reseeds, turns;
  logic [127:0] next_v, result, fresh, fresh_v;
  assign next_v              = v_q + 128'd1;
  assign core_key_valid_o    = key;
  assign core_key_o          = t_q[TBits-1-:KeyBits];
  assign core_block_valid_o  = (update | draw) & ~asked_q;
  assign core_block_o        = next_v;
  assign core_result_ready_o = update | (draw & m_axis_tready);
  assign issued              = core_block_valid_o[0] & core_block_ready_i[0];
  assign result_taken        = core_result_valid_i[0] & core_result_ready_o[0];
  assign result              = core_result_i[0];
  assign fresh               = result ^ d_q[Calls-1];
  if (KeyBits == 192) begin : gen_v_192
    assign fresh_v = {t_q[63:0], fresh[127:64]};
  end else begin : gen_v
    assign fresh_v = fresh;
  end
  assign last_block = left_q == 13'(odd_q == '0);
  assign last_call  = at_q == LastCall;
  assign updated    = update & result_taken & (last_call | wipe_q);
  assign reseeds    = updated & seeded_q & ~wipe_q;
  assign turns      = adds | (start & at_q != '0) | (update & result_taken);

  // What leaves.
  logic leaves;
  logic [15:0] keep;
  always_comb begin
    for (int unsigned place = 0; place < 16; place++) begin
      keep[place] = draw & core_result_valid_i[0] & (~last_block | odd_q == '0 | 4'(place) < odd_q);
    end
  end
  for (genvar each = 0; each < 16; each++) begin : gen_out
    assign m_axis_tdata[8*each+:8] = result[8*(15-each)+:8] & {8{keep[each]}};
  end
  assign m_axis_tvalid = (draw & core_result_valid_i[0]) | done | refused;
  assign m_axis_tkeep  = keep;
  assign m_axis_tlast  = m_axis_tvalid & (~draw | last_block);
  assign m_axis_tuser  = {refused, 1'b0, m_axis_tvalid, 1'b0};
  assign leaves        = m_axis_tvalid & m_axis_tready;
  assign error_o       = error_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (take_command) state_d = Load;
      Load: if (takes & s_axis_tlast) state_d = good ? Start : Refused;
      Start: begin
        if (at_q == '0) begin
          if (~instance_q | wipe_q) state_d = Key;
          else state_d = before_q | none_q ? Update : Draw;
        end
      end
      Key: begin
        if (core_key_ready_i[0]) begin
          if (before_q) state_d = Update;
          else if (behind_q) state_d = none_q ? Update : Draw;
          else state_d = none_q ? Done : Idle;
        end
      end
      Update: if (updated) state_d = wipe_q ? Done : Key;
      Draw: if (leaves & last_block) state_d = Update;
      Done, Refused: if (m_axis_tready) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Idle;
      instance_q <= 1'b0;
      seeded_q   <= 1'b0;
      asked_q    <= 1'b0;
      served_q   <= '0;
      error_q    <= '0;
    end else begin
      state_q <= state_d;
      if (take_key) seeded_q <= 1'b1;
      else if (updated | refused) seeded_q <= 1'b0;
      if (updated & wipe_q) instance_q <= 1'b0;
      else if (reseeds) instance_q <= 1'b1;
      if (result_taken) asked_q <= 1'b0;
      else if (issued) asked_q <= 1'b1;
      if (reseeds) served_q <= '0;
      else if (updated & ~before_q) served_q <= served_q + 1'b1;
      if (refused & m_axis_tready) error_q <= code_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (idle) begin
      {left_q, odd_q} <= size[16:0];
      none_q   <= size[16:0] == '0;
      wipe_q   <= wipes;
      code_q   <= refusal;
      full_q   <= 1'b0;
      before_q <= seeded_q | wipes;
      behind_q <= ~wipes & (~seeded_q | size[16:0] != '0);
      at_q     <= '0;
    end else begin
      if (load & s_axis_tvalid) code_q <= code;
      if (adds & last_call) full_q <= 1'b1;
      if (adds) before_q <= 1'b1;
      else if (updated) before_q <= 1'b0;
      if (updated & ~before_q) behind_q <= 1'b0;
      if (turns) at_q <= last_call ? '0 : at_q + 2'd1;
      if (draw & leaves) left_q <= left_q - 13'd1;
    end
  end

  // Key and V as they are made, and D.
  always_ff @(posedge clk_i) begin
    if (start & (~instance_q | wipe_q)) t_q <= '0;
    else if (update & result_taken & (~last_call | wipe_q)) t_q <= TBits'({t_q, fresh});
    if (start & (~instance_q | wipe_q)) v_q <= '0;
    else if (updated) v_q <= fresh_v;
    else if (issued) v_q <= next_v;
    if (take_key) d_q <= (128 * Calls)'(key_i) << (128 * Calls - SeedBits);
    else if (refused | (start & wipe_q) | (updated & (seeded_q | ~before_q))) d_q <= '0;
    else if (turns) d_q <= {d_q[Calls-2:0], d_q[Calls-1] ^ given};
  end
endmodule
