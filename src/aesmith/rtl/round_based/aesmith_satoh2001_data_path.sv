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
  logic [15:0][7:0] permuted, mixed, key_mixed, added_key;
  logic unused_inputs;
  assign unused_inputs = ^{key_source_i, next_key_i, round_i, start_i, selected_decrypt_i};

  aesmith_both_sub_bytes u_both_sub_bytes (
    .state_i,
    .decrypt_i (run_decrypt_i),
    .permuted_o(permuted)
  );

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

  assign added_key = ({128{encrypt_i}} & round_key_i) | ({128{decrypt_i}} & key_mixed)
                   | ({128{load_i}} & initial_key_i);
  assign next_o = (({128{encrypt_i | decrypt_i}} & mixed) | ({128{load_i}} & block_i) | ({128{hold_i}} & state_i))
                ^ added_key;
  assign result_o = permuted ^ round_key_i;
endmodule
