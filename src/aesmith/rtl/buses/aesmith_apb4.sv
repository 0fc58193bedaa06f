// APB4 (AMBA APB Protocol Specification, IHI 0024) to the register port, without a register: the access phase is the request.
//
//   request   held, with its payloads, until ack; error and read data count in the clock of ack
//   PREADY    ack in the access phase
module aesmith_apb4 #(
  parameter int unsigned AddressBits = 9
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic s_apb_psel,
  input  logic s_apb_penable,
  input  logic s_apb_pwrite,
  input  logic [AddressBits-1:0] s_apb_paddr,
  input  logic [31:0] s_apb_pwdata,
  input  logic [3:0] s_apb_pstrb,
  output logic s_apb_pready,
  output logic [31:0] s_apb_prdata,
  output logic s_apb_pslverr,

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
  assign unused = ^{clk_i, rst_ni, s_apb_paddr[1:0]};

  assign request_o     = s_apb_psel & s_apb_penable;
  assign write_o       = s_apb_pwrite;
  assign address_o     = s_apb_paddr[AddressBits-1:2];
  assign data_o        = s_apb_pwdata;
  assign strobe_o      = s_apb_pstrb;
  assign s_apb_pready  = request_o & ack_i;
  assign s_apb_pslverr = s_apb_pready & error_i;
  assign s_apb_prdata  = data_i & {32{s_apb_pready & ~s_apb_pwrite}};
endmodule
