// Key expansion on the fly for keys of 128, 192 or 256 bits, which is chosen with each: Zhang and Parhi, 2004, figure 9.
//
// window_q holds the words of the expanded key from the round key in use on, as many as the key has. It stands still for
// Stages clocks, in which the next four words go through the stages of the key step. store_o marks the first clock of
// each round key: bit 0 for the initial key, bit 14 for the last one of every key. So shorter keys leave out bits 1 to 4,
// or 1 and 2, of rounds that are skipped under them.
//
//   clock      0          1 … Stages        Stages+1 … 2*Stages
//              load_i     round key 0       round key 1
//   store_o               bit 0             bit 5, 3, 1 for 128, 192, 256 bits
//
// window[w][i] is byte i of word w.
module aesmith_subpipelined_selectable_key_expansion #(
  parameter int unsigned Stages = 3
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic load_i,
  input  logic [255:0] key_i,
  input  logic [1:0] key_bits_i, // 0, 1 or 2 for 128, 192 or 256 bits
  output logic [15:0][7:0] round_key_o,
  output logic [14:0] store_o
);
  logic [7:0][3:0][7:0] key, following, window_q;
  logic [3:0][3:0][7:0] next;
  logic [7:0] constant_q;
  logic [1:0] size_q, form_d, form_q;
  logic [Stages-1:0] phase_q; // one-hot: the clock of the round key
  logic [14:0] round_q;       // one-hot: the round key, 0 after the last
  logic is_128, is_192, is_256, advance;

  for (genvar i = 0; i < 32; i++) begin : gen_key
    assign key[i/4][i%4] = key_i[255-8*i-:8];
  end

  aesmith_key_step u_key_step (
    .clk_i,
    .seed_i     (window_q),
    .words_i    (window_q),
    .size_i     (size_q),
    .seed_form_i(form_q),
    .form_i     (form_q),
    .constant_i (constant_q),
    .next_o     (next)
  );

  assign {is_256, is_192, is_128} = {size_q, ~|size_q};
  assign advance = phase_q[Stages-1] & |round_q;
  assign round_key_o = window_q[3:0];
  assign store_o = round_q & {15{phase_q[0]}};

  assign following[1:0] = is_128 ? next[1:0] : window_q[5:4];
  assign following[3:2] = is_256 ? window_q[7:6] : (is_192 ? next[1:0] : next[3:2]);
  assign following[5:4] = is_256 ? next[1:0] : next[3:2];
  assign following[7:6] = next[3:2];

  // Which form the next step has: see the key step.
  always_comb begin
    form_d = 2'b01;
    if (is_192) form_d = {form_q[0], ~|form_q};
    else if (is_256) form_d = {~form_q[1], 1'b1};
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      window_q <= key;
      size_q <= key_bits_i;
      constant_q <= 8'h01;
      form_q <= 2'b01;
    end else if (advance) begin
      window_q <= following;
      if (^form_q) constant_q <= {constant_q[6:0], 1'b0} ^ (constant_q[7] ? 8'h1b : 8'h00);
      form_q <= form_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= Stages'(1);
      round_q <= '0;
    end else if (load_i) begin
      phase_q <= Stages'(1);
      round_q <= 15'd1;
    end else if (|round_q) begin
      phase_q <= Stages'({phase_q, phase_q[Stages-1]});
      if (advance) round_q <= round_q[0] ? {9'b0, is_128, 1'b0, is_192, 1'b0, is_256, 1'b0} : {round_q[13:0], 1'b0};
    end
  end
endmodule
