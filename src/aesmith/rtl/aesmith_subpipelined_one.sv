// A sub-pipelined AES core of one direction: encryption, or decryption (Decrypts).
// Byte 0 of FIPS-197 is the most significant byte of every port.
module aesmith_subpipelined_one #(
  parameter int unsigned Rounds = 10,
  parameter int unsigned Units = 10,
  parameter int unsigned Stages = 3,
  parameter int unsigned KeyWords = 4,
  parameter int unsigned KeyPlace = 2,
  parameter int unsigned KeyClocks = 3,
  parameter bit SelectRegister = 1'b0,
  parameter bit Decrypts = 1'b0,
  parameter int unsigned MixClocks = 0,
  parameter int unsigned SkidEntries = 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [32*KeyWords-1:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o
);
  aesmith_subpipelined_core #(
    .Rounds        (Rounds),
    .Units         (Units),
    .Stages        (Stages),
    .KeyWords      (KeyWords),
    .KeyPlace      (KeyPlace),
    .KeyClocks     (KeyClocks),
    .SelectRegister(SelectRegister),
    .Encrypts      (!Decrypts),
    .Decrypts      (Decrypts),
    .MixClocks     (MixClocks),
    .SkidEntries   (SkidEntries)
  ) u_core (
    .clk_i,
    .rst_ni,
    .key_valid_i,
    .key_ready_o,
    .key_i,
    .block_valid_i,
    .block_ready_o,
    .block_i,
    .decrypt_i(Decrypts),
    .block_valid_o,
    .block_ready_i,
    .block_o
  );
endmodule
