// The five adapters, each before a memory of 32 words that answers when it likes; words beyond have errors.
module port_model (
  input  logic clk,
  input  logic rst_n,
  input  logic request,
  input  logic write,
  input  logic [8:2] address,
  input  logic [31:0] data,
  input  logic [3:0] strobe,
  output logic ack,
  output logic error,
  output logic [31:0] read_data,
  output logic [31:0] accesses
);
  logic [31:0] words [0:31];
  logic [15:0] chance;
  assign ack       = request & (chance[3:0] < 4'd9);
  assign error     = address[8:7] != 2'd0;
  assign read_data = words[address[6:2]];
  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      chance   <= 16'hace1;
      accesses <= '0;
    end else begin
      chance   <= {chance[14:0], chance[15] ^ chance[13] ^ chance[12] ^ chance[10]};
      accesses <= accesses + 32'(ack);
    end
  end
  always_ff @(posedge clk) begin
    for (int place = 0; place < 4; place++) if (ack & write & ~error & strobe[place]) words[address[6:2]][8*place+:8] <= data[8*place+:8];
  end
endmodule

module harness (
  input  logic clk,
  input  logic rst_n,

  input  logic apb_psel, apb_penable, apb_pwrite,
  input  logic [8:0] apb_paddr,
  input  logic [31:0] apb_pwdata,
  input  logic [3:0] apb_pstrb,
  output logic apb_pready, apb_pslverr,
  output logic [31:0] apb_prdata,
  output logic [31:0] apb_accesses,

  input  logic axil_awvalid, axil_wvalid, axil_bready, axil_arvalid, axil_rready,
  input  logic [8:0] axil_awaddr, axil_araddr,
  input  logic [31:0] axil_wdata,
  input  logic [3:0] axil_wstrb,
  output logic axil_awready, axil_wready, axil_bvalid, axil_arready, axil_rvalid,
  output logic [1:0] axil_bresp, axil_rresp,
  output logic [31:0] axil_rdata,
  output logic [31:0] axil_accesses,

  input  logic ahb_hsel, ahb_hwrite,
  input  logic [1:0] ahb_htrans,
  input  logic [2:0] ahb_hsize,
  input  logic [8:0] ahb_haddr,
  input  logic [31:0] ahb_hwdata,
  output logic ahb_hready, ahb_hresp,
  output logic [31:0] ahb_hrdata,
  output logic [31:0] ahb_accesses,

  input  logic tl_a_valid, tl_d_ready,
  input  logic [2:0] tl_a_opcode,
  input  logic [1:0] tl_a_size,
  input  logic [7:0] tl_a_source,
  input  logic [8:0] tl_a_address,
  input  logic [3:0] tl_a_mask,
  input  logic [31:0] tl_a_data,
  output logic tl_a_ready, tl_d_valid, tl_d_denied,
  output logic [2:0] tl_d_opcode,
  output logic [1:0] tl_d_size,
  output logic [7:0] tl_d_source,
  output logic [31:0] tl_d_data,
  output logic [31:0] tl_accesses,

  input  logic wb_cyc, wb_stb, wb_we,
  input  logic [6:0] wb_adr,
  input  logic [31:0] wb_dat_w,
  input  logic [3:0] wb_sel,
  output logic wb_ack, wb_err,
  output logic [31:0] wb_dat_r,
  output logic [31:0] wb_accesses
);
  logic [4:0] request, write, ack, error;
  logic [4:0][8:2] address;
  logic [4:0][31:0] data, read_data, accesses;
  logic [4:0][3:0] strobe;
  assign {wb_accesses, tl_accesses, ahb_accesses, axil_accesses, apb_accesses} = accesses;
  for (genvar bus = 0; bus < 5; bus++) begin : gen_model
    port_model u_model (
      .clk, .rst_n, .request(request[bus]), .write(write[bus]), .address(address[bus]), .data(data[bus]), .strobe(strobe[bus]),
      .ack(ack[bus]), .error(error[bus]), .read_data(read_data[bus]), .accesses(accesses[bus])
    );
  end

  aesmith_apb4 u_apb (
    .clk_i(clk), .rst_ni(rst_n), .s_apb_psel(apb_psel), .s_apb_penable(apb_penable), .s_apb_pwrite(apb_pwrite), .s_apb_paddr(apb_paddr),
    .s_apb_pwdata(apb_pwdata), .s_apb_pstrb(apb_pstrb), .s_apb_pready(apb_pready), .s_apb_prdata(apb_prdata), .s_apb_pslverr(apb_pslverr),
    .request_o(request[0]), .write_o(write[0]), .address_o(address[0]), .data_o(data[0]), .strobe_o(strobe[0]),
    .ack_i(ack[0]), .error_i(error[0]), .data_i(read_data[0])
  );
  aesmith_axi4_lite u_axil (
    .clk_i(clk), .rst_ni(rst_n), .s_axil_awvalid(axil_awvalid), .s_axil_awready(axil_awready), .s_axil_awaddr(axil_awaddr),
    .s_axil_wvalid(axil_wvalid), .s_axil_wready(axil_wready), .s_axil_wdata(axil_wdata), .s_axil_wstrb(axil_wstrb),
    .s_axil_bvalid(axil_bvalid), .s_axil_bready(axil_bready), .s_axil_bresp(axil_bresp),
    .s_axil_arvalid(axil_arvalid), .s_axil_arready(axil_arready), .s_axil_araddr(axil_araddr),
    .s_axil_rvalid(axil_rvalid), .s_axil_rready(axil_rready), .s_axil_rdata(axil_rdata), .s_axil_rresp(axil_rresp),
    .request_o(request[1]), .write_o(write[1]), .address_o(address[1]), .data_o(data[1]), .strobe_o(strobe[1]),
    .ack_i(ack[1]), .error_i(error[1]), .data_i(read_data[1])
  );
  aesmith_ahb_lite u_ahb (
    .clk_i(clk), .rst_ni(rst_n), .s_ahb_hsel(ahb_hsel), .s_ahb_hready(ahb_hready), .s_ahb_htrans(ahb_htrans), .s_ahb_hwrite(ahb_hwrite),
    .s_ahb_hsize(ahb_hsize), .s_ahb_haddr(ahb_haddr), .s_ahb_hwdata(ahb_hwdata),
    .s_ahb_hreadyout(ahb_hready), .s_ahb_hresp(ahb_hresp), .s_ahb_hrdata(ahb_hrdata),
    .request_o(request[2]), .write_o(write[2]), .address_o(address[2]), .data_o(data[2]), .strobe_o(strobe[2]),
    .ack_i(ack[2]), .error_i(error[2]), .data_i(read_data[2])
  );
  aesmith_tl_ul u_tl (
    .clk_i(clk), .rst_ni(rst_n), .s_tl_a_valid(tl_a_valid), .s_tl_a_ready(tl_a_ready), .s_tl_a_opcode(tl_a_opcode), .s_tl_a_size(tl_a_size),
    .s_tl_a_source(tl_a_source), .s_tl_a_address(tl_a_address), .s_tl_a_mask(tl_a_mask), .s_tl_a_data(tl_a_data),
    .s_tl_d_valid(tl_d_valid), .s_tl_d_ready(tl_d_ready), .s_tl_d_opcode(tl_d_opcode), .s_tl_d_size(tl_d_size),
    .s_tl_d_source(tl_d_source), .s_tl_d_data(tl_d_data), .s_tl_d_denied(tl_d_denied),
    .request_o(request[3]), .write_o(write[3]), .address_o(address[3]), .data_o(data[3]), .strobe_o(strobe[3]),
    .ack_i(ack[3]), .error_i(error[3]), .data_i(read_data[3])
  );
  aesmith_wishbone u_wb (
    .clk_i(clk), .rst_ni(rst_n), .s_wb_cyc(wb_cyc), .s_wb_stb(wb_stb), .s_wb_we(wb_we), .s_wb_adr(wb_adr), .s_wb_dat_w(wb_dat_w),
    .s_wb_sel(wb_sel), .s_wb_stall(), .s_wb_ack(wb_ack), .s_wb_err(wb_err), .s_wb_dat_r(wb_dat_r),
    .request_o(request[4]), .write_o(write[4]), .address_o(address[4]), .data_o(data[4]), .strobe_o(strobe[4]),
    .ack_i(ack[4]), .error_i(error[4]), .data_i(read_data[4])
  );
endmodule
