"""The wrapper of a core on an FPGA: its ports become shift registers, so that a device's pins do not limit it."""

from __future__ import annotations

from aesmith.cores.design import CoreDesign, Direction

WRAPPER = "aesmith_fpga_wrapper"
"""Name of the wrapper's module."""

_TEMPLATE = """\
// Every input of the core comes from a register of one shift register; every output goes straight to a register of its
// own, from where another shift register takes it. So all of the core's paths are between registers, and no LUT but its
// own is on them. One LUT and two flip-flops an output bit, one flip-flop an input bit.
module {wrapper} (input clk, input serial_i, input capture_i, output serial_o);
  reg [{last_in}:0] in_q;
  reg [{last_out}:0] result_q;
  reg [{last_out}:0] out_q;
  reg capture_q;
  wire [{last_out}:0] result;

  {top} u_core (
    .clk_i(clk),
{connections}
  );

  assign serial_o = out_q[{last_out}];
  always @(posedge clk) begin
    capture_q <= capture_i;
    in_q <= {{in_q, serial_i}};
    result_q <= result;
    out_q <= capture_q ? result_q : {{out_q, 1'b0}};
  end
endmodule
"""


def wrapper_source(design: CoreDesign) -> str:
    """The wrapper of a core, in Verilog."""
    width = design.block_width
    key_width = max(design.key_bits) if width == 128 else width
    both = set(design.directions) == {Direction.ENCRYPT, Direction.DECRYPT}
    inputs = [("rst_ni", 1), ("key_valid_i", 1), ("key_i", key_width), ("block_valid_i", 1), ("block_i", width)]
    inputs += [("decrypt_i", 1)] * both + [("block_ready_i", 1)]
    outputs = [("key_ready_o", 1), ("block_ready_o", 1), ("block_valid_o", 1), ("block_o", width)]
    lines, ends = [], {}
    for signal, ports in (("in_q", inputs), ("result", outputs)):
        low = 0
        for port, bits in ports:
            lines.append(f"    .{port}({signal}[{low + bits - 1}:{low}])")
            low += bits
        ends[signal] = low - 1
    return _TEMPLATE.format(
        wrapper=WRAPPER,
        top=design.top,
        last_in=ends["in_q"],
        last_out=ends["result"],
        connections=",\n".join(lines),
    )
