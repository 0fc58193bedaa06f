// What the receiver gets of slots of several lanes (aesmith_lane_slots), in order: text, and behind it the tag where it was
// made, from lane 0 on, wherever text began in its slot; where a tag was compared, the last beat says that it failed.
//
//   slot that comes   [ 4 5 6 T ]        [ 2 3 ]
//   slot that is held [ h h 0 1 ] ─▶     [ h h 0 1 ]  ─▶  beat [ 0 1 2 3 ], of both
//
// So a beat leaves when the slot behind its first lane is there, or at once where nothing of that can be in it. Text behind
// which something was found wrong leaves in a beat that may not be full. The comparison takes one clock, whatever is
// compared. Unused bytes are 0.
module aesmith_lane_release #(
  parameter int unsigned Lanes = 2
) (
  input  logic clk_i,
  input  logic rst_ni,

  // In the lane of a tag is the tag that was made, or what it differs by from the one that came.
  input  logic slot_valid_i,
  output logic slot_next_o,
  input  logic slot_wrong_i,
  input  logic slot_first_i,
  input  logic slot_last_i,
  input  logic slot_decrypt_i,
  input  logic [Lanes-1:0] slot_header_i,
  input  logic [Lanes-1:0] slot_text_i,
  input  logic [Lanes-1:0] slot_tag_i,
  input  logic [Lanes-1:0][15:0] slot_keep_i,
  input  logic [Lanes-1:0][127:0] slot_data_i,

  output logic valid_o,
  input  logic ready_i,
  output logic [Lanes-1:0][127:0] text_o,
  output logic [Lanes-1:0][15:0] keep_o,
  // Kinds of the lanes (2 text, 3 tag); the tag was wrong; the message was; its code.
  output logic [Lanes-1:0][1:0] kind_o,
  output logic last_o,
  output logic failed_o,
  output logic error_o,
  output logic [3:0] code_o
);
  localparam int unsigned LaneBits = $clog2(Lanes);

  // What of the slot is shown, and whether its tag is wrong.
  logic [Lanes-1:0] shown;
  logic failed;
  assign shown = slot_text_i | (slot_tag_i & {Lanes{~slot_decrypt_i}});
  always_comb begin
    failed = 1'b0;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      for (int unsigned place = 0; place < 16; place++) begin
        failed |= |slot_data_i[lane][8*place+:8] & slot_keep_i[lane][place] & slot_tag_i[lane] & slot_decrypt_i;
      end
    end
  end

  // The slot that is held, and the lane of it in which beats begin: that of the first block behind the header.
  logic held_q, wrong_q, last_q, decrypt_q, failed_q, ended_q;
  logic [LaneBits-1:0] begins_q, begins;
  logic [Lanes-1:0] shown_q, tag_q;
  logic [Lanes-1:0][15:0] keep_q;
  logic [Lanes-1:0][127:0] data_q;
  always_comb begin
    begins = begins_q;
    if (slot_first_i | slot_header_i != '0) begins = '0;
    for (int unsigned lane = 0; lane < Lanes - 1; lane++) begin
      if (slot_header_i[lane] & ~slot_header_i[Lanes-1]) begins = LaneBits'(lane + 1);
    end
  end

  // Both, side by side: of the one that comes nothing counts behind the end of a message.
  logic [2*Lanes-1:0] both_shown, both_tag;
  logic [2*Lanes-1:0][15:0] both_keep;
  logic [2*Lanes-1:0][127:0] both_data;
  logic beyond_held, beyond_both, known, shows, done;
  assign both_shown = {shown & {Lanes{slot_valid_i & ~last_q}}, shown_q};
  assign both_tag   = {slot_tag_i, tag_q};
  assign both_keep  = {slot_keep_i, keep_q};
  assign both_data  = {slot_data_i, data_q};

  logic [Lanes-1:0] out_shown, out_tag;
  logic [Lanes-1:0][15:0] out_keep;
  logic [Lanes-1:0][127:0] out_data;
  always_comb begin
    {out_shown, out_tag, out_keep, out_data} = '0;
    for (int unsigned from = 0; from < Lanes; from++) begin
      if (begins_q == LaneBits'(from)) begin
        out_shown = both_shown[from+:Lanes];
        out_tag   = both_tag[from+:Lanes];
        out_keep  = both_keep[from+:Lanes];
        out_data  = both_data[from+:Lanes];
      end
    end
  end

  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    assign keep_o[lane] = out_keep[lane] & {16{valid_o & out_shown[lane]}};
    assign kind_o[lane] = {1'b1, out_tag[lane] & out_shown[lane]};
    for (genvar place = 0; place < 16; place++) begin : gen_byte
      assign text_o[lane][8*place+:8] = out_data[lane][8*place+:8] & {8{keep_o[lane][place]}};
    end
  end

  // Something is left of the slot that is held, and of the one that comes when this beat has left.
  assign beyond_held = (shown_q >> begins_q) != '0;
  assign beyond_both = (shown >> begins_q) != '0;

  assign known   = last_q | slot_valid_i | (begins_q == '0 & ~decrypt_q);
  assign shows   = last_q ? beyond_held | ~ended_q : beyond_held;
  assign valid_o = held_q & known & shows;
  assign done    = held_q & known & (~shows | ready_i);
  assign slot_next_o = slot_valid_i & (~held_q | done);

  assign last_o   = last_q | (slot_valid_i & slot_last_i & ~slot_wrong_i & ~beyond_both);
  assign failed_o = last_o & (last_q ? failed_q : failed);
  assign error_o  = wrong_q;
  assign code_o   = data_q[0][3:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q  <= 1'b0;
      ended_q <= 1'b0;
    end else begin
      held_q <= slot_next_o | (held_q & ~done);
      if (done) ended_q <= ~last_q & shows & last_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (slot_next_o) begin
      begins_q  <= begins;
      wrong_q   <= slot_wrong_i;
      last_q    <= slot_last_i;
      decrypt_q <= slot_decrypt_i;
      failed_q  <= failed;
      shown_q   <= shown;
      tag_q     <= slot_tag_i;
      keep_q    <= slot_keep_i;
      data_q    <= slot_data_i;
    end
  end
endmodule
