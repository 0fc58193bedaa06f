// Wishbone B4 with 32-bit words to the register port, without a register. Addresses count words, as in LiteX. Classic masters,
// which hold STB until the answer, and pipelined ones, which look at STALL, see the same: the answer comes in the clock in
// which a request is taken.
module aesmith_wishbone #(
  parameter int unsigned AddressBits = 9
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic s_wb_cyc,
  input  logic s_wb_stb,
  input  logic s_wb_we,
  input  logic [AddressBits-3:0] s_wb_adr,
  input  logic [31:0] s_wb_dat_w,
  input  logic [3:0] s_wb_sel,
  output logic s_wb_stall,
  output logic s_wb_ack,
  output logic s_wb_err,
  output logic [31:0] s_wb_dat_r,

  output logic request_o,
  output logic write_o,
  output logic [AddressBits-1:2] address_o,
  output logic [31:0] data_o,
  output logic [3:0] strobe_o,
  input  logic ack_i,
  input  logic error_i,
  input  logic [31:0] data_i
);
  logic unused;
  assign unused = ^{clk_i, rst_ni};

  assign request_o  = s_wb_cyc & s_wb_stb;
  assign write_o    = s_wb_we;
  assign address_o  = s_wb_adr;
  assign data_o     = s_wb_dat_w;
  assign strobe_o   = s_wb_sel;
  assign s_wb_stall = request_o & ~ack_i;
  assign s_wb_ack   = request_o & ack_i & ~error_i;
  assign s_wb_err   = request_o & ack_i & error_i;
  assign s_wb_dat_r = data_i & {32{s_wb_ack & ~s_wb_we}};
endmodule
