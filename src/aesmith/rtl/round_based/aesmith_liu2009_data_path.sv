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
  logic [15:0][7:0] substituted, permuted, mixed, early_key, late_key;
  logic unused_inputs;
  assign unused_inputs = ^{key_source_i, next_key_i, round_i, start_i, selected_decrypt_i};

  aesmith_both_sub_bytes u_both_sub_bytes (
    .state_i,
    .decrypt_i (run_decrypt_i),
    .permuted_o(substituted)
  );

  assign early_key = round_key_i & {128{~encrypt_i}};
  assign permuted = substituted ^ early_key;

  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_both_mix_columns u_both_mix_columns (
      .x_i      (permuted[4*column+:4]),
      .decrypt_i(run_decrypt_i),
      .y_o      (mixed[4*column+:4])
    );
  end

  assign late_key = ({128{encrypt_i}} & round_key_i) | ({128{load_i}} & initial_key_i);
  assign next_o = (({128{encrypt_i | decrypt_i}} & mixed) | ({128{load_i}} & block_i) | ({128{hold_i}} & state_i))
                ^ late_key;
  assign result_o = permuted;
endmodule
