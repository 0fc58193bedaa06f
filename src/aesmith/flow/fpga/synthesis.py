"""From a core to a netlist of a device's cells, and what of them is the core's; which devices there are.

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
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count as counting
from pathlib import Path
from typing import Any

from aesmith.cores.design import Design
from aesmith.cores.ports import Line, PortDirection
from aesmith.cores.wrapper import attach
from aesmith.errors import RequestError, not_one_of
from aesmith.flow.fpga.memories import MemorySites, place_memories
from aesmith.flow.yosys import read_commands, run_script, write_sources


class DeviceFamily(StrEnum):
    """What the tools call an architecture."""

    ECP5 = "ecp5"
    ICE40 = "ice40"
    XC7 = "xc7"


@dataclass(frozen=True)
class Resources:
    """Cell types of a family's netlist: LUTs (and how many each takes), flip-flops, block memories."""

    luts: Mapping[str, int]
    flip_flops: tuple[str, ...]
    memories: tuple[str, ...]


RESOURCES = {
    DeviceFamily.ECP5: Resources(
        {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 4}, ("TRELLIS_FF",), ("DP16KD", "PDPW16KD")
    ),
    DeviceFamily.ICE40: Resources({"SB_LUT4": 1}, ("SB_DFF",), ("SB_RAM40_4K",)),
    DeviceFamily.XC7: Resources(
        {f"LUT{inputs}": 1 for inputs in range(1, 7)}
        | {"INV": 1, "SRL16E": 1, "SRLC32E": 1, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32M": 4, "RAM64M": 4},
        ("FD",),
        ("RAMB18E1", "RAMB36E1"),
    ),
}
"""A flip-flop is every cell whose name begins with the given one."""


@dataclass(frozen=True)
class Device:
    """A device. `arguments` are nextpnr's; without any, there is no open place and route for it.

    `logic_cells` is nextpnr's name of the resource that LUTs take; `speeds` are the speed grades and `placers` those of
    nextpnr's placers that there are for it, the default first. A register with more than `most_loads` loads is
    repeated, each copy for so many at most. `plain_luts` is the option of `synthesis` by which no LUTs are joined to
    wider ones, empty if there is none. With `memories_first` block memories get their sites before nextpnr places, and
    `router_margin` is how many tiles a wire may leave the box around its ends; 0 leaves nextpnr its own. With a
    `route_target_mhz` the router strives for that clock, and rips up for it, not for the placer's.
    """

    name: str
    title: str
    family: DeviceFamily
    synthesis: str
    arguments: tuple[str, ...] = ()
    logic_cells: str = ""
    speeds: tuple[str, ...] = field(default=())
    placers: tuple[str, ...] = ("heap",)
    most_loads: int = 128
    plain_luts: str = ""
    memory_sites: MemorySites | None = None
    memories_first: bool = False
    router_margin: int = 0
    route_target_mhz: float = 0.0

    def without_wide_luts(self) -> Device:
        """The device, for designs in which no LUTs are joined to wider ones. Raises RequestError if none can be."""
        if not self.plain_luts:
            raise RequestError(f"no-wide-luts: must be left out for {self.name}, which has no wide LUTs")
        return replace(self, title=f"{self.title}, no wide LUTs", synthesis=f"{self.synthesis} {self.plain_luts}")

    def with_memories_first(self) -> Device:
        """The device, for designs whose block memories get their sites first. Raises RequestError if none are known."""
        if self.memory_sites is None:
            raise RequestError(f"memories-first: must be left out for {self.name}, whose sites are not known")
        return replace(self, title=f"{self.title}, block memories placed first", memories_first=True)

    def with_router_margin(self, tiles: int) -> Device:
        """The device, with other bounds for the wires of router2. Raises RequestError if it is routed by another."""
        if "router2" not in self.arguments:
            raise RequestError(f"router-margin: must be left out for {self.name}, which router2 does not route")
        return replace(self, title=f"{self.title}, router's margin {tiles}", router_margin=tiles)

    def with_route_target(self, mhz: float) -> Device:
        """The device, with a clock of its own for router2. Raises RequestError if it is routed by another."""
        if "router2" not in self.arguments:
            raise RequestError(f"route-target: must be left out for {self.name}, which router2 does not route")
        return replace(self, title=f"{self.title}, routed for {mhz:g} MHz", route_target_mhz=mhz)

    @property
    def placed(self) -> bool:
        """Whether designs can be placed and routed, or only counted."""
        return bool(self.arguments)


def _ecp5(size: str, luts: str, memory_sites: MemorySites | None = None) -> Device:
    return Device(
        f"ecp5-{size}",
        f"Lattice ECP5 LFE5U-{size.removesuffix('k')}F, {luts} LUT4, CABGA381",
        DeviceFamily.ECP5,
        "synth_ecp5",
        (f"--{size}", "--package", "CABGA381", "--lpf-allow-unconstrained", "--router", "router2"),
        "TRELLIS_COMB",
        ("6", "7", "8"),
        ("heap", "static"),
        # A copy stands by its loads only if they are few: with 64 or 128 a core of 15,000 registers was a fifth slower.
        most_loads=32,
        plain_luts="-nowidelut",
        memory_sites=memory_sites,
    )


def _ice40(name: str, package: str, luts: str) -> Device:
    return Device(
        f"ice40-{name}",
        f"Lattice iCE40 {name.upper()}, {luts} LUT4, {package.upper()}",
        DeviceFamily.ICE40,
        "synth_ice40" + (" -device u" if name.startswith("up") else ""),
        (f"--{name}", "--package", package, "--pcf-allow-unconstrained"),
        "ICESTORM_LC",
    )


DEVICES = {
    device.name: device
    for device in (
        _ecp5("25k", "24,288"),
        _ecp5("45k", "43,848"),
        _ecp5(
            "85k",
            "83,640",
            MemorySites((22, 46, 70, 82), (4, 13, 22, 31, 40, 49, 58, 69, 78, 87, 96, 105, 114)),
        ),
        _ice40("hx8k", "ct256", "7,680"),
        _ice40("up5k", "sg48", "5,280"),
        Device(
            "xc7",
            "AMD 7 series, LUT6; counts only, not placed",
            DeviceFamily.XC7,
            "synth_xilinx -family xc7 -noiopad",
            plain_luts="-nowidelut",
        ),
    )
}
"""Every device by name."""


def device_named(name: str) -> Device:
    """The device of that name. Raises RequestError, listing all, for an unknown one."""
    if name not in DEVICES:
        raise not_one_of("device", name, DEVICES)
    return DEVICES[name]


_NUMBERS = re.compile(r"(\d+)")
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


def synthesise_for(design: Design, device: Device, folder: Path, *, cancel: threading.Event | None = None) -> Counts:
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
    resources, netlist = RESOURCES[device.family], folder / "netlist.json"
    copied, luts = duplicate_registers(netlist, WRAPPER, resources.flip_flops, device.most_loads)
    if device.memories_first and device.memory_sites is not None:
        place_memories(netlist, WRAPPER, resources.memories, device.memory_sites)
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
    """The resources that cells of these types take in the device's family."""
    resources = RESOURCES[device.family]
    return Counts(
        luts=sum(number * resources.luts.get(cell, 0) for cell, number in cells.items()),
        flip_flops=sum(number for cell, number in cells.items() if cell.startswith(resources.flip_flops)),
        memories=sum(number for cell, number in cells.items() if cell in resources.memories),
        cells=dict(sorted(cells.items())),
    )


@dataclass(frozen=True)
class _Load:
    """One input bit: which of the cell's connections it is in, where, and a name that tells what it belongs to."""

    bits: list[int | str]
    index: int
    name: str


def duplicate_registers(netlist: Path, top: str, flip_flops: tuple[str, ...], most_loads: int) -> tuple[int, int]:
    """Rewrite `netlist`, a flat design as Yosys' JSON, with no register of more than `most_loads` loads.

    `flip_flops` are beginnings of the names of cells that are registers. Returns how many registers and LUTs were
    added.
    """
    design = json.loads(netlist.read_text())
    added = luts = 0
    while True:
        # The LUTs that went along are loads, too: of registers that may now have too many.
        more, more_luts = _duplicate(design["modules"][top], flip_flops, most_loads)
        added, luts = added + more, luts + more_luts
        if not more:
            break
    netlist.write_text(json.dumps(design))
    return added, luts


def _duplicate(module: dict[str, Any], flip_flops: tuple[str, ...], most_loads: int) -> tuple[int, int]:
    cells: dict[str, dict[str, Any]] = module["cells"]
    loads: dict[int | str, list[_Load]] = defaultdict(list)
    drivers: dict[int | str, tuple[str, str, int]] = {}
    names = _net_names(module)
    for name, cell in cells.items():
        outputs = [bit for port, bits in _connections(cell, "output") for bit in bits]
        belongs = min((names[bit] for bit in outputs if bit in names), key=_by_quality, default=name)
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
        if not cells[name]["type"].startswith(flip_flops):
            continue
        groups = list(_groups(sorted(found, key=lambda load: _in_order(load.name)), most_loads))
        for number, group in enumerate(groups[1:], 1):
            copy = _copied(cells[name])
            copy["connections"][port][index] = free
            cells[_unused(f"{name}_copy", number, cells)] = copy
            for load in group:
                load.bits[load.index] = free
            before = drivers.get(copy["connections"].get("DI", [""])[0], ("", "", 0))[0]
            if before and cells[before]["type"] == "LUT4":
                # The LUT before it goes along, so that what crosses the device is one net, from a register.
                lut = _copied(cells[before])
                lut["connections"] = {
                    p: [free if b == bit else b for b in bits] for p, bits in lut["connections"].items()
                }
                lut["connections"]["Z"] = copy["connections"]["DI"] = [free + 1]
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


def _net_names(module: dict[str, Any]) -> dict[int | str, str]:
    """The plainest name of each bit: names that mapping made up are the longest."""
    names: dict[int | str, str] = {}
    for name, net in module["netnames"].items():
        for bit in net["bits"]:
            if bit not in names or _by_quality(name) < _by_quality(names[bit]):
                names[bit] = name
    return names


def _by_quality(name: str) -> tuple[bool, int, str]:
    return bool(re.search(r"_(LUT4|TRELLIS_FF|PFUMX|SB_\w+|DFF\w*)_", name)), len(name), name


def _in_order(name: str) -> list[tuple[int, str]]:
    """Text in its order, numbers in theirs."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in _NUMBERS.split(name)]


def _groups(loads: Iterable[_Load], size: int) -> Iterator[list[_Load]]:
    every = list(loads)
    number = -(-len(every) // size)
    for group in range(number):
        yield every[len(every) * group // number : len(every) * (group + 1) // number]
