// Control of the smallest ring that decrypts: what each slot of a pass is for. Key and block are not held twice.
//
//   pass      slots               round leave moved  state                                            key
//   Idle      0 … 15                0     0     0    bytes of a key or block come in their slots, the others turn
//   Round     0 … 15, 16 … 19       1     0     0    a round; stands still                            a round key forward
//   Leave     0 … 15                0     1     0    results leave, block bytes come
//   Back      16 … 19, ten times    0    0, 1   0    stands still                                     a round key back each time
//
//   Idle → 10 × Round → Leave → Back → Idle, or the next block's first pass if it is whole: then leave is 1 in Back
//
// To decrypt, AddRoundKey comes behind ShiftRows. So the state stands 12 bytes further when a round key is made:
//
//   Forward   16 … 19, ten times    0     0     0    stands still                                     a round key forward
//   First     0 … 15, 16 … 19       1     0     0    AddRoundKey, InvSubBytes of 12 bytes; stands     a round key back
//   Move      0 … 15                0     0     1    turns by 12 bytes, then it stands still
//   Decrypt   0 … 15, 16 … 19       1     0     1    a round, of which slots 0 … 3 are its ShiftRows  a round key back
//   Last      0 … 15                1     1     1    slots 0 … 3 of a round, then it stands still
//
//   Idle → Forward → First → Move → 9 × Decrypt → Last → Leave → Idle, or the next block's first pass
//
// A byte that does not come in its slot comes 16 clocks later, so that no sender holds a result. The number of the round
// goes forwards and back, and stays at the last and at the first until the other way is gone.
module aesmith_serial_shared_encdec_sequencer #(
  parameter bit Encrypts = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic advance_clk_i,     // clk_i, or clk_i gated by advance_o,
  input  logic advance_enable_i,  // with advance_o as its enable, or none
  output logic advance_o,         // else all stands still but what counts bytes that come
  output logic constant_step_o,   // the number of the round moves

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic decrypt_i,
  output logic block_valid_o,
  input  logic block_ready_i,

  input  logic first_round_i,
  input  logic last_round_i,
  output logic key_take_o,
  output logic block_take_o,
  output logic substitute_o,      // the state has the S-box
  output logic turn_o,            // slots 16 … 19: words of the key turn in themselves
  output logic back_o,
  output logic [1:0] row_o,
  output logic rotate_o,
  output logic mix_o,
  output logic decrypt_o,
  output logic add_o,             // C0 takes K0
  output logic enter_o,           // C3 takes K0
  output logic state_moves_o
);
  logic [4:0] slot_d, slot_q;
  logic [3:0] count_d, count_q; // bytes of a key or block that have come
  logic round_d, round_q, leave_d, leave_q, key_whole_d, key_whole_q;
  logic decrypt, moved_d, moved_q, starts, next_decrypts;
  logic in_turn, none, takes, first_quarter, last_quarter, last_of_pass;

  assign none = count_q == '0;
  assign in_turn = ~round_q & ~moved_q & ~slot_q[4] & (count_q == slot_q[3:0]);

  // A key that waits goes before a block that has not begun. A key that is not whole is the one that comes.
  assign key_ready_o = in_turn & ~leave_q & (~key_whole_q | none);
  assign key_take_o = key_ready_o & key_valid_i;
  assign block_ready_o = in_turn & key_whole_q & ~(none & key_valid_i) & (~leave_q | block_ready_i);
  assign block_take_o = block_ready_o & block_valid_i;
  assign block_valid_o = leave_q & ~round_q & ~slot_q[4];
  assign takes = key_take_o | block_take_o;
  assign advance_o = ~block_valid_o | block_ready_i;

  assign turn_o = slot_q[4];
  assign back_o = slot_q[4] & (decrypt ? round_q | leave_q : ~round_q);
  assign row_o = slot_q[1:0];
  assign first_quarter = slot_q[3:2] == '0;
  assign last_quarter = ~slot_q[4] & (slot_q[3:2] == '1);
  assign last_of_pass = slot_q[1:0] == '1;
  assign substitute_o = round_q & ~(decrypt & ~moved_q & last_quarter);
  assign rotate_o = round_q & (decrypt ? moved_q & first_quarter : last_quarter);
  assign mix_o = round_q & ~slot_q[4] & last_of_pass
               & (decrypt ? moved_q & ~leave_q : last_quarter ? ~last_round_i : ~first_round_i);
  assign constant_step_o = slot_q[4] & last_of_pass & ~(back_o ? first_round_i : last_round_i);
  assign decrypt_o = decrypt;
  assign add_o = (round_q | leave_q) & ~moved_q;
  assign enter_o = round_q & moved_q & ~leave_q;
  assign state_moves_o = ~slot_q[4] & ~(moved_q & (round_q ? leave_q & ~first_quarter : last_quarter));

  always_comb begin
    slot_d = slot_q + 5'd1;
    round_d = round_q;
    leave_d = leave_q;
    starts = 1'b0;
    if (last_of_pass & last_quarter) begin
      if (moved_q) begin
        slot_d[4] = round_q & ~leave_q;
        round_d = ~round_q | ~leave_q;
      end else if (~round_q) begin
        // The last byte of a block comes in the last slot of Idle or Leave, if not in a later pass. A block that came in
        // Leave waits for Back, if that is to come.
        slot_d[4] = leave_q & ~decrypt;
        leave_d = leave_q & ~decrypt & block_take_o;
        starts = block_take_o & ~slot_d[4];
      end
    end
    if (last_of_pass & slot_q[4]) begin
      slot_d = '0;
      if (round_q) begin
        leave_d = decrypt ? moved_q & first_round_i : last_round_i;
        round_d = decrypt ? moved_q : ~last_round_i;
      end else if (back_o) begin
        slot_d[4] = ~first_round_i;
        leave_d = leave_q & ~first_round_i;
        starts = leave_q & first_round_i;
      end else begin
        slot_d[4] = ~last_round_i;
        round_d = last_round_i;
      end
    end
    if (starts) begin
      slot_d[4] = next_decrypts;
      round_d = ~next_decrypts;
    end
  end

  always_comb begin
    moved_d = moved_q;
    if (last_of_pass & slot_q[4] & round_q) moved_d = decrypt;
    if (last_of_pass & last_quarter & round_q & leave_q) moved_d = 1'b0;
  end
  if (Encrypts) begin : gen_encrypts
    logic decrypt_q;
    assign next_decrypts = slot_q[4] ? decrypt_q : decrypt_i;
    always_ff @(posedge advance_clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        decrypt_q <= 1'b0;
      end else if (advance_enable_i) begin
        if (last_of_pass & last_quarter & block_take_o) decrypt_q <= decrypt_i;
      end
    end
    assign decrypt = decrypt_q;
  end else begin : gen_decrypts
    logic unused_decrypt;
    assign unused_decrypt = decrypt_i;
    assign next_decrypts = 1'b1;
    assign decrypt = 1'b1;
  end

  assign count_d = takes ? slot_d[3:0] : count_q;
  assign key_whole_d = key_take_o ? last_of_pass & last_quarter : key_whole_q;

  always_ff @(posedge advance_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q <= '0;
      round_q <= 1'b0;
      leave_q <= 1'b0;
      moved_q <= 1'b0;
    end else if (advance_enable_i) begin
      slot_q <= slot_d;
      round_q <= round_d;
      leave_q <= leave_d;
      moved_q <= moved_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      key_whole_q <= 1'b0;
    end else begin
      count_q <= count_d;
      key_whole_q <= key_whole_d;
    end
  end
endmodule
