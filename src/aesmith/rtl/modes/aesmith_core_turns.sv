// N equal cores behind the block interface as one: blocks go to them in turn, and results come from them in turn, so they
// come in order. What belongs to a block (its label) waits beside the cores in a queue. The results are always taken.
module aesmith_core_turns #(
  parameter int unsigned Cores = 1,
  parameter int unsigned LabelBits = 1,
  // Blocks under way at most; who offers a block keeps to it.
  parameter int unsigned Blocks = 2
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic valid_i,
  output logic ready_o,
  input  logic [LabelBits-1:0] label_i,

  output logic valid_o,
  output logic [LabelBits-1:0] label_o,
  output logic [127:0] block_o,

  output logic [Cores-1:0] core_block_valid_o,
  input  logic [Cores-1:0] core_block_ready_i,
  input  logic [Cores-1:0] core_result_valid_i,
  output logic [Cores-1:0] core_result_ready_o,
  input  logic [Cores-1:0][127:0] core_result_i
);
  logic [Cores-1:0] sending_q, receiving_q;
  logic room, labelled;

  function automatic logic [Cores-1:0] after(input logic [Cores-1:0] turn);
    return (turn << 1) | (turn >> (Cores - 1));
  endfunction

  assign core_block_valid_o = sending_q & {Cores{valid_i & room}};
  assign ready_o = room & |(core_block_ready_i & sending_q);

  assign core_result_ready_o = receiving_q;
  assign valid_o = labelled & |(core_result_valid_i & receiving_q);
  always_comb begin
    block_o = '0;
    for (int unsigned core = 0; core < Cores; core++) block_o |= core_result_i[core] & {128{receiving_q[core]}};
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
    .ready_i(valid_o),
    .data_o (label_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sending_q   <= Cores'(1);
      receiving_q <= Cores'(1);
    end else begin
      if (valid_i & ready_o) sending_q <= after(sending_q);
      if (valid_o) receiving_q <= after(receiving_q);
    end
  end
endmodule
