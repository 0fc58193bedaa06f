// AES encryption on pairs of bytes with two S-boxes for state and key, in rounds of ten clocks. A pair of the key comes with
// each pair of a block.
//
// What turns is in the data path, and what each clock is for in the sequencer. advance is the enable of every register, or
// one clock gate's; only the key's second and third words stand still by themselves while its last has the S-boxes.
module aesmith_serial_pair_ring #(
  parameter int unsigned SboxStages = 2,
  parameter bit ClockGates = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        block_valid_i,
  output logic        block_ready_o,
  input  logic [15:0] block_i,
  input  logic [15:0] key_i,
  output logic        filling_o,      // a block has begun to come, and is not whole

  output logic        block_valid_o,
  input  logic        block_ready_i,
  output logic [15:0] block_o
);
  logic clk, middle_clk, advance, enable, middle_enable;
  logic [1:0] from_ring;
  logic take, from_key, filled, rotate_row_1, rotate_rows_2_3, mix, turn, chain, substitute;
  logic [7:0] round_constant;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_clock_enable (
    .clk_i,
    .enable_i(advance),
    .clk_o   (clk),
    .enable_o(enable)
  );

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_middle_clock_enable (
    .clk_i,
    .enable_i(advance & ~turn),
    .clk_o   (middle_clk),
    .enable_o(middle_enable)
  );

  aesmith_serial_pair_sequencer u_sequencer (
    .clk_i            (clk),
    .rst_ni,
    .enable_i         (enable),
    .advance_o        (advance),
    .block_valid_i,
    .block_ready_o,
    .filling_o,
    .block_valid_o,
    .block_ready_i,
    .from_ring_o      (from_ring),
    .from_key_o       (from_key),
    .take_o           (take),
    .filled_o         (filled),
    .rotate_row_1_o   (rotate_row_1),
    .rotate_rows_2_3_o(rotate_rows_2_3),
    .mix_o            (mix),
    .turn_o           (turn),
    .chain_o          (chain),
    .substitute_o     (substitute),
    .round_constant_o (round_constant)
  );

  aesmith_serial_pair_data_path #(
    .SboxStages(SboxStages)
  ) u_data_path (
    .clk_i            (clk),
    .enable_i         (enable),
    .middle_clk_i     (middle_clk),
    .middle_enable_i  (middle_enable),
    .from_ring_i      (from_ring),
    .from_key_i       (from_key),
    .take_i           (take),
    .filled_i         (filled),
    .rotate_row_1_i   (rotate_row_1),
    .rotate_rows_2_3_i(rotate_rows_2_3),
    .mix_i            (mix),
    .turn_i           (turn),
    .chain_i          (chain),
    .substitute_i     (substitute),
    .round_constant_i (round_constant),
    .key_i,
    .block_i,
    .block_o
  );
endmodule
