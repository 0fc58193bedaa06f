"""Registers with very many loads, repeated: what vendors' tools do by themselves, and the open ones do not.

A register that lets a whole pipeline move drives thousands of clock enables. Its net crosses the device, so it alone
would set the clock. Here each group of loads gets a copy of the register; loads of neighbouring names share one, as
they belong to the same part of the design.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

_NUMBERS = re.compile(r"(\d+)")


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
    return next(new for i in count(number) if (new := f"{name}_{i}") not in cells)


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
