// Control of a ring of slots for both directions: how far the block in each is, its direction and its key's size.
//
// round_q[s] is that of the slot at the input of stage s + 1: 0 (no block) or 1 to Rounds. In the last stage of round
// Rounds the block is offered as the result. If it is taken, or there was none, a new one is loaded there. A result that
// is not taken stops the ring. The key step of a slot begins in stage Slots - Lead + 1, and what it is of is chosen in the
// stage before, from the initial key if the slot can be loaded at the end of this round. So no block is loaded into a slot
// that was beyond that stage when the initial key changed (fresh_q).
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

  output logic adds_o,     // stage 1: encryption adds the round key
  output logic decrypts_o, // stage Slots - Lead + 1: decryption adds the round key
  // The key step that begins in the next clock:
  output logic starts_o,          // from the initial key, else from the round key
  output logic [6:0] step_o,      // its key's size, its direction, and the steps before it
  output logic [6:0] next_step_o, // step_o in the next clock
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
  logic [Lead-1:0] fresh_d, fresh_q; // of the last Lead slots
  logic last_end_d, last_end_q, key_known_q; // last_end: the initial key register has the last round key
  logic rests_d, key_rests_d, loads_q, offering_q, rests_q, adds_q;
  logic [3:0] chosen_d, chosen_q;
  logic free_q, expands_q, runs_q; // a block can be loaded; some slot goes round without a block; some run has not ended
  logic moves, changes, free, wrong_end, accept, expand, ends;

  assign moves = ~offering_q | block_ready_i;
  assign wrong_end = decrypt_i ^ last_end_q;
  assign free = free_q & moves;
  assign block_ready_o = free & ~wrong_end;
  assign accept = block_valid_i & block_ready_o;
  assign expand = block_valid_i & free & wrong_end & ~runs_q & ~key_valid_i;
  assign ends = run_q[KeyStage] & (round_q[KeyStage] == Last);

  assign key_ready_o = ~expands_q;
  assign key_load_o = key_valid_i & ~expands_q;
  assign key_turn_o = ends & ~key_load_o & (expanding_q[KeyStage] | (block_valid_i & wrong_end & ~expands_q));
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
  assign key_size_d = (Selectable & key_load_o) ? key_bits_i : key_size_q;
  assign rests_d = (round_d[Slots-1] == Empty) | (round_d[Slots-1] == Last);
  if (KeyStage == 1) begin : gen_rests_first
    // The same as below, by what stage 1 gets.
    assign key_rests_d = moves ? (loads_q ? ~(accept | expand) : round_q[Slots-1] == Last - One)
                       : (round_q[0] == Empty) | (round_q[0] == Last);
  end else begin : gen_rests
    assign key_rests_d = (round_d[KeyStage-1] == Empty) | (round_d[KeyStage-1] == Last);
  end
  assign fresh_d = (moves ? Lead'({fresh_q, 1'b1}) : fresh_q) & {Lead{~changes}};
  assign chosen_d = {rests_d & last_end_d, rests_d & ~last_end_d, ~rests_d & decrypt_d[Slots-1], ~rests_d & ~decrypt_d[Slots-1]};

  assign moves_o = moves;
  assign adds_o = adds_q;
  assign decrypts_o = decrypt_q[KeyStage];
  assign starts_o = rests_q;
  assign next_step_o = key_rests_d ? {key_size_d, last_end_d, 4'd0}
                     : {size_d[KeyStage-1], decrypt_d[KeyStage-1], round_d[KeyStage-1]};
  assign step_o = rests_q ? {key_size_q, last_end_q, 4'd0}
                : {size_q[KeyStage-1], decrypt_q[KeyStage-1], round_q[KeyStage-1]};
  assign loads_o = loads_q;
  assign chosen_o = chosen_q;
  assign ends_decrypt_o = decrypt_q[Slots-1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q <= '0;
      expanding_q <= '0;
      run_q <= '0;
      loads_q <= 1'b1;
      rests_q <= 1'b1;
      offering_q <= 1'b0;
      last_end_q <= 1'b0;
      key_known_q <= 1'b0;
      fresh_q <= '0;
      free_q <= 1'b0;
      expands_q <= 1'b0;
      runs_q <= 1'b0;
    end else begin
      round_q <= round_d;
      expanding_q <= expanding_d;
      run_q <= run_d;
      loads_q <= rests_d;
      rests_q <= key_rests_d;
      offering_q <= (round_d[Slots-1] == Last) & ~expanding_d[Slots-1];
      last_end_q <= last_end_d;
      key_known_q <= key_known_q | key_load_o;
      fresh_q <= fresh_d;
      free_q <= rests_d & fresh_d[Lead-1] & (key_known_q | key_load_o) & ~(|expanding_d);
      expands_q <= |expanding_d;
      runs_q <= |run_d;
    end
  end
  always_ff @(posedge clk_i) begin
    decrypt_q <= decrypt_d;
    chosen_q <= chosen_d;
    if (moves) adds_q <= ~loads_q & ~decrypt_q[Slots-1];
  end

  if (Selectable) begin : gen_sizes
    always_ff @(posedge clk_i) begin
      size_q <= size_d;
      key_size_q <= key_size_d;
    end
  end else begin : gen_one_size
    assign {size_q, key_size_q} = '0;
    logic unused_size;
    assign unused_size = ^{key_bits_i, size_d};
  end
endmodule
