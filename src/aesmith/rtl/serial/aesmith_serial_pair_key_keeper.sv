// The key of a channel of its own, beside the blocks of a core that takes a pair of the key with each pair of a block.
//
//   key ────▶ eight pairs ─┐
//                          ├▶ sent: pair of the block, pair of the key
//   block ─────────────────┘
//
// Such a core has the block interface behind this, and is simulated and proved so. What has been offered to the core stays
// until it is taken: no key is taken between. While nothing is offered nothing is said of sent_key_o, as of no payload.
module aesmith_serial_pair_key_keeper (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        key_valid_i,
  output logic        key_ready_o,
  input  logic [15:0] key_i,

  input  logic        block_valid_i,
  output logic        block_ready_o,

  output logic        sent_valid_o,
  input  logic        sent_ready_i,
  output logic [15:0] sent_key_o
);
  logic [2:0] key_count_q, block_count_q; // pairs that have come
  logic whole_q, offered_q, begun, may_come, take, sent;
  logic [7:0][15:0] key_q; // the pair that is next is key_q[0]

  assign begun = offered_q | (block_count_q != '0);
  assign may_come = begun | (whole_q & ~key_valid_i); // a key that waits goes before a block that has not begun
  assign take = key_valid_i & ~begun;
  assign sent = sent_valid_o & sent_ready_i;
  assign key_ready_o = ~begun;
  assign block_ready_o = sent_ready_i & may_come;
  assign sent_valid_o = block_valid_i & may_come;
  assign sent_key_o = sent_valid_o ? key_q[0] : 'x;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_count_q <= '0;
      whole_q <= 1'b0;
      block_count_q <= '0;
      offered_q <= 1'b0;
    end else begin
      if (take) key_count_q <= key_count_q + 3'd1;
      if (take) whole_q <= key_count_q == '1;
      if (sent) block_count_q <= block_count_q + 3'd1;
      offered_q <= sent_valid_o & ~sent_ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take | sent) key_q <= {take ? key_i : key_q[0], key_q[7:1]};
  end
endmodule
