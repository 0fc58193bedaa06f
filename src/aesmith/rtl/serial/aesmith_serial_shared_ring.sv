// AES-128 encryption on bytes with one S-box for state and key, in rounds of 20 clocks. A byte of the key comes with
// each byte of a block.
//
// What turns is in the data path, and what each clock is for in the sequencer. Nothing is frozen by itself: advance is
// the enable of every register, or one clock gate's.
module aesmith_serial_shared_ring #(
  parameter int unsigned SboxStages = 4,
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [7:0] block_i,
  input  logic [7:0] key_i,
  output logic       filling_o,      // a block has begun to come, and is not whole

  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [7:0] block_o
);
  logic clk, advance, enable;
  logic take, filled, mix, turn, chain, substitute;
  logic [1:0] rotation;
  logic [7:0] round_constant;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_clock_enable (
    .clk_i,
    .enable_i(advance),
    .clk_o   (clk),
    .enable_o(enable)
  );

  aesmith_serial_shared_sequencer u_sequencer (
    .clk_i           (clk),
    .rst_ni,
    .enable_i        (enable),
    .advance_o       (advance),
    .block_valid_i,
    .block_ready_o,
    .filling_o,
    .block_valid_o,
    .block_ready_i,
    .take_o          (take),
    .rotation_o      (rotation),
    .filled_o        (filled),
    .mix_o           (mix),
    .turn_o          (turn),
    .chain_o         (chain),
    .substitute_o    (substitute),
    .round_constant_o(round_constant)
  );

  aesmith_serial_shared_data_path #(
    .SboxStages(SboxStages)
  ) u_data_path (
    .clk_i           (clk),
    .enable_i        (enable),
    .take_i          (take),
    .rotation_i      (rotation),
    .filled_i        (filled),
    .mix_i           (mix),
    .turn_i          (turn),
    .chain_i         (chain),
    .substitute_i    (substitute),
    .round_constant_i(round_constant),
    .key_i,
    .block_i,
    .block_o
  );
endmodule
