// What leaves an engine, in order, and what must not leave yet: beats are put behind one another, and the receiver sees
// those up to the last `commit`. `drop` takes back what was put since; a beat that is put in that clock comes in its place.
//
//   put ─▶ [ text, keep, tag, last, failed, error ] … committed │ held ─▶ commit, or drop
//                                      └─▶ out
//
// A commit counts the beat that is put in its clock, unless it is to `hold`; `end` makes the beat put last the last of its
// message, and says whether that one failed. Bytes that do not count are 0 at the output, and all are while nothing is
// offered; the text of a beat with `error` is the code, which has a port of its own.
module aesmith_release_buffer #(
  parameter int unsigned Entries = 2,
  // A beat may be held behind a commit, and what ends then may have failed.
  parameter bit Holds = 1'b0
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic put_i,
  input  logic commit_i,
  input  logic hold_i,
  input  logic drop_i,
  input  logic end_i,
  // There is room for a beat.
  output logic room_o,
  // Beats that have a place.
  output logic [$clog2(Entries+1)-1:0] count_o,
  input  logic [127:0] text_i,
  input  logic [15:0] keep_i,
  input  logic tag_i,
  input  logic last_i,
  input  logic failed_i,
  input  logic error_i,

  output logic valid_o,
  input  logic ready_i,
  output logic [127:0] text_o,
  output logic [15:0] keep_o,
  output logic tag_o,
  output logic last_o,
  output logic failed_o,
  output logic error_o,
  output logic [3:0] code_o
);
  localparam int unsigned PlaceBits = $clog2(Entries);
  localparam int unsigned CountBits = $clog2(Entries + 1);

  logic [Entries-1:0][127:0] text_q;
  logic [Entries-1:0][15:0] keep_q;
  logic [Entries-1:0] tag_q, last_q, failed_q, error_q;
  // Where the next beat is put, where what is held begins, what is read.
  logic [PlaceBits-1:0] write_q, held_q, read_q, write, ended_q;
  // Beats that may be read; and with those that are held.
  logic [CountBits-1:0] open_q, count_q, count;
  logic got, holds;

  function automatic logic [PlaceBits-1:0] after(input logic [PlaceBits-1:0] place);
    return place == PlaceBits'(Entries - 1) ? '0 : place + 1'b1;
  endfunction

  assign room_o  = count_q != CountBits'(Entries);
  assign count_o = count_q;
  assign valid_o = open_q != '0;
  assign got     = valid_o & ready_i;
  assign holds   = Holds & put_i & hold_i;
  assign write   = drop_i ? held_q : write_q;
  assign count   = (drop_i ? open_q : count_q) + CountBits'(put_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      held_q  <= '0;
      read_q  <= '0;
      open_q  <= '0;
      count_q <= '0;
    end else begin
      if (got) read_q <= after(read_q);
      write_q <= put_i ? after(write) : write;
      if (commit_i) held_q <= put_i & ~holds ? after(write) : write;
      count_q <= count - CountBits'(got);
      open_q  <= (commit_i ? count - CountBits'(holds) : open_q) - CountBits'(got);
    end
  end

  always_ff @(posedge clk_i) begin
    if (put_i) ended_q <= write;
    for (int unsigned place = 0; place < Entries; place++) begin
      if (put_i & write == PlaceBits'(place)) begin
        text_q[place]   <= text_i;
        keep_q[place]   <= keep_i;
        tag_q[place]    <= tag_i;
        last_q[place]   <= last_i;
        failed_q[place] <= failed_i;
        error_q[place]  <= error_i;
      end else if (end_i & ended_q == PlaceBits'(place)) begin
        last_q[place] <= 1'b1;
        if (Holds) failed_q[place] <= failed_i;
      end
    end
  end

  assign keep_o   = keep_q[read_q] & {16{valid_o}};
  assign tag_o    = tag_q[read_q] & valid_o;
  assign last_o   = last_q[read_q] & valid_o;
  assign failed_o = failed_q[read_q] & valid_o;
  assign error_o  = error_q[read_q] & valid_o;
  assign code_o   = text_q[read_q][3:0];
  for (genvar place = 0; place < 16; place++) begin : gen_byte
    assign text_o[8*place+:8] = text_q[read_q][8*place+:8] & {8{keep_o[place]}};
  end
endmodule
