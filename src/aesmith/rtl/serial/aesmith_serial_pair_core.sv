// AES-128 encryption on pairs of bytes with two S-boxes for state and key, in rounds of ten clocks, with a key that is kept:
// the ring, and the key as it was sent beside it, which turns by a pair with each pair of a block.
//
//   key ──▶ eight pairs, turning ─┐
//                                 ├▶ ring ──▶ result
//   block ────────────────────────┘
//
// A key is taken whenever no block is coming in: also while one is in its rounds, or its result leaves.
module aesmith_serial_pair_core #(
  parameter int unsigned SboxStages = 2,
  parameter bit ClockGates = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        key_valid_i,
  output logic        key_ready_o,
  input  logic [15:0] key_i,

  input  logic        block_valid_i,
  output logic        block_ready_o,
  input  logic [15:0] block_i,

  output logic        block_valid_o,
  input  logic        block_ready_i,
  output logic [15:0] block_o
);
  logic clk, enable, key_take, key_whole_q, may_come, room, filling;
  logic [2:0] key_count_q;
  logic [7:0][15:0] key_q; // the pair that is next is key_q[0]
  logic [15:0] key_pair;

  // A key that waits goes before a block that has not begun.
  assign may_come = filling | (key_whole_q & ~key_valid_i);
  assign block_ready_o = room & may_come;
  assign key_ready_o = ~filling;
  assign key_take = key_valid_i & ~filling;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_key_clock_enable (
    .clk_i,
    .enable_i(key_take | (block_valid_i & block_ready_o)),
    .clk_o   (clk),
    .enable_o(enable)
  );

  always_ff @(posedge clk) begin
    if (enable) key_q <= {key_take ? key_i : key_q[0], key_q[7:1]};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_count_q <= '0;
      key_whole_q <= 1'b0;
    end else if (key_take) begin
      key_count_q <= key_count_q + 3'd1;
      key_whole_q <= key_count_q == '1;
    end
  end

  // Of a key that comes while no block does the ring takes nothing: its pair is open then.
  assign key_pair = block_valid_i & may_come ? key_q[0] : 'x;

  aesmith_serial_pair_ring #(
    .SboxStages(SboxStages),
    .ClockGates(ClockGates)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .block_valid_i(block_valid_i & may_come),
    .block_ready_o(room),
    .block_i,
    .key_i        (key_pair),
    .filling_o    (filling),
    .block_valid_o,
    .block_ready_i,
    .block_o
  );
endmodule
