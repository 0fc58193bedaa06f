// How a bank of registers is frozen: by a clock enable (ClockGates = 0), or by a clock gate in front of the bank.
//
// The bank is clocked by clk_o and loads while enable_o is 1.
module aesmith_serial_clock_enable #(
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,
  input  logic enable_i,
  output logic clk_o,
  output logic enable_o
);
  if (ClockGates) begin : gen_gate
    aesmith_clock_gate u_clock_gate (
      .clk_i,
      .enable_i,
      .clk_o
    );
    assign enable_o = 1'b1;
  end else begin : gen_enable
    assign clk_o = clk_i;
    assign enable_o = enable_i;
  end
endmodule
