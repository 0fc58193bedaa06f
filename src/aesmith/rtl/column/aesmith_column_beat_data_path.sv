// The data path of 32 bits with channels of 32 bits. Everything that controls it comes from outside.
//
//   C0 ▶ MixColumns ─┐+ K0, or Q0             C0 … C3: columns of the state
//   block ───────────┼───▶ S-boxes in stages ─▶ rows ─▶ C3 ▶ C2 ▶ C1 ▶ C0 ─▶ + K0 ─▶ block
//   K3 or Q3, turned ┘            └▶ SubWord         C0 ┘
//
//   K0 ◀ K1 ◀ K2 ◀ K3 ◀ (K0 or Q0) + (with column 0: SubWord + round constant; else K3)
//   Q0 ◀ Q1 ◀ Q2 ◀ Q3 ◀ Q0, or a word of a key
//
// Q is the key as it was sent: it turns by a word with each word of a block. Where nothing of the state leaves the S-boxes
// C0 turns: words of a block that did not come whole wait so until the next has come.
//
// Element 3 of a vector is the first word (C0, K0, Q0), and of a word the byte of row 0, as they stand at the ports.
module aesmith_column_beat_data_path #(
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,
  input  logic enable_i,
  input  logic ungated_clk_i,           // of the gates of both keys

  input  logic key_take_i,
  input  logic key_advance_i,
  input  logic round_key_advance_i,
  input  logic first_i,                 // columns are the block's, words of the round key the kept key's
  input  logic entered_i,               // what leaves the S-boxes is a column
  input  logic column_0_i,
  input  logic key_word_i,              // the S-boxes take a word of the key
  input  logic kept_i,                  // and it is the kept key's
  input  logic turn_i,
  input  logic [7:0] round_constant_i,

  input  logic [31:0] key_i,
  input  logic [31:0] block_i,
  output logic [31:0] block_o
);
  logic round_key_clk, round_key_enable, key_clk, key_enable;
  logic [3:0][3:0][7:0] state_d, state_q, entered, key_q, round_key_q;
  logic [3:0][7:0] mixed, now, column, last_word, sbox_in, sbox_out, addend;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_round_key_enable (
    .clk_i   (ungated_clk_i),
    .enable_i(round_key_advance_i),
    .clk_o   (round_key_clk),
    .enable_o(round_key_enable)
  );
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_key_enable (
    .clk_i   (ungated_clk_i),
    .enable_i(key_advance_i),
    .clk_o   (key_clk),
    .enable_o(key_enable)
  );

  aesmith_mix_columns u_mix_columns (
    .x_i({state_q[3][0], state_q[3][1], state_q[3][2], state_q[3][3]}),
    .y_o({mixed[0], mixed[1], mixed[2], mixed[3]})
  );

  assign now = first_i ? key_q[3] : round_key_q[3];
  assign column = first_i ? block_i : mixed;
  assign last_word = kept_i ? key_q[0] : round_key_q[0];
  assign sbox_in = key_word_i ? {last_word[2:0], last_word[3]} : column ^ now;

  for (genvar i = 0; i < 4; i++) begin : gen_sbox
    aesmith_sbox u_sbox (
      .clk_i,
      .enable_i,
      .x_i(sbox_in[i]),
      .y_o(sbox_out[i])
    );
  end

  assign entered = {state_q[2:0], entered_i ? sbox_out : state_q[3]};
  for (genvar c = 0; c < 4; c++) begin : gen_column
    for (genvar row = 0; row < 4; row++) begin : gen_row
      assign state_d[c][row] = turn_i ? entered[(c+row+1)%4][row] : entered[c][row];
    end
  end

  assign addend = column_0_i ? sbox_out ^ {round_constant_i, 24'd0} : round_key_q[0];

  always_ff @(posedge clk_i) begin
    if (enable_i) state_q <= state_d;
  end
  always_ff @(posedge round_key_clk) begin
    if (round_key_enable) round_key_q <= {round_key_q[2:0], now ^ addend};
  end
  always_ff @(posedge key_clk) begin
    if (key_enable) key_q <= {key_q[2:0], key_take_i ? key_i : key_q[3]};
  end

  assign block_o = state_q[3] ^ round_key_q[3];
endmodule
