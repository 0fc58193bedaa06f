// Control of a masked round-based core for both directions. Nothing of it depends on a share or a fresh bit.
//
//   phase_q   0      bit k                                  bit Clocks-1
//             idle   the block is in rank k+1 of inverters  a round ends: the block goes from the last rank to the first
//
// In the last round's end the result is offered and stands still until it leaves; the next block is taken in that clock
// or later. A clock in which the ranks move takes a word of fresh bits, so they move only while one is offered.
//
// The key register holds one end of the key schedule, as in aesmith_round_sequencer: the first round key to encrypt, the
// last to decrypt. When a run has ended the other end is there, as the next round key, until another run starts. A block
// of the other direction makes the key register
//
//   turn      take that other end, if no key was accepted since the last run began; else there is, first,
//   expand    a run of the schedule without a block, during which no key is accepted and the other inverters get 0.
module aesmith_masked_two_way_sequencer #(
  parameter int unsigned Clocks = 4 // of a round
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic decrypt_i,
  input  logic random_valid_i,
  output logic random_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic move_o,          // the ranks take their next values
  output logic key_load_o,      // the key register takes key_i,
  output logic key_turn_o,      // … or the next round key
  output logic key_start_o,     // the round key register takes the key,
  output logic key_turn_next_o, // … or the next round key
  output logic load_encrypt_o,  // what could enter the ranks is a block to encrypt,
  output logic load_decrypt_o,  // … a block to decrypt,
  output logic encrypt_o,       // … the result of a round of encryption,
  output logic decrypt_o,       // … the result of a round of decryption: one at most
  output logic last_end_o,      // the key register holds the last round key
  output logic run_decrypt_o,   // direction of the run
  output logic starts_o,        // what could enter the ranks of the key is of the key register,
  output logic turns_o,         // … or of the next round key
  output logic [3:0] round_o    // rounds that have ended, 9 from then on
);
  if (Clocks < 2) begin : gen_check_clocks
    $error("Clocks must be at least 2");
  end

  localparam logic [3:0] BeforeLast = 4'd8;

  logic [Clocks-1:0] phase_d, phase_q;
  logic [3:0] round_q;
  logic key_known_q, idle_q, last_q, turn_q, encrypts_q, decrypts_q, offering_q;
  logic expanding_q, expanded_q;    // a run without a block; its end
  logic last_end_d, last_end_q;     // the key register holds the last round key
  logic other_end_d, other_end_q;   // the run now or last is of the key in the key register
  logic run_decrypt_q;
  logic rests, free, wrong_end, wanted, start, ends, round_ends;

  assign rests = idle_q | offering_q;
  assign free = key_known_q & (idle_q | (offering_q & block_ready_i));
  assign wrong_end = decrypt_i ^ last_end_q;
  assign wanted = block_valid_i & (~wrong_end | (~other_end_q & ~key_valid_i));
  assign random_ready_o = (~rests & ~expanded_q) | (free & wanted);
  assign block_ready_o = free & ~wrong_end & random_valid_i;
  assign start = free & wanted & random_valid_i;
  assign ends = move_o & turn_q;

  assign key_ready_o = ~expanding_q;
  assign block_valid_o = offering_q;
  assign move_o = random_valid_i & random_ready_o;
  assign key_load_o = key_valid_i & ~expanding_q;
  assign key_turn_o = expanded_q
                    | (rests & key_known_q & other_end_q & block_valid_i & wrong_end & ~key_load_o);
  assign key_start_o = start;
  assign key_turn_next_o = ends;
  assign load_encrypt_o = rests & ~wrong_end & ~last_end_q;
  assign load_decrypt_o = rests & ~wrong_end & last_end_q;
  assign encrypt_o = encrypts_q;
  assign decrypt_o = decrypts_q;
  assign last_end_o = last_end_q;
  assign run_decrypt_o = run_decrypt_q;
  assign starts_o = rests;
  assign turns_o = turn_q;
  assign round_o = round_q;

  always_comb begin
    phase_d = phase_q;
    if (start) phase_d = Clocks'(1);
    else if ((offering_q & block_ready_i) | expanded_q) phase_d = '0;
    else if (move_o) phase_d = {phase_q[Clocks-2:0], phase_q[Clocks-1]};
  end
  assign round_ends = phase_d[Clocks-1] & ~last_q;

  always_comb begin
    last_end_d = last_end_q ^ key_turn_o;
    other_end_d = (other_end_q & ~key_turn_o) | start;
    if (key_load_o) begin
      last_end_d = 1'b0;
      other_end_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= '0;
      idle_q <= 1'b1;
      turn_q <= 1'b0;
      encrypts_q <= 1'b0;
      decrypts_q <= 1'b0;
      offering_q <= 1'b0;
      expanding_q <= 1'b0;
      expanded_q <= 1'b0;
      last_end_q <= 1'b0;
      other_end_q <= 1'b0;
      key_known_q <= 1'b0;
    end else begin
      phase_q <= phase_d;
      idle_q <= phase_d == '0;
      turn_q <= round_ends;
      encrypts_q <= round_ends & ~expanding_q & ~run_decrypt_q;
      decrypts_q <= round_ends & ~expanding_q & run_decrypt_q;
      offering_q <= phase_d[Clocks-1] & last_q & ~expanding_q;
      expanding_q <= (expanding_q & ~expanded_q) | (start & wrong_end);
      expanded_q <= phase_d[Clocks-1] & last_q & expanding_q;
      last_end_q <= last_end_d;
      other_end_q <= other_end_d;
      key_known_q <= key_known_q | key_load_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      round_q <= '0;
      last_q <= 1'b0;
      run_decrypt_q <= last_end_q;
    end else if (ends) begin
      round_q <= round_q + 4'd1;
      last_q <= round_q == BeforeLast;
    end
  end
endmodule
