// The data path behind the inverters without the demultiplexer: what aesmith_ueno2020_unified_path is compared with.
//
//   inverted ─┬─ ShiftRows ─ encryption path ───┐
//             └─ InvShiftRows ─ decryption path ┤
//   block ─ + ┬─────────────────────────────────┤ 4:1 ─ next
//   initial key └─ decryption load map ─────────┘
//
// Both paths work on every block, each with an AddRoundKey of its own, and the result is selected.
module aesmith_ueno2020_selected_path (
  input  logic [15:0][7:0] block_i,
  input  logic [15:0][7:0] initial_key_i,
  input  logic [15:0][7:0] round_key_i,
  input  logic [15:0][9:0] inverted_i,
  input  logic [15:0][7:0] state_i,
  input  logic load_i,
  input  logic encrypt_i,
  input  logic decrypt_i,
  input  logic hold_i,
  input  logic run_decrypt_i,
  input  logic selected_decrypt_i,
  output logic [15:0][7:0] next_o,
  output logic [15:0][7:0] result_o
);
  logic [15:0][7:0] encryption_load, decryption_load, encryption_next, decryption_next;
  logic [15:0][9:0] encryption_in, decryption_in, decryption_keyed;
  logic [15:0][7:0] keyed, last_encryption, last_decryption;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    // AddRoundKey on the four bits of either half that NB has too.
    assign keyed[i] = {decryption_in[i][9:6], decryption_in[i][4:1]} ^ round_key_i[i];
    assign decryption_keyed[i] = {keyed[i][7:4], decryption_in[i][5], keyed[i][3:0], decryption_in[i][0]};

    // RRB to NB adds bit 0 of a half to its other bits.
    assign last_decryption[i] = keyed[i] ^ {{4{decryption_in[i][5]}}, {4{decryption_in[i][0]}}};

    assign encryption_load[i] = block_i[i] ^ initial_key_i[i];
    aesmith_decryption_load_map u_decryption_load_map (
      .x_i(encryption_load[i]),
      .y_o(decryption_load[i])
    );
  end

  aesmith_shift_rows #(
    .ElementBits(10)
  ) u_shift_rows (
    .state_i(inverted_i),
    .state_o(encryption_in)
  );
  aesmith_shift_rows #(
    .ElementBits(10),
    .Inverse    (1'b1)
  ) u_inverse_shift_rows (
    .state_i(inverted_i),
    .state_o(decryption_in)
  );

  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_ueno2020_linear_operations u_linear_operations (
      .inverted_i (encryption_in[4*column+:4]),
      .round_key_i(round_key_i[4*column+:4]),
      .next_o     (encryption_next[4*column+:4]),
      .post_o     (last_encryption[4*column+:4])
    );
    aesmith_ueno2020_inverse_linear_operations u_inverse_linear_operations (
      .keyed_i(decryption_keyed[4*column+:4]),
      .next_o (decryption_next[4*column+:4])
    );
  end

  assign result_o = run_decrypt_i ? last_decryption : last_encryption;

  assign next_o = ({128{encrypt_i}} & encryption_next) | ({128{decrypt_i}} & decryption_next)
                | ({128{load_i & ~selected_decrypt_i}} & encryption_load)
                | ({128{load_i & selected_decrypt_i}} & decryption_load) | ({128{hold_i}} & state_i);
endmodule
