// AXI4-Lite (AMBA AXI Protocol Specification, IHI 0022) to the register port. An address is taken with its ack, a write when
// address and data are both there; the answer waits in registers. One access a clock, reads and writes in turns where both come.
//
//   AW, W ─┐                       ┌─▶ B   a register for the response
//          ├─▶ one of both ─▶ ack ─┤
//   AR ────┘                       └─▶ R   one for data and response
//
// A request that waits is not left for another one: where a write of data waits for the engine, reads wait behind it.
module aesmith_axi4_lite #(
  parameter int unsigned AddressBits = 9
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic s_axil_awvalid,
  output logic s_axil_awready,
  input  logic [AddressBits-1:0] s_axil_awaddr,
  input  logic s_axil_wvalid,
  output logic s_axil_wready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0] s_axil_wstrb,
  output logic s_axil_bvalid,
  input  logic s_axil_bready,
  output logic [1:0] s_axil_bresp,
  input  logic s_axil_arvalid,
  output logic s_axil_arready,
  input  logic [AddressBits-1:0] s_axil_araddr,
  output logic s_axil_rvalid,
  input  logic s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0] s_axil_rresp,

  output logic request_o,
  output logic write_o,
  output logic [AddressBits-1:2] address_o,
  output logic [31:0] data_o,
  output logic [3:0] strobe_o,
  input  logic ack_i,
  input  logic error_i,
  input  logic [31:0] data_i
);
  logic writes, reads, wrote_q, held_q, held_write_q, b_valid_q, b_error_q, r_valid_q, r_error_q, unused;
  logic [31:0] r_data_q;

  assign unused = ^{s_axil_awaddr[1:0], s_axil_araddr[1:0]};
  assign writes = s_axil_awvalid & s_axil_wvalid & (~b_valid_q | s_axil_bready);
  assign reads  = s_axil_arvalid & (~r_valid_q | s_axil_rready);

  assign request_o = writes | reads;
  assign write_o   = held_q ? held_write_q : writes & ~(reads & wrote_q);
  assign address_o = write_o ? s_axil_awaddr[AddressBits-1:2] : s_axil_araddr[AddressBits-1:2];
  assign data_o    = s_axil_wdata;
  assign strobe_o  = s_axil_wstrb;

  assign s_axil_awready = writes & write_o & ack_i;
  assign s_axil_wready  = s_axil_awready;
  assign s_axil_arready = reads & ~write_o & ack_i;
  assign s_axil_bvalid  = b_valid_q;
  assign s_axil_bresp   = {b_error_q, 1'b0};
  assign s_axil_rvalid  = r_valid_q;
  assign s_axil_rdata   = r_data_q;
  assign s_axil_rresp   = {r_error_q, 1'b0};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wrote_q   <= 1'b0;
      held_q    <= 1'b0;
      b_valid_q <= 1'b0;
      r_valid_q <= 1'b0;
    end else begin
      held_q <= request_o & ~ack_i;
      if (request_o & ack_i) wrote_q <= write_o;
      if (~b_valid_q | s_axil_bready) b_valid_q <= s_axil_awready;
      if (~r_valid_q | s_axil_rready) r_valid_q <= s_axil_arready;
    end
  end
  always_ff @(posedge clk_i) begin
    held_write_q <= write_o;
    if (s_axil_awready) b_error_q <= error_i;
    // No data stay behind their answer.
    if (~r_valid_q | s_axil_rready) begin
      r_error_q <= error_i;
      r_data_q  <= data_i & {32{s_axil_arready}};
    end
  end
endmodule
