// One share of a masked encryption of 32 bits: all of a round but SubBytes, the key, and the round key.
//
// Nothing here knows another share, so whatever this module's wires carry is of one share index. A byte of the state is in
// the ranks of the S-boxes, or in X, Y or Z of its row. Rows turn (ShiftRows) as some bytes stand and others go by:
//
//   row 0   S-box ▶ X ▶ Y ▶ Z ▶              each byte as it comes
//   row 1   S-box ▶ Y ▶ Z ▶                  byte 0 stands in X while 1, 2 and 3 go by, and goes behind them
//             └─▶ X ┘
//   row 2   S-box ▶ X ▶ Y ▶ Z ▶              bytes 0 and 1 stand in Y and X while 2 and 3 go by
//             └─────────┘
//   row 3   S-box ▶ X ▶ Y ▶ Z ▶              bytes 0, 1 and 2 stand in Z, Y and X while 3 goes by
//             └─────────────┘
//
//   Z ▶ MixColumns ─┐ + Q0, K0 or M        Q0 ◀ Q1 ◀ Q2 ◀ Q3 ◀ Q0, or a word of a key
//   block ──────────┴─▶ S-boxes            K0 ◀ K1 ◀ K2 ◀ M, which is K3 + (SubWord + round constant, K2, or 0)
//   Z + K0 ─▶ block                        K3 ◀ Q0, K0 or M
//
// Q is the kept key, K the round key. Element i of a column is its byte in row i, which is the most significant one of
// key_i, block_i and block_o for i = 0.
module aesmith_masked_column_share (
  input  logic [3:0] row_clk_i, // of what moves in the rows; 1 to 3: of what stands in row 1, 2 and 3
  input  logic [3:0] row_enable_i,
  input  logic key_clk_i,
  input  logic key_enable_i,
  input  logic round_key_clk_i, // K0 to K2
  input  logic round_key_enable_i,
  input  logic last_word_clk_i, // K3
  input  logic last_word_enable_i,

  // What the selections mean stands in aesmith_masked_column_sequencer.
  input  logic key_take_i,
  input  logic load_i,
  input  logic mixed_i,
  input  logic kept_i,
  input  logic round_key_i,
  input  logic made_i,
  input  logic substituted_i,
  input  logic chained_i,
  input  logic stood_i,
  input  logic overtakes_i,
  input  logic passes_i,
  input  logic [7:0] constant_i, // Rcon in share 0, 0 in the others

  input  logic [31:0] key_i,
  input  logic [31:0] block_i,
  output logic [31:0] block_o,

  output logic [3:0][7:0] sbox_o,
  input  logic [3:0][7:0] sbox_i
);
  logic [3:0][7:0] key, block, column, mixed, added, addend, made;
  logic [3:0][3:0][7:0] key_q;
  logic [2:0][3:0][7:0] round_key_q;
  logic [3:0][7:0] last_word_q;
  // X, Y and Z of each row; those that stand have a name of their own.
  logic [2:0][7:0] row_0_q, row_3_stands_q;
  logic [1:0][7:0] row_1_q, row_2_stands_q;
  logic [7:0] row_1_stands_q, row_2_q;

  for (genvar row = 0; row < 4; row++) begin : gen_port
    assign key[row] = key_i[31-8*row-:8];
    assign block[row] = block_i[31-8*row-:8];
    assign block_o[31-8*row-:8] = column[row] ^ round_key_q[0][row];
  end

  assign column = {passes_i ? sbox_i[3] : row_3_stands_q[2], row_2_q, row_1_q[1], row_0_q[2]};
  aesmith_mix_columns u_mix_columns (
    .x_i(column),
    .y_o(mixed)
  );

  // The key schedule (FIPS-197 section 5.2). A word passes the S-boxes as it is, and is turned (RotWord) behind them.
  assign addend = ({32{substituted_i}} & ({sbox_i[0], sbox_i[3:1]} ^ {24'd0, constant_i}))
                | ({32{chained_i}} & round_key_q[2]);
  assign made = last_word_q ^ addend;

  assign added = ({32{kept_i}} & key_q[0]) | ({32{round_key_i}} & round_key_q[0]) | ({32{made_i}} & made);
  assign sbox_o = added ^ (({32{load_i}} & block) | ({32{mixed_i}} & mixed));

  always_ff @(posedge row_clk_i[0]) begin
    if (row_enable_i[0]) begin
      row_0_q <= {row_0_q[1:0], sbox_i[0]};
      row_1_q <= {row_1_q[0], stood_i ? row_1_stands_q : sbox_i[1]};
      row_2_q <= overtakes_i ? sbox_i[2] : row_2_stands_q[1];
    end
  end
  always_ff @(posedge row_clk_i[1]) begin
    if (row_enable_i[1]) row_1_stands_q <= sbox_i[1];
  end
  always_ff @(posedge row_clk_i[2]) begin
    if (row_enable_i[2]) row_2_stands_q <= {row_2_stands_q[0], sbox_i[2]};
  end
  always_ff @(posedge row_clk_i[3]) begin
    if (row_enable_i[3]) row_3_stands_q <= {row_3_stands_q[1:0], sbox_i[3]};
  end

  always_ff @(posedge key_clk_i) begin
    if (key_enable_i) key_q <= {key_take_i ? key : key_q[0], key_q[3:1]};
  end
  always_ff @(posedge round_key_clk_i) begin
    if (round_key_enable_i) round_key_q <= {made, round_key_q[2:1]};
  end
  always_ff @(posedge last_word_clk_i) begin
    if (last_word_enable_i) last_word_q <= added;
  end
endmodule
