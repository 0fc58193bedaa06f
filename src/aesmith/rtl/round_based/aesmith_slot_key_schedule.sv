// The key schedule of slots that each have a round key: one step in as many stages as there are slots, round and round.
module aesmith_slot_key_schedule #(
  parameter int unsigned Slots = 2
) (
  input  logic clk_i,
  input  logic moves_i,
  input  logic advance_i,
  input  logic load_next_i,
  input  logic idle_i,
  input  logic load_i, // the step in the first stage begins with the initial key
  input  logic [3:0] round_i,
  input  logic [15:0][7:0] initial_key_i,
  output logic [15:0][7:0] round_key_o // of the block in the last stage of its round
);
  logic [15:0][7:0] next;
  logic unused_inputs;
  assign unused_inputs = &{1'b0, advance_i, load_next_i, idle_i, 32'(Slots)};

  aesmith_key_step u_key_step (
    .clk_i,
    .enable_i (moves_i),
    .initial_i(initial_key_i),
    .key_i    (round_key_o),
    .load_i,
    .round_i,
    .next_o   (next)
  );

  always_ff @(posedge clk_i) begin
    if (moves_i) round_key_o <= next;
  end
endmodule
