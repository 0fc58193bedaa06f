// The offsets of OCB3 (RFC 7253, sections 4.1 to 4.3): Δ_i = Δ_i-1 + L_ntz(i), Δ_* = Δ_i + L_*, and for the tag Δ + L_$.
//
//   L_* ─▶ x² L_* ─▶ shifted by ntz(i + 1), reduced once ─▶ L of the next block ─┐
//   Δ_0, then Δ_i-1 ─────────────────────────────────────────────────────────── + ─▶ Δ_i
//
// L_i is x^(i+2) L_*. So there is no table of them: L_* is all that is kept of a key, and any L_i is a shift and one reduction,
// made a block ahead. It serves 2^60 blocks, which is more than a stream can number. Byte 0 is the most significant one, as
// at cores.
module aesmith_offset_maker (
  input  logic clk_i,

  input  logic star_valid_i,
  input  logic [127:0] star_i,

  // The block at hand: it is the first of its section, before which stands the offset `begin_i`; it is whole, or a part of
  // one; it is the tag's, which counts as none.
  input  logic first_i,
  input  logic [127:0] begin_i,
  input  logic whole_i,
  input  logic tag_i,
  output logic [127:0] offset_o,
  // It goes.
  input  logic next_i
);
  localparam int unsigned NumberBits = 60;

  function automatic logic [127:0] doubled(input logic [127:0] block);
    doubled = {block[126:0], 1'b0} ^ {120'd0, 8'h87 & {8{block[127]}}};
  endfunction

  // Times x^times.
  function automatic logic [127:0] shifted(input logic [127:0] block, input logic [5:0] times);
    logic [63:0] over;
    {over, shifted} = {64'd0, block} << times;
    shifted ^= {64'd0, over} ^ {63'd0, over, 1'b0} ^ {62'd0, over, 2'd0} ^ {57'd0, over, 7'd0};
  endfunction

  logic [127:0] star_q, offset_q, step_q, dollar, step_0, step;
  logic [NumberBits-1:0] number_q, number;

  assign dollar   = doubled(star_q);
  assign step_0   = doubled(dollar);
  assign step     = first_i ? step_0 : step_q;
  assign number   = first_i ? NumberBits'(1) : number_q;
  assign offset_o = (first_i ? begin_i : offset_q) ^ (tag_i ? dollar : whole_i ? step : star_q);

  // ntz(i + 1): the lowest bit of i that is 0.
  logic [5:0] zeros;
  logic [NumberBits-1:0] lowest;
  assign lowest = ~number & (number + 1'b1);
  always_comb begin
    zeros = '0;
    for (int unsigned place = 0; place < NumberBits; place++) zeros |= 6'(place) & {6{lowest[place]}};
  end

  always_ff @(posedge clk_i) begin
    if (star_valid_i) star_q <= star_i;
    if (next_i) begin
      offset_q <= offset_o;
      step_q   <= shifted(step_0, zeros);
      number_q <= number + 1'b1;
    end
  end
endmodule
