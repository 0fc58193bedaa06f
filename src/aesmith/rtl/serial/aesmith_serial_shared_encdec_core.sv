// AES-128 on bytes in few gates and rounds of 20 clocks, for both directions or to decrypt (Encrypts = 0): one combined
// S-box without stages, 16 bytes of state and 16 of key.
//
//   C0 + K0 ─┬▶ S-box ─▶ y ─▶ rows ─▶ SR12 … SR1 ─▶ C3 … C0
//   K13 ─────┘ block, C0 ─▶        (SR9, SR5, SR1)  └ MixColumns ┘
//
//                K0 ◀ K1 … K15 ◀ K0, or a key byte                  slots 0 … 15
//                K0 ▶ + y ▶ K3, K4 ▶ K7, K8 ▶ K11, K12 ▶ K15        slots 16 … 19: each word turns in itself
//
// While the words of the key turn the state stands still, and key bytes have the S-box: forwards K13, the byte of RotWord,
// and each word adds the new word before it; in slot 19 the byte of RotWord is K13 + K9. Backwards each word but the first
// adds the word before it as it was, and the S-box has K13 + K9: the last word of the round key before; in slot 19 K13 is of
// the round key to be made. So the key need not be kept.
//
// To decrypt, the key goes all the way forward before a block. Then C0 goes to the S-box without K0 but in the first round,
// and C3 takes K0 before InvMixColumns.
module aesmith_serial_shared_encdec_core #(
  parameter bit Encrypts = 1'b1,
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [7:0] key_i,

  input  logic       block_valid_i,
  output logic       block_ready_o,
  input  logic [7:0] block_i,
  input  logic       decrypt_i,

  output logic       block_valid_o,
  input  logic       block_ready_i,
  output logic [7:0] block_o
);
  logic advance, constant_step, key_take, block_take, substitute, turn, back, rotate, mix, decrypt, add, enter;
  logic last_word; // the byte of RotWord is a sum
  logic [1:0] row_number, rotation;
  logic state_moves, advance_clk, advance_enable, state_clk, state_enable, constant_clk, constant_enable;

  logic [3:0] number_q; // of the round: x to the power of it, modulo x^4 + x + 1
  logic [7:0] constant, added, entering, key_head, sbox_in, substituted, sub_word;
  logic [3:0][7:0] row, rotated, column, mixed, column_q; // C0 is row 0
  logic [3:0][7:0] made; // a byte of each word, when words turn
  logic [11:0][7:0] shift_q; // shift_q[n] is SR(n+1)
  logic [15:0][7:0] key_q;

  aesmith_serial_shared_encdec_sequencer #(
    .Encrypts(Encrypts)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .advance_clk_i   (advance_clk),
    .advance_enable_i(advance_enable),
    .advance_o       (advance),
    .constant_step_o (constant_step),
    .key_valid_i,
    .key_ready_o,
    .block_valid_i,
    .block_ready_o,
    .decrypt_i,
    .block_valid_o,
    .block_ready_i,
    .first_round_i   (number_q[3:0] == 4'b0001),
    .last_round_i    (number_q[3] & number_q[1] & number_q[0]),
    .key_take_o      (key_take),
    .block_take_o    (block_take),
    .substitute_o    (substitute),
    .turn_o          (turn),
    .back_o          (back),
    .row_o           (row_number),
    .rotate_o        (rotate),
    .mix_o           (mix),
    .decrypt_o       (decrypt),
    .add_o           (add),
    .enter_o         (enter),
    .state_moves_o   (state_moves)
  );

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_advance_enable (
    .clk_i,
    .enable_i(advance),
    .clk_o   (advance_clk),
    .enable_o(advance_enable)
  );
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_state_enable (
    .clk_i,
    .enable_i(advance & state_moves),
    .clk_o   (state_clk),
    .enable_o(state_enable)
  );
  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_constant_enable (
    .clk_i,
    .enable_i(constant_step),
    .clk_o   (constant_clk),
    .enable_o(constant_enable)
  );

  always_ff @(posedge constant_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      number_q <= 4'b0001;
    end else if (constant_enable) begin
      number_q <= back ? {number_q[0] ^ number_q[3], number_q[3:1]}
                       : {number_q[2:0], number_q[3] ^ number_q[2]};
    end
  end
  aesmith_round_constants u_round_constants (
    .x_i(number_q & {4{row_number == '0}}),
    .y_o(constant)
  );

  assign block_o = added;
  assign sbox_in = turn ? key_q[13] ^ (key_q[9] & {8{last_word}}) : added;

  aesmith_both_sbox u_sbox (
    .clk_i,
    .enable_i (1'b1),
    .x_i      (sbox_in),
    .decrypt_i(decrypt & ~turn),
    .y_o      (substituted)
  );
  aesmith_both_mix_columns u_mix_columns (
    .x_i      (column),
    .decrypt_i(decrypt),
    .y_o      (mixed)
  );
  // Rows turn the other way.
  assign rotation = {row_number[1] ^ (row_number[0] & decrypt), row_number[0]};
  assign entering = rotated[0] ^ (key_q[0] & {8{enter}});
  assign added = column_q[0] ^ (key_q[0] & {8{add}});
  assign last_word = back ^ (row_number == '1);
  assign key_head = turn ? made[0] : key_q[4];
  for (genvar i = 1; i < 4; i++) begin : gen_made
    assign made[i] = key_q[4*i] ^ (back ? key_q[4*i-4] : made[i-1]);
  end

  // The bytes of a row, row 0 first, on their way to C3, SR4, SR8 and SR12.
  assign row = {substitute ? substituted : block_take ? block_i : added, shift_q[8], shift_q[4], shift_q[0]};
  always_comb begin
    unique case (rotation & {2{rotate}})
      2'd0: rotated = row;
      2'd1: rotated = {row[0], row[3:1]};
      2'd2: rotated = {row[1:0], row[3:2]};
      default: rotated = {row[2:0], row[3]};
    endcase
  end

  assign column = {entering, column_q[3:1]};

  always_ff @(posedge state_clk) begin
    if (state_enable) begin
      shift_q <= {rotated[3], shift_q[11:9], rotated[2], shift_q[7:5], rotated[1], shift_q[3:1]};
      column_q <= mix ? mixed : column;
    end
  end

  assign sub_word = substituted ^ constant;
  assign made[0] = key_q[0] ^ sub_word;

  always_ff @(posedge advance_clk) begin
    if (advance_enable) begin
      key_q[2:0] <= key_q[3:1];
      key_q[3] <= key_head;
      key_q[6:4] <= key_q[7:5];
      key_q[7] <= turn ? made[1] : key_q[8];
      key_q[10:8] <= key_q[11:9];
      key_q[11] <= turn ? made[2] : key_q[12];
      key_q[14:12] <= key_q[15:13];
      key_q[15] <= turn ? made[3] : key_take ? key_i : key_q[0];
    end
  end
endmodule
