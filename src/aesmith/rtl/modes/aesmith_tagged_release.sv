// What the receiver gets of messages with a tag (aesmith_message_ring), in order: text, and behind it the tag where it was
// made; where it was compared, the last beat says that it failed.
//
// With `Verified` no byte of a decrypted message is shown before its tag was found to be right: if it is wrong all that is
// shown is a beat without bytes. Without it text leaves at once, and only its last beat waits. The comparison takes one
// clock, whatever is compared. All outputs are 0 while nothing is offered.
module aesmith_tagged_release #(
  parameter bit Verified = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic item_valid_i,
  output logic item_next_o,
  input  logic [2:0] item_kind_i,
  input  logic [15:0] item_keep_i,
  input  logic item_last_i,
  input  logic item_decrypt_i,
  input  logic [127:0] item_text_i,
  // Of the item behind it: that there is one, and that it is a tag.
  input  logic behind_valid_i,
  input  logic behind_tag_i,

  // The hash, with the tag to compare with added; or that the message is given up.
  input  logic hash_valid_i,
  output logic hash_ready_o,
  input  logic [127:0] hash_i,
  input  logic given_up_i,

  // A message has begun, or its tag has not been shown yet.
  output logic busy_o,

  output logic valid_o,
  input  logic ready_i,
  output logic [127:0] text_o,
  output logic [15:0] keep_o,
  // Kind of the bytes (2 text, 3 tag); the tag was wrong; the message was; its code.
  output logic [1:0] kind_o,
  output logic last_o,
  output logic failed_o,
  output logic error_o,
  output logic [3:0] code_o
);
  localparam logic [2:0] Text = 3'd2, Tag = 3'd3, Start = 3'd4, StartIv = 3'd5, Error = 3'd6;

  logic [127:0] mask_q, tag;
  logic [15:0] tag_keep_q;
  logic decrypt_q, open_q, judged_q, failed_q, given_up_q, ended_q, shown_q;
  logic is_start, is_text, final_text, judge, hidden, shows_text, shows_tag, shows_end, shows_error, moves;

  assign tag = hash_i ^ mask_q;

  assign is_start = item_kind_i == Start | item_kind_i == StartIv;
  assign is_text  = item_kind_i == Text & item_keep_i[0];

  // A message to decrypt is judged once, when its hash is there.
  assign judge  = open_q & decrypt_q & ~judged_q & hash_valid_i;
  assign hidden = Verified & decrypt_q & (failed_q | given_up_q);

  // Its last beat of text is the one before the tag, and says what became of it.
  assign final_text  = decrypt_q & behind_tag_i;
  assign shows_text  = item_valid_i & is_text & ~ended_q & ~hidden &
                       (~decrypt_q | (Verified ? judged_q : behind_valid_i & (judged_q | ~final_text)));
  assign shows_tag   = ended_q & hash_valid_i;
  assign shows_end   = item_valid_i & item_kind_i == Tag & judged_q & ~shown_q;
  assign shows_error = item_valid_i & item_kind_i == Error & ~ended_q & (judged_q | ~open_q | ~decrypt_q);

  assign valid_o  = shows_text | shows_tag | shows_end | shows_error;
  assign last_o   = shows_tag | shows_end | shows_error | (shows_text & final_text);
  assign failed_o = ((shows_text & final_text) | shows_end) & failed_q;
  assign error_o  = shows_error;
  assign code_o   = item_text_i[3:0];
  assign kind_o   = {valid_o, shows_tag};
  assign keep_o   = (item_keep_i & {16{shows_text}}) | (tag_keep_q & {16{shows_tag}});
  for (genvar place = 0; place < 16; place++) begin : gen_byte
    assign text_o[8*place+:8] = (shows_tag ? tag[8*place+:8] : item_text_i[8*place+:8]) & {8{keep_o[place]}};
  end

  // What shows nothing is passed: in a message to decrypt text that is hidden, once it is known that it is. While a tag is
  // taken, so is the start behind it.
  always_comb begin
    moves = 1'b0;
    if (item_valid_i & (~ended_q | (is_start & shows_tag & ready_i))) begin
      unique case (item_kind_i)
        Text:    moves = is_text ? (shows_text ? ready_i : hidden & judged_q) : 1'b1;
        Tag:     moves = judged_q & (shown_q | ready_i);
        Error:   moves = shows_error & ready_i;
        default: moves = 1'b1;
      endcase
    end
  end
  assign busy_o       = open_q | ended_q;
  assign item_next_o  = moves;
  assign hash_ready_o = (shows_tag & ready_i) | judge;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q   <= 1'b0;
      judged_q <= 1'b0;
      ended_q  <= 1'b0;
    end else begin
      if (judge) judged_q <= 1'b1;
      if (moves & is_start) begin
        open_q   <= 1'b1;
        judged_q <= 1'b0;
      end
      if (moves & item_last_i & ~is_start) begin
        open_q   <= 1'b0;
        judged_q <= 1'b0;
      end
      if (moves & item_last_i & ~is_start & ~decrypt_q & item_kind_i != Error) ended_q <= 1'b1;
      else if (shows_tag & ready_i) ended_q <= 1'b0;
    end
  end

  function automatic logic wrong(input logic [127:0] difference, input logic [15:0] keep);
    wrong = 1'b0;
    for (int unsigned place = 0; place < 16; place++) wrong |= |difference[8*place+:8] & keep[place];
  endfunction

  always_ff @(posedge clk_i) begin
    if (judge) begin
      failed_q   <= wrong(tag, tag_keep_q) & ~given_up_i;
      given_up_q <= given_up_i;
    end
    if (moves & is_start) begin
      mask_q     <= item_text_i;
      tag_keep_q <= item_keep_i;
      decrypt_q  <= item_decrypt_i;
      failed_q   <= 1'b0;
      given_up_q <= 1'b0;
      shown_q    <= 1'b0;
    end
    if (shows_text & ready_i & final_text) shown_q <= 1'b1;
  end
endmodule
