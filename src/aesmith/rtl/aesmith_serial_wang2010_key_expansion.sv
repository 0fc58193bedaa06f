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
module aesmith_serial_wang2010_key_expansion #(
  parameter int unsigned SboxStages = 4,
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

  // ring_q[n] is R(17+n).
  localparam int unsigned R25 = 8;
  localparam int unsigned R26 = 9;
  localparam int unsigned R28 = 11;
  localparam int unsigned R29 = 12;
  localparam int unsigned R30 = 13;
  localparam int unsigned R32 = 15;
  localparam int unsigned Meeting = (17 - SboxStages) % 16;

  logic [15:0][7:0] ring_d, ring_q;
  logic [7:0] chain, addend, sum, chained;

  assign chain = ring_q[R26] & {8{chain_i}};
  assign addend = (substituted_i ^ round_constant_i) & {8{substitute_i}};
  if (Meeting == R30) begin : gen_one_adder
    // Both meet the ring at R30, never at the same time.
    assign sum = ring_q[R30] ^ (chain | addend);
    assign chained = sum;
  end else begin : gen_two_adders
    assign sum = ring_q[Meeting] ^ addend;
    assign chained = ring_q[R30] ^ chain;
  end

  assign substitute_o = first_of_word_i ? ring_q[R26] : chained;
  assign key_byte_o = ring_q[R29];
  assign tail_byte_o = ring_q[R25];

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
      logic [7:0] turned;
      assign turned = (SboxStages == 1 || turn_i) ? sum : ring_q[0];
      assign ring_d[i] = load_i ? head_i : turned;
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

    always_ff @(posedge clk[Bank]) begin
      if (enable[Bank]) ring_q[i] <= ring_d[i];
    end
  end
endmodule
