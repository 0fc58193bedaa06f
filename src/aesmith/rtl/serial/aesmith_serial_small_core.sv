// AES-128 on bytes in few gates: one S-box, and registers that turn without ever standing still.
//
//             ┌───────────── state: 16 bytes ──────────────┐
//   block ─▶ AddRoundKey ─▶ ShiftRows (12) ─▶ S-box ─▶ column (4) ─▶ MixColumns ─┐
//               ▲   ▲                          ▲                                 │
//               │   └──────────────────────────┼─────────────────────────────────┴▶ result ─▶ block
//               └─ K0 ◀ … ◀ K9 … K13 ◀ … ◀ K15 ┘◀ + chain (K12), SubWord
//
// The key schedule runs forwards to the last round key and backwards to the key, which need not be kept twice.
// Encryption goes with the one; decryption, where it is asked for, with the other. See the sequencer for the passes.
// With BothDirections S-box and MixColumns serve both; else decrypt_i is not looked at.
module aesmith_serial_small_core #(
  parameter bit BothDirections = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [7:0] key_i,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [7:0] block_i,
  input  logic       decrypt_i,

  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [7:0] block_o
);
  logic key_take, key_chain, key_substitute, key_first_of_word, round_constant_enable;
  logic block_take, add_key, decrypt, substitute, mix, result_take;
  logic [3:0] round;
  logic [1:0] rotation;

  logic [15:0][7:0] key_q;
  logic [7:0] key_d, round_constant, added, shifted, sbox_in, substituted, result_q;
  logic [3:0][7:0] column_d, column_q, mixed; // element 0 is row 0

  aesmith_serial_small_sequencer #(
    .BothDirections(BothDirections)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .decrypt_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .round_o            (round),
    .key_take_o         (key_take),
    .key_chain_o        (key_chain),
    .key_substitute_o   (key_substitute),
    .key_first_of_word_o(key_first_of_word),
    .round_constant_o   (round_constant_enable),
    .block_take_o       (block_take),
    .add_key_o          (add_key),
    .rotation_o         (rotation),
    .substitute_o       (substitute),
    .decrypt_o          (decrypt),
    .mix_o              (mix),
    .result_take_o      (result_take)
  );

  aesmith_round_constants u_round_constants (
    .x_i(round),
    .y_o(round_constant)
  );

  always_comb begin
    key_d = key_q[0];
    if (key_take) key_d = key_i;
    else if (key_chain) key_d = key_q[0] ^ key_q[12];
    else if (key_substitute) key_d = key_q[0] ^ substituted ^ (round_constant & {8{round_constant_enable}});
  end

  assign added = (block_take ? block_i : column_d[0]) ^ (key_q[0] & {8{add_key}});

  aesmith_serial_shift_rows u_shift_rows (
    .clk_i,
    .enable_i  (1'b1),
    .rotation_i(rotation),
    .byte_i    (added),
    .byte_o    (shifted)
  );

  always_comb begin
    if (key_substitute) sbox_in = key_first_of_word ? key_q[9] : key_q[13];
    else sbox_in = shifted;
  end
  if (BothDirections) begin : gen_both
    aesmith_both_sbox u_sbox (
      .clk_i,
      .enable_i (1'b1),
      .x_i      (sbox_in),
      .decrypt_i(decrypt & ~key_substitute),
      .y_o      (substituted)
    );
    aesmith_both_mix_columns u_mix_columns (
      .x_i      (column_q),
      .decrypt_i(decrypt),
      .y_o      (mixed)
    );
  end else begin : gen_encryption
    logic unused_decrypt;
    assign unused_decrypt = decrypt;

    aesmith_sbox u_sbox (
      .clk_i,
      .enable_i(1'b1),
      .x_i     (sbox_in),
      .y_o     (substituted)
    );
    aesmith_mix_columns u_mix_columns (
      .x_i(column_q),
      .y_o(mixed)
    );
  end
  assign column_d = mix ? mixed : column_q;

  always_ff @(posedge clk_i) begin
    key_q <= {key_d, key_q[15:1]};
    column_q <= {substitute ? substituted : shifted, column_d[3:1]};
    if (result_take) result_q <= column_q[0];
  end
  assign block_o = result_q;
endmodule
