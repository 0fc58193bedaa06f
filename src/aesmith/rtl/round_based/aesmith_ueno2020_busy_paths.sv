// What joins the paths without a demultiplexer: both work on every block, each with an AddRoundKey of its own, and the
// result is selected. What aesmith_ueno2020_held_paths is compared with.
module aesmith_ueno2020_busy_paths (
  input  logic [15:0][7:0] round_key_i,
  input  logic [15:0][7:0] keyed_i,
  input  logic [15:0][7:0] last_half_i,
  input  logic [15:0][7:0] last_encryption_i,
  input  logic decrypt_i,
  output logic [15:0][7:0] encryption_key_o,
  output logic [15:0][7:0] result_o
);
  assign encryption_key_o = round_key_i;
  assign result_o = decrypt_i ? keyed_i ^ last_half_i : last_encryption_i;
endmodule
