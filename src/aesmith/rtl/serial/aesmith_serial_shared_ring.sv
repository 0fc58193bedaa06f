// AES encryption on bytes with one S-box for state and key, in rounds of 20 clocks. A byte of the key comes with each byte
// of a block: byte 0 … 15, and of a longer key beside it byte 16 … 31, or with bytes 8 … 15 of the block byte 16 … 23.
//
// What turns is in the data path, and what each clock is for in the sequencer. Nothing is frozen by itself: advance is
// the enable of every register, or one clock gate's.
module aesmith_serial_shared_ring #(
  parameter int unsigned SboxStages = 4,
  parameter int unsigned KeyBytes = 16,
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [7:0] block_i,
  input  logic [7:0] key_i,
  input  logic [7:0] later_key_i,
  output logic       filling_o,      // a block has begun to come, and is not whole
  output logic       key_used_o,     // the block is whole, and its longer key still to be brought back to its start
  output logic       key_turns_o,    // by a byte

  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [7:0] block_o
);
  logic clk, advance, enable;
  logic take, take_later, in_place, last_quarter, filled, mix, turn, chain, phase_0;
  logic [1:0] rotation, substitute;
  logic [1:0][7:0] round_constant;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_clock_enable (
    .clk_i,
    .enable_i(advance),
    .clk_o   (clk),
    .enable_o(enable)
  );

  aesmith_serial_shared_sequencer #(
    .KeyBytes(KeyBytes)
  ) u_sequencer (
    .clk_i           (clk),
    .rst_ni,
    .enable_i        (enable),
    .advance_o       (advance),
    .block_valid_i,
    .block_ready_o,
    .filling_o,
    .key_used_o,
    .key_turns_o,
    .block_valid_o,
    .block_ready_i,
    .take_o          (take),
    .take_later_o    (take_later),
    .in_place_o      (in_place),
    .last_quarter_o  (last_quarter),
    .rotation_o      (rotation),
    .filled_o        (filled),
    .mix_o           (mix),
    .turn_o          (turn),
    .chain_o         (chain),
    .phase_0_o       (phase_0),
    .substitute_o    (substitute),
    .round_constant_o(round_constant)
  );

  aesmith_serial_shared_data_path #(
    .SboxStages(SboxStages),
    .KeyBytes  (KeyBytes)
  ) u_data_path (
    .clk_i           (clk),
    .enable_i        (enable),
    .take_i          (take),
    .take_later_i    (take_later),
    .in_place_i      (in_place),
    .last_quarter_i  (last_quarter),
    .rotation_i      (rotation),
    .filled_i        (filled),
    .mix_i           (mix),
    .turn_i          (turn),
    .chain_i         (chain),
    .phase_0_i       (phase_0),
    .substitute_i    (substitute),
    .round_constant_i(round_constant),
    .key_i,
    .later_key_i,
    .block_i,
    .block_o
  );
endmodule
