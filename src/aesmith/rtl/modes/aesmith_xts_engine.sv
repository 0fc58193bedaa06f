// XTS (IEEE 1619, SP 800-38E) as a stream: T_0 = E(Key2, tweak), T_j+1 = α T_j; C_j = E(Key1, P_j + T_j) + T_j, and to decrypt
// D in place of E. Text that ends within a block steals from the block before it.
//
//   command ─▶ message front ───────────────────┐        tweak maker ─▶ T
//   stream ──▶      "     "  ─▶ text register ─ + T ─▶ cores in turn ─▶ results ─┐
//                                    ▲            └──▶ text ring ◀── added ──────┤
//                                    └──────── bytes that are stolen ◀───────────┘
//
// A block waits in the text register until it is known whether a part of a block comes behind it. If so, both together take
// two blocks of the core, one after the other; first and second tweak are, to encrypt, T and α T, to decrypt the other way:
//
//   phase   Run                      Split                      Wait                        Join
//           the first answer has     the block goes, and the    its result fills up the     that goes, for the
//           its place in the ring    second answer its place    part that came              first answer
//
// The tweak of the next message is made as soon as a message has its own. Key1 is the first half of the key.
//
// Command: [0] encrypt, [15:8] key slot (0), [31:24] bytes of the tweak (16), [191:64] the tweak, its byte 0 in [71:64],
// [255:192] bytes of text, or all ones. The other bits are not looked at, nor is [0] where there is one direction.
module aesmith_xts_engine #(
  parameter int unsigned Cores = 1,
  parameter int unsigned Entries = 4,
  parameter int unsigned KeyBits = 256,
  parameter int unsigned TweakWordBits = 128,
  parameter bit Encrypts = 1'b1,
  parameter bit Decrypts = 1'b0
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

  output logic [Cores-1:0] core_key_valid_o,
  input  logic [Cores-1:0] core_key_ready_i,
  output logic [Cores-1:0] core_block_valid_o,
  input  logic [Cores-1:0] core_block_ready_i,
  output logic [127:0] core_block_o,
  output logic core_decrypt_o,
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][127:0] core_result_i,

  // The core of tweaks, which only encrypts, under Key2.
  output logic tweak_key_valid_o,
  input  logic tweak_key_ready_i,
  output logic tweak_block_valid_o,
  input  logic tweak_block_ready_i,
  output logic [TweakWordBits-1:0] tweak_block_o,
  input  logic tweak_result_valid_i,
  output logic tweak_result_ready_o,
  input  logic [TweakWordBits-1:0] tweak_result_i
);
  localparam int unsigned PlaceBits = $clog2(Entries);

  function automatic logic [127:0] turned(input logic [127:0] bytes);
    for (int unsigned place = 0; place < 16; place++) turned[8*place+:8] = bytes[8*(15-place)+:8];
  endfunction

  // Times α: bytes are a number with byte 0 lowest.
  function automatic logic [127:0] next(input logic [127:0] tweak);
    next = {tweak[126:0], 1'b0} ^ {120'd0, 8'h87 & {8{tweak[127]}}};
  endfunction

  typedef enum logic [1:0] {
    Run,
    Split,
    Wait,
    Join
  } phase_e;

  phase_e phase_q;
  // The block in the text register: there is one, it is its message's last, to be decrypted, and its tweak. While bytes are
  // stolen, the part of a block behind it takes its place.
  logic held_q, held_last_q, decrypts_q;
  logic [127:0] text_q, tweak_q;
  logic [15:0] part_q;

  // What was said of keys: there is one, and its halves are equal, which no message may have.
  logic keyed_q, equal_q;
  logic [3:0] refusal;
  logic command_ready, with_tweak, tweak_free, tweak_known, tweak_take;
  logic [127:0] first_tweak;

  always_comb begin
    refusal = equal_q ? 4'd9 : '0;
    if (s_axis_cmd_tdata[31:24] != 8'd16) refusal = 4'd5;
  end
  assign with_tweak        = keyed_q & s_axis_cmd_tdata[15:8] == '0 & refusal == '0;
  assign s_axis_cmd_tready = command_ready & tweak_free;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      keyed_q <= 1'b0;
      equal_q <= 1'b0;
    end else if (key_valid_i & key_ready_o) begin
      keyed_q <= 1'b1;
      equal_q <= key_i[KeyBits-1:KeyBits/2] == key_i[KeyBits/2-1:0];
    end
  end

  logic valid, last, first, take, encrypt, wanted, good, whole;
  logic [127:0] text;
  logic [63:0] unused_text_bytes;
  logic [15:0] keep;
  logic [1:0] unused_kind;
  logic [3:0] code;
  logic unused_command;

  aesmith_message_front #(
    .Cores    (Cores + 1),
    .FieldBits(2),
    .Queue    (2)
  ) u_front (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .core_key_valid_o({tweak_key_valid_o, core_key_valid_o}),
    .core_key_ready_i({tweak_key_ready_i, core_key_ready_i}),
    .idle_i      (~held_q),
    .s_axis_cmd_tvalid(s_axis_cmd_tvalid & tweak_free),
    .s_axis_cmd_tready(command_ready),
    .slot_i      (s_axis_cmd_tdata[15:8]),
    .text_bytes_i(s_axis_cmd_tdata[255:192]),
    .refusal_i   (refusal),
    .fields_i    ({s_axis_cmd_tdata[0], with_tweak}),
    .s_axis_tvalid,
    .s_axis_tready,
    .s_axis_tdata,
    .s_axis_tkeep,
    .s_axis_tuser,
    .s_axis_tlast,
    .valid_o     (valid),
    .take_i      (take),
    .fields_o    ({encrypt, wanted}),
    .text_bytes_o(unused_text_bytes),
    .text_o      (text),
    .keep_o      (keep),
    .kind_o      (unused_kind),
    .last_o      (last),
    .first_o     (first),
    .code_o      (code),
    .kinds_i     (4'b0100),
    .tag_i       ('0),
    // A message has a block at least.
    .large_i     (first & ~keep[15])
  );
  assign unused_command = ^{s_axis_cmd_tdata[63:32], s_axis_cmd_tdata[23:16], s_axis_cmd_tdata[7:1]};

  aesmith_tweak_maker #(
    .WordBits(TweakWordBits)
  ) u_tweak (
    .clk_i,
    .rst_ni,
    .free_o (tweak_free),
    .put_i  (s_axis_cmd_tvalid & s_axis_cmd_tready & with_tweak),
    .value_i(turned(s_axis_cmd_tdata[191:64])),
    .known_o(tweak_known),
    .take_i (tweak_take),
    .tweak_o(first_tweak),
    .core_block_valid_o (tweak_block_valid_o),
    .core_block_ready_i (tweak_block_ready_i),
    .core_block_o       (tweak_block_o),
    .core_result_valid_i(tweak_result_valid_i),
    .core_result_ready_o(tweak_result_ready_o),
    .core_result_i      (tweak_result_i)
  );

  // The beat at the head, of whose message the tweak is known, and what becomes of it and of the block that is held.
  logic here, steals, sends, sent, enters, drops, room, turn_ready, put;
  assign here   = valid & (~first | ~wanted | tweak_known);
  assign good   = code == '0;
  assign whole  = keep[15];
  // What is good and not first is of the message of the block that is held, and one is.
  assign steals = valid & good & ~whole & held_q & ~held_last_q;
  always_comb begin
    unique case (phase_q)
      Run:   sends = held_q & (held_last_q | (valid & ~steals)) & room;
      Split: sends = room;
      Wait:  sends = 1'b0;
      Join:  sends = 1'b1;
    endcase
  end
  assign sent   = sends & turn_ready;
  assign enters = here & good & whole & phase_q == Run & (~held_q | sent);
  assign drops  = here & ~good & ~held_q & (~last | room);
  assign take   = enters | drops | (phase_q == Split & sent);
  assign tweak_take = take & first & wanted;

  // T or α T: for the core, of the block that goes; for the ring, that one's or of the first answer of two.
  logic [127:0] next_tweak, tweak, ring_tweak, result, stolen;
  logic advanced, result_valid, result_stolen;
  logic [PlaceBits-1:0] place, first_place_q, result_place;
  always_comb begin
    unique case (phase_q)
      Run:   advanced = 1'b0;
      Split: advanced = decrypts_q;
      Wait:  advanced = decrypts_q;
      Join:  advanced = ~decrypts_q;
    endcase
  end
  assign next_tweak     = next(tweak_q);
  assign tweak          = advanced ? next_tweak : tweak_q;
  assign ring_tweak     = phase_q == Run & steals & ~decrypts_q ? next_tweak : tweak;
  assign core_block_o   = turned(text_q ^ tweak);
  assign core_decrypt_o = decrypts_q;
  assign stolen         = turned(result) ^ tweak;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= Run;
      held_q  <= 1'b0;
    end else begin
      unique case (phase_q)
        Run: begin
          if (enters) held_q <= 1'b1;
          else if (sent) held_q <= 1'b0;
          if (steals & room) phase_q <= Split;
        end
        Split: if (sent) phase_q <= Wait;
        Wait:  if (result_valid & result_stolen) phase_q <= Join;
        Join: begin
          if (sent) begin
            held_q  <= 1'b0;
            phase_q <= Run;
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (enters) begin
      held_last_q <= last;
      decrypts_q  <= Decrypts & (~encrypt | ~Encrypts);
      tweak_q     <= first ? turned(first_tweak) : next_tweak;
    end
    if (enters | (phase_q == Split & sent)) begin
      text_q <= text;
      part_q <= keep;
    end else if (phase_q == Wait & result_valid & result_stolen) begin
      for (int unsigned i = 0; i < 16; i++) if (~part_q[i]) text_q[8*i+:8] <= stolen[8*i+:8];
    end
    if (phase_q == Run) first_place_q <= place;
  end

  aesmith_core_turns #(
    .Cores    (Cores),
    .LabelBits(1 + PlaceBits),
    .Blocks   (Entries)
  ) u_turns (
    .clk_i,
    .rst_ni,
    .valid_i(sends),
    .ready_o(turn_ready),
    .label_i({phase_q == Split, phase_q == Join ? first_place_q : place}),
    .valid_o(result_valid),
    .ready_i(1'b1),
    .label_o({result_stolen, result_place}),
    .block_o(result),
    .core_block_valid_o,
    .core_block_ready_i,
    .core_result_valid_i,
    .core_result_ready_o,
    .core_result_i
  );

  logic [15:0] put_keep;
  logic [3:0] out_code;
  logic out_error, put_last;
  assign put = phase_q == Run ? sent | (steals & room) | (drops & last) : phase_q == Split & sent;
  always_comb begin
    put_keep = '1;
    put_last = held_last_q & ~steals;
    if (drops) begin
      put_keep = '0;
      put_last = 1'b1;
    end
    if (phase_q == Split) begin
      put_keep = keep;
      put_last = last;
    end
  end

  aesmith_text_ring #(
    .Entries(Entries)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .put_i       (put),
    .room_o      (room),
    .place_o     (place),
    .text_i      (drops ? {124'd0, code} : ring_tweak),
    .keep_i      (put_keep),
    .last_i      (put_last),
    .error_i     (drops),
    .done_i      (drops),
    .add_i       (result_valid),
    .add_place_i (result_place),
    .add_stream_i(turned(result)),
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
