// When a generator of fresh bits gets a seed in tests: after reset, and again in a clock in which random_valid_i is 0, if
// the last one was long ago. So seeds come in the middle of blocks, and leave time between them for their words.
module aesmith_masked_seed_times (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic random_valid_i,
  output logic seed_time_o
);
  logic [7:0] clocks_q;

  assign seed_time_o = (clocks_q == '0) | ((&clocks_q) & ~random_valid_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clocks_q <= '0;
    else if (seed_time_o) clocks_q <= 8'd1;
    else if (~&clocks_q) clocks_q <= clocks_q + 1'b1;
  end
endmodule
