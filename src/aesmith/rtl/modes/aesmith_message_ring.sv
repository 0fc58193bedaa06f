// The items of messages in their order, and three that walk along them: who sends blocks to the cores, who hashes, and who
// reads for the receiver, the last of all.
//
//   put ─▶ [ kind, keep, last, decrypt, text ] … ─▶ send, hash ─▶ read, when it is done and both have passed
//                                        ▲
//              stream of a place ────────┘
//
//   kind  0 IV      a block of it
//         1 header  a block
//         2 text    a block, to which its key stream is added; with keep 0 a message without text
//         3 tag     that a message to decrypt is compared with
//         4 start   of a message: its first counter block, in whose place comes its stream; keep: bytes of its tag
//         5 start   the same, but the counter block is yet to be made of the IV, whose blocks stand before it
//         6 error   ends a message; the code is its text
//
// An item has its place from when it is put until it is read, so the results of the cores never wait.
module aesmith_message_ring #(
  parameter int unsigned Entries = 4,
  localparam int unsigned PlaceBits = $clog2(Entries)
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic put_i,
  output logic room_o,
  output logic empty_o,
  input  logic [2:0] kind_i,
  input  logic [15:0] keep_i,
  input  logic last_i,
  input  logic decrypt_i,
  input  logic [127:0] text_i,

  // The item to send; `hashed`: it has been taken to be hashed.
  output logic send_valid_o,
  input  logic send_next_i,
  output logic send_hashed_o,
  output logic [PlaceBits-1:0] send_place_o,
  output logic [2:0] send_kind_o,
  output logic send_keep_o,
  output logic send_decrypt_o,
  output logic [127:0] send_text_o,

  // The item to hash; `done`: its stream has been added, or it has none.
  output logic hash_valid_o,
  input  logic hash_next_i,
  output logic hash_done_o,
  output logic [2:0] hash_kind_o,
  output logic [15:0] hash_keep_o,
  output logic hash_last_o,
  output logic hash_decrypt_o,
  output logic [127:0] hash_text_o,

  output logic read_valid_o,
  input  logic read_next_i,
  output logic [2:0] read_kind_o,
  output logic [15:0] read_keep_o,
  output logic read_last_o,
  output logic read_decrypt_o,
  output logic [127:0] read_text_o,
  // Of the item behind it: that there is one, and its kind.
  output logic behind_valid_o,
  output logic [2:0] behind_kind_o,

  input  logic add_i,
  input  logic [PlaceBits-1:0] add_place_i,
  input  logic [127:0] add_stream_i
);
  localparam int unsigned CountBits = $clog2(Entries + 1);
  localparam logic [2:0] Text = 3'd2, Start = 3'd4, StartIv = 3'd5;

  logic [Entries-1:0][127:0] text_q;
  logic [Entries-1:0][15:0] keep_q;
  logic [Entries-1:0][2:0] kind_q;
  logic [Entries-1:0] last_q, decrypt_q, done_q;
  logic [PlaceBits-1:0] write_q, send_q, hash_q, read_q;
  // Items that were put, and not yet sent, hashed, read.
  logic [CountBits-1:0] unsent_q, unhashed_q, unread_q;

  function automatic logic [PlaceBits-1:0] after(input logic [PlaceBits-1:0] place);
    return place == PlaceBits'(Entries - 1) ? '0 : place + 1'b1;
  endfunction

  function automatic logic [CountBits-1:0] counted(input logic [CountBits-1:0] count, input logic more, input logic less);
    return count + CountBits'(more) - CountBits'(less);
  endfunction

  assign room_o  = unread_q != CountBits'(Entries);
  assign empty_o = unread_q == '0;

  assign send_valid_o   = unsent_q != '0;
  assign send_hashed_o  = unsent_q > unhashed_q;
  assign send_place_o   = send_q;
  assign send_kind_o    = kind_q[send_q];
  assign send_keep_o    = keep_q[send_q][0];
  assign send_decrypt_o = decrypt_q[send_q];
  assign send_text_o    = text_q[send_q];

  assign hash_valid_o   = unhashed_q != '0;
  assign hash_done_o    = done_q[hash_q];
  assign hash_kind_o    = kind_q[hash_q];
  assign hash_keep_o    = keep_q[hash_q];
  assign hash_last_o    = last_q[hash_q];
  assign hash_decrypt_o = decrypt_q[hash_q];
  assign hash_text_o    = text_q[hash_q];

  assign read_valid_o   = unread_q > unsent_q & unread_q > unhashed_q & done_q[read_q];
  assign read_kind_o    = kind_q[read_q];
  assign read_keep_o    = keep_q[read_q];
  assign read_last_o    = last_q[read_q];
  assign read_decrypt_o = decrypt_q[read_q];
  assign read_text_o    = text_q[read_q];
  assign behind_valid_o = unread_q > CountBits'(1);
  assign behind_kind_o  = kind_q[after(read_q)];

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

  logic has_stream;
  assign has_stream = kind_i == Start | kind_i == StartIv | (kind_i == Text & keep_i[0]);

  always_ff @(posedge clk_i) begin
    for (int unsigned place = 0; place < Entries; place++) begin
      if (put_i & write_q == PlaceBits'(place)) begin
        text_q[place]    <= text_i;
        keep_q[place]    <= keep_i;
        kind_q[place]    <= kind_i;
        last_q[place]    <= last_i;
        decrypt_q[place] <= decrypt_i;
        done_q[place]    <= ~has_stream;
      end else if (add_i & add_place_i == PlaceBits'(place)) begin
        text_q[place] <= (text_q[place] & {128{kind_q[place] == Text}}) ^ add_stream_i;
        done_q[place] <= 1'b1;
      end
    end
  end
endmodule
