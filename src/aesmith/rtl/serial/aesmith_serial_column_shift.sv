// Parallel in, serial out: Wang and Heys, 2010, section III.C, registers R16, R15, R14.
//
// Takes the last three bytes of a column (load_i) or shifts, with block bytes coming in behind.
module aesmith_serial_column_shift #(
  parameter bit ClockGates = 1'b0
) (
  input  logic            clk_i,
  input  logic            enable_i,
  input  logic            load_i,
  input  logic [2:0][7:0] column_i,
  input  logic [7:0]      byte_i,
  output logic [7:0]      byte_o
);
  logic clk, enable;
  logic [2:0][7:0] shift_q; // shift_q[n] is R(14+n)

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_clock_enable (
    .clk_i,
    .enable_i,
    .clk_o   (clk),
    .enable_o(enable)
  );

  always_ff @(posedge clk) begin
    if (enable) shift_q <= load_i ? column_i : {byte_i, shift_q[2:1]};
  end
  assign byte_o = shift_q[0];
endmodule
