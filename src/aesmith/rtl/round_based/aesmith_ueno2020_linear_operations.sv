// "Linear operations" of one column: Ueno et al., TC 2020, figure 9(b).
//
//   w_i = Ω1(f_i + f_i+1) + Φ(f_i) + Φ(f_i+2) + Φ(f_i+3) + l_i      (equation 14 with Ω0 = Ω1 + Φ)
//   post_i = Φ(f_i) + l_i                                           (the last round, without MixColumns)
//
// Ω1 is applied before the sum of its two operands, which is then 8 instead of 10 bits wide.
// Element i is row i of the column.
module aesmith_ueno2020_linear_operations (
  input  logic [3:0][9:0] inverted_i,  // f: inverter outputs after ShiftRows, RRB
  input  logic [3:0][7:0] round_key_i, // l
  output logic [3:0][7:0] next_o,      // w
  output logic [3:0][7:0] post_o
);
  logic [3:0][7:0] phi, omega1;

  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_unified_affine u_unified_affine (
      .f_i     (inverted_i[row]),
      .phi_o   (phi[row]),
      .omega1_o(omega1[row])
    );

    assign post_o[row] = phi[row] ^ round_key_i[row];
    assign next_o[row] = (omega1[row] ^ omega1[(row+1)%4])
                       ^ ((phi[(row+2)%4] ^ phi[(row+3)%4]) ^ post_o[row]);
  end
endmodule
