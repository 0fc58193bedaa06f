// The core of few gates, for encryption and decryption.
module aesmith_serial_small_encdec (
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
  logic [7:0] sbox_in, sbox_out;
  logic sbox_decrypt, decrypt;
  logic [3:0][7:0] column, mixed;

  aesmith_serial_small #(
    .BothDirections(1'b1)
  ) u_small (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .block_valid_i,
    .block_ready_o,
    .block_i,
    .decrypt_i,
    .block_valid_o,
    .block_ready_i,
    .block_o,
    .sbox_o        (sbox_in),
    .sbox_decrypt_o(sbox_decrypt),
    .sbox_i        (sbox_out),
    .column_o      (column),
    .decrypt_o     (decrypt),
    .mixed_i       (mixed)
  );

  aesmith_sbox u_sbox (
    .clk_i,
    .enable_i(1'b1),
    .x_i     (sbox_in),
    .decrypt_i(sbox_decrypt),
    .y_o     (sbox_out)
  );

  aesmith_mix_columns u_mix_columns (
    .x_i(column),
    .decrypt_i(decrypt),
    .y_o(mixed)
  );
endmodule
