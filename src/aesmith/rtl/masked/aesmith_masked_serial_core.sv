// AES-128 encryption on shares of bytes with a key that is kept: the ring, and the shares of the key as they were sent
// beside it, which turn by a byte with each byte of a block.
//
// A key is taken whenever no block is coming in: also while one is in its rounds, or its result leaves. That takes no
// fresh bits.
module aesmith_masked_serial_core #(
  parameter int unsigned Shares = 2,
  parameter int unsigned Fresh = 30, // bits that the S-box takes in a clock
  parameter bit ClockGates = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [Shares-1:0][7:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [Shares-1:0][7:0] block_i,

  input  logic random_valid_i,
  output logic random_ready_o,
  input  logic [Fresh-1:0] random_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [Shares-1:0][7:0] block_o
);
  localparam logic [3:0] Last = 4'd15;

  logic [3:0] count_q; // bytes of a key that have come, or of a block
  logic whole_q, take, may_come, room, filling, key_clk, key_enable;
  logic [Shares-1:0][7:0] key;

  assign key_ready_o = ~filling;
  assign take = key_valid_i & ~filling;
  // A key that waits goes before a block that has not begun.
  assign may_come = filling | (whole_q & ~key_valid_i);
  assign block_ready_o = room & may_come;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_key_enable (
    .clk_i,
    .enable_i(take | (block_valid_i & block_ready_o)),
    .clk_o   (key_clk),
    .enable_o(key_enable)
  );
  always_ff @(posedge key_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      whole_q <= 1'b0;
    end else if (key_enable) begin
      count_q <= count_q + 4'd1;
      whole_q <= take ? count_q == Last : whole_q;
    end
  end
  for (genvar share = 0; share < Shares; share++) begin : gen_share
    aesmith_masked_serial_key_share u_key_share (
      .clk_i   (key_clk),
      .enable_i(key_enable),
      .take_i  (take),
      .key_i   (key_i[share]),
      .key_o   (key[share])
    );
  end

  aesmith_masked_serial_ring #(
    .Shares    (Shares),
    .Fresh     (Fresh),
    .ClockGates(ClockGates)
  ) u_ring (
    .clk_i,
    .rst_ni,
    .block_valid_i(block_valid_i & may_come),
    .block_ready_o(room),
    .block_i,
    .key_i        (key),
    .filling_o    (filling),
    .random_valid_i,
    .random_ready_o,
    .random_i,
    .block_valid_o,
    .block_ready_i,
    .block_o
  );
endmodule
