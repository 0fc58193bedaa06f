// The block interface in front of a core that has none: a start pulse goes in, and a done line or a number of clocks says
// when the result stands there.
//
// One block at a time. Payloads stand at the core from before the start until the result was taken; the done lines are
// looked at from the clock after the start on. Beside the core's own clocks a block takes two: one to keep it, one to
// keep its result.
//
//   Idle ─ key ─▶ KeyStart ─▶ KeyWait ─┐        (keys that have a start)
//     ▲ ▲────────────────────────────┘
//     │ └─ block ─▶ BlockStart ─▶ BlockWait ─▶ Result ─┐
//     └────────────────────────────────────────────────┘
module aesmith_foreign_adapter #(
  parameter int unsigned KeyBits = 128,
  parameter bit KeyStarts = 1'b0,
  // Clocks from the start until the key serves, or the result stands there; 0: the core says when.
  parameter int unsigned KeyClocks = 0,
  parameter int unsigned BlockClocks = 0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic key_valid_i,
  output logic key_ready_o,
  input  logic [KeyBits-1:0] key_i,

  input  logic block_valid_i,
  output logic block_ready_o,
  input  logic [127:0] block_i,
  input  logic decrypt_i,

  output logic block_valid_o,
  input  logic block_ready_i,
  output logic [127:0] block_o,

  input  logic core_ready_i,
  output logic core_key_start_o,
  output logic [KeyBits-1:0] core_key_o,
  input  logic core_key_done_i,
  output logic core_start_o,
  output logic [127:0] core_block_o,
  output logic core_decrypt_o,
  input  logic core_done_i,
  input  logic [127:0] core_result_i
);
  localparam int unsigned MostClocks = KeyClocks > BlockClocks ? KeyClocks : BlockClocks;
  localparam int unsigned CountBits = $clog2(MostClocks + 2);

  typedef enum logic [2:0] {Idle, KeyStart, KeyWait, BlockStart, BlockWait, Result} phase_e;

  phase_e phase_q;
  logic keyed_q, decrypt_q, key_served, block_done;
  logic [CountBits-1:0] count_q;
  logic [KeyBits-1:0] key_q;
  logic [127:0] block_q;

  assign key_ready_o   = phase_q == Idle;
  assign block_ready_o = phase_q == Idle & keyed_q & ~key_valid_i;
  assign block_valid_o = phase_q == Result;

  assign core_key_start_o = phase_q == KeyStart & core_ready_i;
  assign core_start_o     = phase_q == BlockStart & core_ready_i;
  assign core_key_o       = key_q;
  assign core_block_o     = block_q;
  assign core_decrypt_o   = decrypt_q;

  // In the clock after the start the count is 1.
  assign key_served = KeyClocks == 0 ? core_key_done_i : count_q == CountBits'(KeyClocks);
  assign block_done = BlockClocks == 0 ? core_done_i : count_q == CountBits'(BlockClocks);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= Idle;
      keyed_q <= 1'b0;
    end else begin
      unique case (phase_q)
        Idle: begin
          if (key_valid_i) begin
            keyed_q <= 1'b1;
            if (KeyStarts) phase_q <= KeyStart;
          end else if (block_valid_i & keyed_q) begin
            phase_q <= BlockStart;
          end
        end
        KeyStart:   if (core_ready_i) phase_q <= KeyWait;
        KeyWait:    if (key_served) phase_q <= Idle;
        BlockStart: if (core_ready_i) phase_q <= BlockWait;
        BlockWait:  if (block_done) phase_q <= Result;
        Result:     if (block_ready_i) phase_q <= Idle;
        default:    phase_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    count_q <= phase_q == KeyWait | phase_q == BlockWait ? count_q + 1'b1 : CountBits'(1);
    if (key_ready_o & key_valid_i) key_q <= key_i;
    if (block_ready_o & block_valid_i) begin
      block_q   <= block_i;
      decrypt_q <= decrypt_i;
    end
    if (phase_q == BlockWait & block_done) block_o <= core_result_i;
  end
endmodule
