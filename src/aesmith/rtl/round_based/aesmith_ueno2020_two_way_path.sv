// All of the data path behind the inverters, both directions: Ueno et al., TC 2020, figure 3.
//
//   inverted ─ 1:2 demultiplexer ┬─ ShiftRows ─ encryption path ───┐
//      (10 bits a byte, RRB)     └─ InvShiftRows ─ decryption path ┤
//   block ─ + ┬────────────────────────────────────────────────────┤ 4:1 ─ next
//   initial key └─ decryption load map ────────────────────────────┘
//
// aesmith_demultiplexer and aesmith_ueno2020_join go together: the second counts on what the first gives to the path
// that is not in use.
module aesmith_ueno2020_two_way_path (
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
  logic [15:0][9:0] to_encryption, to_decryption, encryption_in, decryption_in, decryption_keyed;
  logic [15:0][7:0] keyed, encryption_key, last_half, last_encryption;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aesmith_demultiplexer u_demultiplexer (
      .f_i         (inverted_i[i]),
      .decrypt_i   (run_decrypt_i),
      .encryption_o(to_encryption[i]),
      .decryption_o(to_decryption[i])
    );

    // AddRoundKey on the four bits of either half that NB has too.
    assign keyed[i] = {decryption_in[i][9:6], decryption_in[i][4:1]} ^ round_key_i[i];
    assign decryption_keyed[i] = {keyed[i][7:4], decryption_in[i][5], keyed[i][3:0], decryption_in[i][0]};

    // RRB to NB adds bit 0 of a half to its other bits.
    assign last_half[i] = {{4{decryption_in[i][5]}}, {4{decryption_in[i][0]}}};

    assign encryption_load[i] = block_i[i] ^ initial_key_i[i];
    aesmith_decryption_load_map u_decryption_load_map (
      .x_i(encryption_load[i]),
      .y_o(decryption_load[i])
    );
  end

  aesmith_shift_rows #(
    .ElementBits(10)
  ) u_shift_rows (
    .state_i(to_encryption),
    .state_o(encryption_in)
  );
  aesmith_shift_rows #(
    .ElementBits(10),
    .Inverse    (1'b1)
  ) u_inverse_shift_rows (
    .state_i(to_decryption),
    .state_o(decryption_in)
  );

  aesmith_ueno2020_join u_join (
    .round_key_i,
    .keyed_i          (keyed),
    .last_half_i      (last_half),
    .last_encryption_i(last_encryption),
    .decrypt_i        (run_decrypt_i),
    .encryption_key_o (encryption_key),
    .result_o
  );

  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_ueno2020_linear_operations u_linear_operations (
      .inverted_i (encryption_in[4*column+:4]),
      .round_key_i(encryption_key[4*column+:4]),
      .next_o     (encryption_next[4*column+:4]),
      .post_o     (last_encryption[4*column+:4])
    );
    aesmith_ueno2020_inverse_linear_operations u_inverse_linear_operations (
      .keyed_i(decryption_keyed[4*column+:4]),
      .next_o (decryption_next[4*column+:4])
    );
  end

  assign next_o = ({128{encrypt_i}} & encryption_next) | ({128{decrypt_i}} & decryption_next)
                | ({128{load_i & ~selected_decrypt_i}} & encryption_load)
                | ({128{load_i & selected_decrypt_i}} & decryption_load) | ({128{hold_i}} & state_i);
endmodule
