// Key expansion on a ring of bytes: Wang and Heys, 2010, section III.D, registers R17 to R32.
//
//   ┌▶ R32 ▶ R31 ▶ R30 ▶(+)▶ R29 ▶ R28 ▶ R27 ▶ R26 ▶ R25 ▶ R24 ▶ … ▶ R17 ─┐
//   │                    └──── chain (EN) ────────┘                       │
//   └──────────────────────────────────────────────────────────────── load ◀ head_i
//
// shift_i turns the whole ring; a byte of words 1 to 3 of the next round key is the byte before it plus the new byte of
// the word before (chain_i). Word 0 takes the bytes of SubWord as they leave the S-box. With one stage they meet the
// ring at R17; every further stage moves that point one register on, and the bytes that have passed it when the ring
// stands still turn among the last SboxStages - 1 registers (turn_i). R25 to R28 turn (tail_i) while their bytes, 12 to
// 15 of the round key before, are added to the data.
//
// Keys of 24 or 32 bytes stand in a longer ring: R17 ▶ E1 ▶ … ▶ E8 or E16 ▶ R32, which the key enters at E1. With 32,
// word 0 of every second round key is made without RotWord, of the bytes as they pass R29 (plain_i). With 24, the word
// that takes SubWord is word 0 or word 2. For word 2 (late_i) the S-box is needed before word 1 is there; its bytes are
//
//   k[b] = k[b-24] + k[b-28] + k[b-8] = E3 (E7) + E7 (R30) + what the S-box gets for word 0        (last byte in brackets)
//
// of which, in the first round, only k[b-24] belongs to the key (own_i). What the S-box gives is added to the bytes of
// word 2 where they stand: at E3, the last three of them while they turn in E1 to E3.
module aesmith_serial_wang2010_key_expansion #(
  parameter int unsigned SboxStages = 4,
  parameter int unsigned KeyBytes = 16,
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,

  input  logic       shift_i,
  input  logic       turn_i,
  input  logic       tail_i,
  input  logic       load_i,
  input  logic       chain_i,
  input  logic       substitute_i,     // the S-box gives a byte of SubWord
  input  logic       first_of_word_i,  // the S-box takes byte 12, which stands at R26
  input  logic       late_i,
  input  logic       own_i,
  input  logic       plain_i,

  input  logic [7:0] head_i,           // a byte of the key
  input  logic [7:0] round_constant_i,
  input  logic [7:0] substituted_i,    // from the S-box
  output logic [7:0] substitute_o,     // to the S-box
  output logic [7:0] key_byte_o,       // R29
  output logic [7:0] tail_byte_o       // R25
);
  if (SboxStages < 1 || SboxStages > 5) begin : gen_check_stages
    $error("SboxStages must be 1 to 5");
  end
  if (KeyBytes != 16 && !((KeyBytes == 24 || KeyBytes == 32) && SboxStages == 4)) begin : gen_check_key
    $error("KeyBytes must be 16, or with 4 stages 24 or 32");
  end

  // ring_q[n] is R(17+n).
  localparam int unsigned R25 = 8;
  localparam int unsigned R26 = 9;
  localparam int unsigned R28 = 11;
  localparam int unsigned R29 = 12;
  localparam int unsigned R30 = 13;
  localparam int unsigned R32 = 15;
  localparam int unsigned Meeting = (17 - SboxStages) % 16;

  logic [15:0][7:0] ring_d, ring_q;
  logic [7:0] chain, substituted, early, sum, chained, last;
  logic [7:0] early_constant, early_substituted;

  // What the S-box gives comes last, and reaches its own input by no path.
  assign chain = ring_q[R26] & {8{chain_i}};
  assign substituted = substituted_i & {8{substitute_i}};
  if (Meeting == R30) begin : gen_one_adder
    // Chain and round constant meet the ring at R30, never at the same time.
    assign early = ring_q[R30] ^ (chain | early_constant);
    assign sum = early ^ early_substituted;
    assign chained = sum;
  end else begin : gen_two_adders
    assign early = ring_q[R30] ^ chain;
    assign sum = ring_q[Meeting] ^ early_constant ^ early_substituted;
    assign chained = early;
  end

  logic [7:0] usual;
  assign usual = first_of_word_i ? ring_q[R26] : early;
  assign key_byte_o = ring_q[R29];
  assign tail_byte_o = ring_q[R25];

  if (KeyBytes == 16) begin : gen_short
    logic unused_kinds;
    assign unused_kinds = ^{late_i, own_i, plain_i};
    assign early_constant = round_constant_i;
    assign early_substituted = substituted;
    assign substitute_o = usual;
    assign last = load_i ? head_i : ring_q[0];
  end else if (KeyBytes == 32) begin : gen_long
    logic lead_clk, lead_enable;
    logic [15:0][7:0] lead_q; // lead_q[n] is E(n+1)
    logic unused_kinds;
    assign unused_kinds = ^{late_i, own_i};
    assign early_constant = round_constant_i;
    assign early_substituted = substituted;
    assign substitute_o = plain_i ? ring_q[R29] : usual;

    aesmith_serial_clock_enable #(
      .ClockGates(ClockGates)
    ) u_lead_enable (
      .clk_i,
      .enable_i(shift_i),
      .clk_o   (lead_clk),
      .enable_o(lead_enable)
    );
    always_ff @(posedge lead_clk) begin
      if (lead_enable) lead_q <= {lead_q[14:0], load_i ? head_i : ring_q[0]};
    end
    assign last = lead_q[15];
  end else begin : gen_middle
    logic late_turn;
    logic [1:0] lead_clk, lead_enable;
    logic [2:0][7:0] front_q; // E1 to E3
    logic [4:0][7:0] lead_q;  // E4 to E8
    logic [7:0] late;
    logic unused_kinds;
    assign unused_kinds = plain_i;
    assign late_turn = turn_i & late_i;
    assign early_constant = round_constant_i & {8{~late_i}};
    assign early_substituted = substituted & {8{~late_i}};
    assign late = front_q[2] ^ ((round_constant_i ^ substituted) & {8{late_i}});
    assign substitute_o = (usual & {8{~own_i}})
                        ^ ((first_of_word_i ? lead_q[3] : front_q[2]) & {8{late_i}})
                        ^ ((first_of_word_i ? ring_q[R30] : lead_q[3]) & {8{late_i & ~own_i}});

    for (genvar bank = 0; bank < 2; bank++) begin : gen_lead
      aesmith_serial_clock_enable #(
        .ClockGates(ClockGates)
      ) u_lead_enable (
        .clk_i,
        .enable_i(shift_i | (late_turn & (bank == 0))),
        .clk_o   (lead_clk[bank]),
        .enable_o(lead_enable[bank])
      );
    end
    always_ff @(posedge lead_clk[0]) begin
      if (lead_enable[0]) front_q <= {front_q[1:0], late_turn ? late : load_i ? head_i : ring_q[0]};
    end
    always_ff @(posedge lead_clk[1]) begin
      if (lead_enable[1]) lead_q <= {lead_q[3:0], late};
    end
    assign last = lead_q[4];
  end

  // Banks of registers: 0 moves with the ring, 1 also with the tail, 2 (more than one stage) also with the turning end.
  localparam int unsigned Banks = SboxStages > 1 ? 3 : 2;
  logic [Banks-1:0] moves, clk, enable;
  assign moves = Banks'({shift_i | turn_i, shift_i | tail_i, shift_i});
  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    aesmith_serial_clock_enable #(
      .ClockGates(ClockGates)
    ) u_clock_enable (
      .clk_i,
      .enable_i(moves[bank]),
      .clk_o   (clk[bank]),
      .enable_o(enable[bank])
    );
  end

  for (genvar i = 0; i < 16; i++) begin : gen_ring
    if (i == R32) begin : gen_entry
      if (SboxStages == 1) begin : gen_meeting
        logic unused_last;
        assign unused_last = ^last;
        assign ring_d[i] = load_i ? head_i : sum;
      end else begin : gen_turn
        assign ring_d[i] = turn_i ? sum : last;
      end
    end else if (i == R29) begin : gen_chain
      assign ring_d[i] = chained;
    end else if (i == R28) begin : gen_tail
      assign ring_d[i] = tail_i ? ring_q[R25] : ring_q[R29];
    end else if (i + 1 == Meeting && SboxStages < 4) begin : gen_meeting
      assign ring_d[i] = sum;
    end else begin : gen_shift
      assign ring_d[i] = ring_q[i+1];
    end

    localparam int unsigned Bank = (i >= R25 && i <= R28) ? 1 : (SboxStages > 1 && i >= Meeting) ? 2 : 0;

    logic [7:0] byte_q;
    always_ff @(posedge clk[Bank]) begin
      if (enable[Bank]) byte_q <= ring_d[i];
    end
    assign ring_q[i] = byte_q;
  end
endmodule
