// Control of a round of two stages with two blocks in flight, with Decrypts each of its own direction. The blocks change
// places in every clock:
//
//   slot A   the block in the data register, on its way to the inverted register
//   slot B   the block in the inverted register, on its way to the next round, or offered as the result
//
// A slot's round is 0 (empty) or 1 to Rounds. A block is taken into the data register when slot B is empty or its result
// leaves. A result that is not taken stops both slots.
//
// The initial key register holds one end of the key schedule: the first round key to encrypt, the last to decrypt. When
// a block of the other direction is offered, the core waits for a run of the schedule from the present end to end, which
// leaves the other end in the round key register, and turns: the initial key register takes it. If no block in flight
// is on such a run, one is made without a block, and no key is accepted during it.
module aesmith_two_slot_sequencer #(
  parameter int unsigned Rounds = 10,
  parameter bit Decrypts = 1'b0, // both directions; else decrypt_i is 0
  localparam int unsigned RoundBits = $clog2(Rounds + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic decrypt_i,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic key_load_o,
  output logic key_turn_o,          // the initial key register takes the round key register
  output logic data_load_o,         // a new block to the data register,
  output logic data_encrypt_o,      // … slot B, encrypting,
  output logic data_decrypt_o,      // … slot B, decrypting,
  output logic data_hold_o,         // … or nothing: one of the four
  output logic inverted_advance_o,  // slot A to the inverted register
  output logic key_sums_advance_o,  // the key schedule of slot B, or of a new run, to its middle registers
  output logic round_key_advance_o, // the key schedule of slot A to the round key register
  output logic key_start_o,         // the key schedule starts from the initial key,
  output logic key_run_o,           // … or from the round key: one of both
  output logic key_run_next_o,      // key_run_o in the next clock
  output logic run_decrypt_o,       // direction of slot B
  output logic selected_decrypt_o,  // direction of what the data register takes next
  output logic first_decrypt_o,     // direction that the initial key register serves in the next clock
  output logic next_decrypt_o,      // direction of slot A
  output logic [RoundBits-1:0] round_o // of slot B
);
  localparam logic [RoundBits-1:0] Empty = '0;
  localparam logic [RoundBits-1:0] First = RoundBits'(1);
  localparam logic [RoundBits-1:0] Last = RoundBits'(Rounds);

  logic [RoundBits-1:0] round_a_d, round_a_q, round_b_q;
  logic decrypt_a_d, decrypt_a_q, decrypt_b_q;
  logic expanding_a_d, expanding_a_q, expanding_b_q;    // a run without a block
  logic other_end_a_d, other_end_a_q, other_end_b_q;    // the run began from what is in the initial key register
  logic load_phase_d, load_phase_q, running_q;          // slot B is empty or a result, or not
  logic expanding_b_d, decrypt_b_d, encrypts_q, decrypts_q; // slot B has a block that works
  logic offering_q, selected_decrypt_q;
  logic last_end_d, last_end_q;                         // the initial key register holds the last round key
  logic key_known_q;
  logic moves, expanding, ends, free, wrong_end, accept, expand, start;

  assign moves = ~offering_q | block_ready_i;
  assign expanding = expanding_a_q | expanding_b_q;
  assign ends = round_b_q == Last;
  assign free = load_phase_q & key_known_q & moves & ~expanding;
  assign wrong_end = decrypt_i ^ last_end_q;

  assign block_valid_o = offering_q;
  assign block_ready_o = free & ~wrong_end;
  assign accept = block_valid_i & block_ready_o;
  assign expand = block_valid_i & free & wrong_end & ~other_end_a_q & ~other_end_b_q & ~key_valid_i;
  assign start = accept | expand;

  assign key_ready_o = ~expanding;
  assign key_load_o = key_valid_i & ~expanding;
  assign key_turn_o = ends & other_end_b_q & ~key_load_o & (expanding_b_q | (block_valid_i & wrong_end & ~expanding));

  assign data_load_o = accept;
  assign data_encrypt_o = encrypts_q;
  assign data_decrypt_o = decrypts_q;
  assign data_hold_o = ~accept & ~encrypts_q & ~decrypts_q;
  assign key_sums_advance_o = start | running_q;
  assign inverted_advance_o = moves & (round_a_q != Empty) & ~expanding_a_q;
  assign round_key_advance_o = moves & (round_a_q != Empty);
  assign key_start_o = load_phase_q;
  assign key_run_o = running_q;
  assign key_run_next_o = ~load_phase_d;
  assign run_decrypt_o = decrypt_b_q;
  assign selected_decrypt_o = selected_decrypt_q;
  assign first_decrypt_o = last_end_d;
  assign next_decrypt_o = decrypt_a_q;
  assign round_o = round_b_q;

  // What goes from slot B, or from outside, to slot A.
  always_comb begin
    round_a_d = Empty;
    decrypt_a_d = decrypt_b_q;
    expanding_a_d = 1'b0;
    other_end_a_d = 1'b0;
    if (start) begin
      round_a_d = First;
      decrypt_a_d = last_end_q;
      expanding_a_d = expand;
      other_end_a_d = 1'b1;
    end else if (running_q) begin
      round_a_d = round_b_q + First;
      expanding_a_d = expanding_b_q;
      other_end_a_d = other_end_b_q;
    end
  end
  assign expanding_b_d = moves ? expanding_a_q : expanding_b_q;
  assign decrypt_b_d = moves ? decrypt_a_q : decrypt_b_q;
  assign load_phase_d = moves ? (round_a_q == Empty) | (round_a_q == Last) : load_phase_q;

  always_comb begin
    last_end_d = last_end_q;
    if (key_turn_o) last_end_d = ~last_end_q;
    if (key_load_o) last_end_d = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_a_q <= Empty;
      round_b_q <= Empty;
      load_phase_q <= 1'b1;
      running_q <= 1'b0;
      encrypts_q <= 1'b0;
      offering_q <= 1'b0;
      key_known_q <= 1'b0;
    end else begin
      if (moves) begin
        round_a_q <= round_a_d;
        round_b_q <= round_a_q;
        offering_q <= (round_a_q == Last) & ~expanding_a_q;
      end
      load_phase_q <= load_phase_d;
      running_q <= ~load_phase_d;
      encrypts_q <= ~load_phase_d & ~expanding_b_d & ~decrypt_b_d;
      key_known_q <= key_known_q | key_load_o;
    end
  end

  if (Decrypts) begin : gen_directions
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        decrypt_a_q <= 1'b0;
        decrypt_b_q <= 1'b0;
        expanding_a_q <= 1'b0;
        expanding_b_q <= 1'b0;
        other_end_a_q <= 1'b0;
        other_end_b_q <= 1'b0;
        decrypts_q <= 1'b0;
        selected_decrypt_q <= 1'b0;
        last_end_q <= 1'b0;
      end else begin
        if (moves) begin
          decrypt_a_q <= decrypt_a_d;
          expanding_a_q <= expanding_a_d;
          other_end_a_q <= other_end_a_d;
          other_end_b_q <= other_end_a_q;
        end
        // A key or a turn puts another end into the initial key register: runs under way began from the old one.
        if (key_load_o | key_turn_o) begin
          other_end_a_q <= 1'b0;
          other_end_b_q <= 1'b0;
        end
        decrypt_b_q <= decrypt_b_d;
        expanding_b_q <= expanding_b_d;
        decrypts_q <= ~load_phase_d & ~expanding_b_d & decrypt_b_d;
        selected_decrypt_q <= load_phase_d ? last_end_d : decrypt_a_q;
        last_end_q <= last_end_d;
      end
    end
  end else begin : gen_encryption
    assign {decrypt_a_q, decrypt_b_q, expanding_a_q, expanding_b_q, other_end_a_q, other_end_b_q} = '0;
    assign {decrypts_q, selected_decrypt_q, last_end_q} = '0;
    logic unused_direction;
    assign unused_direction = ^{decrypt_a_d, expanding_a_d, other_end_a_d};
  end
endmodule
