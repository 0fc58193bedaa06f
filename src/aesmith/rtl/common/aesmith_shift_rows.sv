// ShiftRows (FIPS-197 section 5.1.2) or InvShiftRows (section 5.3.1) on elements of any width: wires only.
//
// Element 4*column + row; row r moves r columns to the left, or (Inverse) to the right.
module aesmith_shift_rows #(
  parameter int unsigned ElementBits = 8,
  parameter bit Inverse = 1'b0
) (
  input  logic [15:0][ElementBits-1:0] state_i,
  output logic [15:0][ElementBits-1:0] state_o
);
  for (genvar column = 0; column < 4; column++) begin : gen_column
    for (genvar row = 0; row < 4; row++) begin : gen_row
      assign state_o[4*column+row] = state_i[4*((Inverse ? column + 4 - row : column + row)%4)+row];
    end
  end
endmodule
