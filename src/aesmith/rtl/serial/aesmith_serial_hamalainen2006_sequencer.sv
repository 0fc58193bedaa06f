// Control of the core with two S-boxes: 16 clocks a round, without a pause.
//
//   round_q   0 (loading)   1 … 9   10 (unloading; the next block's loading)
//   slot_q    0 … 15: the byte that passes AddRoundKey
//
// A block whose first byte comes with the first byte of the result before it goes through round 10 together with it:
// then each clock passes a byte in and a byte out. Once a block byte is missing, the result leaves by itself: the
// block's kept_q bytes stay where they are, at the end of the state registers, and the others are taken afterwards.
module aesmith_serial_hamalainen2006_sequencer (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  input  logic block_valid_i,
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  input  logic key_whole_i,
  output logic key_open_o,
  output logic key_step_o,

  output logic [3:0] round_o,
  output logic advance_o,          // key and result
  output logic [11:0] state_enable_o,
  output logic mix_enable_o,
  output logic load_o,             // AddRoundKey takes a block byte and a byte of the key
  output logic [1:0] rotation_o,
  output logic accumulate_o,
  output logic column_load_o,
  output logic add_column_o,       // AddRoundKey takes the first byte of a column
  output logic key_from_source_o,
  output logic key_substitute_o,
  output logic key_first_of_word_o,
  output logic round_constant_o
);
  localparam logic [3:0] Load = 4'd0;
  localparam logic [3:0] First = 4'd1;
  localparam logic [3:0] BeforeLast = 4'd9;
  localparam logic [3:0] Last = 4'd10;

  logic [3:0] round_d, round_q, slot_d, slot_q, kept_d, kept_q;
  logic loading_d, loading_q;
  logic loading_alone, unloading, begins, may_begin, parts, ends, fourth;
  logic [3:0] kept;

  assign loading_alone = round_q == Load;
  assign unloading = round_q == Last;
  assign begins = slot_q == '0;
  assign ends = slot_q == '1;
  assign fourth = slot_q[1:0] == '0;

  // A key that waits goes before a block that has not begun.
  assign key_open_o = (loading_alone & begins) | ~(loading_alone | unloading | (round_q == First));
  assign may_begin = key_whole_i & (unloading | ~key_valid_i);

  assign block_valid_o = unloading;
  assign load_o = begins ? (loading_alone | unloading) & may_begin & block_valid_i : loading_alone | loading_q;
  assign block_ready_o = (begins ? may_begin : loading_alone | loading_q)
                       & (loading_alone | (unloading & block_ready_i));
  assign parts = loading_q & ~begins & ~block_valid_i;

  always_comb begin
    advance_o = 1'b1;
    if (loading_alone) advance_o = begins ? load_o : block_valid_i;
    else if (unloading) advance_o = block_ready_i;
  end

  // kept_q bytes stand in the last registers; from 12 on they have entered MixColumns too.
  assign kept = parts ? slot_q : kept_q;
  for (genvar i = 0; i < 12; i++) begin : gen_state_enable
    assign state_enable_o[i] = advance_o & ({1'b0, kept} + 5'(i) < 5'd12);
  end
  assign mix_enable_o = advance_o & (kept < 4'd12);

  always_comb begin
    slot_d = slot_q;
    round_d = round_q;
    loading_d = loading_q;
    kept_d = kept_q;
    if (advance_o) begin
      slot_d = slot_q + 4'd1;
      if (begins) loading_d = unloading & load_o;
      if (parts) loading_d = 1'b0;
      kept_d = kept;
      if (ends) begin
        round_d = round_q + 4'd1;
        if (unloading) round_d = (loading_q & ~parts) ? First : Load;
        slot_d = kept;
        loading_d = 1'b0;
        kept_d = '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= Load;
      slot_q <= '0;
      loading_q <= 1'b0;
      kept_q <= '0;
    end else begin
      round_q <= round_d;
      slot_q <= slot_d;
      loading_q <= loading_d;
      kept_q <= kept_d;
    end
  end

  assign round_o = round_q;
  assign rotation_o = (slot_q[3:2] == 2'd3) ? slot_q[1:0] : '0;

  // Round 10 has no MixColumns; its bytes leave the S-box from slot 12 of round 9 to slot 11 of round 10.
  assign accumulate_o = ~fourth & ~(slot_q[3:2] == 2'd3 ? round_q == BeforeLast : unloading);
  assign column_load_o = fourth & ~unloading;
  assign add_column_o = fourth;

  // The key expansion makes the byte of the next slot.
  assign key_step_o = advance_o & ((load_o & ~parts) | (round_q == First));
  assign key_from_source_o = ends ? loading_alone | unloading : round_q == First;
  assign key_substitute_o = ends | (slot_q < 4'd3);
  assign key_first_of_word_o = slot_q == 4'd2;
  assign round_constant_o = ends;
endmodule
