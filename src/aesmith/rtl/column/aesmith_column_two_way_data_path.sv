// The data path of 32 bits for both directions, around S-boxes that do both. Everything that controls it comes from
// outside.
//
//   encryption   C0 ▶ MixColumns ▶ + key word ▶ S-boxes ▶ rows ▶ C3 ▶ C2 ▶ C1 ▶ C0
//   decryption   C0 ▶ + key word ▶ InvMixColumns ▶ inverse S-boxes ▶ rows ▶ C3 ▶ C2 ▶ C1 ▶ C0
//
// For decryption the columns stand in reverse, column 3 in C0, so that the key schedule goes backwards word by word, and
// InvShiftRows is the same turn of the rows as ShiftRows. The first round has no MixColumns; the last words of the key are
// added in a pass that goes by the S-boxes. Blocks and results go through the state by themselves: upwards, C0 to C3, for
// decryption, downwards for encryption.
//
// Element 3 of a vector is C0, and of a word the byte of row 0, as they stand at the ports.
module aesmith_column_two_way_data_path #(
  parameter bit ClockGates = 1'b0
) (
  input  logic clk_i,

  input  logic front_advance_i,         // C0 and C1
  input  logic back_advance_i,          // C2 and C3
  input  logic up_i,
  input  logic take_i,                  // a word of a block comes
  input  logic turn_i,
  input  logic first_i,
  input  logic last_i,                  // words go by the S-boxes
  input  logic decrypt_i,
  input  logic substitutes_i,           // the S-boxes take a word of the key
  input  logic result_up_i,             // the result leaves at C3

  input  logic [31:0] key_word_i,
  input  logic [31:0] encrypt_word_i,
  input  logic [31:0] decrypt_word_i,
  output logic [31:0] sub_word_o,

  input  logic [31:0] block_i,
  output logic [31:0] block_o
);
  logic front_clk, front_enable, back_clk, back_enable;
  logic [3:0][3:0][7:0] state_d, state_q, down;
  logic [1:0][3:0][7:0] front_q, back_q;
  logic [3:0][7:0] mixed, encrypted, decrypted, unmixed, sbox_in, sbox_out;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_front_enable (
    .clk_i,
    .enable_i(front_advance_i),
    .clk_o   (front_clk),
    .enable_o(front_enable)
  );
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_back_enable (
    .clk_i,
    .enable_i(back_advance_i),
    .clk_o   (back_clk),
    .enable_o(back_enable)
  );

  aesmith_mix_columns u_mix_columns (
    .x_i({state_q[3][0], state_q[3][1], state_q[3][2], state_q[3][3]}),
    .y_o({mixed[0], mixed[1], mixed[2], mixed[3]})
  );
  aesmith_inverse_mix_columns u_inverse_mix_columns (
    .x_i({decrypted[0], decrypted[1], decrypted[2], decrypted[3]}),
    .y_o({unmixed[0], unmixed[1], unmixed[2], unmixed[3]})
  );

  assign encrypted = (first_i | last_i ? state_q[3] : mixed) ^ encrypt_word_i;
  assign decrypted = state_q[3] ^ decrypt_word_i;
  always_comb begin
    sbox_in = encrypted;
    if (substitutes_i) sbox_in = key_word_i;
    else if (decrypt_i) sbox_in = first_i ? decrypted : unmixed;
  end

  for (genvar i = 0; i < 4; i++) begin : gen_sbox
    aesmith_both_sbox u_sbox (
      .clk_i,
      .enable_i (1'b1),
      .x_i      (sbox_in[i]),
      .decrypt_i(decrypt_i & ~substitutes_i),
      .y_o      (sbox_out[i])
    );
  end
  assign sub_word_o = sbox_out;

  always_comb begin
    down = {state_q[2:0], sbox_out};
    if (last_i) down[0] = decrypt_i ? decrypted : encrypted;
    if (take_i) down[0] = block_i;
  end
  for (genvar c = 0; c < 4; c++) begin : gen_column
    for (genvar row = 0; row < 4; row++) begin : gen_row
      if (c == 3) begin : gen_first
        assign state_d[c][row] = up_i ? block_i[8*row+:8] : turn_i ? down[(c+row+1)%4][row] : down[c][row];
      end else begin : gen_other
        assign state_d[c][row] = up_i ? state_q[c+1][row] : turn_i ? down[(c+row+1)%4][row] : down[c][row];
      end
    end
  end

  always_ff @(posedge front_clk) begin
    if (front_enable) front_q <= state_d[3:2];
  end
  always_ff @(posedge back_clk) begin
    if (back_enable) back_q <= state_d[1:0];
  end

  assign state_q = {front_q, back_q};

  assign block_o = result_up_i ? state_q[0] : state_q[3];
endmodule
