// The key of a channel of its own, beside the blocks of a core that takes bytes of the key with each block byte.
//
//   key ──────▶ KeyBytes bytes ─┐
//                               ├▶ sent: block byte, key byte, and beside it a byte of a key longer than 16
//   block ──────────────────────┘
//
// Byte s of the key goes with byte s of a block, in the upper half of sent_key_o if there is a lower one. In that go bytes
// 16 … 31 with bytes 0 … 15 of the block, or bytes 16 … 23 with bytes 8 … 15.
//
// Such a core has the block interface behind this, and is simulated and proved so. What has been offered to the core stays
// until it is taken: no key is taken between. While nothing is offered nothing is said of sent_key_o, as of no payload.
// Beside a masked core, whose keys have 16 bytes, a byte comes in shares, and is kept and sent so.
module aesmith_serial_key_keeper #(
  parameter int unsigned KeyBytes = 16,
  parameter int unsigned Shares = 1,
  localparam int unsigned ByteBits = 8 * Shares,
  localparam int unsigned SentBits = KeyBytes > 16 ? 2 * ByteBits : ByteBits
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [ByteBits-1:0] key_i,

  input  logic       block_valid_i,
  output logic       block_ready_o,

  output logic       sent_valid_o,
  input  logic       sent_ready_i,
  output logic [SentBits-1:0] sent_key_o
);
  if (KeyBytes != 16 && Shares != 1) begin : gen_check_shares
    $error("KeyBytes must be 16 for keys in shares");
  end

  localparam int unsigned CountBits = $clog2(KeyBytes);
  localparam logic [CountBits-1:0] Last = CountBits'(KeyBytes - 1);

  logic [CountBits-1:0] key_count_q; // bytes of a key that have come
  logic [3:0] block_count_q; // and of a block
  logic whole_q, offered_q, begun, may_come, key_take, sent;
  logic [15:0][ByteBits-1:0] key_q; // the byte that is next is key_q[0]
  logic [ByteBits-1:0] entering;
  logic [SentBits-1:0] next; // bytes of the key to be sent

  assign begun = (block_count_q != 4'd0) | offered_q;
  assign key_ready_o = ~begun;
  assign key_take = key_valid_i & ~begun;
  // A key that waits goes before a block that has not begun.
  assign may_come = begun | (whole_q & ~key_valid_i);
  assign sent_valid_o = block_valid_i & may_come;
  assign block_ready_o = sent_ready_i & may_come;
  assign sent = sent_valid_o & sent_ready_i;
  assign sent_key_o = sent_valid_o ? next : 'x;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_count_q <= '0;
      block_count_q <= 4'd0;
      whole_q <= 1'b0;
      offered_q <= 1'b0;
    end else begin
      if (key_take) begin
        key_count_q <= (key_count_q == Last) ? '0 : key_count_q + CountBits'(1);
        whole_q <= key_count_q == Last;
      end
      if (sent) block_count_q <= block_count_q + 4'd1;
      offered_q <= sent_valid_o & ~sent_ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (key_take | sent) key_q <= {key_take ? entering : key_q[0], key_q[15:1]};
  end

  if (KeyBytes == 16) begin : gen_short
    assign entering = key_i;
    assign next = key_q[0];
  end else begin : gen_later
    localparam int unsigned Later = KeyBytes - 16;
    logic [Later-1:0][ByteBits-1:0] later_q;
    always_ff @(posedge clk_i) begin
      if (key_take | (sent & (KeyBytes == 32 || block_count_q[3]))) begin
        later_q <= {key_take ? key_i : later_q[0], later_q[Later-1:1]};
      end
    end
    assign entering = later_q[0];
    assign next = {key_q[0], later_q[0]};
  end
endmodule
