// TileLink Uncached Lightweight (SiFive TileLink Specification 1.8, chapter 6), 32 bits, to the register port. A request is taken
// with its ack; the answer waits in registers. One access a clock.
//
//   a_opcode  0 PutFullData, 1 PutPartialData ─▶ d_opcode 0 AccessAck
//             4 Get                           ─▶ d_opcode 1 AccessAckData
//
// Denied without a request: other operations, more than a word, an address that is not a multiple of the size, and bytes in the
// mask outside it; in the mask of PutFullData and Get all inside it. Every request gets an answer, with its source and size.
module aesmith_tl_ul #(
  parameter int unsigned AddressBits = 9,
  parameter int unsigned SourceBits = 8
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic s_tl_a_valid,
  output logic s_tl_a_ready,
  input  logic [2:0] s_tl_a_opcode,
  input  logic [1:0] s_tl_a_size,
  input  logic [SourceBits-1:0] s_tl_a_source,
  input  logic [AddressBits-1:0] s_tl_a_address,
  input  logic [3:0] s_tl_a_mask,
  input  logic [31:0] s_tl_a_data,
  output logic s_tl_d_valid,
  input  logic s_tl_d_ready,
  output logic [2:0] s_tl_d_opcode,
  output logic [1:0] s_tl_d_size,
  output logic [SourceBits-1:0] s_tl_d_source,
  output logic [31:0] s_tl_d_data,
  output logic s_tl_d_denied,

  output logic request_o,
  output logic write_o,
  output logic [AddressBits-1:2] address_o,
  output logic [31:0] data_o,
  output logic [3:0] strobe_o,
  input  logic ack_i,
  input  logic error_i,
  input  logic [31:0] data_i
);
  localparam logic [2:0] PutFull = 3'd0, PutPartial = 3'd1, Get = 3'd4;

  logic free, offered, get, bad, take, d_valid_q, d_get_q, d_denied_q;
  logic [1:0] d_size_q;
  logic [SourceBits-1:0] d_source_q;
  logic [31:0] d_data_q;
  logic [3:0] inside_size;

  assign free    = ~d_valid_q | s_tl_d_ready;
  assign offered = s_tl_a_valid & free;
  assign get     = s_tl_a_opcode == Get;

  always_comb begin
    inside_size = 4'b1111;
    bad         = 1'b0;
    case (s_tl_a_size)
      2'd0: inside_size = 4'b0001 << s_tl_a_address[1:0];
      2'd1: begin
        inside_size = s_tl_a_address[1] ? 4'b1100 : 4'b0011;
        bad         = s_tl_a_address[0];
      end
      2'd2: bad = s_tl_a_address[1:0] != 2'd0;
      default: bad = 1'b1;
    endcase
    if ((s_tl_a_mask & ~inside_size) != '0) bad = 1'b1;
    case (s_tl_a_opcode)
      PutFull, Get: if (s_tl_a_mask != inside_size) bad = 1'b1;
      PutPartial: ;
      default: bad = 1'b1;
    endcase
  end

  assign request_o = offered & ~bad;
  assign write_o   = ~get;
  assign address_o = s_tl_a_address[AddressBits-1:2];
  assign data_o    = s_tl_a_data;
  assign strobe_o  = s_tl_a_mask;

  assign take         = offered & (bad | ack_i);
  assign s_tl_a_ready = free & (bad | ack_i);

  assign s_tl_d_valid  = d_valid_q;
  assign s_tl_d_opcode = {2'b00, d_get_q};
  assign s_tl_d_size   = d_size_q;
  assign s_tl_d_source = d_source_q;
  assign s_tl_d_data   = d_data_q;
  assign s_tl_d_denied = d_denied_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) d_valid_q <= 1'b0;
    else if (free) d_valid_q <= take;
  end
  always_ff @(posedge clk_i) begin
    if (take) begin
      d_get_q    <= get;
      d_denied_q <= bad | error_i;
      d_size_q   <= s_tl_a_size;
      d_source_q <= s_tl_a_source;
    end
    // No data stay behind their answer.
    if (free) d_data_q <= data_i & {32{take & get & ~bad}};
  end
endmodule
