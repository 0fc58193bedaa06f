// Control of a ring of slots for both directions: how far the block in each is, its direction and its key's size.
//
// round_q[s] is that of the slot at the input of stage s + 1: 0 (no block) or 1 to Rounds. In the last stage of round
// Rounds the block is offered as the result. If it is taken, or there was none, a new one is loaded there. A result that
// is not taken stops the ring. The key step of a slot begins in stage Slots - Lead + 1, with Lead = 2 from the initial key
// before it is known whether a block comes: so none is loaded there if the initial key has changed since (ready_q).
//
// The initial key register holds one end of the key schedule: the first round key to encrypt, the last to decrypt. When
// a block of the other direction is offered, the core waits for a run of the schedule from the present end to end, which
// leaves the other end in the round key register, and turns: the initial key register takes it. If no slot is on such a
// run, one goes round without a block, and no key is accepted meanwhile. With Selectable = 1 the counter begins later for
// a shorter key, so that all end at Rounds.
module aesmith_two_way_slot_sequencer #(
  parameter int unsigned Slots = 2,
  parameter int unsigned Lead = 1,
  parameter int unsigned Rounds = 10,
  parameter bit Selectable = 1'b0,
  localparam int unsigned RoundBits = $clog2(Rounds + 1)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [1:0] key_bits_i,
  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic decrypt_i,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic moves_o,    // all slots move on
  output logic key_load_o,
  output logic key_turn_o, // the initial key register takes the round key

  // Stage 1: encryption adds the round key; the steps of the key schedule, this one counted.
  output logic adds_o,
  output logic [RoundBits-1:0] late_round_o,
  output logic late_decrypt_o,
  output logic [1:0] late_size_o,
  // Stage Slots - Lead + 1: decryption adds the round key; what the key step that begins is of.
  output logic decrypts_o,
  output logic starts_o, // the initial key, else the round key
  output logic [RoundBits-1:0] seed_round_o,
  output logic seed_decrypt_o,
  output logic [1:0] seed_size_o,
  // The last stage: a block or none is loaded; which of four words goes on, as aesmith_round_column has it.
  output logic loads_o,
  output logic [3:0] chosen_o,
  output logic ends_decrypt_o
);
  if (Slots < 2 || Lead < 1 || Lead > 2 || Lead >= Slots) begin : gen_check
    $error("Slots must be at least 2, and Lead 1 or 2 and less than Slots");
  end

  localparam int unsigned KeyStage = Slots - Lead;
  localparam logic [RoundBits-1:0] Empty = '0;
  localparam logic [RoundBits-1:0] One = RoundBits'(1);
  localparam logic [RoundBits-1:0] Last = RoundBits'(Rounds);

  // A slot: how far, direction, key size; whether it goes round without a block; whether its run of the key schedule
  // began from what is in the initial key register, and has not ended.
  logic [Slots-1:0][RoundBits-1:0] round_d, round_q;
  logic [Slots-1:0][1:0] size_d, size_q;
  logic [Slots-1:0] decrypt_d, decrypt_q, expanding_d, expanding_q, run_d, run_q;
  logic [RoundBits-1:0] first;
  logic [1:0] key_size_d, key_size_q;
  logic last_end_d, last_end_q, key_known_q, ready_q; // last_end: the initial key register has the last round key
  logic rests_d, loads_q, offering_q, starts_d, starts_q, seed_decrypt_q, adds_q;
  logic [1:0] seed_size_q;
  logic [3:0] chosen_d, chosen_q;
  logic moves, changes, expanding, free, wrong_end, accept, expand, ends;

  assign moves = ~offering_q | block_ready_i;
  assign expanding = |expanding_q;
  assign wrong_end = decrypt_i ^ last_end_q;
  assign free = loads_q & ready_q & key_known_q & moves & ~expanding;
  assign block_ready_o = free & ~wrong_end;
  assign accept = block_valid_i & block_ready_o;
  assign expand = block_valid_i & free & wrong_end & ~(|run_q) & ~key_valid_i;
  assign ends = run_q[KeyStage] & (round_q[KeyStage] == Last);

  assign key_ready_o = ~expanding;
  assign key_load_o = key_valid_i & ~expanding;
  assign key_turn_o = ends & ~key_load_o & (expanding_q[KeyStage] | (block_valid_i & wrong_end & ~expanding));
  assign changes = key_load_o | key_turn_o;
  assign block_valid_o = offering_q;

  assign first = Selectable ? RoundBits'({key_size_q == 2'd0, key_size_q[0], 1'b1}) : One;
  always_comb begin
    round_d = round_q;
    decrypt_d = decrypt_q;
    size_d = size_q;
    expanding_d = expanding_q;
    run_d = run_q;
    if (moves) begin
      round_d = {round_q[Slots-2:0], round_q[Slots-1] + One};
      decrypt_d = {decrypt_q[Slots-2:0], decrypt_q[Slots-1]};
      size_d = {size_q[Slots-2:0], size_q[Slots-1]};
      expanding_d = {expanding_q[Slots-2:0], expanding_q[Slots-1]};
      run_d = {run_q[Slots-2:0], run_q[Slots-1]};
      if (Lead == 2 && ends) run_d[Slots-1] = 1'b0;
      if (loads_q) begin
        round_d[0] = accept | expand ? first : Empty;
        decrypt_d[0] = last_end_q;
        size_d[0] = key_size_q;
        expanding_d[0] = expand;
        run_d[0] = accept | expand;
      end
    end
    if (changes) run_d = '0;
  end

  assign last_end_d = ~key_load_o & (last_end_q ^ key_turn_o);
  assign key_size_d = key_load_o ? key_bits_i : key_size_q;
  assign rests_d = (round_d[Slots-1] == Empty) | (round_d[Slots-1] == Last);
  assign starts_d = (round_d[KeyStage] == Empty) | (round_d[KeyStage] == Last);
  assign chosen_d = {rests_d & last_end_d, rests_d & ~last_end_d, ~rests_d & decrypt_d[Slots-1], ~rests_d & ~decrypt_d[Slots-1]};

  assign moves_o = moves;
  assign adds_o = adds_q;
  assign late_round_o = round_q[0];
  assign late_decrypt_o = decrypt_q[0];
  assign late_size_o = size_q[0];
  assign decrypts_o = decrypt_q[KeyStage];
  assign starts_o = starts_q;
  assign seed_round_o = round_q[KeyStage] & {RoundBits{~starts_q}};
  assign seed_decrypt_o = seed_decrypt_q;
  assign seed_size_o = seed_size_q;
  assign loads_o = loads_q;
  assign chosen_o = chosen_q;
  assign ends_decrypt_o = decrypt_q[Slots-1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= '0;
      expanding_q <= '0;
      run_q <= '0;
      loads_q <= 1'b1;
      starts_q <= 1'b1;
      offering_q <= 1'b0;
      last_end_q <= 1'b0;
      key_known_q <= 1'b0;
    end else begin
      round_q <= round_d;
      expanding_q <= expanding_d;
      run_q <= run_d;
      loads_q <= rests_d;
      starts_q <= starts_d;
      offering_q <= (round_d[Slots-1] == Last) & ~expanding_d[Slots-1];
      last_end_q <= last_end_d;
      key_known_q <= key_known_q | key_load_o;
    end
  end
  always_ff @(posedge clk_i) begin
    decrypt_q <= decrypt_d;
    chosen_q <= chosen_d;
    seed_decrypt_q <= starts_d ? last_end_d : decrypt_d[KeyStage];
    if (moves) adds_q <= ~loads_q & ~decrypt_q[Slots-1];
  end

  if (Lead == 2) begin : gen_ready
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) ready_q <= 1'b0;
      else ready_q <= (moves | ready_q) & ~changes;
    end
  end else begin : gen_always_ready
    assign ready_q = 1'b1;
  end

  if (Selectable) begin : gen_sizes
    always_ff @(posedge clk_i) begin
      size_q <= size_d;
      key_size_q <= key_size_d;
      seed_size_q <= starts_d ? key_size_d : size_d[KeyStage];
    end
  end else begin : gen_one_size
    assign {size_q, key_size_q, seed_size_q} = '0;
    logic unused_size;
    assign unused_size = ^{key_bits_i, size_d, key_size_d};
  end
endmodule
