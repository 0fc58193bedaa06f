// AES-128 encryption on bytes with two S-boxes: after Hamalainen, Alho, Hannikainen and Hamalainen, "Design and
// Implementation of Low-Area and Low-Power AES Encryption Hardware Core", DSD 2006.
//
//   block ─▶ AddRoundKey ─▶ ShiftRows (12 bytes) ─▶ S-box ─▶ MixColumns (4 bytes) ─▶ parallel to serial ─┐
//               ▲  ▲                                                                                     │
//   key store ──┘  └──────────────────────────────────────────────────────────────────────────────────── ┴▶ + ─▶ block
//
// 12 bytes of ShiftRows and 4 of MixColumns make a round of 16 clocks; the key expansion with the other S-box runs
// beside it. In the last round MixColumns passes bytes as they are, and the converter gives the three clocks back.
module aesmith_serial_hamalainen2006_enc #(
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [7:0] key_i,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [7:0] block_i,

  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [7:0] block_o
);
  logic key_take, key_whole, key_open, key_step, advance, load, accumulate, column_load, add_column;
  logic key_from_source, key_substitute, key_first_of_word, round_constant_enable;
  logic [3:0] round;
  logic [1:0] rotation;
  logic [15:0][7:0] key;
  logic [7:0] key_byte, round_constant, column_byte, added, shifted, substituted;
  logic [3:0][7:0] column;

  aesmith_serial_hamalainen2006_sequencer u_sequencer (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .block_valid_i,
    .block_ready_o,
    .block_valid_o,
    .block_ready_i,
    .key_whole_i        (key_whole),
    .key_open_o         (key_open),
    .key_step_o         (key_step),
    .round_o            (round),
    .advance_o          (advance),
    .load_o             (load),
    .rotation_o         (rotation),
    .accumulate_o       (accumulate),
    .column_load_o      (column_load),
    .add_column_o       (add_column),
    .key_from_source_o  (key_from_source),
    .key_substitute_o   (key_substitute),
    .key_first_of_word_o(key_first_of_word),
    .round_constant_o   (round_constant_enable)
  );

  aesmith_serial_key_store #(
    .Bytes     (16),
    .ClockGates(ClockGates)
  ) u_key_store (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .open_i (key_open),
    .step_i (key_step),
    .take_o (key_take),
    .whole_o(key_whole),
    .key_o  (key)
  );

  logic unused_key;
  assign unused_key = ^{key_take, key[15], key[13:11], key[9:2]};

  aesmith_round_constants u_round_constants (
    .x_i(round),
    .y_o(round_constant)
  );
  aesmith_serial_hamalainen2006_key_expansion #(
    .ClockGates(ClockGates)
  ) u_key_expansion (
    .clk_i,
    .enable_i        (advance),
    .from_source_i   (key_from_source),
    .substitute_i    (key_substitute),
    .first_of_word_i (key_first_of_word),
    .source_i        (key[1]),
    .source_13_i     (key[14]),
    .source_9_i      (key[10]),
    .round_constant_i(round_constant & {8{round_constant_enable}}),
    .key_byte_o      (key_byte)
  );

  always_comb begin
    if (load) added = block_i ^ key[0];
    else added = (add_column ? column[0] : column_byte) ^ key_byte;
  end
  assign block_o = column_byte ^ key_byte;

  aesmith_serial_shift_rows #(
    .ClockGates(ClockGates)
  ) u_shift_rows (
    .clk_i,
    .enable_i  (advance),
    .rotation_i(rotation),
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
    .enable_i    (advance),
    .accumulate_i(accumulate),
    .bypass_i    (1'b0),
    .byte_i      (substituted),
    .column_o    (column)
  );

  aesmith_serial_column_shift #(
    .ClockGates(ClockGates)
  ) u_column_shift (
    .clk_i,
    .enable_i(advance),
    .load_i  (column_load),
    .column_i(column[3:1]),
    .byte_i  (column[0]),
    .byte_o  (column_byte)
  );
endmodule
