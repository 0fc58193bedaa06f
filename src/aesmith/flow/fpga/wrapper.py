"""The wrapper of a core on an FPGA: its ports become shift registers, so that a device's pins do not limit it."""

from __future__ import annotations

from aesmith.cores.design import Design
from aesmith.cores.ports import Line, PortDirection
from aesmith.cores.wrapper import attach

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

{core}

  assign serial_o = out_q[{last_out}];
  always @(posedge clk) begin
    capture_q <= capture_i;
    in_q <= {{in_q, serial_i}};
    result_q <= result;
    out_q <= capture_q ? result_q : {{out_q, 1'b0}};
  end
endmodule
"""


def wrapper_source(design: Design) -> str:
    """The wrapper of a core, in Verilog."""
    signals: dict[str, str | Line] = {"clock": "clk"}
    ends = {PortDirection.INPUT: 0, PortDirection.OUTPUT: 0}
    for port in design.ports:
        if port.role not in signals:
            low = ends[port.direction]
            ends[port.direction] += port.bits
            vector = "in_q" if port.direction is PortDirection.INPUT else "result"
            signals[port.role] = Line(f"{vector}[{low + port.bits - 1}:{low}]", port.active)
    return _TEMPLATE.format(
        wrapper=WRAPPER,
        core=attach(design.top, design.ports, signals, verilog=True),
        last_in=ends[PortDirection.INPUT] - 1,
        last_out=ends[PortDirection.OUTPUT] - 1,
    )
