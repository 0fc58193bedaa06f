// A few semiblocks in flip-flops, with the ports of aesmith_semiblock_memory. What is read is an address: the data follow
// what is written there later, which nobody looks at.
module aesmith_semiblock_registers #(
  parameter int unsigned AddressBits = 3,
  parameter int unsigned Semiblocks = 8
) (
  input  logic clk_i,

  input  logic enable_i,
  input  logic write_i,
  input  logic [AddressBits-1:0] address_i,
  input  logic [63:0] data_i,
  output logic [63:0] data_o
);
  logic [Semiblocks-1:0][63:0] semiblocks_q;
  logic [AddressBits-1:0] read_q;

  for (genvar place = 0; place < Semiblocks; place++) begin : gen_semiblock
    always_ff @(posedge clk_i) begin
      if (enable_i & write_i & address_i == AddressBits'(place)) semiblocks_q[place] <= data_i;
    end
  end
  always_ff @(posedge clk_i) if (enable_i & ~write_i) read_q <= address_i;

  always_comb begin
    data_o = '0;
    for (int unsigned place = 0; place < Semiblocks; place++) begin
      data_o |= semiblocks_q[place] & {64{read_q == AddressBits'(place)}};
    end
  end
endmodule
