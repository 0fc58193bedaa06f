// "Round function part" for both directions: Ueno et al., TC 2020, figures 1 and 3.
//
// One set of inverters stands directly behind the data register; what follows it is in aesmith_ueno2020_unified_path.
module aesmith_ueno2020_data_path (
  input  logic [15:0][7:0] block_i,
  input  logic [15:0][7:0] initial_key_i,
  input  logic [15:0][7:0] round_key_i,
  input  logic [15:0][7:0] next_key_i,
  input  logic [15:0][7:0] state_i,
  input  logic load_i,
  input  logic run_decrypt_i,
  input  logic selected_decrypt_i,
  output logic [15:0][7:0] next_o,
  output logic [15:0][7:0] result_o
);
  logic [15:0][9:0] inverted;
  logic unused_next_key;
  assign unused_next_key = ^next_key_i;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aesmith_inverter u_inverter (
      .x_i(state_i[i]),
      .y_o(inverted[i])
    );
  end

  aesmith_ueno2020_unified_path u_unified_path (
    .block_i,
    .initial_key_i,
    .round_key_i,
    .inverted_i(inverted),
    .load_i,
    .run_decrypt_i,
    .selected_decrypt_i,
    .next_o,
    .result_o
  );
endmodule
