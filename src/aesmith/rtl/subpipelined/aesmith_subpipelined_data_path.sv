// The round units: Zhang and Parhi, 2004, figure 2. Each is ShiftRows and four columns of Stages stages, the last of
// which ends in state_q.
//
//   block ─▶ unit 0 ─▶ unit 1 ─▶ … ─▶ unit Units-1 ─┬▶ state_o
//            ▲                                      │
//            └── while a block has rounds to go ────┘
//
// The initial AddRoundKey is in the first stage of unit 0, unless block_i is a state that it was done to (StateEntry);
// there is no loop then. Where the loop holds every round, the last unit has no
// MixColumns; else it leaves it out in the last pass.
module aesmith_subpipelined_data_path #(
  parameter int unsigned Units = 10,
  parameter bit StateEntry = 1'b0
) (
  input  logic clk_i,
  input  logic enable_i,
  input  logic entering_i,                          // unit 0 takes block_i, not the loop's state
  input  logic [Units-1:0] decrypt_i,
  input  logic [Units-1:0] last_i,
  input  logic [15:0][7:0] block_i,
  input  logic [15:0][7:0] initial_key_i,
  input  logic [Units-1:0][15:0][7:0] round_keys_i,
  output logic [15:0][7:0] state_o
);
  logic [Units-1:0][15:0][7:0] source, state_q;
  logic [15:0][7:0] shifted_block, shifted_key;

  assign source[0] = StateEntry ? block_i : state_q[Units-1];
  if (Units > 1) begin : gen_chain
    assign source[Units-1:1] = state_q[Units-2:0];
  end
  assign state_o = state_q[Units-1];

  aesmith_shift_rows u_shift_block (
    .state_i(block_i),
    .state_o(shifted_block)
  );
  aesmith_shift_rows u_shift_key (
    .state_i(initial_key_i),
    .state_o(shifted_key)
  );
  if (StateEntry) begin : gen_state_entry
    logic unused_entry;
    assign unused_entry = ^{shifted_block, shifted_key, entering_i};
  end

  for (genvar unit = 0; unit < Units; unit++) begin : gen_unit
    logic [15:0][7:0] shifted, next;

    aesmith_shift_rows u_shift_rows (
      .state_i(source[unit]),
      .state_o(shifted)
    );

    for (genvar column = 0; column < 4; column++) begin : gen_column
      if (unit == 0 && !StateEntry) begin : gen_first
        aesmith_first_column u_column (
          .clk_i,
          .enable_i,
          .state_i      (shifted[4*column+:4]),
          .block_i      (shifted_block[4*column+:4]),
          .initial_key_i(shifted_key[4*column+:4]),
          .entering_i,
          .decrypt_i    (decrypt_i[unit]),
          .last_i       (last_i[unit]),
          .key_i        (round_keys_i[unit][4*column+:4]),
          .next_o       (next[4*column+:4])
        );
      end else if (unit < Units - 1) begin : gen_inner
        aesmith_inner_column u_column (
          .clk_i,
          .enable_i,
          .state_i  (shifted[4*column+:4]),
          .decrypt_i(decrypt_i[unit]),
          .last_i   (last_i[unit]),
          .key_i    (round_keys_i[unit][4*column+:4]),
          .next_o   (next[4*column+:4])
        );
      end else begin : gen_last
        aesmith_last_column u_column (
          .clk_i,
          .enable_i,
          .state_i  (shifted[4*column+:4]),
          .decrypt_i(decrypt_i[unit]),
          .last_i   (last_i[unit]),
          .key_i    (round_keys_i[unit][4*column+:4]),
          .next_o   (next[4*column+:4])
        );
      end
    end

    always_ff @(posedge clk_i) begin
      if (enable_i) state_q[unit] <= next;
    end
  end
endmodule
