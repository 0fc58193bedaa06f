// MixColumns on a stream of bytes: Wang and Heys, 2010, section III.C, serial in, parallel out.
//
//   q0 ← EN·q1 + b, q1 ← EN·q2 + b, q2 ← EN·q3 + 03·b, q3 ← EN·q0 + 02·b
//
// EN (accumulate_i) is 0 with the first byte of a column; after the fourth, q0 to q3 are the column (q0 is R13).
// In the last round there is no MixColumns: with bypass_i (then EN is 0) b passes through q[Delay] to q0, Delay clocks
// later than through q0 alone.
module aesmith_serial_mix_columns #(
  parameter int unsigned Delay = 0,
  parameter bit ClockGates = 1'b0
) (
  input  logic            clk_i,
  input  logic            enable_i,
  input  logic            accumulate_i,
  input  logic            bypass_i,
  input  logic [7:0]      byte_i,
  output logic [3:0][7:0] column_o
);
  if (Delay > 3) begin : gen_check_delay
    $error("Delay must be at most 3");
  end

  logic clk, enable;
  logic [7:0] doubled;
  logic [3:0][7:0] product, addend, column_d, column_q;
  logic [3:0] accumulate;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_clock_enable (
    .clk_i,
    .enable_i,
    .clk_o   (clk),
    .enable_o(enable)
  );

  assign doubled = {byte_i[6:0], 1'b0} ^ {3'b0, byte_i[7], byte_i[7], 1'b0, byte_i[7], byte_i[7]};
  assign product = {doubled, doubled ^ byte_i, byte_i, byte_i};

  for (genvar i = 0; i < 4; i++) begin : gen_row
    if (i < Delay) begin : gen_delay
      assign accumulate[i] = accumulate_i | bypass_i;
      assign addend[i] = product[i] & {8{~bypass_i}};
    end else if (i == Delay) begin : gen_entry
      assign accumulate[i] = accumulate_i;
      assign addend[i] = bypass_i ? byte_i : product[i];
    end else begin : gen_plain
      assign accumulate[i] = accumulate_i;
      assign addend[i] = product[i];
    end
    assign column_d[i] = (column_q[(i+1)%4] & {8{accumulate[i]}}) ^ addend[i];
  end

  always_ff @(posedge clk) begin
    if (enable) column_q <= column_d;
  end
  assign column_o = column_q;
endmodule
