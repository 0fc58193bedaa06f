// The first rounds of a pipeline of 14, which blocks under shorter keys pass unchanged: so a block takes as many clocks
// under every key. The rounds that follow are those of the data path.
//
//   block ─▶ unit 0 ─▶ unit 1 ─▶ unit 2 ─▶ unit 3 ─▶ state_o
//   skip     128, 192  128, 192  128       128
//
// Each unit is ShiftRows and four columns, as in the data path, and the state beside them in its columns' registers.
module aesmith_subpipelined_skipped_rounds #(
  parameter int unsigned Units = 4
) (
  input  logic clk_i,
  input  logic enable_i,
  input  logic [Units-1:0] skip_i, // the same for all blocks on their way
  input  logic [15:0][7:0] block_i, // after the initial AddRoundKey
  input  logic [Units-1:0][15:0][7:0] round_keys_i,
  output logic [15:0][7:0] state_o
);
  logic [Units:0][15:0][7:0] state;

  assign state[0] = block_i;
  assign state_o = state[Units];

  for (genvar unit = 0; unit < Units; unit++) begin : gen_unit
    logic [15:0][7:0] shifted, next, state_q;

    aesmith_shift_rows u_shift_rows (
      .state_i(state[unit]),
      .state_o(shifted)
    );
    for (genvar column = 0; column < 4; column++) begin : gen_column
      aesmith_skipped_column u_column (
        .clk_i,
        .enable_i,
        .state_i  (shifted[4*column+:4]),
        .held_i   (state[unit][4*column+:4]),
        .skip_i   (skip_i[unit]),
        .decrypt_i(1'b0),
        .last_i   (1'b0),
        .key_i    (round_keys_i[unit][4*column+:4]),
        .next_o   (next[4*column+:4])
      );
    end

    always_ff @(posedge clk_i) begin
      if (enable_i) state_q <= next;
    end
    assign state[unit+1] = state_q;
  end
endmodule
