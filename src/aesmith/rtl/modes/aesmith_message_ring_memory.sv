// The items of messages in their order, as aesmith_message_ring, with the same ports and in the same clocks, in memories that
// are written at a clock and read at once: the look-up tables of an FPGA.
//
//   put ─▶ item memory ───┬─▶ send
//                         ├─▶ hash: text + stream
//   add ─▶ stream memory ─┴─▶ read: text + stream
//
// A memory is written in one place a clock. So the stream of an item, which comes when another item is put, has a memory of
// its own, and is added to the text whenever that is read.
module aesmith_message_ring_memory #(
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

  typedef struct packed {
    logic [2:0] kind;
    logic [15:0] keep;
    logic last;
    logic decrypt;
    logic [127:0] text;
  } item_t;

  (* ram_style = "distributed" *) item_t items[Entries];
  (* ram_style = "distributed" *) logic [127:0] streams[Entries];
  (* ram_style = "distributed" *) logic [2:0] kinds[Entries];
  // The stream of an item has come; a place that was read is told a clock later that its next one has not.
  logic [Entries-1:0] came_q;
  logic was_read_q;
  logic [PlaceBits-1:0] was_place_q;
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

  function automatic logic has_stream(input logic [2:0] kind, input logic keep);
    return kind == Start | kind == StartIv | (kind == Text & keep);
  endfunction

  // In the place of a start stands its stream, once that has come.
  function automatic logic [127:0] with_stream(input logic [2:0] kind, input logic [127:0] text, input logic came,
                                               input logic [127:0] stream);
    return (text & {128{~came | kind == Text}}) ^ (stream & {128{came}});
  endfunction

  item_t send, hash, read;
  assign send = items[send_place_o];
  assign hash = items[hash_place];
  assign read = items[read_place];

  logic unused_send;
  assign unused_send = ^{send.keep[15:1], send.last};

  assign send_kind_o    = send.kind;
  assign send_keep_o    = send.keep[0];
  assign send_decrypt_o = send.decrypt;
  assign send_text_o    = send.text;

  assign hash_done_o    = came_q[hash_place] | ~has_stream(hash.kind, hash.keep[0]);
  assign hash_kind_o    = hash.kind;
  assign hash_keep_o    = hash.keep;
  assign hash_last_o    = hash.last;
  assign hash_decrypt_o = hash.decrypt;
  assign hash_text_o    = with_stream(hash.kind, hash.text, came_q[hash_place], streams[hash_place]);

  assign read_valid_o   = passed & (came_q[read_place] | ~has_stream(read.kind, read.keep[0]));
  assign read_kind_o    = read.kind;
  assign read_keep_o    = read.keep;
  assign read_last_o    = read.last;
  assign read_decrypt_o = read.decrypt;
  assign read_text_o    = with_stream(read.kind, read.text, came_q[read_place], streams[read_place]);
  assign behind_kind_o  = kinds[behind_place];

  item_t put;
  assign put = '{kind: kind_i, keep: keep_i, last: last_i, decrypt: decrypt_i, text: text_i};
  always_ff @(posedge clk_i) if (put_i) items[write_place] <= put;
  always_ff @(posedge clk_i) if (put_i) kinds[write_place] <= kind_i;
  always_ff @(posedge clk_i) if (add_i) streams[add_place_i] <= add_stream_i;

  always_ff @(posedge clk_i) was_place_q <= read_place;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      was_read_q <= 1'b0;
      came_q     <= '0;
    end else begin
      was_read_q <= read_next_i;
      for (int unsigned place = 0; place < Entries; place++) begin
        if (add_i & add_place_i == PlaceBits'(place)) came_q[place] <= 1'b1;
        else if (was_read_q & was_place_q == PlaceBits'(place)) came_q[place] <= 1'b0;
      end
    end
  end
endmodule
