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

  // `coming`: one more is on its way to be put, for which there is room.
  input  logic coming_i,
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
  localparam logic [2:0] Text = 3'd2, Start = 3'd4, StartIv = 3'd5;

  logic [Entries-1:0][127:0] text_q;
  logic [Entries-1:0][15:0] keep_q;
  logic [Entries-1:0][2:0] kind_q;
  logic [Entries-1:0] last_q, decrypt_q, done_q;
  logic [PlaceBits-1:0] write_place, hash_place, read_place, behind_place;
  logic passed;

  aesmith_ring_walk #(
    .Entries(Entries)
  ) u_walk (
    .clk_i,
    .rst_ni,
    .coming_i,
    .put_i,
    .send_next_i,
    .hash_next_i,
    .read_next_i,
    .write_place_o (write_place),
    .send_place_o,
    .hash_place_o  (hash_place),
    .read_place_o  (read_place),
    .behind_place_o(behind_place),
    .room_o,
    .empty_o,
    .send_valid_o,
    .send_hashed_o,
    .hash_valid_o,
    .passed_o      (passed),
    .behind_valid_o
  );

  assign send_kind_o    = kind_q[send_place_o];
  assign send_keep_o    = keep_q[send_place_o][0];
  assign send_decrypt_o = decrypt_q[send_place_o];
  assign send_text_o    = text_q[send_place_o];

  assign hash_done_o    = done_q[hash_place];
  assign hash_kind_o    = kind_q[hash_place];
  assign hash_keep_o    = keep_q[hash_place];
  assign hash_last_o    = last_q[hash_place];
  assign hash_decrypt_o = decrypt_q[hash_place];
  assign hash_text_o    = text_q[hash_place];

  assign read_valid_o   = passed & done_q[read_place];
  assign read_kind_o    = kind_q[read_place];
  assign read_keep_o    = keep_q[read_place];
  assign read_last_o    = last_q[read_place];
  assign read_decrypt_o = decrypt_q[read_place];
  assign read_text_o    = text_q[read_place];
  assign behind_kind_o  = kind_q[behind_place];

  logic has_stream;
  assign has_stream = kind_i == Start | kind_i == StartIv | (kind_i == Text & keep_i[0]);

  always_ff @(posedge clk_i) begin
    for (int unsigned place = 0; place < Entries; place++) begin
      if (put_i & write_place == PlaceBits'(place)) begin
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
