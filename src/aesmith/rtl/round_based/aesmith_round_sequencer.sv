// Control of a round-based core: one round a clock, the round in round_q.
//
//   round_q   0          1 … Rounds-1   Rounds
//             idle       rounds         the result is offered
//
// A block is taken when idle, or in the clock in which the result before it leaves. In a load phase, when idle or offering
// a result, the registers can only load, never run.
//
// The initial key register holds one end of the key schedule: the first round key to encrypt, the last to decrypt. After
// a run of the schedule the round key register holds the other end of it. So a change of direction (Decrypts) is
//
//   turn      one clock, the round key register goes to the initial key register, if no key was accepted since the
//             last run began; else, first,
//   expand    one run of the schedule without a block, during which no key is accepted.
//
// Both happen when a block of the other direction is offered, and only in a load phase. With Overlap = 0 the clock in
// which a result leaves still works on it, and takes no block. With Selectable = 1 the counter begins at first_round_i,
// so that fewer rounds end at the same count.
module aesmith_round_sequencer #(
  parameter int unsigned Rounds = 10,
  parameter bit Decrypts = 1'b0, // both directions; else decrypt_i is 0
  parameter bit Overlap = 1'b1,
  parameter bit Selectable = 1'b0,
  localparam int unsigned RoundBits = $clog2(Rounds + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [RoundBits-1:0] first_round_i, // Selectable: where the counter begins, 1 for all Rounds

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic decrypt_i,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic key_load_o,         // the initial key register takes key_i
  output logic key_turn_o,         // the initial key register takes the round key register
  output logic data_load_o,        // the data register takes a block,
  output logic data_encrypt_o,     // … the result of a round of encryption,
  output logic data_decrypt_o,     // … the result of a round of decryption,
  output logic data_hold_o,        // … or keeps its value: one of the four
  output logic key_advance_o,      // the round key register takes its next value
  output logic key_start_o,        // the key schedule starts from the initial key,
  output logic key_run_o,          // … or from the round key: one of both
  output logic key_run_next_o,     // key_run_o in the next clock
  output logic run_decrypt_o,      // direction of the block in the data register
  output logic selected_decrypt_o, // direction of what the registers take next
  output logic first_decrypt_o,    // direction that the initial key register serves in the next clock
  output logic [RoundBits-1:0] round_o
);
  if (Rounds < 2) begin : gen_check_rounds
    $error("Rounds must be at least 2");
  end

  localparam logic [RoundBits-1:0] Idle = '0;
  localparam logic [RoundBits-1:0] One = RoundBits'(1);
  localparam logic [RoundBits-1:0] Last = RoundBits'(Rounds);

  logic [RoundBits-1:0] round_d, round_q;
  logic load_phase_d, load_phase_q, running_q; // one load phase in both polarities, each for what it selects
  logic rests_d, works_d, encrypts_q, decrypts_q; // the data register takes the result of a round
  logic offering_d, offering_q;                // block_valid_o
  logic expanding_d, expanding_q;
  logic last_end_d, last_end_q;                // the initial key register holds the last round key
  logic other_end_d, other_end_q;              // the run now or last belongs to the key in the initial key register
  logic run_decrypt_d, run_decrypt_q;
  logic selected_decrypt_q;
  logic key_known_q;
  logic leaves, free, wrong_end, accept, expand, start;

  assign leaves = offering_q & block_ready_i;
  assign free = load_phase_q & key_known_q & (~offering_q | block_ready_i) & ~expanding_q;
  assign wrong_end = decrypt_i ^ last_end_q;

  assign block_ready_o = free & ~wrong_end;
  assign accept = block_valid_i & block_ready_o;
  assign expand = block_valid_i & free & wrong_end & ~other_end_q & ~key_valid_i;
  assign start = accept | expand;

  assign key_ready_o = ~expanding_q;
  assign key_load_o = key_valid_i & ~expanding_q;
  assign key_turn_o = load_phase_q & key_known_q & other_end_q & ~key_load_o
                    & (expanding_q | (block_valid_i & wrong_end));

  assign block_valid_o = offering_q;
  assign key_advance_o = start | (running_q & (Overlap | ~offering_q | leaves));
  assign data_load_o = accept;
  assign data_encrypt_o = encrypts_q;
  assign data_decrypt_o = decrypts_q;
  assign data_hold_o = Decrypts ? ~accept & ~encrypts_q & ~decrypts_q : load_phase_q & ~accept;
  assign key_start_o = load_phase_q;
  assign key_run_o = running_q;
  assign key_run_next_o = ~load_phase_d;
  assign run_decrypt_o = run_decrypt_q;
  assign selected_decrypt_o = selected_decrypt_q;
  assign first_decrypt_o = last_end_d;
  assign round_o = round_q;

  always_comb begin
    round_d = round_q;
    if (start) round_d = Selectable ? first_round_i : One;
    else if (running_q & (Overlap | (round_q != Last))) round_d = round_q + One;
    else if (block_ready_i | expanding_q) round_d = Idle;
  end
  assign rests_d = (round_d == Idle) | (round_d == Last);
  assign load_phase_d = Overlap ? rests_d : round_d == Idle;
  assign expanding_d = expand | (expanding_q & (round_q != Last));
  assign offering_d = (round_d == Last) & ~expanding_d;
  assign works_d = ~rests_d & ~expanding_d;

  always_comb begin
    last_end_d = last_end_q;
    other_end_d = other_end_q;
    if (key_turn_o) begin
      last_end_d = ~last_end_q;
      other_end_d = 1'b0;
    end
    if (start) other_end_d = 1'b1;
    if (key_load_o) begin
      last_end_d = 1'b0;
      other_end_d = 1'b0;
    end
  end
  assign run_decrypt_d = start ? last_end_q : run_decrypt_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= Idle;
      load_phase_q <= 1'b1;
      running_q <= 1'b0;
      encrypts_q <= 1'b0;
      key_known_q <= 1'b0;
    end else begin
      round_q <= round_d;
      load_phase_q <= load_phase_d;
      running_q <= ~load_phase_d;
      encrypts_q <= works_d & ~run_decrypt_d;
      key_known_q <= key_known_q | key_load_o;
    end
  end

  if (Decrypts) begin : gen_directions
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        decrypts_q <= 1'b0;
        offering_q <= 1'b0;
        expanding_q <= 1'b0;
        last_end_q <= 1'b0;
        other_end_q <= 1'b0;
        run_decrypt_q <= 1'b0;
        selected_decrypt_q <= 1'b0;
      end else begin
        decrypts_q <= works_d & run_decrypt_d;
        offering_q <= offering_d;
        expanding_q <= expanding_d;
        last_end_q <= last_end_d;
        other_end_q <= other_end_d;
        run_decrypt_q <= run_decrypt_d;
        selected_decrypt_q <= load_phase_d ? last_end_d : run_decrypt_d;
      end
    end
  end else begin : gen_encryption
    // No clock without a block: the counter says what is offered, and no register has to.
    assign offering_q = Overlap ? load_phase_q & (round_q != Idle) : round_q == Last;
    assign {decrypts_q, expanding_q, last_end_q, other_end_q, run_decrypt_q, selected_decrypt_q} = '0;
    logic unused_ends;
    assign unused_ends = offering_d ^ other_end_d;
  end
endmodule
