// GHASH (SP 800-38D, section 6.4) of slots of several lanes (aesmith_lane_slots): of a slot of j blocks
//
//   Y = (Y + C_1) H^j + C_2 H^(j-1) + … + C_j H
//
// in one clock, by one circuit, aesmith_ghash_lanes_step, which is made in Python. C_j of the last slot is the block of
// lengths, in the lane of the tag.
//
//   slot ─▶ C, a power for each lane ─▶ Y ─▶ hash
//
// Everything moves in the clocks of `move_i`. A slot is taken in one, is C in the next, and its hash is there behind that.
// The powers H^2 … H^Lanes are made by the same circuit when H comes.
module aesmith_ghash_lanes #(
  parameter int unsigned Lanes = 2
) (
  input  logic clk_i,
  input  logic rst_ni,

  // A new key is taken: its hash key, when it comes, is a slot of its own, in lane 0. Until the powers are there, or if there
  // was no key, nothing else comes that counts.
  input  logic key_i,
  output logic known_o,

  input  logic move_i,
  input  logic slot_i,
  input  logic hash_key_i,
  input  logic first_i,
  input  logic [Lanes-1:0] header_i,
  input  logic [Lanes-1:0] text_i,
  input  logic [Lanes-1:0] tag_i,
  input  logic [Lanes-1:0][15:0] keep_i,
  // Bytes that do not count are 0, and so is the lane of the tag.
  input  logic [Lanes-1:0][127:0] block_i,

  output logic [127:0] hash_o
);
  localparam int unsigned CountBits = $clog2(Lanes + 1);
  localparam int unsigned StepBits = $clog2(Lanes + 2);

  function automatic logic [127:0] reversed_in_bytes(input logic [127:0] word);
    for (int unsigned i = 0; i < 128; i++) reversed_in_bytes[i] = word[8*(i/8)+7-i%8];
  endfunction

  function automatic logic [127:0] reversed(input logic [127:0] word);
    for (int unsigned i = 0; i < 128; i++) reversed[i] = word[127-i];
  endfunction

  // Bytes of header and text of the message: whole blocks, and behind them, once each, a partial one.
  function automatic logic [60:0] bytes_with(
    input logic [60:0] so_far, input logic [Lanes-1:0] lanes, input logic [Lanes-1:0][15:0] keep
  );
    logic [CountBits-1:0] whole;
    logic [3:0] odd;
    whole = '0;
    odd = so_far[3:0];
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      whole += CountBits'(lanes[lane] & keep[lane][15]);
      for (int unsigned place = 0; place < 15; place++) begin
        odd |= 4'(place + 1) & {4{lanes[lane] & keep[lane][place] & ~keep[lane][place+1]}};
      end
    end
    return {so_far[60:4] + 57'(whole), odd};
  endfunction

  logic [60:0] header_bytes_q, text_bytes_q;
  always_ff @(posedge clk_i) begin
    if (move_i & slot_i) begin
      header_bytes_q <= bytes_with(header_bytes_q & {61{~first_i}}, header_i, keep_i);
      text_bytes_q   <= bytes_with(text_bytes_q & {61{~first_i}}, text_i, keep_i);
    end
  end

  // Of the powers lane i of a slot whose last block is in lane e has H^(e + 1 - i).
  logic [Lanes:1][127:0] power_q;
  logic [Lanes-1:0] used, ends;
  logic [Lanes-1:0][127:0] chosen;
  assign used = header_i | text_i | tag_i;
  always_comb begin
    chosen = '0;
    for (int unsigned last = 0; last < Lanes; last++) begin
      ends[last] = used[last] & (last == Lanes - 1 | ~used[(last+1)%Lanes]);
      for (int unsigned lane = 0; lane <= last; lane++) chosen[lane] |= power_q[last+1-lane] & {128{ends[last]}};
    end
  end

  // C and its powers; or H and then nothing, times H, so that Y is H^2, H^3, …, one a step.
  logic c_valid_q, c_first_q;
  logic [Lanes-1:0] c_tag_q;
  logic [Lanes-1:0][127:0] c_q, c, factor_q;
  logic [StepBits-1:0] step_q;
  logic making;
  assign making = step_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) c_valid_q <= 1'b0;
    else if (move_i) c_valid_q <= slot_i | making;
  end

  always_ff @(posedge clk_i) begin
    if (move_i) begin
      c_first_q <= making ? step_q == StepBits'(1) : first_i;
      c_tag_q   <= tag_i & {Lanes{~making}};
      factor_q  <= chosen;
      for (int unsigned lane = 0; lane < Lanes; lane++) c_q[lane] <= reversed_in_bytes(block_i[lane]) & {128{~making}};
      if (making) factor_q[0] <= power_q[1];
      if (step_q == StepBits'(1)) c_q[0] <= power_q[1];
    end
  end

  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      c[lane] = c_q[lane] | (reversed({header_bytes_q, 3'd0, text_bytes_q, 3'd0}) & {128{c_tag_q[lane]}});
    end
  end

  logic [127:0] y_q, sum;
  aesmith_ghash_lanes_step u_step (
    .y_i(y_q & {128{~c_first_q}}),
    .c_i(c),
    .h_i(factor_q),
    .p_o(sum)
  );
  always_ff @(posedge clk_i) if (move_i & c_valid_q) y_q <= sum;

  // Step 1 takes H, and so Y is H^n in step n + 1.
  logic known_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      known_q <= 1'b1;
      step_q  <= '0;
    end else begin
      if (key_i) known_q <= 1'b0;
      else if (move_i & step_q == StepBits'(Lanes + 1)) known_q <= 1'b1;
      if (move_i & hash_key_i) step_q <= StepBits'(1);
      else if (move_i & making) step_q <= step_q == StepBits'(Lanes + 1) ? '0 : step_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (move_i & hash_key_i) power_q[1] <= reversed_in_bytes(block_i[0]);
    for (int unsigned number = 2; number <= Lanes; number++) begin
      if (move_i & step_q == StepBits'(number + 1)) power_q[number] <= y_q;
    end
  end

  assign known_o = known_q;
  assign hash_o  = reversed_in_bytes(y_q);
endmodule
