"""From a core to a netlist of a device's cells, and what of them is the core's.

The core is in a wrapper that makes its ports shift registers, so that a device's pins do not limit it.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from aesmith.cores.design import CoreDesign, Design
from aesmith.cores.ports import Line, PortDirection
from aesmith.cores.wrapper import attach
from aesmith.flow.fpga.devices import RESOURCES, Device
from aesmith.flow.fpga.duplicate import duplicate_registers
from aesmith.flow.yosys import read_commands, run_script, write_sources

TIMEOUT_S = 3600.0
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


@dataclass(frozen=True)
class Counts:
    """What a core takes: LUTs (those of carries and LUT memories too), flip-flops, block memories, cells by type.

    `copied` of the flip-flops are copies of one that has too many loads.
    """

    luts: int
    flip_flops: int
    memories: int
    cells: dict[str, int]
    copied: int = 0


def synthesise_for(
    design: CoreDesign, device: Device, folder: Path, *, cancel: threading.Event | None = None
) -> Counts:
    """Map the wrapped core to the device's cells: `folder`/netlist.json, if the device can be placed on.

    The core keeps its boundary until it is mapped, so that the counts are its own. Raises ToolError if Yosys fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "wrapper.v").write_text(wrapper_source(design))
    commands = [
        *read_commands(design, write_sources(design, folder), keep_hierarchy=False),
        "read_verilog wrapper.v",
        f"hierarchy -check -top {WRAPPER}",
        f"setattr -mod -set keep_hierarchy 1 {design.top}",
        f"{device.synthesis} -top {WRAPPER}",
        "tee -q -o cells.json stat -json",
        f"setattr -mod -unset keep_hierarchy {design.top}",
        "flatten",
        "opt_clean -purge",
        "write_json netlist.json",
    ]
    run_script(commands, folder / "yosys.log", timeout_s=TIMEOUT_S, cancel=cancel)
    modules = json.loads((folder / "cells.json").read_text())["modules"]
    counts = count(modules[f"\\{design.top}"]["num_cells_by_type"], device)
    if not device.placed:
        return counts
    flip_flops = RESOURCES[device.family].flip_flops
    copied, luts = duplicate_registers(folder / "netlist.json", WRAPPER, flip_flops, device.most_loads)
    return replace(counts, luts=counts.luts + luts, flip_flops=counts.flip_flops + copied, copied=copied)


def count(cells: dict[str, int], device: Device) -> Counts:
    """The resources that cells of these types take in the device's family."""
    resources = RESOURCES[device.family]
    return Counts(
        luts=sum(number * resources.luts.get(cell, 0) for cell, number in cells.items()),
        flip_flops=sum(number for cell, number in cells.items() if cell.startswith(resources.flip_flops)),
        memories=sum(number for cell, number in cells.items() if cell in resources.memories),
        cells=dict(sorted(cells.items())),
    )
