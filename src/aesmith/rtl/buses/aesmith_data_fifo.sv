// Room for words between registers and engine: a block goes in while the one before it is computed.
//
//   registers ─▶ words ─▶ engine      Flush = 0   a clear empties their data, and they go on: the engine drops them
//   engine ─▶ words ─▶ registers      Flush = 1   a clear takes them away
//
// Ready and valid are functions of the count alone.
module aesmith_data_fifo #(
  parameter int unsigned Entries = 4,
  parameter int unsigned ControlBits = 7,
  parameter bit Flush = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,

  input  logic valid_i,
  output logic ready_o,
  input  logic [31:0] data_i,
  input  logic [ControlBits-1:0] control_i,

  output logic valid_o,
  input  logic ready_i,
  output logic [31:0] data_o,
  output logic [ControlBits-1:0] control_o
);
  localparam int unsigned PlaceBits = $clog2(Entries);
  localparam int unsigned CountBits = $clog2(Entries + 1);

  if (Entries < 2 || 2 ** PlaceBits != Entries) begin : gen_check
    $error("Entries must be a power of two from 2 on");
  end

  logic [Entries-1:0][31:0] data_q;
  logic [Entries-1:0][ControlBits-1:0] control_q;
  logic [PlaceBits-1:0] read_q, write_q;
  logic [CountBits-1:0] count_q;
  logic put, got, flush;

  assign flush     = Flush & clear_i;
  assign ready_o   = count_q != CountBits'(Entries);
  assign valid_o   = count_q != '0;
  assign data_o    = data_q[read_q] & {32{valid_o}};
  assign control_o = control_q[read_q] & {ControlBits{valid_o}};
  assign put       = valid_i & ready_o;
  assign got       = valid_o & ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q  <= '0;
      write_q <= '0;
      count_q <= '0;
    end else if (flush) begin
      read_q  <= '0;
      write_q <= '0;
      count_q <= '0;
    end else begin
      if (got) read_q <= read_q + 1'b1;
      if (put) write_q <= write_q + 1'b1;
      if (put & ~got) count_q <= count_q + 1'b1;
      if (got & ~put) count_q <= count_q - 1'b1;
    end
  end
  for (genvar place = 0; place < Entries; place++) begin : gen_entry
    logic here;
    assign here = put & write_q == PlaceBits'(place);
    always_ff @(posedge clk_i) begin
      if (here | clear_i) data_q[place] <= data_i & {32{~clear_i}};
      if (here | flush) control_q[place] <= control_i & {ControlBits{~flush}};
    end
  end
endmodule
