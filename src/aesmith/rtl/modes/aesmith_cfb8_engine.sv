// CFB8 (SP 800-38A, section 6.3) as a stream: a register for the chain, and a block for each byte of text.
//
//   command ─▶ message front ─▶ chain ─▶ cores in turn ─▶ results ─┐
//   stream ──▶      "     "  ─▶ text ring ◀────────────────────────┤
//                    chain ◀── byte 0 of result + what was kept ───┘
//
//                 to the core   waits in the ring   the next chain
//   encrypts      chain         P                   its bytes 1 to 15, and a byte of P + the result's byte 0
//   decrypts      chain         C                   its bytes 1 to 15, and a byte of C, known at once
//
// A beat stays at the head until the block of its last byte has gone. What is added to it is gathered of the results'
// bytes 0. A chain that is known at once lets cores work side by side. With `Direct` a result goes to the next block in
// the clock in which it comes, else in the one behind it.
//
// Command: [0] encrypt, [15:8] key slot (0), [31:24] bytes of the IV (16), [191:64] the IV, its byte 0 in [71:64],
// [255:192] bytes of text, or all ones. The other bits are not looked at.
module aesmith_cfb8_engine #(
  parameter int unsigned Cores = 1,
  parameter int unsigned Entries = 2,
  parameter int unsigned Queue = 2,
  parameter bit Direct = 1'b1
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
  localparam int unsigned PlaceBits = $clog2(Entries);

  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction

  logic valid, last, first, go, ends, take, put, served, blocked, room, encrypt;
  logic [127:0] iv, text;
  logic [63:0] unused_text_bytes;
  logic [15:0] keep;
  logic [1:0] unused_kind;
  logic [3:0] code;
  logic unused_command;

  aesmith_message_front #(
    .Cores    (Cores),
    .FieldBits(1 + 128),
    .Queue    (Queue)
  ) u_front (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .core_key_valid_o,
    .core_key_ready_i,
    .idle_i      (1'b1),
    .s_axis_cmd_tvalid,
    .s_axis_cmd_tready,
    .slot_i      (s_axis_cmd_tdata[15:8]),
    .text_bytes_i(s_axis_cmd_tdata[255:192]),
    .refusal_i   (s_axis_cmd_tdata[31:24] == 8'd16 ? 4'd0 : 4'd5),
    .fields_i    ({s_axis_cmd_tdata[0], s_axis_cmd_tdata[191:64]}),
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tuser,
    .s_axis_tlast,
    .valid_o     (valid),
    .take_i      (take),
    .fields_o    ({encrypt, iv}),
    .text_bytes_o(unused_text_bytes),
    .text_o      (text),
    .keep_o      (keep),
    .kind_o      (unused_kind),
    .last_o      (last),
    .first_o     (first),
    .code_o      (code),
    .kinds_i     (4'b0100),
    .tag_i       ('0),
    .large_i     (1'b0)
  );
  assign unused_command = ^{s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[7:1]};

  assign core_decrypt_o = 1'b0;

  // The chain: known, or owed by the result that is on its way.
  logic [127:0] chain_q, chain, next, sum;
  logic [7:0] result;
  logic [119:0] unused_result;
  logic [3:0] at_q;
  logic owed_q, result_valid, result_chains, pays, turn_ready, waits;

  assign sum   = chain_q ^ {result, 120'd0};
  assign pays  = result_valid & result_chains;
  assign waits = owed_q & ~(Direct & pays);
  always_comb begin
    chain = chain_q;
    if (Direct & pays) chain = sum;
    if (first & at_q == '0) chain = iv;
  end
  assign core_block_o = turned(chain);
  assign next         = {text[8*at_q+:8], chain[127:8]};

  // A beat is served by a block for each byte, or it ends a message without one, or it is dropped.
  assign served  = code == '0 & keep != '0;
  assign ends    = ~served | (keep >> at_q) == 16'd1;
  assign blocked = ((served | last) & ~room) | (served & (~turn_ready | waits));
  assign go      = valid & ~blocked;
  assign take    = go & ends;
  assign put     = take & (served | last);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owed_q <= 1'b0;
    end else if (go & served) begin
      owed_q <= encrypt & ~(last & ends);
    end else if (pays) begin
      owed_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (go & served) chain_q <= next;
    else if (pays) chain_q <= sum;
  end

  logic [PlaceBits-1:0] place, result_place;
  logic [127:0] gathered_q, gathered;
  logic [3:0] result_at;
  logic adds;

  aesmith_core_turns #(
    .Cores    (Cores),
    .LabelBits(1 + 4 + 1 + PlaceBits),
    .Blocks   (Entries)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .valid_i(valid & served & room & ~waits),
    .ready_o(turn_ready),
    .label_i({ends, at_q, encrypt & ~(last & ends), place}),
    .valid_o(result_valid),
    .ready_i(1'b1),
    .label_o({adds, result_at, result_chains, result_place}),
    .block_o({result, unused_result}),
    .core_block_valid_o,
    .core_block_ready_i,
    .core_result_valid_i,
    .core_result_ready_o,
    .core_result_i
  );

  always_comb begin
    gathered = gathered_q;
    gathered[8*result_at+:8] = result;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) at_q <= '0;
    else if (go) at_q <= ends ? '0 : at_q + 1'b1;
  end
  always_ff @(posedge clk_i) if (result_valid) gathered_q <= gathered;

  logic [3:0] out_code;
  logic out_error;

  aesmith_text_ring #(
    .Entries(Entries)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .put_i       (put),
    .room_o      (room),
    .place_o     (place),
    .text_i      (code == '0 ? text : {124'd0, code}),
    .keep_i      (code == '0 ? keep : '0),
    .last_i      (last),
    .error_i     (code != '0),
    .done_i      (~served),
    .add_i       (result_valid & adds),
    .add_place_i (result_place),
    .add_stream_i(gathered),
    .valid_o     (m_axis_tvalid),
    .ready_i     (m_axis_tready),
    .text_o      (m_axis_tdata),
    .keep_o      (m_axis_tkeep),
    .last_o      (m_axis_tlast),
    .error_o     (out_error),
    .code_o      (out_code)
  );

  assign m_axis_tuser = {out_error, 1'b0, m_axis_tvalid, 1'b0};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_o <= '0;
    end else if (out_error & m_axis_tready) begin
      error_o <= out_code;
    end
  end
endmodule
