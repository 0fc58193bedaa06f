// A key for N cores: each takes it when it can, and it is taken when the last one has. `open_i` tells that it may be; it
// stays 1 while a key is offered.
module aesmith_core_keys #(
  parameter int unsigned Cores = 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic open_i,
  input  logic key_valid_i,
  output logic key_ready_o,
  // There is a key.
  output logic keyed_o,

  output logic [Cores-1:0] core_key_valid_o,
  input  logic [Cores-1:0] core_key_ready_i
);
  logic [Cores-1:0] given_q;
  logic keyed_q;

  assign core_key_valid_o = ~given_q & {Cores{key_valid_i & open_i}};
  assign key_ready_o = open_i & &(given_q | core_key_ready_i);
  assign keyed_o = keyed_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      given_q <= '0;
      keyed_q <= 1'b0;
    end else if (key_valid_i & key_ready_o) begin
      given_q <= '0;
      keyed_q <= 1'b1;
    end else begin
      given_q <= given_q | (core_key_valid_o & core_key_ready_i);
    end
  end
endmodule
