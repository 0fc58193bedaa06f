// Separate paths around shared inversion tables: Lutz et al., CHES 2002, retimed. AddRoundKey opens the round of
// encryption and stands in the middle of that of decryption, so that AddInitialKey and the first round share a clock.
//
//   encryption   x + key ─────┐ 2:1           ┌─ A ─ ShiftRows ─ MixColumns ─┐ 2:1
//                             ├─ 16 inversions ┤                              ├─ next
//   decryption   A' ──────────┘                └─ InvShiftRows ─ + ─ InvMixColumns ┘
//                                                            next key
//
// x is the block in the first clock (in decryption plus the last round key), then the state. In the last clock the
// result is what stands before MixColumns or InvMixColumns, plus the last key.
module aesmith_lutz2002_data_path (
  input  logic [15:0][7:0] block_i,
  input  logic [15:0][7:0] initial_key_i,
  input  logic [15:0][7:0] round_key_i,
  input  logic [15:0][7:0] key_source_i,
  input  logic [15:0][7:0] next_key_i,
  input  logic [15:0][7:0] state_i,
  input  logic [3:0] round_i,
  input  logic start_i,
  input  logic load_i,
  input  logic encrypt_i,
  input  logic decrypt_i,
  input  logic hold_i,
  input  logic run_decrypt_i,
  input  logic selected_decrypt_i,
  output logic [15:0][7:0] next_o,
  output logic [15:0][7:0] result_o
);
  logic [15:0][7:0] keyed, to_decrypt, decryption_in, inversion_in, inverted;
  logic [15:0][7:0] substituted, shifted, mixed, unshifted, decryption_keyed, unmixed;
  logic unused_inputs;
  assign unused_inputs = ^{initial_key_i, round_key_i, round_i, run_decrypt_i};

  assign keyed = (({128{start_i}} & block_i) | ({128{~start_i}} & state_i)) ^ key_source_i;
  assign to_decrypt = ({128{start_i}} & keyed) | ({128{~start_i}} & state_i);

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aesmith_inverse_affine u_inverse_affine (
      .x_i(to_decrypt[i]),
      .y_o(decryption_in[i])
    );
    assign inversion_in[i] = selected_decrypt_i ? decryption_in[i] : keyed[i];
    aesmith_inverter u_inverter (
      .x_i(inversion_in[i]),
      .y_o(inverted[i])
    );
    aesmith_affine u_affine (
      .x_i(inverted[i]),
      .y_o(substituted[i])
    );
  end

  aesmith_shift_rows u_shift_rows (
    .state_i(substituted),
    .state_o(shifted)
  );
  aesmith_shift_rows #(
    .Inverse(1'b1)
  ) u_inverse_shift_rows (
    .state_i(inverted),
    .state_o(unshifted)
  );
  assign decryption_keyed = unshifted ^ next_key_i;

  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_mix_columns u_mix_columns (
      .x_i(shifted[4*column+:4]),
      .y_o(mixed[4*column+:4])
    );
    aesmith_inverse_mix_columns u_inverse_mix_columns (
      .x_i(decryption_keyed[4*column+:4]),
      .y_o(unmixed[4*column+:4])
    );
  end

  assign next_o = ({128{encrypt_i | (load_i & ~selected_decrypt_i)}} & mixed)
                | ({128{decrypt_i | (load_i & selected_decrypt_i)}} & unmixed) | ({128{hold_i}} & state_i);
  assign result_o = selected_decrypt_i ? decryption_keyed : shifted ^ next_key_i;
endmodule
