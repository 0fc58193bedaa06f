// The round keys of several rounds of encryption a clock: a chain of steps of the key schedule.
//
// key_i is the window of the clock's first round key, which stands in a register: so the first round of a clock waits
// for no step. Each further round has the key that a step makes beside the round before it. The last step makes the
// window of the next clock: of the last round key, or, while a block is loaded, of the initial key (start_i). The clock
// in which a result leaves needs both.
//
//   clock      0 (load)             1                      2
//   key_i                           key 1                  key 1 + RoundsPerClock
//   steps      1: key 1             keys 2, 3, …           …
module aesmith_unrolled_key_schedule #(
  parameter int unsigned RoundsPerClock = 2,
  parameter int unsigned KeyWords = 4
) (
  input  logic [KeyWords-1:0][3:0][7:0] first_i, // the initial key
  input  logic [KeyWords-1:0][3:0][7:0] key_i,
  input  logic [3:0] clock_i,                    // of the block, 1 for its first rounds
  input  logic start_i,
  input  logic run_i,                            // the other of both
  output logic [KeyWords-1:0][3:0][7:0] key_o,
  output logic [RoundsPerClock-1:0][15:0][7:0] round_keys_o
);
  localparam int unsigned Bits = 32 * KeyWords;
  localparam int unsigned Last = RoundsPerClock - 1;

  logic [Last:0][KeyWords-1:0][3:0][7:0] window, source, made;
  logic [Last:0][3:0] round, source_round; // steps before a window
  logic [Last:0][1:0][31:0] unused_early;

  assign window[0] = key_i;
  assign window[Last:1] = made[Last-1:0];

  for (genvar step = 0; step <= Last; step++) begin : gen_step
    assign round[step] = 4'(RoundsPerClock) * (clock_i - 4'd1) + 4'(step + 1);
    assign round_keys_o[step] = window[step][3:0];

    if (step == Last) begin : gen_last
      assign source[step] = ({Bits{start_i}} & first_i) | ({Bits{run_i}} & window[step]);
      assign source_round[step] = {4{run_i}} & round[step];
    end else begin : gen_inner
      assign source[step] = window[step];
      assign source_round[step] = round[step];
    end

    aesmith_encryption_key_schedule #(
      .KeyWords(KeyWords)
    ) u_step (
      .key_i          (source[step]),
      .early_i        (source[step][KeyWords-1]),
      .size_i         ('0),
      .decrypt_i      (1'b0),
      .round_i        (source_round[step]),
      .key_o          (made[step]),
      .early_o        (unused_early[step][0]),
      .first_i        (source[step]),
      .first_decrypt_i(1'b0),
      .first_early_o  (unused_early[step][1])
    );
  end

  assign key_o = made[Last];
  logic unused_words;
  assign unused_words = ^unused_early;
endmodule
