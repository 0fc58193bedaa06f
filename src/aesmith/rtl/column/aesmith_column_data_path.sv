// The data path of 32 bits. Everything that controls it comes from outside.
//
//   C0 ▶ MixColumns ─┐+ K0, or the kept key's word      C0 … C3: columns of the state
//   C0, in round 1 ──┼───▶ S-boxes in stages ─▶ rows ─▶ C3 ▶ C2 ▶ C1 ▶ C0      + K0 … K3 ─▶ block
//   block, column 0 ─┘            └▶ SubWord                 (columns 3, 2, 1 of a block)
//   K3 turned ───────┘
//
//   K0 ◀ K1 ◀ K2 ◀ K3 ◀ (K0, or the kept key's word) + (with column 0: SubWord + round constant; else K3)
//
// K0 is the word that is added, and while it is, the word of the next round key is made behind it. Its last word has the
// slot after the columns. The rows of the state turn as its last column leaves the S-boxes (ShiftRows, FIPS-197 section
// 5.1.2), so nothing of the state is ever held within a block.
//
// Element 3 of a vector is the first word (C0, K0), and of a word the byte of row 0, as they stand at the ports.
module aesmith_column_data_path #(
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,
  input  logic enable_i,                // state and S-boxes

  input  logic key_take_i,
  input  logic key_advance_i,
  input  logic waits_i,                 // a block comes if anything moves: its column 0 enters the S-boxes
  input  logic load_i,                  // columns are the block's, words of the round key the kept key's
  input  logic [3:0] column_i,          // which of them, one-hot; 0 where none is
  input  logic key_word_i,              // the S-boxes take a word of the key
  input  logic kept_i,                  // and it is the kept key's
  input  logic turn_i,
  input  logic [7:0] round_constant_i,

  input  logic [127:0] key_i,
  input  logic [127:0] block_i,
  output logic [127:0] block_o
);
  logic state_clk, state_enable, round_key_clk, round_key_enable, key_clk, key_enable;
  logic [3:0][3:0][7:0] state_d, state_q, entered, key_q, round_key_q, block;
  logic [2:0][3:0][7:0] others;
  logic [3:0][7:0] key_column, mixed, now, column, last_word, sbox_in, sbox_out, next_word;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_state_enable (
    .clk_i,
    .enable_i,
    .clk_o   (state_clk),
    .enable_o(state_enable)
  );
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_round_key_enable (
    .clk_i,
    .enable_i(key_advance_i),
    .clk_o   (round_key_clk),
    .enable_o(round_key_enable)
  );
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_key_enable (
    .clk_i,
    .enable_i(key_take_i),
    .clk_o   (key_clk),
    .enable_o(key_enable)
  );

  assign block = block_i;
  always_comb begin
    key_column = '0;
    for (int unsigned i = 0; i < 4; i++) begin
      key_column |= key_q[3-i] & {32{column_i[i]}};
    end
  end

  aesmith_mix_columns u_mix_columns (
    .x_i({state_q[3][0], state_q[3][1], state_q[3][2], state_q[3][3]}),
    .y_o({mixed[0], mixed[1], mixed[2], mixed[3]})
  );

  assign now = load_i ? key_column : round_key_q[3];
  always_comb begin
    column = mixed;
    if (waits_i) column = block[3];
    else if (load_i) column = state_q[3];
  end
  assign last_word = kept_i ? key_q[0] : round_key_q[0];
  assign sbox_in = key_word_i ? {last_word[2:0], last_word[3]} : column ^ now;

  for (genvar i = 0; i < 4; i++) begin : gen_sbox
    aesmith_sbox u_sbox (
      .clk_i   (state_clk),
      .enable_i(state_enable),
      .x_i     (sbox_in[i]),
      .y_o     (sbox_out[i])
    );
  end

  assign others = waits_i ? block[2:0] : state_q[2:0];
  assign entered = {others, sbox_out};
  for (genvar c = 0; c < 4; c++) begin : gen_column
    for (genvar row = 0; row < 4; row++) begin : gen_row
      assign state_d[c][row] = turn_i ? entered[(c+row+1)%4][row] : entered[c][row];
    end
  end

  assign next_word = now ^ (column_i[0] ? sbox_out ^ {round_constant_i, 24'd0} : round_key_q[0]);

  always_ff @(posedge state_clk) begin
    if (state_enable) state_q <= state_d;
  end
  always_ff @(posedge round_key_clk) begin
    if (round_key_enable) round_key_q <= {round_key_q[2:0], next_word};
  end
  always_ff @(posedge key_clk) begin
    if (key_enable) key_q <= key_i;
  end

  assign block_o = state_q ^ round_key_q;
endmodule
