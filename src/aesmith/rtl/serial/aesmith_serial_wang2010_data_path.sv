// The data path and key path of the core with one S-box: Wang and Heys, 2010, figure 2. Registers have the figure's
// numbers. Everything that controls it comes from outside.
//
//   block ▶ R16 R15 R14 ─┐                    ┌────────────▶ block
//           ▲  ▲  ▲      ├▶ AddRoundKey ──────┴▶ R12 … R1 ──┐
//           q3 q2 q1  q0 ┘        ▲              ShiftRows  ├▶ S-box ─┬▶ MixColumns q3 … q0 (R13)
//                                 └─ R29, R25 ◀ key ring ───┘ ◀───────┘
module aesmith_serial_wang2010_data_path #(
  parameter int unsigned SboxStages = 4,
  parameter int unsigned KeyBytes = 16,
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,

  input  logic [1:0] rotation_i,
  input  logic       sbox_enable_i,
  input  logic       sbox_key_i,
  input  logic       first_of_word_i,
  input  logic       substitute_i,
  input  logic       state_enable_i,
  input  logic       mix_enable_i,
  input  logic       accumulate_i,
  input  logic       bypass_i,
  input  logic       column_enable_i,
  input  logic       column_load_i,
  input  logic       add_column_i,
  input  logic       add_tail_i,
  input  logic       key_shift_i,
  input  logic       key_turn_i,
  input  logic       key_tail_i,
  input  logic       key_load_i,
  input  logic       key_chain_i,
  input  logic       key_late_i,       // these three: keys of more than 16 bytes, see key expansion
  input  logic       key_own_i,
  input  logic       key_plain_i,

  input  logic [7:0] round_constant_i, // with the first byte of a word, else 0
  input  logic [7:0] key_i,            // a byte of the key
  input  logic [7:0] block_i,
  output logic [7:0] block_o
);
  logic [7:0] key_byte, tail_byte, key_substitute;
  logic [7:0] shifted, sbox_in, sbox_out, column_byte, added;
  logic [3:0][7:0] column;

  aesmith_serial_wang2010_key_expansion #(
    .SboxStages(SboxStages),
    .KeyBytes  (KeyBytes),
    .ClockGates(ClockGates)
  ) u_key_expansion (
    .clk_i,
    .shift_i         (key_shift_i),
    .turn_i          (key_turn_i),
    .tail_i          (key_tail_i),
    .load_i          (key_load_i),
    .chain_i         (key_chain_i),
    .late_i          (key_late_i),
    .own_i           (key_own_i),
    .plain_i         (key_plain_i),
    .substitute_i,
    .first_of_word_i,
    .head_i          (key_i),
    .round_constant_i,
    .substituted_i   (sbox_out),
    .substitute_o    (key_substitute),
    .key_byte_o      (key_byte),
    .tail_byte_o     (tail_byte)
  );

  aesmith_serial_column_shift #(
    .ClockGates(ClockGates)
  ) u_column_shift (
    .clk_i,
    .enable_i(column_enable_i),
    .load_i  (column_load_i),
    .column_i(column[3:1]),
    .byte_i  (block_i),
    .byte_o  (column_byte)
  );

  assign added = (add_column_i ? column[0] : column_byte) ^ (add_tail_i ? tail_byte : key_byte);
  assign block_o = added;

  aesmith_serial_shift_rows #(
    .ClockGates(ClockGates)
  ) u_shift_rows (
    .clk_i,
    .enable_i  (state_enable_i),
    .rotation_i,
    .byte_i    (added),
    .byte_o    (shifted)
  );

  assign sbox_in = sbox_key_i ? key_substitute : shifted;
  logic sbox_clk, sbox_enable;
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates && SboxStages > 1)
  ) u_sbox_enable (
    .clk_i,
    .enable_i(sbox_enable_i),
    .clk_o   (sbox_clk),
    .enable_o(sbox_enable)
  );
  aesmith_sbox u_sbox (
    .clk_i   (sbox_clk),
    .enable_i(sbox_enable),
    .x_i     (sbox_in),
    .y_o     (sbox_out)
  );

  aesmith_serial_mix_columns #(
    .Delay     (SboxStages < 4 ? 4 - SboxStages : 0),
    .ClockGates(ClockGates)
  ) u_mix_columns (
    .clk_i,
    .enable_i    (mix_enable_i),
    .accumulate_i,
    .bypass_i,
    .byte_i      (sbox_out),
    .column_o    (column)
  );
endmodule
