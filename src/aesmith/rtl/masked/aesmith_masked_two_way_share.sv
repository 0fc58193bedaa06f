// One share of a masked round-based core for both directions: all that is linear, the key and the round key.
//
// Nothing here knows another share. All bytes inside are register words, Δ(γ·x) of FIPS-197's, or while a block is
// decrypted Δ(γ⁻¹·x) in front of the inverters (Ueno et al., TC 2020, section 3); sbox_o goes into their first rank,
// inverted_i comes out of their last one.
//
//            load_encrypt_i   load_decrypt_i               encrypt_i                        decrypt_i
//   sbox_o   block + key      decryption load map of it    Ω(ShiftRows) + next key          Λ(InvShiftRows + next key)
//
// and 0 without any of them. Constants are added in share 0 only. Element i of a vector is byte i of FIPS-197.
module aesmith_masked_two_way_share #(
  parameter bit ClockGates = 1'b1,
  parameter int unsigned AffineConstant = 0,       // Δ(γ·c) in share 0, 0 in the others
  parameter int unsigned InverseAffineConstant = 0 // Δ(γ⁻¹·c')
) (
  input  logic clk_i,
  input  logic key_load_i,      // the key register takes key_i,
  input  logic key_turn_i,      // … or the other end of the key schedule
  input  logic key_start_i,     // the round key register takes the key,
  input  logic key_turn_next_i, // … or the next round key
  input  logic load_encrypt_i,
  input  logic load_decrypt_i,
  input  logic encrypt_i,
  input  logic decrypt_i,
  input  logic last_end_i,    // the key register holds the last round key
  input  logic run_decrypt_i, // the key schedule runs backwards
  input  logic starts_i,      // what could enter the inverters of the key is of the key register,
  input  logic turns_i,       // … or of the next round key
  input  logic [7:0] constant_i, // round constant in share 0, 0 in the others

  input  logic [127:0] key_i,
  input  logic [127:0] block_i,
  output logic [127:0] block_o, // the last round's result, while it stands in the last rank

  output logic [15:0][7:0] sbox_o,
  output logic [3:0][7:0] key_sbox_o,
  input  logic [15:0][7:0] inverted_i,
  input  logic [3:0][7:0] key_inverted_i
);
  localparam logic [7:0] Affine = 8'(AffineConstant);
  localparam logic [7:0] InverseAffine = 8'(InverseAffineConstant);

  logic key_clk, key_enable, round_key_clk, round_key_enable;
  logic [15:0][7:0] key, block, key_q, round_key_q, next_key;
  logic [15:0][7:0] encryption_load, decryption_load, encryption_in, decryption_in, keyed;
  logic [15:0][7:0] encryption_next, decryption_next, post, result;
  logic [3:0][7:0] substituted, next_early, first_early, early;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    logic [7:0] unmixed;

    aesmith_pre_round_map u_key_map (
      .x_i(key_i[127-8*i-:8]),
      .y_o(key[i])
    );
    aesmith_pre_round_map u_block_map (
      .x_i(block_i[127-8*i-:8]),
      .y_o(block[i])
    );
    assign encryption_load[i] = block[i] ^ key_q[i];
    aesmith_decryption_load_map u_decryption_load_map (
      .x_i(encryption_load[i]),
      .y_o(unmixed)
    );
    assign decryption_load[i] = unmixed ^ InverseAffine;

    assign keyed[i] = decryption_in[i] ^ next_key[i];
    assign result[i] = run_decrypt_i ? keyed[i] : post[i] ^ next_key[i] ^ Affine;
    aesmith_post_round_map u_post_round_map (
      .x_i(result[i]),
      .y_o(block_o[127-8*i-:8])
    );

    assign sbox_o[i] = ({8{encrypt_i}} & (encryption_next[i] ^ next_key[i] ^ Affine))
                     | ({8{decrypt_i}} & (decryption_next[i] ^ InverseAffine))
                     | ({8{load_encrypt_i}} & encryption_load[i])
                     | ({8{load_decrypt_i}} & decryption_load[i]);
  end

  aesmith_shift_rows u_shift_rows (
    .state_i(inverted_i),
    .state_o(encryption_in)
  );
  aesmith_shift_rows #(
    .Inverse(1'b1)
  ) u_inverse_shift_rows (
    .state_i(inverted_i),
    .state_o(decryption_in)
  );
  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_linear_operations u_linear_operations (
      .x_i   (encryption_in[4*column+:4]),
      .next_o(encryption_next[4*column+:4]),
      .post_o(post[4*column+:4])
    );
    aesmith_inverse_linear_operations u_inverse_linear_operations (
      .x_i(keyed[4*column+:4]),
      .y_o(decryption_next[4*column+:4])
    );
  end

  // The key schedule, forwards or backwards: SubWord(RotWord) of a word that entered the inverters with the round key.
  for (genvar row = 0; row < 4; row++) begin : gen_row
    logic [7:0] affine;

    aesmith_affine u_affine (
      .x_i(key_inverted_i[row]),
      .y_o(affine)
    );
    assign substituted[row] = affine ^ Affine;
    assign key_sbox_o[row] = early[(row+1)%4];
  end
  aesmith_two_way_words u_two_way_words (
    .words_i         (round_key_q),
    .key_ex_i        (substituted),
    .round_constant_i(constant_i),
    .decrypt_i       (run_decrypt_i),
    .words_o         (next_key),
    .early_o         (next_early)
  );
  assign first_early = key_q[15:12] ^ (key_q[11:8] & {32{last_end_i}});
  assign early = ({32{starts_i}} & first_early) | ({32{turns_i}} & next_early);

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_key_enable (
    .clk_i,
    .enable_i(key_load_i | key_turn_i),
    .clk_o   (key_clk),
    .enable_o(key_enable)
  );
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_round_key_enable (
    .clk_i,
    .enable_i(key_start_i | key_turn_next_i),
    .clk_o   (round_key_clk),
    .enable_o(round_key_enable)
  );
  always_ff @(posedge key_clk) begin
    if (key_enable) key_q <= key_turn_i ? next_key : key;
  end
  always_ff @(posedge round_key_clk) begin
    if (round_key_enable) round_key_q <= turns_i ? next_key : key_q;
  end
endmodule
