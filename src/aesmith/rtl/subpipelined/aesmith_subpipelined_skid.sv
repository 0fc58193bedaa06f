// What stops the pipeline of a sub-pipelined core: results that nobody takes wait here, in the order they came.
//
// A result that is not taken while the pipeline moves goes to an entry. All registers of the pipeline move by enable_o,
// which is decided Entries clocks before and only passed on since: so many results may still come, and find room. With
// more entries the decision has more clocks to reach every part of a large core.
//
//   finished_i, result_i ─┬──────────────▶ mux ─▶ valid_o, result_o
//                         └─▶ entries ─────▲
//
//   room ─▶ enable_q[Entries-1] ─▶ … ─▶ enable_q[0] = enable_o
module aesmith_subpipelined_skid #(
  parameter int unsigned Entries = 1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic finished_i,                // result_i is a result; it leaves its place when enable_o is 1
  input  logic [15:0][7:0] result_i,
  output logic enable_o,                  // the pipeline moves
  output logic waiting_o,                 // an entry is taken

  output logic valid_o,
  input  logic ready_i,
  output logic [15:0][7:0] result_o
);
  if (Entries < 1) begin : gen_check
    $error("Entries must be at least 1");
  end

  logic [Entries-1:0] enable_q, write_q, read_q;  // write_q and read_q: one entry each
  logic [Entries-1:0] level_d, level_q, awaited;  // bit i: more than i entries are taken, or may be
  logic [Entries+1:0] level;
  logic [Entries-1:0][15:0][7:0] entries_q;
  logic [15:0][7:0] oldest;
  logic moves, arrives, pushed, popped;

  // One entry is free exactly when the pipeline moves.
  assign moves = Entries == 1 ? ~level_q[0] : enable_q[0];
  assign arrives = finished_i & moves;
  assign popped = level_q[0] & ready_i;
  assign pushed = arrives & (level_q[0] | ~ready_i);

  assign enable_o = enable_q[0];
  assign waiting_o = level_q[0];
  assign valid_o = level_q[0] | arrives;
  assign result_o = level_q[0] ? oldest : result_i;

  assign level = {1'b0, level_q, 1'b1};
  for (genvar i = 0; i < Entries; i++) begin : gen_level
    assign level_d[i] = popped ? level[i+2] | (pushed & level[i+1]) : level[i+1] | (pushed & level[i]);
  end

  // Each clock of movement that is already decided may bring another result.
  always_comb begin
    awaited = level_d;
    for (int unsigned i = 1; i < Entries; i++) begin
      if (enable_q[i]) awaited = Entries'({awaited, 1'b1});
    end
  end

  always_comb begin
    oldest = '0;
    for (int unsigned i = 0; i < Entries; i++) begin
      if (read_q[i]) oldest |= entries_q[i];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      enable_q <= '1;
      level_q <= '0;
      write_q <= Entries'(1);
      read_q <= Entries'(1);
    end else begin
      enable_q <= Entries'({~awaited[Entries-1], enable_q} >> 1);
      level_q <= level_d;
      if (pushed) write_q <= Entries'({write_q, write_q[Entries-1]});
      if (popped) read_q <= Entries'({read_q, read_q[Entries-1]});
    end
  end

  // The entry to be written next is free while the pipeline moves: what it holds counts from when it is pushed.
  for (genvar i = 0; i < Entries; i++) begin : gen_entry
    always_ff @(posedge clk_i) begin
      if (enable_q[0] & (Entries == 1 ? finished_i : write_q[i])) entries_q[i] <= result_i;
    end
  end
endmodule
