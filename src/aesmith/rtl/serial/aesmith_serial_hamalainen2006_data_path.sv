// The data path and key path of the core with two S-boxes: after Hamalainen et al., DSD 2006. Everything that controls
// it comes from outside.
//
//   block ─▶ AddRoundKey ─▶ ShiftRows (12 bytes) ─▶ S-box ─▶ MixColumns (4 bytes) ─▶ parallel to serial ─┐
//               ▲  ▲                                                                                     │
//   key store ──┘  └──────────────────────────────────────────────────────────────────────────────────── ┴▶ + ─▶ block
//
// 12 bytes of ShiftRows and 4 of MixColumns make a round of 16 clocks; the key expansion with the other S-box runs
// beside it. In the last round MixColumns passes bytes as they are, and the converter gives the three clocks back.
module aesmith_serial_hamalainen2006_data_path #(
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,

  input  logic [1:0] rotation_i,
  input  logic       advance_i,        // of key and result
  input  logic [11:0] state_enable_i,
  input  logic       mix_enable_i,
  input  logic       load_i,
  input  logic       accumulate_i,
  input  logic       column_load_i,
  input  logic       add_column_i,
  input  logic       key_from_source_i,
  input  logic       key_substitute_i,
  input  logic       key_first_of_word_i,

  input  logic [7:0] round_constant_i, // with the first byte of a word, else 0
  input  logic [7:0] key_i,            // the byte of the key for block_i
  input  logic [7:0] source_i,         // bytes of the key for round key 1: see key expansion
  input  logic [7:0] source_13_i,
  input  logic [7:0] source_9_i,
  input  logic [7:0] block_i,
  output logic [7:0] block_o
);
  logic [7:0] key_byte, column_byte, added, shifted, substituted;
  logic [3:0][7:0] column;

  aesmith_serial_hamalainen2006_key_expansion #(
    .ClockGates(ClockGates)
  ) u_key_expansion (
    .clk_i,
    .enable_i        (advance_i),
    .from_source_i   (key_from_source_i),
    .substitute_i    (key_substitute_i),
    .first_of_word_i (key_first_of_word_i),
    .source_i,
    .source_13_i,
    .source_9_i,
    .round_constant_i,
    .key_byte_o      (key_byte)
  );

  always_comb begin
    if (load_i) added = block_i ^ key_i;
    else added = (add_column_i ? column[0] : column_byte) ^ key_byte;
  end
  assign block_o = column_byte ^ key_byte;

  aesmith_serial_shift_rows #(
    .Apart     (1'b1),
    .ClockGates(ClockGates)
  ) u_shift_rows (
    .clk_i,
    .enable_i  (state_enable_i),
    .rotation_i,
    .byte_i    (added),
    .byte_o    (shifted)
  );

  aesmith_sbox u_sbox (
    .clk_i,
    .enable_i(1'b1),
    .x_i     (shifted),
    .y_o     (substituted)
  );

  aesmith_serial_mix_columns #(
    .ClockGates(ClockGates)
  ) u_mix_columns (
    .clk_i,
    .enable_i    (mix_enable_i),
    .accumulate_i(accumulate_i),
    .bypass_i    (1'b0),
    .byte_i      (substituted),
    .column_o    (column)
  );

  aesmith_serial_column_shift #(
    .ClockGates(ClockGates)
  ) u_column_shift (
    .clk_i,
    .enable_i(advance_i),
    .load_i  (column_load_i),
    .column_i(column[3:1]),
    .byte_i  (column[0]),
    .byte_o  (column_byte)
  );
endmodule
