// Data path of the SASEBO AES macros: ten rounds through the register, the last one past MixColumns by a selector; the
// result is the register itself, one clock later than elsewhere.
//
//   block ─ + ─┐ 2:1                        ┌─ MixColumns ─┐ 2:1     ┌─ result
//   initial key └─ next  state ─ S-boxes ─ ShiftRows ──────┴─ + ─ next
//                                                      round key
module aesmith_sasebo_data_path (
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
  logic last_round;
  logic unused_inputs;
  assign unused_inputs = ^{key_source_i, next_key_i, start_i, decrypt_i, run_decrypt_i, selected_decrypt_i};

  aesmith_encryption_operations u_operations (
    .state_i,
    .shifted_o(shifted),
    .mixed_o  (mixed)
  );

  assign last_round = round_i == 4'd10;
  assign next_o = (({128{encrypt_i & ~last_round}} & mixed) | ({128{encrypt_i & last_round}} & shifted)
                  | ({128{load_i}} & block_i) | ({128{hold_i}} & state_i))
                ^ (({128{encrypt_i}} & round_key_i) | ({128{load_i}} & initial_key_i));
  assign result_o = state_i;
endmodule
