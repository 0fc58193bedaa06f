"""From a core to a netlist of a device's cells, and what of them is the core's.

The core is in a wrapper that makes its ports shift registers, so that a device's pins do not limit it.

A register that lets a whole pipeline move drives thousands of clock enables. Its net crosses the device, so it alone
would set the clock. Here each group of loads gets a copy of the register, as in vendors' tools, which do it by
themselves; loads of neighbouring names share one, as they belong to the same part of the design.
"""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count as counting
from pathlib import Path
from typing import Any

from aesmith.cores.design import Design
from aesmith.cores.ports import Line, PortDirection
from aesmith.cores.wrapper import attach
from aesmith.flow.fpga.devices import Cells, Device
from aesmith.flow.fpga.memories import place_memories
from aesmith.flow.yosys import read_commands, run_script, write_sources

_NUMBERS = re.compile(r"(\d+)")
_Quality = Callable[[str], tuple[bool, int, str]]
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
    """What a core takes: LUTs, flip-flops, block memories, cells by type.

    `carry_luts` and `memory_luts` of the LUTs are carries and LUT memories (shift registers in LUTs too); `copied` of
    the flip-flops are copies of one that has too many loads. `unknown` cells are counted as nothing.
    """

    luts: int
    flip_flops: int
    memories: int
    cells: dict[str, int]
    copied: int = 0
    carry_luts: int = 0
    memory_luts: int = 0
    unknown: tuple[str, ...] = ()


def synthesise_for(design: Design, device: Device, folder: Path, *, cancel: threading.Event | None = None) -> Counts:
    """Map the wrapped core to the device's cells: `folder`/netlist.json, if the device can be placed on.

    The core keeps its boundary until it is mapped, so that the counts are its own. Raises ToolError if Yosys fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "wrapper.v").write_text(wrapper_source(design))
    commands = [
        *read_commands(design, write_sources(design, folder), keep_hierarchy=False, memories=True),
        "read_verilog wrapper.v",
        f"hierarchy -check -top {WRAPPER}",
        f"setattr -mod -set keep_hierarchy 1 {design.top}",
        f"{device.synthesis} -top {WRAPPER}",
        "tee -q -o cells.json stat -json",
        f"setattr -mod -unset keep_hierarchy {design.top}",
        "flatten",
        "opt_clean -purge",
        *device.pads,
        "write_json netlist.json",
    ]
    run_script(commands, folder / "yosys.log", timeout_s=TIMEOUT_S, cancel=cancel)
    modules = json.loads((folder / "cells.json").read_text())["modules"]
    counts = count(modules[f"\\{design.top}"]["num_cells_by_type"], device)
    if not device.placed:
        return counts
    netlist = folder / "netlist.json"
    copied, luts = duplicate_registers(netlist, WRAPPER, device.cells, device.most_loads)
    if device.memories_first and device.memory_sites is not None:
        place_memories(netlist, WRAPPER, device.cells, device.memory_sites)
    if device.router_margin:
        _set(netlist, WRAPPER, {f"router2/bbMargin/{axis}": device.router_margin for axis in "xy"})
    return replace(counts, luts=counts.luts + luts, flip_flops=counts.flip_flops + copied, copied=copied)


def _set(netlist: Path, top: str, values: Mapping[str, int]) -> None:
    """Put settings of nextpnr, which it has no options for, into a netlist: a number is a word of 32 bits there."""
    design = json.loads(netlist.read_text())
    design["modules"][top].setdefault("settings", {}).update(
        {name: f"{number:032b}" for name, number in values.items()}
    )
    netlist.write_text(json.dumps(design))


def count(cells: dict[str, int], device: Device) -> Counts:
    """The resources that cells of these types take in the device."""
    kinds = device.cells

    def taken(each: Mapping[str, int]) -> int:
        return sum(number * each.get(cell, 0) for cell, number in cells.items())

    return Counts(
        luts=taken(kinds.luts),
        flip_flops=sum(number for cell, number in cells.items() if kinds.is_flip_flop(cell)),
        memories=sum(number for cell, number in cells.items() if kinds.is_memory(cell)),
        cells=dict(sorted(cells.items())),
        carry_luts=taken(kinds.carries),
        memory_luts=taken(kinds.lut_memories),
        unknown=tuple(sorted(cell for cell in cells if not kinds.is_known(cell))),
    )


@dataclass(frozen=True)
class _Load:
    """One input bit: which of the cell's connections it is in, where, and a name that tells what it belongs to."""

    bits: list[int | str]
    index: int
    name: str


def duplicate_registers(netlist: Path, top: str, kinds: Cells, most_loads: int) -> tuple[int, int]:
    """Rewrite `netlist`, a flat design of these `kinds` of cells as Yosys' JSON, with no register of more than
    `most_loads` loads.

    Returns how many registers and LUTs were added.
    """
    design = json.loads(netlist.read_text())
    added = luts = 0
    while True:
        # The LUTs that went along are loads, too: of registers that may now have too many.
        more, more_luts = _duplicate(design["modules"][top], kinds, most_loads)
        added, luts = added + more, luts + more_luts
        if not more:
            break
    netlist.write_text(json.dumps(design))
    return added, luts


def _duplicate(module: dict[str, Any], kinds: Cells, most_loads: int) -> tuple[int, int]:
    cells: dict[str, dict[str, Any]] = module["cells"]
    loads: dict[int | str, list[_Load]] = defaultdict(list)
    drivers: dict[int | str, tuple[str, str, int]] = {}
    by_quality = _quality({cell["type"] for cell in cells.values()})
    names = _net_names(module, by_quality)
    for name, cell in cells.items():
        outputs = [bit for port, bits in _connections(cell, "output") for bit in bits]
        belongs = min((names[bit] for bit in outputs if bit in names), key=by_quality, default=name)
        for port, bits in _connections(cell, "output"):
            drivers |= {bit: (name, port, index) for index, bit in enumerate(bits)}
        for _port, bits in _connections(cell, "input"):
            for index, bit in enumerate(bits):
                loads[bit].append(_Load(bits, index, belongs))
    free = max((bit for bit in (*drivers, *loads) if isinstance(bit, int)), default=1) + 1
    added = luts = 0
    for bit, found in loads.items():
        if len(found) <= most_loads or bit not in drivers:
            continue
        name, port, index = drivers[bit]
        if not kinds.is_flip_flop(cells[name]["type"]):
            continue
        groups = list(_groups(sorted(found, key=lambda load: _in_order(load.name)), most_loads))
        for number, group in enumerate(groups[1:], 1):
            copy = _copied(cells[name])
            copy["connections"][port][index] = free
            cells[_unused(f"{name}_copy", number, cells)] = copy
            for load in group:
                load.bits[load.index] = free
            before = drivers.get(copy["connections"].get(kinds.data, [""])[0], ("", "", 0))[0]
            if before and cells[before]["type"] in kinds.lut_types:
                # The LUT before it goes along, so that what crosses the device is one net, from a register.
                lut = _copied(cells[before])
                lut["connections"] = {
                    p: [free if b == bit else b for b in bits] for p, bits in lut["connections"].items()
                }
                lut["connections"][kinds.lut_output] = copy["connections"][kinds.data] = [free + 1]
                cells[_unused(f"{before}_copy", number, cells)] = lut
                luts += 1
            free += 2
            added += 1
    return added, luts


def _unused(name: str, number: int, cells: Container[str]) -> str:
    return next(new for i in counting(number) if (new := f"{name}_{i}") not in cells)


def _copied(cell: dict[str, Any]) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(cell))
    return copy


def _connections(cell: dict[str, Any], direction: str) -> Iterator[tuple[str, list[int | str]]]:
    for port, bits in cell["connections"].items():
        if cell["port_directions"].get(port, "input") == direction:
            yield port, bits


def _net_names(module: dict[str, Any], by_quality: _Quality) -> dict[int | str, str]:
    """The plainest name of each bit: names that mapping made up are the longest."""
    names: dict[int | str, str] = {}
    for name, net in module["netnames"].items():
        for bit in net["bits"]:
            if bit not in names or by_quality(name) < by_quality(names[bit]):
                names[bit] = name
    return names


def _quality(types: Iterable[str]) -> _Quality:
    """How plain a name is, the plainest first: names that mapping made up have a cell's type in them."""
    made_up = re.compile(rf"_({'|'.join(map(re.escape, sorted(types)))})_")
    return lambda name: (bool(made_up.search(name)), len(name), name)


def _in_order(name: str) -> list[tuple[int, str]]:
    """Text in its order, numbers in theirs."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in _NUMBERS.split(name)]


def _groups(loads: Iterable[_Load], size: int) -> Iterator[list[_Load]]:
    every = list(loads)
    number = -(-len(every) // size)
    for group in range(number):
        yield every[len(every) * group // number : len(every) * (group + 1) // number]
