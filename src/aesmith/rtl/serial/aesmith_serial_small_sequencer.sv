// Control of the smallest core: nothing ever stands still, so no register needs an enable.
//
// State and key turn by one byte each clock; slot_q is the number of the byte at their heads. A pass is 16 clocks:
//
//   Idle      block or key bytes are taken, each in the slot of its number
//   Expand    the key becomes the next round key; the state turns
//   Round     nothing for the key
//   RestoreA … RestoreD
//             one step of the key schedule backwards: word 3 (A), word 2 (B), word 1 (C), word 0 (D)
//
//   Idle → 10 × (Expand, Round) → 10 × (RestoreA, RestoreB, RestoreC, RestoreD) → Idle
//
// Encryption: rows are rotated at the end of Expand; SubBytes, MixColumns and AddRoundKey are in Round. Decryption:
// AddRoundKey in RestoreA and at the very end; InvMixColumns (on what that gave) and InvShiftRows in RestoreB, from whose
// last quarter on InvSubBytes. So both take the same time.
//
// A result leaves after its last round, each byte in the slot of its number. A core that only encrypts restores the key
// meanwhile, and saves a quarter of the way: its RestoreD is the beginning of RestoreA.
module aesmith_serial_small_sequencer #(
  parameter bit BothDirections = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  input  logic decrypt_i,          // with each byte of a block
  output logic block_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic [3:0] round_o,
  output logic key_take_o,
  output logic key_chain_o,        // add the byte before it in the word before
  output logic key_substitute_o,   // add a byte of SubWord
  output logic key_first_of_word_o,
  output logic round_constant_o,
  output logic block_take_o,
  output logic add_key_o,
  output logic [1:0] rotation_o,
  output logic substitute_o,       // the byte passes the S-box
  output logic decrypt_o,          // the block in work is decrypted
  output logic mix_o,
  output logic result_take_o       // the output register takes a byte
);
  typedef enum logic [2:0] {Idle, Expand, Round, RestoreA, RestoreB, RestoreC, RestoreD} pass_e;
  localparam pass_e AfterC = BothDirections ? RestoreD : RestoreA;

  localparam logic [3:0] LastRound = 4'd9;
  localparam logic [3:0] AllRounds = 4'd10;

  pass_e pass_d, pass_q;
  logic [3:0] slot_q, round_d, round_q, count_d, count_q;
  logic key_whole_d, key_whole_q, leaving_d, leaving_q, result_valid_d, result_valid_q, decrypt_d, decrypt_q;
  logic idle, ends, in_turn, counts, wraps, done, rotated;
  logic [3:0] quarter;

  assign ends = slot_q == '1;
  assign idle = (pass_q == Idle) & ~leaving_q;
  always_comb begin
    quarter = '0;
    quarter[slot_q[3:2]] = 1'b1;
  end

  // count_q: bytes of the key, block or result that have passed. A key that waits goes before a block not begun;
  // between the bytes of one, the other channel is closed.
  assign in_turn = count_q == slot_q;
  assign key_ready_o = idle & in_turn & ((count_q == '0) | ~key_whole_q);
  assign key_take_o = key_ready_o & key_valid_i;
  assign block_ready_o = idle & in_turn & key_whole_q & ((count_q != '0) | ~key_valid_i);
  assign block_take_o = block_ready_o & block_valid_i;
  assign block_valid_o = result_valid_q;
  assign result_take_o = leaving_q & in_turn & (~result_valid_q | block_ready_i);

  assign counts = key_take_o | block_take_o | result_take_o;
  assign wraps = counts & (count_q == '1);

  assign done = ends & (BothDirections ? (pass_q == RestoreA) & (round_q == '0)
                                       : (pass_q == Round) & (round_q == LastRound));
  assign decrypt_d = block_take_o ? decrypt_i : decrypt_q;

  always_comb begin
    count_d = count_q + {3'b0, counts};
    key_whole_d = key_whole_q;
    if (key_take_o) key_whole_d = wraps;
    leaving_d = leaving_q & ~wraps;
    if (done) leaving_d = 1'b1;
    result_valid_d = result_take_o | (result_valid_q & ~block_ready_i);
  end

  always_comb begin
    pass_d = pass_q;
    round_d = round_q;
    if (ends) begin
      unique case (pass_q)
        Idle: if (block_take_o) pass_d = Expand;
        Expand: pass_d = Round;
        Round: begin
          pass_d = (round_q == LastRound) ? RestoreA : Expand;
          round_d = round_q + 4'd1;
        end
        RestoreA: pass_d = (round_q == '0) ? Idle : RestoreB;
        RestoreB: pass_d = RestoreC;
        RestoreC: begin
          pass_d = AfterC;
          round_d = round_q - 4'd1;
        end
        default: pass_d = RestoreA;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pass_q <= Idle;
      slot_q <= '0;
      round_q <= '0;
      count_q <= '0;
      key_whole_q <= 1'b0;
      leaving_q <= 1'b0;
      result_valid_q <= 1'b0;
      decrypt_q <= 1'b0;
    end else begin
      pass_q <= pass_d;
      slot_q <= slot_q + 4'd1;
      round_q <= round_d;
      count_q <= count_d;
      key_whole_q <= key_whole_d;
      leaving_q <= leaving_d;
      result_valid_q <= result_valid_d;
      decrypt_q <= decrypt_d;
    end
  end

  assign round_o = round_q;
  assign key_chain_o = ((pass_q == Expand) & ~quarter[0])
                     | ((pass_q == RestoreA) & quarter[3] & (round_q != '0))
                     | ((pass_q == RestoreB) & quarter[2])
                     | ((pass_q == RestoreC) & quarter[1]);
  assign key_substitute_o = quarter[0] & ((pass_q == Expand) | ((pass_q == AfterC) & (round_q != AllRounds)));
  assign key_first_of_word_o = slot_q[1:0] == 2'd3;
  assign round_constant_o = slot_q[1:0] == '0;
  assign decrypt_o = decrypt_q;
  assign add_key_o = decrypt_q & ~idle ? pass_q == RestoreA : (block_take_o & ~decrypt_i) | (pass_q == Round);
  assign rotated = quarter[3] & (pass_q == (decrypt_q ? RestoreB : Expand));
  assign rotation_o = {slot_q[1] ^ (decrypt_q & slot_q[0]), slot_q[0]} & {2{rotated}};
  always_comb begin
    if (decrypt_q) begin
      substitute_o = pass_q == (quarter[3] ? RestoreB : RestoreC);
      mix_o = (pass_q == RestoreB) & (slot_q[1:0] == '0) & (round_q != AllRounds);
    end else begin
      substitute_o = pass_q == (quarter[3] ? Expand : Round);
      mix_o = (pass_q == Round) & (slot_q[1:0] == '0) & (round_q != LastRound);
    end
  end
endmodule
