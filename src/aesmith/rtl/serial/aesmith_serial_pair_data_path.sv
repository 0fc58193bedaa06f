// A ring of pairs of bytes with two S-boxes: eight pairs of state and two ranks turn once in ten clocks, a round; the eight
// pairs of the key turn beside it.
//
//   block + key ───────┐
//   C0 + Q0 ───────────┼▶ two S-boxes, a rank ─▶ y ─▶ rows ─▶ Z ─▶ SR6 … SR1 ─▶ C1, C0
//   Q6[7:0], Q7[15:8] ─┘                         │      (SR5, SR3, SR1)  └ MixColumns ┘
//                 Q0 ◀ Q1 ◀ Q2 … Q7 ◀ Q0, or a   ▼
//            + SubWord  + Q0 (chain)  key pair  SubWord
//
// The upper byte of a pair is the first: rows 0 and 1 of a column stand in one pair, rows 2 and 3 in the next. Rows are
// rotated while the last column comes from the S-boxes (Hamalainen et al., 2006): row 1 with its first pair, rows 2 and 3
// with its second. In the two clocks in which the key has the S-boxes the pairs of its first and last words change places,
// so that SubWord has one tap and one adder, and the pairs between them stand still: theirs is a clock of its own.
// A pair that entered the S-boxes unfilled is no pair of the state: C0 turns in its place.
module aesmith_serial_pair_data_path #(
  parameter int unsigned SboxStages = 2
) (
  input  logic        clk_i,
  input  logic        enable_i,
  input  logic        middle_clk_i,    // of Q2 to Q5
  input  logic        middle_enable_i,

  input  logic [1:0]  from_ring_i,     // what enters the S-boxes: C0 + Q0, with a flag for each box,
  input  logic        take_i,          // a pair of the block,
  input  logic        from_key_i,      // or bytes of the key
  input  logic        filled_i,
  input  logic        rotate_row_1_i,
  input  logic        rotate_rows_2_3_i,
  input  logic        mix_i,
  input  logic        turn_i,
  input  logic        chain_i,
  input  logic        substitute_i,
  input  logic [7:0]  round_constant_i,

  input  logic [15:0] key_i,           // pair of the key that belongs to the pair of the block
  input  logic [15:0] block_i,
  output logic [15:0] block_o
);
  if (SboxStages < 1 || SboxStages > 2) begin : gen_check_stages
    $error("SboxStages must be 1 or 2");
  end

  logic [15:0] added, key_tap, other, sbox_in, sbox_out, substituted, z_q;
  logic [3:0][7:0] upper, lower, upper_rotated, lower_rotated; // of columns 3 to 0, of which 3 comes from the S-boxes
  logic [3:0][15:0] rotated;
  logic [5:0][15:0] shift_q; // shift_q[n] is SR(n+1)
  logic [1:0][15:0] column, mixed, column_q;
  logic [7:0][15:0] key_d, key;
  logic [1:0][15:0] first_q, last_q; // words 0 and 3 of the key: Q0, Q1; Q6, Q7
  logic [3:0][15:0] middle_q;

  assign key = {last_q, middle_q, first_q};
  assign added = column_q[0] ^ key[0];
  assign block_o = added;
  // Bytes 13 and 14 of the key; when its last word has changed places, bytes 15 and 12.
  assign key_tap = {key[6][7:0], key[7][15:8]};
  assign other = ((block_i ^ key_i) & {16{take_i}}) | (key_tap & {16{from_key_i}});

  for (genvar i = 0; i < 2; i++) begin : gen_sbox
    assign sbox_in[8*i+:8] = (added[8*i+:8] & {8{from_ring_i[i]}}) | other[8*i+:8];
    aesmith_sbox u_sbox (
      .clk_i,
      .enable_i,
      .x_i(sbox_in[8*i+:8]),
      .y_o(sbox_out[8*i+:8])
    );
  end
  if (SboxStages == 1) begin : gen_rank
    logic [15:0] rank_q;
    always_ff @(posedge clk_i) begin
      if (enable_i) rank_q <= sbox_out;
    end
    assign substituted = rank_q;
  end else begin : gen_no_rank
    assign substituted = sbox_out;
  end

  // Columns 3 to 0 on their way to Z, SR5, SR3 and SR1.
  assign {upper[3], lower[3]} = filled_i ? substituted : column_q[1];
  for (genvar i = 0; i < 3; i++) begin : gen_rows
    assign {upper[i], lower[i]} = shift_q[2*i+1];
  end
  for (genvar i = 0; i < 4; i++) begin : gen_rotated
    assign rotated[i] = {upper_rotated[i], lower_rotated[i]};
  end
  assign upper_rotated = rotate_rows_2_3_i ? {upper[1:0], upper[3:2]} : upper;
  always_comb begin
    lower_rotated = lower;
    if (rotate_row_1_i) lower_rotated = {lower[0], lower[3:1]};
    if (rotate_rows_2_3_i) lower_rotated = {lower[2:0], lower[3]};
  end

  assign column = {shift_q[0], column_q[1]};
  aesmith_mix_columns u_mix_columns (
    .x_i({column[1][7:0], column[1][15:8], column[0][7:0], column[0][15:8]}),
    .y_o({mixed[1][7:0], mixed[1][15:8], mixed[0][7:0], mixed[0][15:8]})
  );

  assign key_d[0] = key[1] ^ (substituted & {16{substitute_i}}) ^ {round_constant_i, 8'h00};
  assign key_d[1] = (key[2] & {16{~turn_i}}) ^ (key[0] & {16{turn_i | chain_i}});
  assign key_d[6:2] = key[7:3];
  assign key_d[7] = take_i ? key_i : turn_i ? key[6] : key[0];

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      z_q <= rotated[3];
      shift_q <= {z_q, rotated[2], shift_q[4], rotated[1], shift_q[2], rotated[0]};
      column_q <= mix_i ? mixed : column;
      first_q <= key_d[1:0];
      last_q <= key_d[7:6];
    end
  end
  always_ff @(posedge middle_clk_i) begin
    if (middle_enable_i) middle_q <= key_d[5:2];
  end
endmodule
