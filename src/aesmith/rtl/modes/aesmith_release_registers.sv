// A few beats in flip-flops, with the ports of aesmith_release_memory. What is read is an address: the data follow what is
// written there later, which nobody looks at.
module aesmith_release_registers #(
  parameter int unsigned AddressBits = 2
) (
  input  logic clk_i,

  input  logic enable_i,
  input  logic write_i,
  input  logic [AddressBits-1:0] address_i,
  input  logic [127:0] data_i,
  output logic [127:0] data_o
);
  localparam int unsigned Beats = 1 << AddressBits;

  logic [Beats-1:0][127:0] beats_q;
  logic [AddressBits-1:0] read_q;

  for (genvar place = 0; place < Beats; place++) begin : gen_beat
    always_ff @(posedge clk_i) begin
      if (enable_i & write_i & address_i == AddressBits'(place)) beats_q[place] <= data_i;
    end
  end
  always_ff @(posedge clk_i) if (enable_i & ~write_i) read_q <= address_i;

  always_comb begin
    data_o = '0;
    for (int unsigned place = 0; place < Beats; place++) data_o |= beats_q[place] & {128{read_q == AddressBits'(place)}};
  end
endmodule
