// What makes shares and fresh bits for a masked core in tests, beside it: never to be built.
//
//   key, block ──▶ + mask ──▶ shares ──▶ core ──▶ shares ──▶ sum ──▶ result
//
// THIS IS NOT A SOURCE OF RANDOMNESS: whoever knows the first lines of it knows every bit. Each 32 bits are an xorshift
// generator (Marsaglia, 2003) with a seed of its own. What is offered to the core stays until it is taken; words of fresh
// bits are offered in clocks in which random_valid_i is 1, and then until they are taken.
module aesmith_masked_bench #(
  parameter int unsigned Shares = 2,
  parameter int unsigned Width = 128, // of keys, blocks and results
  parameter int unsigned RandomBits = 600
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  input  logic key_ready_i,
  input  logic [Width-1:0] key_i,
  output logic [Shares-1:0][Width-1:0] key_o,

  input  logic block_valid_i,
  input  logic block_ready_i,
  input  logic [Width-1:0] block_i,
  output logic [Shares-1:0][Width-1:0] block_o,

  input  logic random_valid_i,
  output logic random_valid_o,
  input  logic random_ready_i,
  output logic [RandomBits-1:0] random_o,

  input  logic [Shares-1:0][Width-1:0] result_i,
  output logic [Width-1:0] result_o
);
  localparam int unsigned Masks = Shares - 1;
  localparam int unsigned Bits = RandomBits + 2 * Width * Masks;
  localparam int unsigned Lanes = (Bits + 31) / 32;

  logic [Lanes-1:0][31:0] lanes_d, lanes_q;
  logic [Bits-1:0] bits;
  logic [Masks-1:0][Width-1:0] key_mask_q, block_mask_q;
  logic waiting_q;

  assign bits = Bits'(lanes_q);
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    logic [31:0] first, second;
    assign first = lanes_q[lane] ^ {lanes_q[lane][18:0], 13'b0};
    assign second = first ^ {17'b0, first[31:17]};
    assign lanes_d[lane] = second ^ {second[26:0], 5'b0};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) lanes_q[lane] <= (32'h9e3779b9 * 32'(lane + 1)) | 32'h1;
      else lanes_q[lane] <= lanes_d[lane];
    end
  end

  // All are reset: an undefined fresh bit would stay in a simulated S-box for good.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      key_mask_q <= '0;
      block_mask_q <= '0;
      random_o <= '0;
    end else begin
      if (~key_valid_i | key_ready_i) key_mask_q <= bits[RandomBits+:Width*Masks];
      if (~block_valid_i | block_ready_i) block_mask_q <= bits[RandomBits+Width*Masks+:Width*Masks];
      if (~random_valid_o | random_ready_i) random_o <= bits[RandomBits-1:0];
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waiting_q <= 1'b0;
    else waiting_q <= random_valid_o & ~random_ready_i;
  end
  assign random_valid_o = waiting_q | random_valid_i;

  // By assignments: Icarus Verilog 11 misses what a process reads of an array by an index.
  logic [Shares-1:0][Width-1:0] key_sum, block_sum, result_sum;
  assign key_sum[0] = key_i;
  assign block_sum[0] = block_i;
  assign result_sum[0] = result_i[0];
  for (genvar share = 1; share < Shares; share++) begin : gen_share
    assign key_o[share] = key_mask_q[share-1];
    assign key_sum[share] = key_sum[share-1] ^ key_mask_q[share-1];
    assign block_o[share] = block_mask_q[share-1];
    assign block_sum[share] = block_sum[share-1] ^ block_mask_q[share-1];
    assign result_sum[share] = result_sum[share-1] ^ result_i[share];
  end
  assign key_o[0] = key_sum[Shares-1];
  assign block_o[0] = block_sum[Shares-1];
  assign result_o = result_sum[Shares-1];
endmodule
