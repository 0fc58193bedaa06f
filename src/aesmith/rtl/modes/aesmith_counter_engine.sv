// CTR (SP 800-38A, section 6.5) around a core of many blocks: C_i = P_i + E(T_i), T_{i+1} = T_i with its low 32 bits plus one.
//
//   command ─▶ counter ─▶ core ─▶ key stream ─▶ ⊕ ─▶ stream
//                                               ▲
//   stream ─▶ text ─────────────────────────────┘
//
// From a command on counter blocks go to the core as fast as it takes them, and key stream waits in it, whose pipeline
// stands still, for text, which waits at the input: a beat leaves in the clock in which it comes. How much text comes is
// not known before, so behind a message key stream is left over, which is dropped while the next one begins.
//
// Command: [15:8] key slot (0), [31:24] bytes of the IV (16), [191:64] the first counter block, its byte 0 in [71:64].
// Frame and codes are those of aesmith_multi_mode_engine, of CTR alone: 1 KEEP, 2 PARTIAL, 3 ORDER, 4 KEY, 5 IV, and 7 WRAP
// for text beyond 2^32 - 1 blocks.
module aesmith_counter_engine #(
  parameter int unsigned Cores = 1,
  // At most 2^FlightBits - 1 blocks are in the core.
  parameter int unsigned FlightBits = 4
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
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][127:0] core_result_i
);
  localparam logic [1:0] Text = 2'd2;

  if (Cores != 1) begin : gen_refused
    $error("Cores must be 1");
  end

  // The first byte of a stream in the highest bits, as a core has it, or back.
  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction

  typedef enum logic [2:0] {Idle, Body, Empty, Drain, Refused} state_e;
  state_e state_q, state_d;

  logic [127:0] counter_q;
  logic [31:0] count_q;
  logic [3:0] code_q, error_q;
  logic keyed_q, first_q, part_q, offered_q;
  // Blocks in the core, and those of them, the oldest ones, that are of messages before.
  logic [FlightBits-1:0] flying_q, flying_d, stale_q;

  // A block that was offered stays so until it is taken, and no key and no command is before it.
  logic idle, take_command, unused_command;
  logic [3:0] refusal;
  assign idle = state_q == Idle & ~offered_q;
  assign s_axis_cmd_tready = idle & ~key_valid_i;
  assign take_command      = s_axis_cmd_tready & s_axis_cmd_tvalid;
  assign core_key_valid_o  = idle & key_valid_i;
  assign key_ready_o       = idle & core_key_ready_i[0];
  assign unused_command    = ^{s_axis_cmd_tdata[255:192], s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[7:0]};
  always_comb begin
    refusal = '0;
    if (s_axis_cmd_tdata[31:24] != 8'd16) refusal = 4'd5;
    if (~keyed_q | s_axis_cmd_tdata[15:8] != '0) refusal = 4'd4;
  end

  // The beat at the input, and what is wrong with it.
  logic looks, some, text, good;
  logic [3:0] code;
  assign looks = state_q == Body & s_axis_tvalid;
  assign some  = s_axis_tkeep[0];
  assign text  = some & s_axis_tuser == Text;
  always_comb begin
    code = '0;
    if (text & (&count_q)) code = 4'd7;
    if (some & s_axis_tuser != Text) code = 4'd3;
    if (~first_q & part_q & s_axis_tuser == Text) code = 4'd2;
    if ((s_axis_tkeep[15:1] & ~s_axis_tkeep[14:0]) != '0 | (~some & ~(first_q & s_axis_tlast))) code = 4'd1;
  end
  assign good = looks & code == '0;

  // Key stream, and the text that leaves with it.
  logic stale, here, leaves, issue, issued, dropped, full;
  assign stale               = stale_q != '0;
  assign here                = good & text & core_result_valid_i[0] & ~stale;
  assign leaves              = here & m_axis_tready;
  assign core_result_ready_o = stale | leaves;
  assign dropped             = core_result_valid_i[0] & core_result_ready_o[0];
  assign full                = &flying_q;
  assign issue               = offered_q | (state_q == Body & ~full);
  assign issued              = issue & core_block_ready_i[0];
  assign core_block_valid_o  = issue;
  assign core_block_o        = counter_q;
  assign flying_d            = flying_q + FlightBits'(issued) - FlightBits'(dropped);

  logic [127:0] sum;
  assign sum = s_axis_tdata ^ turned(core_result_i[0]);
  assign m_axis_tvalid = here | state_q inside {Empty, Refused};
  assign m_axis_tkeep  = s_axis_tkeep & {16{here}};
  always_comb for (int unsigned place = 0; place < 16; place++) m_axis_tdata[8*place+:8] = sum[8*place+:8] & {8{m_axis_tkeep[place]}};
  assign m_axis_tuser  = {state_q == Refused, 1'b0, m_axis_tvalid, 1'b0};
  assign m_axis_tlast  = m_axis_tvalid & (state_q != Body | s_axis_tlast);
  assign s_axis_tready = leaves | (good & ~some) | state_q == Drain;
  assign error_o       = error_q;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: if (take_command) state_d = refusal != '0 ? Drain : Body;
      Body: begin
        if (leaves & s_axis_tlast) state_d = Idle;
        if (good & ~some) state_d = Empty;
        if (looks & ~good) state_d = Drain;
      end
      Drain: if (s_axis_tvalid & s_axis_tlast) state_d = Refused;
      Empty, Refused: if (m_axis_tready) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      keyed_q   <= 1'b0;
      offered_q <= 1'b0;
      flying_q  <= '0;
      stale_q   <= '0;
      error_q   <= '0;
    end else begin
      state_q   <= state_d;
      if (key_valid_i & key_ready_o) keyed_q <= 1'b1;
      offered_q <= issue & ~issued;
      flying_q  <= flying_d;
      // What is in the core when a message is over is left over.
      stale_q   <= state_q == Body & state_d == Body ? stale_q - FlightBits'(stale & dropped) : flying_d;
      if (state_q == Refused & m_axis_tready) error_q <= code_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (idle) counter_q <= turned(s_axis_cmd_tdata[191:64]);
    else if (issued) counter_q[31:0] <= counter_q[31:0] + 32'd1;
    if (idle) begin
      code_q  <= refusal;
      first_q <= 1'b1;
      count_q <= '0;
    end else if (looks & ~good) begin
      code_q  <= code;
    end else if (leaves) begin
      part_q  <= ~s_axis_tkeep[15];
      first_q <= 1'b0;
      count_q <= count_q + 32'd1;
    end
  end
endmodule
