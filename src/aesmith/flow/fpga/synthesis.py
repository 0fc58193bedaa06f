"""From a core to a netlist of a device's cells, and what of them is the core's."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from aesmith.cores.design import CoreDesign
from aesmith.flow.fpga.devices import RESOURCES, Device
from aesmith.flow.fpga.duplicate import duplicate_registers
from aesmith.flow.fpga.wrapper import WRAPPER, wrapper_source
from aesmith.flow.frontend import read_commands, write_sources
from aesmith.flow.yosys import run_script

TIMEOUT_S = 3600.0


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
