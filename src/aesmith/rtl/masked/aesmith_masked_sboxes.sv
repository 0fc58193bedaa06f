// The S-boxes of a masked round-based core, 16 for the state and four for the key, with the enable of their ranks of
// registers. Byte 0 takes the lowest Fresh bits of random_i, the key the highest.
module aesmith_masked_sboxes #(
  parameter int unsigned Shares = 2,
  parameter int unsigned Fresh = 30, // bits that an S-box takes in a clock
  parameter bit ClockGates = 1'b1
) (
  input  logic clk_i,
  input  logic move_i,
  input  logic [20*Fresh-1:0] random_i,

  input  logic [Shares-1:0][15:0][7:0] state_i,
  input  logic [Shares-1:0][3:0][7:0] key_i,
  output logic [Shares-1:0][15:0][7:0] state_o,
  output logic [Shares-1:0][3:0][7:0] key_o
);
  logic sbox_clk, sbox_enable;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_enable (
    .clk_i,
    .enable_i(move_i),
    .clk_o   (sbox_clk),
    .enable_o(sbox_enable)
  );
  for (genvar i = 0; i < 20; i++) begin : gen_byte
    logic [Shares-1:0][7:0] x, y;

    for (genvar share = 0; share < Shares; share++) begin : gen_share
      if (i < 16) begin : gen_state
        assign x[share] = state_i[share][i];
        assign state_o[share][i] = y[share];
      end else begin : gen_key
        assign x[share] = key_i[share][i-16];
        assign key_o[share][i-16] = y[share];
      end
    end
    aesmith_masked_sbox u_sbox (
      .clk_i   (sbox_clk),
      .enable_i(sbox_enable),
      .x_i     (x),
      .random_i(random_i[Fresh*i+:Fresh]),
      .y_o     (y)
    );
  end
endmodule
