// AHB-Lite (AMBA 3 AHB-Lite Protocol Specification, IHI 0033A) to the register port. The address phase is kept in registers; in
// the data phase that follows it is the request. An error takes two clocks, of which HREADYOUT is 0 in the first.
//
//   address phase ─▶ pending, write, address, strobes ─▶ request until ack ─▶ HREADYOUT
//
// Bytes and halfwords become strobes. A transfer of more than a word, or at an address that is not a multiple of its size, has an
// error and makes no request. HREADY must be 1 in the clock after reset, as the rules of the bus have it.
module aesmith_ahb_lite #(
  parameter int unsigned AddressBits = 9
) (
  input  logic clk_i,
  input  logic rst_ni,

  input  logic s_ahb_hsel,
  input  logic s_ahb_hready,
  input  logic [1:0] s_ahb_htrans,
  input  logic s_ahb_hwrite,
  input  logic [2:0] s_ahb_hsize,
  input  logic [AddressBits-1:0] s_ahb_haddr,
  input  logic [31:0] s_ahb_hwdata,
  output logic s_ahb_hreadyout,
  output logic s_ahb_hresp,
  output logic [31:0] s_ahb_hrdata,

  output logic request_o,
  output logic write_o,
  output logic [AddressBits-1:2] address_o,
  output logic [31:0] data_o,
  output logic [3:0] strobe_o,
  input  logic ack_i,
  input  logic error_i,
  input  logic [31:0] data_i
);
  // A transfer in its data phase; one that makes no request; the second clock of an error.
  logic pending_q, bad_q, second_q, write_q, fails, done, take, bad, unused;
  logic [AddressBits-1:2] address_q;
  logic [3:0] strobe_q, strobe;

  assign unused = s_ahb_htrans[0];
  assign fails  = pending_q & ~second_q & (bad_q | (ack_i & error_i));
  assign done   = pending_q & ~bad_q & ~second_q & ack_i & ~error_i;

  assign s_ahb_hreadyout = ~pending_q | second_q | done;
  assign s_ahb_hresp     = fails | second_q;
  assign s_ahb_hrdata    = data_i & {32{done & ~write_q}};

  assign take = s_ahb_hsel & s_ahb_hready & s_ahb_htrans[1];
  always_comb begin
    bad    = 1'b0;
    strobe = 4'b1111;
    case (s_ahb_hsize)
      3'd0: strobe = 4'b0001 << s_ahb_haddr[1:0];
      3'd1: begin
        strobe = s_ahb_haddr[1] ? 4'b1100 : 4'b0011;
        bad    = s_ahb_haddr[0];
      end
      3'd2: bad = s_ahb_haddr[1:0] != 2'd0;
      default: bad = 1'b1;
    endcase
  end

  assign request_o = pending_q & ~bad_q & ~second_q;
  assign write_o   = write_q;
  assign address_o = address_q;
  assign data_o    = s_ahb_hwdata;
  assign strobe_o  = strobe_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= 1'b0;
      second_q  <= 1'b0;
    end else begin
      second_q <= fails;
      if (s_ahb_hreadyout) pending_q <= take;
    end
  end
  always_ff @(posedge clk_i) begin
    if (take & s_ahb_hreadyout) begin
      write_q   <= s_ahb_hwrite;
      address_q <= s_ahb_haddr[AddressBits-1:2];
      strobe_q  <= strobe;
      bad_q     <= bad;
    end
  end
endmodule
