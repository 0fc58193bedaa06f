// The beats of 16 bytes that the engine of a mode gives, one after the other in words of `WordBits` bits.
//
//   beat   [ w3    w2    w1    w0 ]           tkeep a run of ones from byte 0
//   words  [ w0 ] [ w1 ] …                    up to the one with the last byte; a beat without bytes is one word
//
// A beat stays at the input until its last word is taken, so nothing is kept of it but which word is next. tlast and
// the upper bits of tuser, *failed* and *error*, are those of its last word. What is 0 in front is 0 behind.
module aesmith_stream_narrow #(
  parameter int unsigned WordBits = 32
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic s_axis_tvalid,
  output logic s_axis_tready,
  input  logic [127:0] s_axis_tdata,
  input  logic [15:0] s_axis_tkeep,
  input  logic [3:0] s_axis_tuser,
  input  logic s_axis_tlast,

  output logic m_axis_tvalid,
  input  logic m_axis_tready,
  output logic [WordBits-1:0] m_axis_tdata,
  output logic [WordBits/8-1:0] m_axis_tkeep,
  output logic [3:0] m_axis_tuser,
  output logic m_axis_tlast
);
  localparam int unsigned Words = 128 / WordBits;
  localparam int unsigned CountBits = $clog2(Words);

  if (WordBits != 8 && WordBits != 16 && WordBits != 32 && WordBits != 64) begin : gen_check
    $error("WordBits must be 8, 16, 32 or 64");
  end

  // The word that is offered; whether the one behind it has bytes; whether it is the beat's last.
  logic [CountBits-1:0] count_q;
  logic [Words-1:0][WordBits-1:0] data;
  logic [Words-1:0][WordBits/8-1:0] keep;
  logic [Words-1:0] more;
  logic final_word;

  assign data = s_axis_tdata;
  assign keep = s_axis_tkeep;
  for (genvar place = 0; place < Words; place++) begin : gen_place
    if (place == Words - 1) begin : gen_last
      assign more[place] = 1'b0;
    end else begin : gen_before
      assign more[place] = keep[place+1][0];
    end
  end
  assign final_word = ~more[count_q];

  assign s_axis_tready = m_axis_tready & final_word;
  assign m_axis_tvalid = s_axis_tvalid;
  assign m_axis_tdata  = data[count_q];
  assign m_axis_tkeep  = keep[count_q];
  assign m_axis_tuser  = {s_axis_tuser[3:2] & {2{final_word}}, s_axis_tuser[1:0]};
  assign m_axis_tlast  = s_axis_tlast & final_word;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else if (s_axis_tvalid & m_axis_tready) begin
      count_q <= final_word ? '0 : count_q + 1'b1;
    end
  end
endmodule
