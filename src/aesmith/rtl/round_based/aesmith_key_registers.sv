// The key registers of a round-based core: the initial key, the round key, and the word that SubWord begins with.
//
// The initial key register holds the key, or to decrypt the other end of the expanded key; the round key register holds
// a window of it. source_o is the window that a step of the key schedule starts from: the initial key, or the round key
// while a block is on its way. What SubWord is of has a register of its own, which takes the word a clock early: so no
// selector, and no sum of words, stands before SubWord.
//
//   key ─┬▶ initial key ─┬─ source ─ key schedule ─▶ round key
//        └──────◀────────┴────────────◀──────────────────┘
module aesmith_key_registers #(
  parameter int unsigned KeyBytes = 16,
  parameter bit Overlap = 1'b1,   // the round key register never waits while a block is on its way
  parameter bit ClockGates = 1'b0 // gated clocks hold initial key and round key, else selectors
) (
  input  logic clk_i,
  input  logic load_i,     // the initial key register takes key_i
  input  logic turn_i,     // the initial key register takes the round key; not with load_i
  input  logic advance_i,  // the round key register takes next_i
  input  logic start_i,    // source_o is the initial key
  input  logic run_i,      // source_o is the round key; the other of both
  input  logic run_next_i, // run_i in the next clock
  input  logic [KeyBytes-1:0][7:0] key_i,
  input  logic [KeyBytes-1:0][7:0] next_i,
  input  logic [3:0][7:0] next_early_i,  // what SubWord begins with if the next source_o is next_i
  input  logic [3:0][7:0] first_early_i, // … if it is first_o
  output logic [KeyBytes-1:0][7:0] first_o, // the initial key in the next clock
  output logic [15:0][7:0] initial_key_o,   // first four words of the initial key
  output logic [15:0][7:0] round_key_o,     // the round key
  output logic [KeyBytes-1:0][7:0] source_o,
  output logic [3:0][7:0] early_o // what SubWord of source_o begins with
);
  localparam int unsigned Bits = 8 * KeyBytes;

  logic [Bits-1:0] initial_key_d, initial_key_q, round_key_d, round_key_q;
  logic [31:0] early_d, early_q;
  logic early_waits;

  assign early_waits = ~Overlap & run_next_i & ~advance_i;

  assign initial_key_d = ({Bits{load_i}} & key_i) | ({Bits{turn_i}} & round_key_q)
                       | ({Bits{~load_i & ~turn_i}} & initial_key_q);
  assign round_key_d = ClockGates ? next_i : ({Bits{advance_i}} & next_i) | ({Bits{~advance_i}} & round_key_q);
  assign early_d = ({32{run_next_i & ~early_waits}} & next_early_i) | ({32{early_waits}} & early_q)
                 | ({32{~run_next_i}} & first_early_i);

  if (ClockGates) begin : gen_gates
    logic initial_clk, round_clk;
    logic [Bits-1:0] taken_key;

    aesmith_clock_gate u_initial_gate (
      .clk_i,
      .enable_i(load_i | turn_i),
      .clk_o   (initial_clk)
    );
    aesmith_clock_gate u_round_gate (
      .clk_i,
      .enable_i(advance_i),
      .clk_o   (round_clk)
    );
    assign taken_key = ({Bits{~turn_i}} & key_i) | ({Bits{turn_i}} & round_key_q);

    always_ff @(posedge initial_clk) initial_key_q <= taken_key;
    always_ff @(posedge round_clk) round_key_q <= round_key_d;
  end else begin : gen_selectors
    always_ff @(posedge clk_i) begin
      initial_key_q <= initial_key_d;
      round_key_q <= round_key_d;
    end
  end

  always_ff @(posedge clk_i) early_q <= early_d;

  assign first_o = initial_key_d;
  assign initial_key_o = initial_key_q[127:0];
  assign round_key_o = round_key_q[127:0];
  assign source_o = ({Bits{start_i}} & initial_key_q) | ({Bits{run_i}} & round_key_q);
  assign early_o = early_q;
endmodule
