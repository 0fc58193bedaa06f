// The key of a channel of its own, beside the blocks of a core that takes a key byte with each block byte.
//
//   key ──────▶ 16 bytes ─┐
//                         ├▶ sent: block byte and key byte
//   block ────────────────┘
//
// Such a core has the block interface behind this, and is simulated and proved so. What has been offered to the core stays
// until it is taken: no key is taken between.
module aesmith_serial_key_keeper (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [7:0] key_i,

  input  logic       block_valid_i,
  output logic       block_ready_o,

  output logic       sent_valid_o,
  input  logic       sent_ready_i,
  output logic [7:0] sent_key_o
);
  logic [3:0] key_count_q, block_count_q; // bytes of a key or block that have come
  logic whole_q, offered_q, begun, may_come, key_take, sent;
  logic [127:0] key_q; // the byte that is next in the lowest bits

  assign begun = (block_count_q != 4'd0) | offered_q;
  assign key_ready_o = ~begun;
  assign key_take = key_valid_i & ~begun;
  // A key that waits goes before a block that has not begun.
  assign may_come = begun | (whole_q & ~key_valid_i);
  assign sent_valid_o = block_valid_i & may_come;
  assign block_ready_o = sent_ready_i & may_come;
  assign sent_key_o = key_q[7:0];
  assign sent = sent_valid_o & sent_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_count_q <= 4'd0;
      block_count_q <= 4'd0;
      whole_q <= 1'b0;
      offered_q <= 1'b0;
    end else begin
      if (key_take) begin
        key_count_q <= key_count_q + 4'd1;
        whole_q <= key_count_q == 4'd15;
      end
      if (sent) block_count_q <= block_count_q + 4'd1;
      offered_q <= sent_valid_o & ~sent_ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (key_take | sent) key_q <= {key_take ? key_i : key_q[7:0], key_q[127:8]};
  end
endmodule
