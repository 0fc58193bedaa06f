// Sends the counter blocks of GCM to the cores, item by item (aesmith_message_ring): of a start its first counter block,
// whose encryption masks the tag, of each block of text the next one (SP 800-38D, section 6.5: inc32). A new key's first
// block is zero: its encryption is the hash key.
//
// Where a message is decrypted, a block of text waits until it has been hashed, for its stream takes the place of the
// ciphertext. Counter blocks have byte 0 in their highest bits, as at the cores.
module aesmith_counter_sender #(
  parameter int unsigned PlaceBits = 2
) (
  input  logic clk_i,
  input  logic rst_ni,

  // A new key is taken; its hash key comes next.
  input  logic key_i,

  input  logic item_valid_i,
  output logic item_next_o,
  input  logic item_hashed_i,
  input  logic [PlaceBits-1:0] item_place_i,
  input  logic [2:0] item_kind_i,
  input  logic item_keep_i,
  input  logic item_decrypt_i,
  input  logic [127:0] item_counter_i,

  // The first counter block of a message whose IV is hashed.
  input  logic hashed_valid_i,
  output logic hashed_ready_o,
  input  logic [127:0] hashed_counter_i,

  output logic valid_o,
  input  logic ready_i,
  output logic [127:0] block_o,
  // In front the mark of the hash key, behind it the place in the ring.
  output logic [PlaceBits:0] label_o
);
  localparam logic [2:0] Text = 3'd2, Start = 3'd4, StartIv = 3'd5;

  logic [127:0] counter_q, counter;
  logic hash_key_q, is_text, has_block, waits;

  assign is_text   = item_kind_i == Text;
  assign has_block = item_kind_i == Start | item_kind_i == StartIv | (is_text & item_keep_i);
  assign waits     = (item_kind_i == StartIv & ~hashed_valid_i) | (is_text & item_decrypt_i & ~item_hashed_i);

  always_comb begin
    counter = counter_q;
    if (item_kind_i == Start) counter = item_counter_i;
    if (item_kind_i == StartIv) counter = hashed_counter_i;
  end

  assign valid_o        = hash_key_q | (item_valid_i & has_block & ~waits);
  assign block_o        = counter & {128{~hash_key_q}};
  assign label_o        = {hash_key_q, item_place_i};
  assign item_next_o    = item_valid_i & ~hash_key_q & ~waits & (ready_i | ~has_block);
  assign hashed_ready_o = item_next_o & item_kind_i == StartIv;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hash_key_q <= 1'b0;
    end else begin
      if (key_i) hash_key_q <= 1'b1;
      else if (ready_i) hash_key_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (item_next_o & has_block) counter_q <= {counter[127:32], counter[31:0] + 32'd1};
  end
endmodule
