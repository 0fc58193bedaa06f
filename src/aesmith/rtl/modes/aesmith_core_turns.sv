// N equal cores behind the block interface as one: blocks go to them in turn, and results come from them in turn, so they
// come in order. What belongs to a block (its label) waits beside the cores in a queue.
//
// With `Skips` a label whose highest bit is 1 has no block: it goes past the cores, in its turn among the others.
//
// With several lanes a turn is that of `Lanes` cores, and a block one of each lane. These cores are in step: equal, and
// given keys and blocks in the same clocks, and nothing that they do depends in time on what these are. What they are told
// is one line.
module aesmith_core_turns #(
  // In each lane.
  parameter int unsigned Cores = 1,
  parameter int unsigned Lanes = 1,
  parameter int unsigned LabelBits = 1,
  // Blocks under way at most; who offers a block keeps to it.
  parameter int unsigned Blocks = 2,
  parameter bit Skips = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic valid_i,
  output logic ready_o,
  input  logic [LabelBits-1:0] label_i,

  output logic valid_o,
  input  logic ready_i,
  output logic [LabelBits-1:0] label_o,
  output logic [128*Lanes-1:0] block_o,

  output logic [Cores-1:0] core_block_valid_o,
  input  logic [Cores-1:0][Lanes-1:0] core_block_ready_i,
  input  logic [Cores-1:0][Lanes-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][128*Lanes-1:0] core_result_i
);
  logic [Cores-1:0] sending_q, receiving_q, ready, done;
  logic room, labelled, skips, skipped;

  function automatic logic [Cores-1:0] after(input logic [Cores-1:0] turn);
    return (turn << 1) | (turn >> (Cores - 1));
  endfunction

  for (genvar core = 0; core < Cores; core++) begin : gen_core
    assign ready[core] = &core_block_ready_i[core];
    assign done[core]  = &core_result_valid_i[core];
  end

  assign skips   = Skips & label_i[LabelBits-1];
  assign skipped = Skips & label_o[LabelBits-1];

  assign core_block_valid_o = sending_q & {Cores{valid_i & room & ~skips}};
  assign ready_o = room & (skips | |(ready & sending_q));

  assign core_result_ready_o = receiving_q & {Cores{ready_i & ~skipped}};
  assign valid_o = labelled & (skipped | |(done & receiving_q));
  always_comb begin
    block_o = '0;
    for (int unsigned core = 0; core < Cores; core++) block_o |= core_result_i[core] & {128 * Lanes{receiving_q[core]}};
  end

  aesmith_stream_fifo #(
    .Width  (LabelBits),
    .Entries(Blocks)
  ) u_labels (
    .clk_i,
    .rst_ni,
    .valid_i(valid_i & ready_o),
    .ready_o(room),
    .data_i (label_i),
    .valid_o(labelled),
    .ready_i(valid_o & ready_i),
    .data_o (label_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sending_q   <= Cores'(1);
      receiving_q <= Cores'(1);
    end else begin
      if (valid_i & ready_o & ~skips) sending_q <= after(sending_q);
      if (valid_o & ready_i & ~skipped) receiving_q <= after(receiving_q);
    end
  end
endmodule
