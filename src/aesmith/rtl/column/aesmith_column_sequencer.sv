// Control of the cores of 32 bits: what each slot of a round is for.
//
//   slot             state                                           key
//   0                column 0 enters the S-boxes                     SubWord leaves them: word 0 of the next round key
//   1 … 3            columns 1 … 3                                   words 1 … 3
//   4                                                                word 3 enters the S-boxes
//   SboxStages - 1 … SboxStages + 2: columns leave the S-boxes, and rows turn with the last, which ends the round
//
// In the first round (load) columns are those of the block, and words of the key those of the kept key. Its slot 0 is where
// the core waits: for a key, a block, or for the result of the block before to leave. In a block's rounds nothing waits.
//
// In the last round slot 4 takes the kept key's last word (kept), for round key 1 of the next block. After a new key the core
// runs from slot 4 once, so that it is so for the first block too.
module aesmith_column_sequencer #(
  parameter int unsigned SboxStages = 2
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic key_take_o,
  output logic advance_o,         // state and S-boxes
  output logic key_advance_o,     // words of the round key
  output logic waits_o,           // slot 0 of the first round
  output logic load_o,
  output logic [3:0] column_o,
  output logic key_word_o,
  output logic kept_o,
  output logic turn_o,
  output logic [7:0] round_constant_o
);
  if (SboxStages < 2 || SboxStages > 4) begin : gen_check_stages
    $error("SboxStages must be 2 to 4");
  end

  localparam int unsigned Slots = SboxStages + 3;
  localparam logic [Slots-1:0] First = Slots'(1);
  localparam logic [Slots-1:0] OfKey = Slots'(1) << 4;
  localparam logic [7:0] FirstConstant = 8'h01;

  logic [Slots-1:0] slot_d, slot_q;
  logic waits_d, waits_q, load_d, load_q, kept_d, kept_q, full_d, full_q, known_q;
  logic [7:0] constant_d, constant_q;
  logic starts, last_round, ends;

  assign ends = slot_q[Slots-1];
  // The round constant counts the rounds: 36 is the only one with bits 1 and 2 set.
  assign last_round = constant_q[1] & constant_q[2];

  // A key that waits goes before a block that has not begun.
  assign key_ready_o = waits_q & ~full_q;
  assign key_take_o = key_valid_i & key_ready_o;
  assign block_valid_o = waits_q & full_q;
  assign block_ready_o = waits_q & known_q & ~key_valid_i & (~full_q | block_ready_i);
  assign starts = block_valid_i & block_ready_o;

  assign advance_o = ~waits_q | starts;
  assign column_o = slot_q[3:0];
  assign key_advance_o = advance_o & (slot_q[3:0] != '0);
  assign waits_o = waits_q;
  assign load_o = load_q;
  assign key_word_o = slot_q[4];
  assign kept_o = kept_q;
  assign turn_o = ends;
  assign round_constant_o = constant_q;

  always_comb begin
    slot_d = slot_q;
    waits_d = waits_q & ~key_take_o & ~starts;
    load_d = load_q;
    kept_d = kept_q;
    full_d = full_q;
    constant_d = constant_q;
    if (key_take_o) begin
      slot_d = OfKey;
      kept_d = 1'b1;
    end else if (advance_o) begin
      slot_d = {slot_q[Slots-2:0], ends};
    end
    if (waits_q) full_d = starts | (full_q & ~block_ready_i);
    if (slot_q[3]) kept_d = last_round;
    if (ends) begin
      waits_d = kept_q;
      load_d = kept_q;
      kept_d = 1'b0;
      constant_d = kept_q ? FirstConstant : {constant_q[6:0], 1'b0} ^ (8'h1b & {8{constant_q[7]}});
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q <= First;
      waits_q <= 1'b1;
      load_q <= 1'b1;
      kept_q <= 1'b0;
      full_q <= 1'b0;
      known_q <= 1'b0;
      constant_q <= FirstConstant;
    end else begin
      slot_q <= slot_d;
      waits_q <= waits_d;
      load_q <= load_d;
      kept_q <= kept_d;
      full_q <= full_d;
      known_q <= known_q | key_take_o;
      constant_q <= constant_d;
    end
  end
endmodule
