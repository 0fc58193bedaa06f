// SubBytes and ShiftRows, or their inverses: unified S-boxes, then a selector of the wirings.
module aesmith_both_sub_bytes (
  input  logic [15:0][7:0] state_i,
  input  logic decrypt_i,
  output logic [15:0][7:0] permuted_o
);
  logic [15:0][7:0] substituted, shifted, unshifted;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aesmith_both_sbox u_both_sbox (
      .x_i      (state_i[i]),
      .decrypt_i(decrypt_i),
      .y_o      (substituted[i])
    );
  end
  aesmith_shift_rows u_shift_rows (
    .state_i(substituted),
    .state_o(shifted)
  );
  aesmith_shift_rows #(
    .Inverse(1'b1)
  ) u_inverse_shift_rows (
    .state_i(substituted),
    .state_o(unshifted)
  );

  assign permuted_o = decrypt_i ? unshifted : shifted;
endmodule
