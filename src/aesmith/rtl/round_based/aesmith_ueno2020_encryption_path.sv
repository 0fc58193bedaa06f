// The data path behind the inverters, for encryption: Ueno et al., TC 2020, figures 7 to 9.
//
//   inverted ─ ShiftRows ─ linear operations ┬─ result
//   (10 bits a byte, RRB)        round key ▲ └──────┐ 2:1
//                        block ─ + ─────────────────┴─ next
//                                └ initial key
module aesmith_ueno2020_encryption_path (
  input  logic [15:0][7:0] block_i,
  input  logic [15:0][7:0] initial_key_i,
  input  logic [15:0][7:0] round_key_i,
  input  logic [15:0][9:0] inverted_i,
  input  logic [15:0][7:0] state_i,
  input  logic load_i,
  input  logic encrypt_i,
  input  logic decrypt_i,
  input  logic hold_i,
  input  logic run_decrypt_i,
  input  logic selected_decrypt_i,
  output logic [15:0][7:0] next_o,
  output logic [15:0][7:0] result_o
);
  logic [15:0][9:0] shifted;
  logic [15:0][7:0] next_state;
  logic unused_inputs;
  assign unused_inputs = ^{decrypt_i, run_decrypt_i, selected_decrypt_i};

  aesmith_shift_rows #(
    .ElementBits(10)
  ) u_shift_rows (
    .state_i(inverted_i),
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

  assign next_o = ({128{encrypt_i}} & next_state) | ({128{load_i}} & (block_i ^ initial_key_i))
                | ({128{hold_i}} & state_i);
endmodule
