// Key expansion on the fly, a round key each Stages clocks: Zhang and Parhi, 2004, figure 9, for keys of any size.
//
// window_q holds as many words of the expanded key as the key has; its first four are the round key in use. It stands
// still for Stages clocks, in which the next four words go through the stages of the key step, and then moves on by
// them. store_o marks the first clock of each round key: bit i for round key i.
//
//   clock      0          1 … Stages        Stages+1 … 2*Stages
//              load_i     round key 0       round key 1
//
// window[w][i] is byte i of word w.
module aesmith_subpipelined_key_expansion #(
  parameter int unsigned Rounds = 10,
  parameter int unsigned Stages = 3,
  parameter int unsigned KeyWords = 4
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic load_i,
  input  logic [32*KeyWords-1:0] key_i,
  output logic [15:0][7:0] round_key_o,
  output logic [Rounds:0] store_o
);
  localparam int unsigned PhaseBits = Stages > 1 ? $clog2(Stages) : 1;
  localparam logic [PhaseBits-1:0] LastPhase = PhaseBits'(Stages - 1);

  if (KeyWords != 4 && KeyWords != 6 && KeyWords != 8) begin : gen_check
    $error("KeyWords must be 4, 6 or 8");
  end

  logic [KeyWords-1:0][3:0][7:0] key, window_d, window_q;
  logic [3:0][3:0][7:0] next;
  logic [Rounds:0] round_d, round_q;  // one-hot, 0 after the last
  logic [PhaseBits-1:0] phase_d, phase_q;
  logic [7:0] constant_d, constant_q;
  logic [1:0] form_d, form_q;
  logic advance_q;  // this is the last of a round key's clocks
  logic [Rounds:0] store_q;

  for (genvar word = 0; word < KeyWords; word++) begin : gen_key
    for (genvar i = 0; i < 4; i++) begin : gen_byte
      assign key[word][i] = key_i[32*KeyWords-1-32*word-8*i-:8];
    end
  end

  aesmith_key_step u_key_step (
    .clk_i,
    .seed_i     (window_q),
    .words_i    (window_q),
    .seed_form_i(form_q),
    .form_i     (form_q),
    .constant_i (constant_q),
    .next_o     (next)
  );

  for (genvar word = 0; word < KeyWords; word++) begin : gen_window
    if (word + 4 < KeyWords) begin : gen_kept
      assign window_d[word] = load_i ? key[word] : window_q[word+4];
    end else begin : gen_new
      assign window_d[word] = load_i ? key[word] : next[word+4-KeyWords];
    end
  end

  // Which form the next step has: see the key step.
  if (KeyWords == 4) begin : gen_form_128
    assign form_d = 2'b01;
  end else if (KeyWords == 6) begin : gen_form_192
    assign form_d = {form_q[0], ~|form_q};
  end else begin : gen_form_256
    assign form_d = {1'b0, ~form_q[0]};
  end
  assign constant_d = {constant_q[6:0], 1'b0} ^ (constant_q[7] ? 8'h1b : 8'h00);

  assign round_key_o = window_q[3:0];
  assign store_o = store_q;

  always_ff @(posedge clk_i) begin
    if (load_i || advance_q) window_q <= window_d;
    if (load_i) begin
      constant_q <= 8'h01;
      form_q <= 2'b01;
    end else if (advance_q) begin
      if (|form_q) constant_q <= constant_d;
      form_q <= form_d;
    end
  end

  always_comb begin
    round_d = round_q;
    phase_d = phase_q == LastPhase ? '0 : phase_q + PhaseBits'(1);
    if (load_i) begin
      round_d = (Rounds + 1)'(1);
      phase_d = '0;
    end else if (advance_q) begin
      round_d = round_q << 1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= '0;
      phase_q <= '0;
      advance_q <= 1'b0;
      store_q <= '0;
    end else begin
      round_q <= round_d;
      phase_q <= phase_d;
      advance_q <= phase_d == LastPhase & |round_d;
      store_q <= phase_d == '0 ? round_d : '0;
    end
  end
endmodule
