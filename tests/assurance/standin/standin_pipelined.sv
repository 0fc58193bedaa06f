// A block a clock: the cipher is computed when a block is taken, and the result walks down a pipeline that stalls as one.
module standin
  import standin_aes_pkg::*;
#(
  parameter int Latency = 7
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               key_valid_i,
  output logic               key_ready_o,
  input  logic [KeyBits-1:0] key_i,
  input  logic               block_valid_i,
  output logic               block_ready_o,
  input  logic [127:0]       block_i,
  output logic               block_valid_o,
  input  logic               block_ready_i,
  output logic [127:0]       block_o
);
  logic [KeyBits-1:0] key_q;
  logic               has_key_q;
  logic [127:0]       result_q[Latency-1];
  logic [Latency-2:0] valid_q;
  logic               advance;

  assign advance = !block_valid_o || block_ready_i;
  assign key_ready_o = 1'b1;
  assign block_ready_o = has_key_q && advance;
  assign block_valid_o = valid_q[Latency-2];
  assign block_o = result_q[Latency-2];

  always_ff @(posedge clk_i) begin
    if (key_valid_i) key_q <= key_i;
    if (advance) begin
      result_q[0] <= aes(0, key_q, block_i, 1'b1);
      for (int i = 1; i < Latency - 1; i++) result_q[i] <= result_q[i-1];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      has_key_q <= 1'b0;
      valid_q   <= '0;
    end else begin
      has_key_q <= has_key_q | key_valid_i;
      if (advance) valid_q <= {valid_q[Latency-3:0], block_valid_i && has_key_q};
    end
  end
endmodule
