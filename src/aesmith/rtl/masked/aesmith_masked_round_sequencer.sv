// Control of a masked round-based encryption. Nothing of it depends on a share or a fresh bit.
//
//   phase_q   0      bit k                                   bit Clocks-1
//             idle   the block is in rank k+1 of the S-boxes  a round ends: the block goes from the last rank to the first
//
// The round constant counts the rounds. In the last one's end the result is offered and stands still until it leaves; the
// next block is taken in that clock or later. A clock in which the ranks move takes a word of fresh bits, so they move
// only while one is offered: a block is taken only then, too.
module aesmith_masked_round_sequencer #(
  parameter int unsigned Clocks = 4 // of a round
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
  output logic load_o,        // what could enter the ranks is a block,
  output logic turn_o,        // … or the result of a round
  output logic [7:0] constant_o
);
  if (Clocks < 2) begin : gen_check_clocks
    $error("Clocks must be at least 2");
  end

  localparam logic [7:0] BeforeLast = 8'h1b; // Rcon of round 9

  logic [Clocks-1:0] phase_d, phase_q;
  logic [7:0] constant_q;
  logic key_known_q, idle_q, last_q, turn_q, offering_q;
  logic free, accept, ends;

  assign free = key_known_q & (idle_q | (offering_q & block_ready_i));
  assign random_ready_o = (~idle_q & ~offering_q) | (free & block_valid_i);
  assign block_ready_o = free & random_valid_i;
  assign accept = block_valid_i & block_ready_o;
  assign ends = move_o & turn_q;

  assign key_ready_o = 1'b1;
  assign block_valid_o = offering_q;
  assign move_o = random_valid_i & random_ready_o;
  assign key_load_o = key_valid_i;
  assign key_advance_o = accept | ends;
  assign load_o = idle_q | offering_q;
  assign turn_o = turn_q;
  assign constant_o = constant_q;

  always_comb begin
    phase_d = phase_q;
    if (accept) phase_d = Clocks'(1);
    else if (offering_q & block_ready_i) phase_d = '0;
    else if (move_o) phase_d = {phase_q[Clocks-2:0], phase_q[Clocks-1]};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= '0;
      idle_q <= 1'b1;
      turn_q <= 1'b0;
      offering_q <= 1'b0;
      key_known_q <= 1'b0;
    end else begin
      phase_q <= phase_d;
      idle_q <= phase_d == '0;
      turn_q <= phase_d[Clocks-1] & ~last_q;
      offering_q <= phase_d[Clocks-1] & last_q;
      key_known_q <= key_known_q | key_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept) begin
      constant_q <= 8'h01;
      last_q <= 1'b0;
    end else if (ends) begin
      constant_q <= {constant_q[6:0], 1'b0} ^ ({8{constant_q[7]}} & 8'h1b);
      last_q <= constant_q == BeforeLast;
    end
  end
endmodule
