// Words of fresh bits for a masked core, from a secret seed: key streams of one key, each with an IV of its own.
//
//   seed ──▶ key stream 0 ──┐
//            …              ├──▶ word_q ──▶ random_o      bits [Steps*lane+:Steps] are of key stream `lane`
//   seed ──▶ key stream n ──┘
//
// A seed is taken in any clock, and no bit of an earlier one is offered after it. The warm-up follows: the steps of the
// specification, and up to the end of its last clock. Every bit offered stands in a register, so no glitch of the key
// streams reaches the core. While a word is not taken, neither it nor a key stream moves; when it is, the next follows,
// so that no bit is in two words.
//
// This is no source of randomness: who knows the seed knows every bit.
module aesmith_masked_generator #(
  parameter int unsigned Bits = 600,  // of a word
  parameter bit Bivium = 1'b0,
  parameter int unsigned MostSteps = 64,  // bits of a key stream in a word, at most
  parameter bit ClockGates = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic seed_valid_i,
  output logic seed_ready_o,
  input  logic [79:0] seed_i,

  output logic random_valid_o,
  input  logic random_ready_i,
  output logic [Bits-1:0] random_o
);
  localparam int unsigned Lanes = (Bits + MostSteps - 1) / MostSteps;
  localparam int unsigned Steps = (Bits + Lanes - 1) / Lanes;
  localparam int unsigned WarmUp = Bivium ? 4 * 177 : 4 * 288;
  localparam int unsigned Clocks = (WarmUp + Steps - 1) / Steps;
  localparam int unsigned CountBits = $clog2(Clocks);

  logic [CountBits-1:0] count_q;
  logic warming_q, running_q, offered_q;
  logic last, step, fill, stream_clk, stream_enable, word_clk, word_enable;
  logic [Lanes*Steps-1:0] streams;
  logic [Bits-1:0] word_q;

  assign seed_ready_o = 1'b1;
  assign random_valid_o = offered_q;
  assign random_o = word_q;

  assign last = warming_q & (count_q == '0);
  assign fill = running_q & (~offered_q | random_ready_i) & ~seed_valid_i;
  assign step = seed_valid_i | warming_q | fill;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      warming_q <= 1'b0;
      running_q <= 1'b0;
      offered_q <= 1'b0;
    end else begin
      warming_q <= seed_valid_i | (warming_q & ~last);
      running_q <= ~seed_valid_i & (running_q | last);
      offered_q <= ~seed_valid_i & running_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (seed_valid_i) count_q <= CountBits'(Clocks - 1);
    else if (warming_q) count_q <= count_q - 1'b1;
  end

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_stream_enable (
    .clk_i,
    .enable_i(step),
    .clk_o   (stream_clk),
    .enable_o(stream_enable)
  );
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    aesmith_masked_key_stream #(
      .Bivium(Bivium),
      .Steps (Steps),
      .Iv    (80'(lane))
    ) u_key_stream (
      .clk_i   (stream_clk),
      .enable_i(stream_enable),
      .load_i  (seed_valid_i),
      .seed_i,
      .stream_o(streams[Steps*lane+:Steps])
    );
  end
  if (Lanes * Steps > Bits) begin : gen_rest
    logic unused_streams;
    assign unused_streams = ^streams[Lanes*Steps-1:Bits];
  end

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_word_enable (
    .clk_i,
    .enable_i(fill),
    .clk_o   (word_clk),
    .enable_o(word_enable)
  );
  always_ff @(posedge word_clk) begin
    if (word_enable) word_q <= streams[Bits-1:0];
  end
endmodule
