// "Round function part": Ueno et al., TC 2020, figures 1 and 3, or for encryption 7 to 9.
//
// One set of inverters stands directly behind the data register; what follows it is in aesmith_ueno2020_path.
module aesmith_ueno2020_data_path (
  input  logic [15:0][7:0] block_i,
  input  logic [15:0][7:0] initial_key_i,
  input  logic [15:0][7:0] round_key_i,
  input  logic [15:0][7:0] key_source_i,
  input  logic [15:0][7:0] next_key_i,
  input  logic [15:0][7:0] state_i,
  input  logic [3:0] round_i,
  input  logic start_i,
  input  logic load_i,
  input  logic encrypt_i,
  input  logic decrypt_i,
  input  logic hold_i,
  input  logic run_decrypt_i,
  input  logic selected_decrypt_i,
  output logic [15:0][7:0] next_o,
  output logic [15:0][7:0] result_o
);
  logic [15:0][9:0] inverted;
  logic unused_inputs;
  assign unused_inputs = ^{key_source_i, next_key_i, round_i, start_i};

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aesmith_inverter u_inverter (
      .x_i(state_i[i]),
      .y_o(inverted[i])
    );
  end

  aesmith_ueno2020_path u_path (
    .block_i,
    .initial_key_i,
    .round_key_i,
    .inverted_i(inverted),
    .state_i,
    .load_i,
    .encrypt_i,
    .decrypt_i,
    .hold_i,
    .run_decrypt_i,
    .selected_decrypt_i,
    .next_o,
    .result_o
  );
endmodule
