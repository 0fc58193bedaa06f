"""Where block memories go: each near those that it feeds, before all else is placed.

Block memories stand in a few rows that cross the device, and what is between two of them, a round of AES say, is small
beside a row. nextpnr places them one by one and late: in a pipeline whose S-boxes are memories, wires between these
are then 40 % of all wire. Here simulated annealing makes the wires between memories short, and nextpnr places the rest
around them.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aesmith.flow.fpga.devices import Cells, MemorySites

MOST_LOADS = 32
"""A net of more loads steers, and says nothing about what belongs together."""

MOST_REGISTERS = 2
"""Registers between two memories of which one feeds the other."""

RETURN = 4
"""Wires that a memory which no other feeds counts as having from each one that feeds no other: what leaves a pipeline
goes where something enters it."""

MOVES = 400_000
HEAT = 30.0
"""Moves of the annealing, and what at its start may be lost by one, in tiles of a memory's mean wires."""


def place_memories(netlist: Path, top: str, kinds: Cells, sites: MemorySites) -> int:
    """Rewrite `netlist`, a flat design of these `kinds` of cells as Yosys' JSON, with a site for each block memory.

    Returns how many got one: none if none feeds another, or there are more than sites.
    """
    design = json.loads(netlist.read_text())
    cells: dict[str, dict[str, Any]] = design["modules"][top]["cells"]
    names = [name for name, cell in cells.items() if kinds.is_memory(cell["type"])]
    wires = _with_return(_wires(cells, names, kinds))
    places = sites.every()
    if not wires or len(names) > len(places):
        return 0
    for name, at in zip(names, _annealed(len(names), wires, places), strict=True):
        column, row, number = places[at]
        cells[name].setdefault("attributes", {})["BEL"] = sites.bel.format(column=column, row=row, number=number)
    netlist.write_text(json.dumps(design))
    return len(names)


def _wires(cells: Mapping[str, dict[str, Any]], memories: Sequence[str], kinds: Cells) -> Counter[tuple[int, int]]:
    """For each memory and each that it feeds, through gates and few registers: how many of its outputs do."""
    number = {name: i for i, name in enumerate(memories)}
    loads: dict[int, list[str]] = defaultdict(list)
    drives: dict[str, list[int]] = {}
    for name, cell in cells.items():
        drives[name] = []
        for port, bits in cell["connections"].items():
            nets = [bit for bit in bits if isinstance(bit, int)]
            if cell["port_directions"].get(port) == "output":
                drives[name] += nets
            elif port not in kinds.controls:
                for net in nets:
                    loads[net].append(name)
    wires: Counter[tuple[int, int]] = Counter()
    for name, source in number.items():
        for output in drives[name]:
            seen, ahead, fed = {output}, [(output, 0)], set[int]()
            while ahead:
                net, registers = ahead.pop()
                for load in loads[net] if len(loads[net]) <= MOST_LOADS else ():
                    kind = cells[load]["type"]
                    passed = registers + kinds.is_flip_flop(kind)
                    if load in number:
                        fed.add(number[load])
                    elif passed <= MOST_REGISTERS and kind not in kinds.lut_memories:
                        new = [bit for bit in drives[load] if bit not in seen]
                        seen.update(new)
                        ahead += [(bit, passed) for bit in new]
            wires.update((source, to) for to in fed if to != source)
    return wires


def _with_return(wires: Counter[tuple[int, int]]) -> Counter[tuple[int, int]]:
    """The same, either way, with the way back from the last memories to the first."""
    feeds, fed = {source for source, _ in wires}, {to for _, to in wires}
    both: Counter[tuple[int, int]] = Counter()
    for (source, to), count in wires.items():
        both[min(source, to), max(source, to)] += count
    for first in feeds - fed:
        for last in fed - feeds:
            both[min(first, last), max(first, last)] += RETURN
    return both


def _annealed(count: int, wires: Mapping[tuple[int, int], int], sites: Sequence[tuple[int, int, int]]) -> list[int]:
    """A site for each memory."""
    near: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for (a, b), weight in wires.items():
        near[a].append((b, weight))
        near[b].append((a, weight))
    chance = random.Random(1)
    at = chance.sample(range(len(sites)), count)
    taken: list[int | None] = [None] * len(sites)
    for memory, site in enumerate(at):
        taken[site] = memory

    def length(memory: int | None) -> int:
        if memory is None:
            return 0
        x, y, _ = sites[at[memory]]
        return sum(weight * (abs(x - sites[at[to]][0]) + abs(y - sites[at[to]][1])) for to, weight in near[memory])

    heat = HEAT * sum(wires.values()) / count
    for move in range(MOVES):
        memory, site = chance.randrange(count), chance.randrange(len(sites))
        old, other = at[memory], taken[site]
        if site == old:
            continue
        before = length(memory) + length(other)
        at[memory] = site
        if other is not None:
            at[other] = old
        gain = before - length(memory) - length(other)
        if gain >= 0 or chance.random() < math.exp(gain / (heat * (1 - move / MOVES) ** 3 + 1e-9)):
            taken[site], taken[old] = memory, other
        else:
            at[memory] = old
            if other is not None:
                at[other] = site
    return at
