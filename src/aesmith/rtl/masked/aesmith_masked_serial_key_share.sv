// One share of the key as it was sent, for every block until the next key: a ring of 16 bytes, byte 0 at its head.
//
// It turns by one, or takes a byte (take_i).
module aesmith_masked_serial_key_share (
  input  logic clk_i,
  input  logic enable_i,
  input  logic take_i,
  input  logic [7:0] key_i,
  output logic [7:0] key_o
);
  logic [15:0][7:0] key_q;

  always_ff @(posedge clk_i) begin
    if (enable_i) key_q <= {take_i ? key_i : key_q[0], key_q[15:1]};
  end
  assign key_o = key_q[0];
endmodule
