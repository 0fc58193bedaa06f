// Control of a masked encryption with a block in each rank of its S-boxes. Nothing of it depends on a share or a fresh bit.
//
//   phase_q   bit k     the block that came as number k is in the last rank, and goes to the first: a round ends for it
//   open_q    0         rounds 1 to 9
//             1         round 10, and the next blocks' round 0: results leave, and a block may come in the place of each
//
// Blocks that came in one turn of the ranks stay together, so that all are in the same round. Where none came the slot
// is empty until they have left. A key is taken in any other round, and while there is no block at all.
//
// The ranks move only in clocks in which a word of fresh bits is taken. A result that is offered stops them.
module aesmith_masked_loop_sequencer #(
  parameter int unsigned Clocks = 4 // of a round, which are the ranks of an S-box
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic random_valid_i,
  output logic random_ready_o,
  output logic block_valid_o,
  input  logic block_ready_i,

  output logic move_o,        // the ranks take their next values
  output logic key_load_o,    // the key register takes key_i
  output logic key_advance_o, // the round key register takes its next value
  output logic load_o,        // what enters the ranks is a block,
  output logic turn_o,        // … or the result of a round
  output logic first_o,       // a round begins: what leaves the key's S-boxes is SubWord
  output logic open_o,        // this is round 10 and the next round 0
  output logic [7:0] constant_o
);
  if (Clocks < 2) begin : gen_check_clocks
    $error("Clocks must be at least 2");
  end

  localparam logic [7:0] BeforeLast = 8'h1b; // Rcon of round 9

  logic [Clocks-1:0] phase_d, phase_q;
  logic [Clocks-2:0] full_d, full_q; // bit k: a block is in rank k+1
  logic [7:0] constant_q;
  logic key_known_q, empty_d, empty_q, open_d, open_q, turn_q, offering_q;
  logic may_move, accept, last_phase, leaves, in_last_rank;

  // turn_q or offering_q: a block is in the last rank.
  assign may_move = ~offering_q | block_ready_i;
  assign block_ready_o = key_known_q & open_q & may_move & random_valid_i;
  assign accept = block_valid_i & block_ready_o;
  assign random_ready_o = may_move & (~empty_q | (key_known_q & block_valid_i));
  assign move_o = random_valid_i & random_ready_o;
  assign last_phase = phase_q[Clocks-1];
  assign leaves = offering_q & block_ready_i;

  // From the first clock of round 0 on the key must stay, for its SubWord is made in it.
  assign key_ready_o = ~open_q | (empty_q & ~accept);
  assign key_load_o = key_valid_i & key_ready_o;
  assign key_advance_o = move_o & (phase_q[0] | (open_q & last_phase));
  assign block_valid_o = offering_q;
  assign load_o = accept;
  assign turn_o = turn_q;
  assign first_o = phase_q[0];
  assign open_o = open_q;
  assign constant_o = constant_q;

  always_comb begin
    phase_d = phase_q;
    full_d = full_q;
    in_last_rank = turn_q | (offering_q & ~leaves);
    open_d = open_q;
    if (move_o) begin
      phase_d = {phase_q[Clocks-2:0], last_phase};
      {in_last_rank, full_d} = {full_q, accept | turn_q};
      if (last_phase) open_d = open_q ? ~|{in_last_rank, full_d} : constant_q == BeforeLast;
    end
    empty_d = open_d & phase_d[0] & ~|{in_last_rank, full_d};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= Clocks'(1);
      full_q <= '0;
      empty_q <= 1'b1;
      open_q <= 1'b1;
      turn_q <= 1'b0;
      offering_q <= 1'b0;
      key_known_q <= 1'b0;
    end else begin
      phase_q <= phase_d;
      full_q <= full_d;
      empty_q <= empty_d;
      open_q <= open_d;
      turn_q <= in_last_rank & ~open_d;
      offering_q <= in_last_rank & open_d;
      key_known_q <= key_known_q | key_load_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (move_o & last_phase) begin
      constant_q <= open_q ? 8'h01 : {constant_q[6:0], 1'b0} ^ ({8{constant_q[7]}} & 8'h1b);
    end
  end
endmodule
