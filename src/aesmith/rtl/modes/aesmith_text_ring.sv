// Where text waits for its key stream, and the sum for the receiver. A beat has its place from when it comes until it
// leaves, so who puts a beat only where there is room has room for its result, too: the results never wait.
//
//        put ─▶ [ text, keep, last, error ] ─▶ out, when the key stream has been added
//                        ▲
//   key stream, place ───┘
//
// A beat that is `done` when it is put waits for nothing. Bytes that do not count are 0 at the output, and all are while
// nothing is offered; the text of a beat with `error` is the code, which has a port of its own. A beat has `Lanes` blocks,
// whose key stream comes at once.
module aesmith_text_ring #(
  parameter int unsigned Entries = 2,
  parameter int unsigned Lanes = 1,
  localparam int unsigned PlaceBits = $clog2(Entries)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic put_i,
  output logic room_o,
  output logic [PlaceBits-1:0] place_o,
  input  logic [128*Lanes-1:0] text_i,
  input  logic [16*Lanes-1:0] keep_i,
  input  logic last_i,
  input  logic error_i,
  input  logic done_i,

  input  logic add_i,
  input  logic [PlaceBits-1:0] add_place_i,
  input  logic [128*Lanes-1:0] add_stream_i,

  output logic valid_o,
  input  logic ready_i,
  output logic [128*Lanes-1:0] text_o,
  output logic [16*Lanes-1:0] keep_o,
  output logic last_o,
  output logic error_o,
  output logic [3:0] code_o
);
  localparam int unsigned CountBits = $clog2(Entries + 1);

  logic [Entries-1:0][128*Lanes-1:0] text_q;
  logic [Entries-1:0][16*Lanes-1:0] keep_q;
  logic [Entries-1:0] last_q, error_q, done_q;
  logic [PlaceBits-1:0] read_q, write_q;
  logic [CountBits-1:0] count_q;
  logic got;

  function automatic logic [PlaceBits-1:0] after(input logic [PlaceBits-1:0] place);
    return place == PlaceBits'(Entries - 1) ? '0 : place + 1'b1;
  endfunction

  assign room_o  = count_q != CountBits'(Entries);
  assign place_o = write_q;
  assign valid_o = count_q != '0 & done_q[read_q];
  assign got     = valid_o & ready_i;

  assign keep_o  = keep_q[read_q] & {16 * Lanes{valid_o}};
  assign last_o  = last_q[read_q] & valid_o;
  assign error_o = error_q[read_q] & valid_o;
  assign code_o  = text_q[read_q][3:0];
  for (genvar place = 0; place < 16 * Lanes; place++) begin : gen_byte
    assign text_o[8*place+:8] = text_q[read_q][8*place+:8] & {8{keep_o[place]}};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q  <= '0;
      write_q <= '0;
      count_q <= '0;
    end else begin
      if (got) read_q <= after(read_q);
      if (put_i) write_q <= after(write_q);
      if (put_i & ~got) count_q <= count_q + 1'b1;
      if (got & ~put_i) count_q <= count_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned place = 0; place < Entries; place++) begin
      if (put_i & write_q == PlaceBits'(place)) begin
        text_q[place]  <= text_i;
        keep_q[place]  <= keep_i;
        last_q[place]  <= last_i;
        error_q[place] <= error_i;
        done_q[place]  <= done_i;
      end else if (add_i & add_place_i == PlaceBits'(place)) begin
        text_q[place] <= text_q[place] ^ add_stream_i;
        done_q[place] <= 1'b1;
      end
    end
  end
endmodule
