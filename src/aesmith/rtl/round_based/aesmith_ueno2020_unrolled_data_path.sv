// Several rounds of encryption a clock: Ueno et al., TC 2020, figures 7 to 9, unrolled as section 5.2 names it.
//
//   state ─ inverters ─ ShiftRows ─ linear operations ─ inverters ─ … ─ linear operations ┬─ result
//           (round key 0 of the clock) ▲                                   (the last) ▲   └──────┐ 2:1
//                                                                     block ─ + ─────────────────┴─ next
//                                                                             └ initial key
module aesmith_ueno2020_unrolled_data_path #(
  parameter int unsigned RoundsPerClock = 2
) (
  input  logic [15:0][7:0] block_i,
  input  logic [15:0][7:0] initial_key_i,
  input  logic [RoundsPerClock-1:0][15:0][7:0] round_keys_i, // of the clock's rounds, the first first
  input  logic [15:0][7:0] state_i,
  input  logic load_i,
  input  logic encrypt_i,
  input  logic hold_i,
  output logic [15:0][7:0] next_o,
  output logic [15:0][7:0] result_o // the last round of a block is the last of its clock
);
  logic [RoundsPerClock:0][15:0][7:0] state;
  logic [RoundsPerClock-1:0][15:0][7:0] without_mix;

  assign state[0] = state_i;

  for (genvar round = 0; round < RoundsPerClock; round++) begin : gen_round
    logic [15:0][9:0] inverted, shifted;

    for (genvar i = 0; i < 16; i++) begin : gen_byte
      aesmith_inverter u_inverter (
        .x_i(state[round][i]),
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
        .round_key_i(round_keys_i[round][4*column+:4]),
        .next_o     (state[round+1][4*column+:4]),
        .post_o     (without_mix[round][4*column+:4])
      );
    end
  end

  logic unused_results;
  assign unused_results = ^without_mix[RoundsPerClock-2:0];

  assign result_o = without_mix[RoundsPerClock-1];
  assign next_o = ({128{encrypt_i}} & state[RoundsPerClock]) | ({128{load_i}} & (block_i ^ initial_key_i))
                | ({128{hold_i}} & state_i);
endmodule
