// Unified data path in one order for both directions: Satoh et al., ASIACRYPT 2001; in a tower throughout: Mathew et
// al., JSSC 2011. Decryption is reordered like encryption, so its round keys go through InvMixColumns.
//
//   state ─ S-box or inverse ─ ShiftRows or inverse ┬─ MixColumns or inverse ─┐ 2:1
//                                                    │                  block ─┴─ + ─ next
//                                                    + ─ result                   key or InvMixColumns(key)
//
// AddInitialKey is the AddRoundKey array, behind the selector of the block.
module aesmith_satoh2001_data_path (
  input  logic [15:0][7:0] block_i,
  input  logic [15:0][7:0] initial_key_i,
  input  logic [15:0][7:0] round_key_i,
  input  logic [15:0][7:0] next_key_i,
  input  logic [15:0][7:0] state_i,
  input  logic load_i,
  input  logic run_decrypt_i,
  input  logic selected_decrypt_i,
  output logic [15:0][7:0] next_o,
  output logic [15:0][7:0] result_o
);
  logic [15:0][7:0] substituted, shifted, unshifted, permuted, mixed, key_mixed, added_key;
  logic unused_inputs;
  assign unused_inputs = ^{next_key_i, selected_decrypt_i};

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aesmith_both_sbox u_both_sbox (
      .x_i      (state_i[i]),
      .decrypt_i(run_decrypt_i),
      .y_o      (substituted[i])
    );
  end
  aesmith_shift_rows u_shift_rows (
    .state_i(substituted),
    .state_o(shifted)
  );
  aesmith_inverse_shift_rows u_inverse_shift_rows (
    .state_i(substituted),
    .state_o(unshifted)
  );
  assign permuted = run_decrypt_i ? unshifted : shifted;

  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_both_mix_columns u_both_mix_columns (
      .x_i      (permuted[4*column+:4]),
      .decrypt_i(run_decrypt_i),
      .y_o      (mixed[4*column+:4])
    );
    aesmith_inverse_mix_columns u_key_mix_columns (
      .x_i(round_key_i[4*column+:4]),
      .y_o(key_mixed[4*column+:4])
    );
  end

  always_comb begin
    if (load_i) added_key = initial_key_i;
    else if (run_decrypt_i) added_key = key_mixed;
    else added_key = round_key_i;
  end
  assign next_o = (load_i ? block_i : mixed) ^ added_key;
  assign result_o = permuted ^ round_key_i;
endmodule
