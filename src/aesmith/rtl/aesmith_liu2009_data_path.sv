// Unified data path that leaves decryption in the standard's order, after Liu et al., ESSCIRC 2009: AddRoundKey stands
// behind MixColumns to encrypt and before InvMixColumns to decrypt, so round keys need no InvMixColumns.
//
//   state ─ S-box or inverse ─ ShiftRows or inverse ─ + ┬─ MixColumns or inverse ─┐ 2:1
//                      key to decrypt and for the result │                  block ─┴─ + ─ next
//                                                         └─ result              key to encrypt and for the block
//
// One AddRoundKey between selectors, as published, closes a combinational loop that no tool can time. Two arrays with
// AND gates for selectors compute the same with fewer gates; AddInitialKey and the last round use them too.
module aesmith_liu2009_data_path (
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
  logic [15:0][7:0] substituted, shifted, unshifted, permuted, mixed, early_key, late_key;
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

  assign early_key = round_key_i & {128{run_decrypt_i | load_i}};
  assign permuted = (run_decrypt_i ? unshifted : shifted) ^ early_key;

  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_both_mix_columns u_both_mix_columns (
      .x_i      (permuted[4*column+:4]),
      .decrypt_i(run_decrypt_i),
      .y_o      (mixed[4*column+:4])
    );
  end

  assign late_key = load_i ? initial_key_i : round_key_i & {128{~run_decrypt_i}};
  assign next_o = (load_i ? block_i : mixed) ^ late_key;
  assign result_o = permuted;
endmodule
