// Round keys that go with their block: each unit has a key step of its own, pipelined as its round is.
//
// window holds as many words as the key has; its first four are the round key. A key enters in the clock in which its
// block is taken, one clock before the block is in the first stage of unit 0; so the round key of a unit stands in a
// register when the unit's last stage adds it.
module aesmith_subpipelined_key_pipeline #(
  parameter int unsigned Rounds = 10,
  parameter int unsigned KeyWords = 4
) (
  input  logic clk_i,
  input  logic enable_i,
  input  logic [KeyWords-1:0][3:0][7:0] key_i,
  output logic [Rounds-1:0][15:0][7:0] round_keys_o
);
  // Form and round constant of the step of a unit: see the key step.
  function automatic logic [1:0] form_of(int unsigned unit);
    if (KeyWords == 4) return 2'b01;
    if (KeyWords == 8) return unit % 2 == 0 ? 2'b01 : 2'b00;
    return unit % 3 == 0 ? 2'b01 : (unit % 3 == 1 ? 2'b10 : 2'b00);
  endfunction

  function automatic logic [7:0] constant_of(int unsigned unit);
    logic [7:0] constant;
    constant = 8'h01;
    for (int unsigned i = 0; i < unit; i++) begin
      if (form_of(i) != 2'b00) constant = {constant[6:0], 1'b0} ^ (constant[7] ? 8'h1b : 8'h00);
    end
    return constant;
  endfunction

  logic [Rounds:0][KeyWords-1:0][3:0][7:0] window;

  assign window[0] = key_i;

  for (genvar unit = 0; unit < Rounds; unit++) begin : gen_unit
    logic [KeyWords-1:0][3:0][7:0] next, window_q;

    aesmith_flowing_key_step u_key_step (
      .clk_i,
      .enable_i,
      .window_i   (window[unit]),
      .seed_form_i(form_of(unit)),
      .form_i     (form_of(unit)),
      .constant_i (constant_of(unit)),
      .next_o     (next)
    );
    always_ff @(posedge clk_i) begin
      if (enable_i) window_q <= next;
    end
    assign window[unit+1] = window_q;
    assign round_keys_o[unit] = window_q[3:0];
  end

  logic unused_words;
  assign unused_words = ^window[Rounds];
endmodule
