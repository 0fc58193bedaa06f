// The item that is read of a ring (aesmith_message_ring), in a register: what becomes of it is decided from registers alone,
// a clock later. Of the item behind it that there is one, and whether it is a tag, is known a clock after it was put.
module aesmith_ring_reader (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic ring_empty_i,
  input  logic read_valid_i,
  output logic read_next_o,
  input  logic [2:0] read_kind_i,
  input  logic [15:0] read_keep_i,
  input  logic read_last_i,
  input  logic read_decrypt_i,
  input  logic [127:0] read_text_i,
  input  logic behind_valid_i,
  input  logic [2:0] behind_kind_i,

  output logic empty_o,
  output logic item_valid_o,
  input  logic item_next_i,
  output logic [2:0] item_kind_o,
  output logic [15:0] item_keep_o,
  output logic item_last_o,
  output logic item_decrypt_o,
  output logic [127:0] item_text_o,
  output logic behind_valid_o,
  output logic behind_tag_o
);
  localparam logic [2:0] Tag = 3'd3;

  logic ready;
  aesmith_output_register #(
    .Width(3 + 16 + 1 + 1 + 128)
  ) u_item (
    .clk_i,
    .rst_ni,
    .valid_i(read_valid_i),
    .ready_o(ready),
    .data_i ({read_kind_i, read_keep_i, read_last_i, read_decrypt_i, read_text_i}),
    .valid_o(item_valid_o),
    .ready_i(item_next_i),
    .data_o ({item_kind_o, item_keep_o, item_last_o, item_decrypt_o, item_text_o})
  );

  logic behind_valid_q, behind_tag_q;
  assign read_next_o    = read_valid_i & ready;
  assign empty_o        = ring_empty_i & ~item_valid_o;
  assign behind_valid_o = behind_valid_q;
  assign behind_tag_o   = behind_tag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) behind_valid_q <= 1'b0;
    else behind_valid_q <= read_next_o ? behind_valid_i : ~ring_empty_i;
  end
  always_ff @(posedge clk_i) behind_tag_q <= (read_next_o ? behind_kind_i : read_kind_i) == Tag;
endmodule
