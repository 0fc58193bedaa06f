// The counter blocks of a beat of `Lanes` blocks: T in lane 0 to T + Lanes - 1, in the low CounterBits bits of each.
//
//   T = [ fixed | upper | low ]     T + i = [ fixed | upper, or upper + 1 if low + i has a carry | low + i ]
//
// So only two numbers are kept, `upper` and the one above it, and each beat makes one new one, of a register for a
// register: no carry runs through a counter on its way to a core. Of a first counter block both are given.
module aesmith_lane_counters #(
  parameter int unsigned Lanes = 2,
  parameter int unsigned CounterBits = 128
) (
  input  logic clk_i,

  // A beat is taken; the first one of a message begins with this counter block, and `above_i` is its upper + 1.
  input  logic take_i,
  input  logic first_i,
  input  logic [127:0] head_i,
  input  logic [CounterBits-$clog2(Lanes)-1:0] above_i,

  output logic [Lanes-1:0][127:0] block_o
);
  localparam int unsigned LowBits = $clog2(Lanes);
  localparam int unsigned UpperBits = CounterBits - LowBits;

  logic [127:0] counter_q, counter;
  logic [UpperBits-1:0] above_q, above;

  assign counter = first_i ? head_i : counter_q;
  assign above   = first_i ? above_i : above_q;

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    logic carry;
    always_comb begin
      block_o[lane] = counter;
      {carry, block_o[lane][LowBits-1:0]} = {1'b0, counter[LowBits-1:0]} + (LowBits + 1)'(lane);
      if (carry) block_o[lane][CounterBits-1:LowBits] = above;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      counter_q <= counter;
      counter_q[CounterBits-1:LowBits] <= above;
      above_q   <= above + 1'b1;
    end
  end
endmodule
