// Control of the bit-serial core: what each slot of a pass is for. A slot is a byte, eight clocks, its first bit first.
//
//   pass    slots            round  state                                          key
//   Idle    0 … 15             0    bytes of a key or a block come                 turns
//   Round   0 … 15, 16 … 19    1    a round; stands still                          words 1, 2, 3; word 0
//   Back    20 … 23, 16 … 19   0    stands still                                   words 3, 2, 1; word 0
//
//   Idle → 10 × Round → Round to slot 15 → 10 × Back → Idle
//
// A byte is taken in the last clock of its slot, for which all waits, and for the first one a key or a block. A byte of a
// result is whole in R15 when the last Round's next slot begins, or Back. There it is offered, and all waits until it is
// taken. Rounds are numbered 0 … 10, and back.
module aesmith_serial_bit_sequencer (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic enable_i,           // advance_o, unless it gates the clock
  output logic advance_o,          // else all stands still

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic key_take_o,
  output logic block_take_o,
  output logic last_bit_o,
  output logic first_bit_o,
  output logic polynomial_o,       // the bit of x^4 + x^3 + x + 1
  output logic round_constant_o,   // the bit of the round constant, with byte 0 of word 0
  output logic substitute_state_o, // a byte of the state passes the S-box at the end of the slot
  output logic [2:0] swap_o,       // two bytes change places that are four, eight, twelve bytes apart
  output logic mix_o,
  output logic add_o,              // AddRoundKey
  output logic turn_o,             // slots 16 … 23: words of the key turn in themselves
  output logic unchain_o,          // slots 20 … 23: and each but the first adds the one before it
  output logic substitute_key_o,   // a byte of the key passes the S-box at the end of slots 16 … 19
  output logic chain_o,
  output logic state_moves_o
);
  logic [4:0] slot_d, slot_q;
  logic [2:0] bit_q;
  logic [3:0] number_d, number_q; // of the round
  logic round_d, round_q, key_whole_d, key_whole_q;
  logic comes, none, last_bit, end_of_data, end_of_turn, first_round, last_round, last_quarter, active, constant;
  logic [1:0] row;

  assign last_bit = bit_q == '1;
  assign last_bit_o = last_bit;
  assign first_bit_o = bit_q == '0;
  assign first_round = number_q == 4'd0;
  assign last_round = number_q[3] & number_q[1];

  assign none = slot_q[3:0] == '0;
  assign comes = ~round_q & ~slot_q[4] & last_bit;
  // A key that waits goes before a block that has not begun. A key that is not whole is the one that comes.
  assign key_ready_o = comes & (~key_whole_q | none);
  assign key_take_o = key_ready_o & key_valid_i;
  assign block_ready_o = comes & key_whole_q & ~(none & key_valid_i);
  assign block_take_o = block_ready_o & block_valid_i;
  assign block_valid_o = last_round & first_bit_o & (round_q ? ~none : row == '0);
  assign advance_o = comes ? key_take_o | block_take_o : ~block_valid_o | block_ready_i;

  assign last_quarter = slot_q[3:2] == '1;
  assign row = slot_q[1:0];
  // The last quarter belongs to the round that follows.
  assign active = round_q & ~slot_q[4] & (last_quarter ? ~last_round : ~first_round);
  assign substitute_state_o = active & last_bit;
  assign mix_o = active & ~last_round & ~first_round & (row == 2'd0);
  assign swap_o[0] = active & row[0] & (row[1] ? slot_q[3:2] == 2'd1 : ~slot_q[3] | slot_q[2]);
  assign swap_o[1] = active & row[1] & (slot_q[3:2] == 2'd0 || (last_quarter & ~row[0]));
  assign swap_o[2] = active & (slot_q[3:0] == '1);
  assign add_o = round_q;
  assign chain_o = round_q & ~first_round & ~slot_q[4] & ~last_quarter;
  assign turn_o = slot_q[4];
  assign unchain_o = slot_q[4] & slot_q[2];
  assign substitute_key_o = slot_q[4] & ~slot_q[2] & last_bit;
  assign state_moves_o = ~slot_q[4];

  // Of the round constants the first eight have one bit, the ninth is x^4 + x^3 + x + 1, and the tenth x times that.
  assign polynomial_o = bit_q[1] ? bit_q[2] | bit_q[0] : bit_q[2] & ~bit_q[0];
  always_comb begin
    if (number_q[3]) constant = number_q[0] ? bit_q[1] ^ (bit_q[2] & bit_q[0]) : polynomial_o;
    else constant = (bit_q ^ number_q[2:0]) == '1;
  end
  assign round_constant_o = constant & slot_q[4] & ~slot_q[2] & (row == '0);

  always_comb begin
    slot_d = slot_q;
    if (last_bit) slot_d = slot_q + 5'd1;
    round_d = round_q;
    number_d = number_q;
    end_of_data = last_bit & ~slot_q[4] & (slot_q[3:0] == '1);
    end_of_turn = last_bit & slot_q[4] & (row == '1);
    if (end_of_data) begin
      slot_d = {round_q, 1'b0, round_q & last_round, 2'b00};
      round_d = round_q ? ~last_round : block_take_o;
    end
    if (end_of_turn) begin
      slot_d = '0;
      if (round_q) begin
        number_d = number_q + 4'd1;
      end else if (slot_q[2]) begin
        slot_d = 5'd16;
        number_d = number_q - 4'd1;
      end else if (~first_round) begin
        slot_d = 5'd20;
      end
    end
  end

  assign key_whole_d = key_take_o ? slot_q[3:0] == '1 : key_whole_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q <= '0;
      bit_q <= '0;
      round_q <= 1'b0;
      number_q <= '0;
      key_whole_q <= 1'b0;
    end else if (enable_i) begin
      slot_q <= slot_d;
      bit_q <= bit_q + 3'd1;
      round_q <= round_d;
      number_q <= number_d;
      key_whole_q <= key_whole_d;
    end
  end
endmodule
