// "Unified affine⁻¹" and the adder array of one column of the decryption path: Ueno et al., TC 2020, figure 3.
//
//   t_i = Σ_e Λ_(e-i)(f_e + l_e) + Δ(γ⁻¹c')      (equation 15; the paper prints Δ(γc'))
//
// The constant stands in Λ0, of which each sum has one. Element i is row i of the column.
module aesmith_ueno2020_inverse_linear_operations (
  input  logic [3:0][9:0] keyed_i, // f + l: inverter outputs after InvShiftRows and AddRoundKey, RRB
  output logic [3:0][7:0] next_o   // t
);
  logic [3:0][3:0][7:0] lambda; // lambda[e][k] = Λ_k of element e

  for (genvar row = 0; row < 4; row++) begin : gen_row
    aesmith_unified_inverse_affine u_unified_inverse_affine (
      .f_i      (keyed_i[row]),
      .lambda0_o(lambda[row][0]),
      .lambda1_o(lambda[row][1]),
      .lambda2_o(lambda[row][2]),
      .lambda3_o(lambda[row][3])
    );

    assign next_o[row] = (lambda[row][0] ^ lambda[(row+1)%4][1]) ^ (lambda[(row+2)%4][2] ^ lambda[(row+3)%4][3]);
  end
endmodule
