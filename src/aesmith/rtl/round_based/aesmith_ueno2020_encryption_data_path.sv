// "Round function part" of encryption: Ueno et al., TC 2020, figures 7 to 9.
//
//   block ─ + ─┐ 2:1                                         ┌─ 2:1 ─ next
//   initial key └─ next  state ─ inverters ─ ShiftRows ─ linear operations
//                                                  round key ▲ └─ result
module aesmith_ueno2020_encryption_data_path (
  input  logic [15:0][7:0] block_i,
  input  logic [15:0][7:0] initial_key_i,
  input  logic [15:0][7:0] round_key_i,
  input  logic [15:0][7:0] state_i,
  input  logic load_i,
  input  logic run_i,
  input  logic hold_i,
  input  logic [3:0] round_i,
  output logic [15:0][7:0] next_o,
  output logic [15:0][7:0] result_o
);
  logic [15:0][9:0] inverted, shifted;
  logic [15:0][7:0] next_state;
  logic unused_round;
  assign unused_round = ^round_i;

  for (genvar i = 0; i < 16; i++) begin : gen_byte
    aesmith_inverter u_inverter (
      .x_i(state_i[i]),
      .y_o(inverted[i])
    );
  end
  aesmith_shift_rows #(
    .ElementBits(10)
  ) u_shift_rows (
    .state_i(inverted),
    .state_o(shifted)
  );
  for (genvar column = 0; column < 4; column++) begin : gen_column
    aesmith_ueno2020_linear_operations u_linear_operations (
      .inverted_i (shifted[4*column+:4]),
      .round_key_i(round_key_i[4*column+:4]),
      .next_o     (next_state[4*column+:4]),
      .post_o     (result_o[4*column+:4])
    );
  end

  assign next_o = ({128{run_i}} & next_state) | ({128{load_i}} & (block_i ^ initial_key_i))
                | ({128{hold_i}} & state_i);
endmodule
