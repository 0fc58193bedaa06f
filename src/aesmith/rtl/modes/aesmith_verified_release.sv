// Decrypted text that leaves only after its tag was found right. It waits in a memory outside; the verdict starts its
// release, or is all that leaves.
//
//   held beat ─▶ memory ─▶ after a good verdict, beat by beat, tlast in the last one
//   other beats, bad verdicts, and a good one of a message without text ─▶ as they come
//
// While text is read nothing else passes. The engine refuses text for which `full_o` says that there is no room.
module aesmith_verified_release #(
  parameter int unsigned AddressBits = 10
) (
  input  logic clk_i,
  input  logic rst_ni,

  // The beat belongs to a message to decrypt, whose text waits.
  input  logic hold_i,
  output logic full_o,
  input  logic valid_i,
  output logic ready_o,
  input  logic [127:0] data_i,
  input  logic [15:0] keep_i,
  // [3] error, [2] failed, [1:0] section.
  input  logic [3:0] user_i,
  input  logic last_i,

  output logic valid_o,
  input  logic ready_i,
  output logic [127:0] data_o,
  output logic [15:0] keep_o,
  output logic [3:0] user_o,
  output logic last_o,

  output logic memory_enable_o,
  output logic memory_write_o,
  output logic [AddressBits-1:0] memory_address_o,
  output logic [127:0] memory_data_o,
  input  logic [127:0] memory_data_i
);
  // Beats that wait, the next one to be read, bytes of the last one that is not whole; text leaves.
  logic [AddressBits:0] count_q;
  logic [AddressBits-1:0] next_q;
  logic [3:0] odd_q, odd;
  logic leaves_q;

  // The first beat is read in the clock of the verdict, each other one as the one before leaves.
  logic held, verdict, starts, passes, all_read, reads, ends;
  assign held     = hold_i & valid_i & ~last_i & ~leaves_q;
  assign verdict  = hold_i & valid_i & last_i & ~leaves_q;
  assign starts   = verdict & user_i[3:2] == '0 & count_q != '0;
  assign passes   = valid_i & ~leaves_q & (~hold_i | (verdict & ~starts));
  assign all_read = next_q == count_q[AddressBits-1:0];
  assign reads    = starts | (leaves_q & ready_i & ~all_read);
  assign ends     = leaves_q & ready_i & all_read;
  assign full_o   = count_q[AddressBits] & ~leaves_q;
  assign ready_o  = held | starts | (passes & ready_i);

  assign memory_write_o   = held;
  assign memory_enable_o  = held | reads;
  assign memory_address_o = held ? count_q[AddressBits-1:0] : next_q;
  assign memory_data_o    = data_i;

  logic [15:0] last_keep;
  logic [127:0] shown;
  always_comb begin
    odd = '0;
    last_keep = '1;
    shown = memory_data_i;
    for (int unsigned place = 0; place < 15; place++) odd |= 4'(place + 1) & {4{keep_i[place] & ~keep_i[place+1]}};
    for (int unsigned place = 1; place < 16; place++) last_keep[place] = ~all_read | odd_q == '0 | odd_q > 4'(place);
    for (int unsigned place = 0; place < 16; place++) if (~last_keep[place]) shown[8*place+:8] = '0;
  end

  assign valid_o = leaves_q | passes;
  assign data_o  = leaves_q ? shown : data_i & {128{passes}};
  assign keep_o  = leaves_q ? last_keep : keep_i & {16{passes}};
  assign user_o  = leaves_q ? 4'd2 : user_i & {4{passes}};
  assign last_o  = leaves_q ? all_read : last_i & passes;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      leaves_q <= 1'b0;
      count_q  <= '0;
    end else begin
      if (starts) leaves_q <= 1'b1;
      else if (ends) leaves_q <= 1'b0;
      if (held) count_q <= count_q + 1'b1;
      else if (ends | (verdict & ~starts & ready_i)) count_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (reads) next_q <= next_q + 1'b1;
    else if (~leaves_q) next_q <= '0;
    if (held) odd_q <= odd;
  end
endmodule
