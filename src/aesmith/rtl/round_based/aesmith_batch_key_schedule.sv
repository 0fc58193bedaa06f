// The key schedule of a batch: one round key for all blocks, which stands still until each has been through its last stage.
//
// A step has as many clocks. So SubWord has registers between its stages, and what it is added to needs none.
module aesmith_batch_key_schedule (
  input  logic clk_i,
  input  logic moves_i,
  input  logic advance_i, // the last block of the batch leaves the last stage
  input  logic load_i,    // the step begins with the initial key
  input  logic [3:0] round_i,
  input  logic [15:0][7:0] initial_key_i,
  output logic [15:0][7:0] round_key_o
);
  logic [15:0][7:0] next;

  aesmith_key_step u_key_step (
    .clk_i,
    .enable_i       (moves_i),
    .initial_i      (initial_key_i),
    .key_i          (round_key_o),
    .load_i,
    .round_i,
    .late_initial_i (initial_key_i),
    .late_key_i     (round_key_o),
    .late_load_i    (load_i),
    .last_initial_i (initial_key_i),
    .last_key_i     (round_key_o),
    .last_load_i    (load_i),
    .next_o         (next)
  );

  always_ff @(posedge clk_i) begin
    if (advance_i) round_key_o <= next;
  end
endmodule
