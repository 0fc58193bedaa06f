// SubBytes, ShiftRows, MixColumns, AddRoundKey in the standard's order, in whatever field the leaf circuits are:
// Gueron and Mathew, ARITH 2016, "mapped" (leaf S-box in a tower) and "native" (everything in the tower).
//
//   block ─ + ─┐ 2:1                    ┌─ MixColumns ─ + ─┐ 2:1
//   initial key └─ next    state ─ S-boxes ─ ShiftRows ┤    round key └─ next
//                                                       └─ + ─ result
module aesmith_plain_encryption_data_path (
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
  logic [15:0][7:0] shifted, mixed;
  logic unused_inputs;
  assign unused_inputs = ^{key_source_i, next_key_i, round_i, start_i, decrypt_i, run_decrypt_i, selected_decrypt_i};

  aesmith_encryption_operations u_operations (
    .state_i,
    .shifted_o(shifted),
    .mixed_o  (mixed)
  );

  assign result_o = shifted ^ round_key_i;
  assign next_o = ({128{encrypt_i}} & (mixed ^ round_key_i)) | ({128{load_i}} & (block_i ^ initial_key_i))
                | ({128{hold_i}} & state_i);
endmodule
