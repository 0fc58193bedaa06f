// The places along a ring of items, and how many items stand before each of the three that walk along it
// (aesmith_message_ring).
module aesmith_ring_walk #(
  parameter int unsigned Entries = 4,
  localparam int unsigned PlaceBits = $clog2(Entries)
) (
  input  logic clk_i,
  input  logic rst_ni,

  // One more item is on its way to be put.
  input  logic coming_i,
  input  logic put_i,
  input  logic send_next_i,
  input  logic hash_next_i,
  input  logic read_next_i,

  // The place of the next item to be put, and of those to send, to hash, to read, and behind that.
  output logic [PlaceBits-1:0] write_place_o,
  output logic [PlaceBits-1:0] send_place_o,
  output logic [PlaceBits-1:0] hash_place_o,
  output logic [PlaceBits-1:0] read_place_o,
  output logic [PlaceBits-1:0] behind_place_o,

  output logic room_o,
  output logic empty_o,
  // There is an item to send, and it has been taken to be hashed; there is one to hash; the one to read has been passed by
  // both; there is one behind it.
  output logic send_valid_o,
  output logic send_hashed_o,
  output logic hash_valid_o,
  output logic passed_o,
  output logic behind_valid_o
);
  localparam int unsigned CountBits = $clog2(Entries + 1);

  logic [PlaceBits-1:0] write_q, send_q, hash_q, read_q;
  // Items that were put, and not yet sent, hashed, read.
  logic [CountBits-1:0] unsent_q, unhashed_q, unread_q;

  function automatic logic [PlaceBits-1:0] after(input logic [PlaceBits-1:0] place);
    return place == PlaceBits'(Entries - 1) ? '0 : place + 1'b1;
  endfunction

  function automatic logic [CountBits-1:0] counted(input logic [CountBits-1:0] count, input logic more, input logic less);
    return count + CountBits'(more) - CountBits'(less);
  endfunction

  assign write_place_o  = write_q;
  assign send_place_o   = send_q;
  assign hash_place_o   = hash_q;
  assign read_place_o   = read_q;
  assign behind_place_o = after(read_q);

  assign room_o         = unread_q < (coming_i ? CountBits'(Entries - 1) : CountBits'(Entries));
  assign empty_o        = unread_q == '0;
  assign send_valid_o   = unsent_q != '0;
  assign send_hashed_o  = unsent_q > unhashed_q;
  assign hash_valid_o   = unhashed_q != '0;
  assign passed_o       = unread_q > unsent_q & unread_q > unhashed_q;
  assign behind_valid_o = unread_q > CountBits'(1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q    <= '0;
      send_q     <= '0;
      hash_q     <= '0;
      read_q     <= '0;
      unsent_q   <= '0;
      unhashed_q <= '0;
      unread_q   <= '0;
    end else begin
      if (put_i) write_q <= after(write_q);
      if (send_next_i) send_q <= after(send_q);
      if (hash_next_i) hash_q <= after(hash_q);
      if (read_next_i) read_q <= after(read_q);
      unsent_q   <= counted(unsent_q, put_i, send_next_i);
      unhashed_q <= counted(unhashed_q, put_i, hash_next_i);
      unread_q   <= counted(unread_q, put_i, read_next_i);
    end
  end
endmodule
