// Control of the core with two S-boxes: 16 clocks a round, without a pause.
//
//   round_q   0 (loading)   1 … 9   10 (unloading; the next block's loading)
//   slot_q    0 … 15: the byte that passes AddRoundKey
//
// A block whose first byte comes with the first byte of the result before it goes through round 10 together with it:
// then each clock passes a byte in and a byte out, and either waits for the other.
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
  output logic advance_o,
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

  logic [3:0] round_d, round_q, slot_d, slot_q;
  logic loading_d, loading_q, left_d, left_q;
  logic loading_alone, unloading, begins, may_begin, may_leave, ends, fourth;

  assign loading_alone = round_q == Load;
  assign unloading = round_q == Last;
  assign begins = slot_q == '0;
  assign ends = slot_q == '1;
  assign fourth = slot_q[1:0] == '0;

  // A key that waits goes before a block that has not begun.
  assign key_open_o = (loading_alone & begins) | ~(loading_alone | unloading | (round_q == First));
  assign may_begin = key_whole_i & (unloading | ~key_valid_i);

  // left_q: the result's byte has been taken, and a block byte is awaited.
  assign block_valid_o = unloading & ~left_q;
  assign may_leave = block_ready_i | left_q;
  assign load_o = begins ? (loading_alone | unloading) & may_begin & block_valid_i : loading_alone | loading_q;
  assign block_ready_o = (begins ? may_begin : loading_alone | loading_q)
                       & (loading_alone | (unloading & may_leave));

  always_comb begin
    advance_o = 1'b1;
    if (loading_alone) advance_o = begins ? load_o : block_valid_i;
    else if (unloading) advance_o = may_leave & (begins | ~loading_q | block_valid_i);
  end

  always_comb begin
    slot_d = slot_q;
    round_d = round_q;
    loading_d = loading_q;
    left_d = block_valid_o & block_ready_i | left_q;
    if (advance_o) begin
      left_d = 1'b0;
      slot_d = slot_q + 4'd1;
      if (begins) loading_d = unloading & load_o;
      if (ends) begin
        round_d = round_q + 4'd1;
        if (unloading) round_d = loading_q ? First : Load;
        loading_d = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= Load;
      slot_q <= '0;
      loading_q <= 1'b0;
      left_q <= 1'b0;
    end else begin
      round_q <= round_d;
      slot_q <= slot_d;
      loading_q <= loading_d;
      left_q <= left_d;
    end
  end

  assign round_o = round_q;
  assign rotation_o = (slot_q[3:2] == 2'd3) ? slot_q[1:0] : '0;

  // Round 10 has no MixColumns; its bytes leave the S-box from slot 12 of round 9 to slot 11 of round 10.
  assign accumulate_o = ~fourth & ~(slot_q[3:2] == 2'd3 ? round_q == BeforeLast : unloading);
  assign column_load_o = fourth & ~unloading;
  assign add_column_o = fourth;

  // The key expansion makes the byte of the next slot.
  assign key_step_o = advance_o & (load_o | (round_q == First));
  assign key_from_source_o = ends ? loading_alone | unloading : round_q == First;
  assign key_substitute_o = ends | (slot_q < 4'd3);
  assign key_first_of_word_o = slot_q == 4'd2;
  assign round_constant_o = ends;
endmodule
