// The key as it was sent, for every block until the next key: a ring of bytes, byte 0 at its head.
//
// Bytes are taken while open_i; whole_o is 0 from the first to the last byte of a key, and before any key.
// step_i turns the ring by one byte. A whole new key puts byte 0 at the head, however the ring stood before.
module aesmith_serial_key_store #(
  parameter int unsigned Bytes = 16,
  parameter bit ClockGates = 1'b0
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       key_valid_i,
  output logic       key_ready_o,
  input  logic [7:0] key_i,

  input  logic       open_i,
  input  logic       step_i,
  output logic       take_o,  // a byte is taken in this clock
  output logic       whole_o,
  output logic [Bytes-1:0][7:0] key_o // key_o[0] is the head
);
  localparam int unsigned CountBits = $clog2(Bytes);
  localparam logic [CountBits-1:0] Last = CountBits'(Bytes - 1);

  logic clk, enable;
  logic [Bytes-1:0][7:0] key_q;
  logic [CountBits-1:0] count_q;
  logic whole_q;

  aesmith_serial_clock_enable #(
    .ClockGates(ClockGates)
  ) u_clock_enable (
    .clk_i,
    .enable_i(take_o | step_i),
    .clk_o   (clk),
    .enable_o(enable)
  );

  assign key_ready_o = open_i;
  assign take_o = key_valid_i & open_i;
  assign whole_o = whole_q;
  assign key_o = key_q;

  always_ff @(posedge clk) begin
    if (enable) key_q <= {take_o ? key_i : key_q[0], key_q[Bytes-1:1]};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      whole_q <= 1'b0;
    end else if (take_o) begin
      count_q <= (count_q == Last) ? '0 : count_q + CountBits'(1);
      whole_q <= count_q == Last;
    end
  end
endmodule
