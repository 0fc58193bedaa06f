// The block interface in front of a core that has none: a start pulse goes in, and a done line or a number of clocks says
// when the result stands there.
//
// One block at a time. Where the core is narrow, payloads go in as beats, a clock each:
//
//   step        0       1       2             Beats-1
//   payload   beat 0  beat 1  beat 2   ...   last beat, which stays until the result was taken
//   valid     ______/-------------------------------\_      start: in the step of StartBeat, by default that of beat 0
//
// A negative StartBeat puts steps before beat 0. A wide payload is one beat. A key without a start goes with the block, step
// by step. The done lines are looked at from the clock after the last step on. Beside the core's own clocks a block takes
// two: one to keep it, one to keep its result.
//
//   Idle ─ key ─▶ KeySend ─▶ KeyWait ─┐             (keys that have a start or a valid of their own)
//     ▲ ▲───────────────────────────┘
//     │ └─ block ─▶ BlockSend ─▶ BlockWait ─▶ Result ─┐
//     └───────────────────────────────────────────────┘
//
// With KeyAgain the core forgets its key: it is sent anew before each block, KeySend and KeyWait before BlockSend.
module aesmith_foreign_adapter #(
  parameter int unsigned KeyBits = 128,
  parameter int unsigned KeyWidth = KeyBits,
  parameter int unsigned BlockWidth = 128,
  parameter int unsigned ResultWidth = 128,
  parameter bit KeyStarts = 1'b0,
  parameter bit KeyAgain = 1'b0,
  parameter int KeyStartBeat = 0,
  parameter int BlockStartBeat = 0,
  // Whether the start of a block stays until the result is there.
  parameter bit BlockHeld = 1'b0,
  // Whether the beat with the last bytes comes first.
  parameter bit KeyLastFirst = 1'b0,
  parameter bit BlockLastFirst = 1'b0,
  parameter bit ResultLastFirst = 1'b0,
  // Whether the core says of each beat of its result that it is there; else they follow the first, clock by clock.
  parameter bit ResultValid = 1'b0,
  // Clocks from the first step until the key serves, or the result's first beat is there; 0: the core says when.
  parameter int unsigned KeyClocks = 0,
  parameter int unsigned BlockClocks = 0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [KeyBits-1:0] key_i,
  input  logic [1:0] key_bits_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,
  input  logic decrypt_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o,

  input  logic core_ready_i,
  output logic core_key_start_o,
  output logic core_key_valid_o,
  input  logic core_key_ready_i,
  output logic [KeyWidth-1:0] core_key_o,
  output logic [1:0] core_key_bits_o,
  input  logic core_key_done_i,
  output logic core_start_o,
  output logic core_valid_o,
  input  logic core_block_ready_i,
  output logic [BlockWidth-1:0] core_block_o,
  output logic core_decrypt_o,
  output logic core_result_ready_o,
  input  logic core_done_i,
  input  logic [ResultWidth-1:0] core_result_i
);
  localparam int KeyBeats = int'(KeyBits / KeyWidth);
  localparam int BlockBeats = int'(128 / BlockWidth);
  localparam int ResultBeats = int'(128 / ResultWidth);
  // The steps of beat 0 and of the start, and how many there are.
  localparam int KeyLead = KeyStartBeat < 0 ? -KeyStartBeat : 0;
  localparam int KeySteps = KeyStartBeat < KeyBeats ? KeyLead + KeyBeats : KeyStartBeat + 1;
  localparam int Lead = BlockStartBeat < 0 ? -BlockStartBeat : 0;
  localparam int Beats = !KeyStarts && KeyBeats > BlockBeats ? KeyBeats : BlockBeats;
  localparam int Steps = BlockStartBeat < Beats ? Lead + Beats : BlockStartBeat + 1;
  localparam int MostSteps = KeySteps > Steps ? KeySteps : Steps;
  localparam int MostClocks = int'(KeyClocks > BlockClocks ? KeyClocks : BlockClocks);
  localparam int unsigned StepBits = $clog2(MostSteps + 1);
  localparam int unsigned CountBits = $clog2(MostClocks + 2);
  localparam int unsigned ReceivedBits = $clog2(ResultBeats + 1);

  typedef enum logic [2:0] {Idle, KeySend, KeyWait, BlockSend, BlockWait, Result} phase_e;

  phase_e phase_q;
  logic keyed_q, decrypt_q, key_served, beat_done;
  logic [StepBits-1:0] step_q;
  logic [CountBits-1:0] count_q;
  logic [ReceivedBits-1:0] received_q;
  logic [KeyBits-1:0] key_q;
  logic [127:0] block_q;

  assign key_ready_o   = phase_q == Idle;
  assign block_ready_o = phase_q == Idle & keyed_q & ~key_valid_i;
  assign block_valid_o = phase_q == Result;

  // How many beats stand right of this one in the payload; before the first it stands there already, after the last still.
  function automatic int place(int beat, int beats, bit last_first);
    int number;
    number = beat < 0 ? 0 : beat >= beats ? beats - 1 : beat;
    return last_first ? number : beats - 1 - number;
  endfunction

  // Which beat stands at the core, and whether this step is one of its beats.
  logic sends_key, sends_block, key_here, block_here, ready, moves;
  int step, key_beat, block_beat;
  assign sends_key   = phase_q == KeySend | (!KeyStarts & phase_q == BlockSend);
  assign sends_block = phase_q == BlockSend;
  assign step        = int'(step_q);
  assign key_beat    = step - (KeyStarts ? KeyLead : Lead);
  assign block_beat  = step - Lead;
  assign key_here    = sends_key & key_beat >= 0 & key_beat < KeyBeats;
  assign block_here  = sends_block & block_beat >= 0 & block_beat < BlockBeats;

  // The core's ready is of the first step; a beat may have a ready of its own.
  assign ready = step_q != '0 | core_ready_i;
  assign moves = ready & (~key_here | core_key_ready_i) & (~block_here | core_block_ready_i);

  assign core_key_start_o    = phase_q == KeySend & step == KeyStartBeat + KeyLead & moves;
  assign core_start_o        = (phase_q == BlockSend & step == BlockStartBeat + Lead & moves)
                             | (BlockHeld & ((phase_q == BlockSend & step_q != '0) | phase_q == BlockWait));
  assign core_key_valid_o    = key_here & ready;
  assign core_valid_o        = block_here & ready;
  assign core_result_ready_o = phase_q == BlockWait;
  assign core_decrypt_o      = decrypt_q;
  assign core_key_o          = KeyWidth'(key_q >> (place(key_beat, KeyBeats, KeyLastFirst) * int'(KeyWidth)));
  assign core_block_o        = BlockWidth'(block_q >> (place(block_beat, BlockBeats, BlockLastFirst) * int'(BlockWidth)));

  // In the clock after the first step the count is 1.
  assign key_served = KeyClocks == 0 ? core_key_done_i : count_q >= CountBits'(KeyClocks);
  assign beat_done  = !ResultValid & received_q != '0 ? 1'b1
                    : BlockClocks == 0 ? core_done_i : count_q >= CountBits'(BlockClocks);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= Idle;
      keyed_q <= 1'b0;
    end else begin
      unique case (phase_q)
        Idle: begin
          if (key_valid_i) begin
            keyed_q <= 1'b1;
            if (KeyStarts & !KeyAgain) phase_q <= KeySend;
          end else if (block_valid_i & keyed_q) begin
            phase_q <= KeyAgain ? KeySend : BlockSend;
          end
        end
        KeySend:   if (moves & step == KeySteps - 1) phase_q <= KeyWait;
        KeyWait:   if (key_served) phase_q <= KeyAgain ? BlockSend : Idle;
        BlockSend: if (moves & step == Steps - 1) phase_q <= BlockWait;
        BlockWait: if (beat_done & received_q == ReceivedBits'(ResultBeats - 1)) phase_q <= Result;
        Result:    if (block_ready_i) phase_q <= Idle;
        default:   phase_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    // After the last step the beats stay as they are; in a waiting phase only the next one begins anew.
    if (phase_q == Idle | phase_q == KeyWait) step_q <= '0;
    else if ((sends_key | sends_block) & moves) step_q <= step_q + 1'b1;
    if (phase_q == Idle | (phase_q == KeyWait & key_served)) count_q <= CountBits'(1);
    else if (~(sends_key | sends_block) | step_q != '0) count_q <= &count_q ? count_q : count_q + 1'b1;
    received_q <= phase_q == BlockWait ? received_q + ReceivedBits'(beat_done) : '0;
    if (key_ready_o & key_valid_i) begin
      key_q           <= key_i;
      core_key_bits_o <= key_bits_i;
    end
    if (block_ready_o & block_valid_i) begin
      block_q   <= block_i;
      decrypt_q <= decrypt_i;
    end
    if (phase_q == BlockWait & beat_done) begin
      block_o <= ResultLastFirst ? (block_o >> ResultWidth) | (128'(core_result_i) << (128 - ResultWidth))
                                 : (block_o << ResultWidth) | 128'(core_result_i);
    end
  end
endmodule
