// The operations of a round of encryption but AddRoundKey, in the standard's order; the last round is without MixColumns.
module aesmith_encryption_operations (
  input  logic [15:0][7:0] state_i,
  output logic [15:0][7:0] shifted_o, // behind SubBytes and ShiftRows
  output logic [15:0][7:0] mixed_o    // behind MixColumns too
);
  logic [15:0][7:0] substituted;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aesmith_sbox u_sbox (
      .x_i(state_i[i]),
      .y_o(substituted[i])
    );
  end
  aesmith_shift_rows u_shift_rows (
    .state_i(substituted),
    .state_o(shifted_o)
  );
  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_mix_columns u_mix_columns (
      .x_i(shifted_o[4*column+:4]),
      .y_o(mixed_o[4*column+:4])
    );
  end
endmodule
