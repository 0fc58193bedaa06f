// The key schedule of a batch: one round key for all blocks, which stands still until each has been through its last stage.
//
// A step has as many clocks, so what SubWord is added to needs few registers. It is selected late, by registers that
// follow load_i: none selects a whole key at once. What SubWord is of has a register of its own, seed_q, and no selector.
module aesmith_batch_key_schedule #(
  parameter int unsigned Slots = 2
) (
  input  logic clk_i,
  input  logic moves_i,
  input  logic advance_i,   // the last block of the batch leaves the last stage
  input  logic load_i,      // the step begins with the initial key
  input  logic load_next_i, // the next step does
  input  logic idle_i,      // no block is in flight
  input  logic [3:0] round_i,
  input  logic [15:0][7:0] initial_key_i,
  output logic [15:0][7:0] round_key_o
);
  localparam int unsigned Delays = Slots > 3 ? 3 : Slots - 1;

  logic [15:0][7:0] next;
  logic [3:0][7:0] seed_q, next_seed;
  logic [Delays:1] load_q;

  aesmith_key_step u_key_step (
    .clk_i,
    .enable_i      (moves_i),
    .seed_i        (seed_q),
    .high_initial_i(initial_key_i),
    .high_key_i    (round_key_o),
    .high_load_i   ({load_q[Delays > 2 ? 2 : 1], load_q[1]}),
    .low_initial_i (initial_key_i[7:0]),
    .low_key_i     (round_key_o[7:0]),
    .low_load_i    (load_q[Delays]),
    .round_i,
    .next_o        (next),
    .next_seed_o   (next_seed)
  );

  always_ff @(posedge clk_i) begin
    load_q[1] <= load_i;
    for (int unsigned i = 2; i <= Delays; i++) load_q[i] <= load_q[i-1];
  end
  always_ff @(posedge clk_i) begin
    if (advance_i) round_key_o <= next;
  end
  always_ff @(posedge clk_i) begin
    if (advance_i | idle_i) seed_q <= load_next_i ? initial_key_i[15:12] : next_seed;
  end
endmodule
