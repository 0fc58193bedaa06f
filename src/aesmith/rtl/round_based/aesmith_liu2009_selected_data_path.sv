// Unified data path that leaves decryption in the standard's order, with selectors: Liu et al., ESSCIRC 2009, as far as
// Ueno et al. (TC 2020, section 3.1) tell of it: seven selectors of 128 bits, those of the S-boxes among them, and one array
// of XOR gates for AddRoundKey and AddInitialKey.
//
//                                                    ┌─ MixColumns ─┐ 2:1   block ─┐ 2:1       ┌──────────────────┐ 2:1
//   state ─ S-box or inverse ─ ShiftRows or inverse ─┼──────────────┴──────────────┴─ + key ───┴─ InvMixColumns ──┴─ next
//                                                    + ─ result
//
// The sixth selector is that of InvMixColumns, the seventh keeps the register's value; the others are in S-box and ShiftRows.
// MixColumns and InvMixColumns are apart: one circuit for both would close a combinational loop through AddRoundKey. So
// the longest path goes through both, and no block takes it. The result has an AddRoundKey of its own, for the next block
// may be loaded in the same clock.
module aesmith_liu2009_selected_data_path (
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
  logic [15:0][7:0] permuted, mixed, plain, keyed, unmixed, worked;
  logic unused_inputs;
  assign unused_inputs = ^{key_source_i, next_key_i, round_i, start_i, selected_decrypt_i};

  aesmith_both_sub_bytes u_both_sub_bytes (
    .state_i,
    .decrypt_i (run_decrypt_i),
    .permuted_o(permuted)
  );

  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_mix_columns u_mix_columns (
      .x_i(permuted[4*column+:4]),
      .y_o(mixed[4*column+:4])
    );
    aesmith_inverse_mix_columns u_inverse_mix_columns (
      .x_i(keyed[4*column+:4]),
      .y_o(unmixed[4*column+:4])
    );
  end

  assign plain = encrypt_i ? mixed : permuted;
  assign keyed = (load_i ? block_i : plain) ^ (load_i ? initial_key_i : round_key_i);
  assign worked = decrypt_i ? unmixed : keyed;
  assign next_o = hold_i ? state_i : worked;
  assign result_o = permuted ^ round_key_i;
endmodule
