// A stream of words of `WordBits` bits, gathered into beats of 16 bytes for the engine of a mode.
//
//   words  [ w0 ] [ w1 ] [ w2 ] [ w3 ]        of one kind, byte 0 in the lowest bits
//   beat   [ w3    w2    w1    w0 ]           offered with its last word, which waits at the input until it is taken
//
// A beat ends with its 16th byte, with a word that is not full, or with tlast. Where it has neither, its section ends
// before a word of another kind: the beat is offered while that word is, which begins the next one a clock later. So all
// words that are kept are full, and none is kept behind tlast.
//
// A word without bytes behind others of its beat leaves bits 0 and 15 of its `tkeep` as no run of ones from byte 0 has
// them: the section tracker refuses the beat as it does one without bytes that is not alone. No register stands between
// the last word and the beat.
module aesmith_stream_widen #(
  parameter int unsigned WordBits = 32
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic s_axis_tvalid,
  output logic s_axis_tready,
  input  logic [WordBits-1:0] s_axis_tdata,
  input  logic [WordBits/8-1:0] s_axis_tkeep,
  input  logic [1:0] s_axis_tuser,
  input  logic s_axis_tlast,

  output logic m_axis_tvalid,
  input  logic m_axis_tready,
  output logic [127:0] m_axis_tdata,
  output logic [15:0] m_axis_tkeep,
  output logic [1:0] m_axis_tuser,
  output logic m_axis_tlast
);
  localparam int unsigned Words = 128 / WordBits;
  localparam int unsigned CountBits = $clog2(Words);

  if (WordBits != 8 && WordBits != 16 && WordBits != 32 && WordBits != 64) begin : gen_check
    $error("WordBits must be 8, 16, 32 or 64");
  end

  // Words that are kept, and their kind.
  logic [CountBits-1:0] count_q;
  logic [Words-2:0][WordBits-1:0] words_q;
  logic [1:0] kind_q;
  logic begun, closes, ends, empty;

  assign begun  = count_q != '0;
  assign closes = begun & s_axis_tuser != kind_q;
  assign ends   = closes | count_q == '1 | s_axis_tkeep != '1 | s_axis_tlast;
  assign empty  = begun & ~closes & s_axis_tkeep == '0;

  assign s_axis_tready = ~ends | (m_axis_tready & ~closes);
  assign m_axis_tvalid = s_axis_tvalid & ends;
  assign m_axis_tuser  = begun ? kind_q : s_axis_tuser;
  assign m_axis_tlast  = s_axis_tlast & ~closes;

  // The word at the input stands behind those that are kept, and what of the places behind it is not looked at.
  for (genvar place = 0; place < Words; place++) begin : gen_place
    logic kept, here;
    logic [WordBits/8-1:0] keep;
    assign here = count_q == CountBits'(place);
    if (place == Words - 1) begin : gen_last
      assign kept = 1'b0;
      assign m_axis_tdata[WordBits*place+:WordBits] = s_axis_tdata;
    end else begin : gen_kept
      assign kept = CountBits'(place) < count_q;
      assign m_axis_tdata[WordBits*place+:WordBits] = kept ? words_q[place] : s_axis_tdata;
      always_ff @(posedge clk_i) if (s_axis_tvalid & ~ends & here) words_q[place] <= s_axis_tdata;
    end
    assign keep = {WordBits / 8{kept}} | (s_axis_tkeep & {WordBits / 8{here & ~closes}});
    for (genvar byte_place = 0; byte_place < WordBits / 8; byte_place++) begin : gen_byte
      localparam int unsigned At = WordBits / 8 * place + byte_place;
      assign m_axis_tkeep[At] = (keep[byte_place] | (At == 15 & empty)) & ~(At == 0 & empty);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else if (m_axis_tvalid & m_axis_tready) begin
      count_q <= '0;
    end else if (s_axis_tvalid & ~ends) begin
      count_q <= count_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (s_axis_tvalid & ~ends) kind_q <= s_axis_tuser;
endmodule
