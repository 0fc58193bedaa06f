// A queue of registers. Ready and valid are functions of the count alone, so no path leads from one side to the other;
// with two entries it carries a transfer in every clock.
module aesmith_stream_fifo #(
  parameter int unsigned Width = 1,
  parameter int unsigned Entries = 2
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic valid_i,
  output logic ready_o,
  input  logic [Width-1:0] data_i,

  output logic valid_o,
  input  logic ready_i,
  output logic [Width-1:0] data_o
);
  localparam int unsigned PlaceBits = Entries > 1 ? $clog2(Entries) : 1;
  localparam int unsigned CountBits = $clog2(Entries + 1);

  logic [Entries-1:0][Width-1:0] entries_q;
  logic [PlaceBits-1:0] read_q, write_q;
  logic [CountBits-1:0] count_q;
  logic put, got;

  assign ready_o = count_q != CountBits'(Entries);
  assign valid_o = count_q != '0;
  assign data_o  = entries_q[read_q];
  assign put = valid_i & ready_o;
  assign got = valid_o & ready_i;

  function automatic logic [PlaceBits-1:0] after(input logic [PlaceBits-1:0] place);
    return place == PlaceBits'(Entries - 1) ? '0 : place + 1'b1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q  <= '0;
      write_q <= '0;
      count_q <= '0;
    end else begin
      if (got) read_q <= after(read_q);
      if (put) write_q <= after(write_q);
      if (put & ~got) count_q <= count_q + 1'b1;
      if (got & ~put) count_q <= count_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) if (put) entries_q[write_q] <= data_i;
endmodule
