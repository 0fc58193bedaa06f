"""What there is to choose from, as plain values: what `aesmith list` prints.

import aesmith

[core["name"] for core in aesmith.listing.cores() if "decrypt" in core["directions"]]
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from aesmith.circuits.cost import area, depth
from aesmith.cores import specification as specifications
from aesmith.lazy import LazyModule
from aesmith.sboxes.catalogue import catalogue
from aesmith.technology.library import Library
from aesmith.technology.registry import EMBEDDED, library_by, registered_libraries
from aesmith.technology.registry import register as add_library
from aesmith.technology.registry import remove as remove_library

if TYPE_CHECKING:
    from aesmith.flow.fpga import devices as fpgas
    from aesmith.modes import specification as modes
    from aesmith.publish.project import boards as projects
    from aesmith.tables import catalogue as published
    from aesmith.tables.fpga import FpgaTable
    from aesmith.tables.model import Table
else:
    fpgas = LazyModule("aesmith.flow.fpga.devices")
    modes = LazyModule("aesmith.modes.specification")
    projects = LazyModule("aesmith.publish.project.boards")
    published = LazyModule("aesmith.tables.catalogue")

__all__ = [
    "SCHEMAS",
    "add_library",
    "boards",
    "cores",
    "devices",
    "engines",
    "families",
    "libraries",
    "library_facts",
    "remove_library",
    "sboxes",
    "tables",
]


class ListedCore(TypedDict):
    """A core by name, its clocks those of its slower direction with the longest key: `cycles_per_block` from block to
    block, back to back; `latency_cycles` from a block taken to its result, of the first block under a key in a core at
    rest; `worst_latency_cycles` the same of the block that takes longest, whatever came before it."""

    name: str
    title: str
    family: str
    key_bits: list[int]
    directions: list[str]
    block_width: int
    cycles_per_block: float
    latency_cycles: int
    worst_latency_cycles: int | None
    citation: str
    specification: dict[str, object]


class ListedFamily(TypedDict):
    """A family with the names of its architectures and presets."""

    name: str
    title: str
    architectures: list[str]
    presets: list[str]


class ListedEngine(TypedDict):
    """An engine of a mode by name: `cycles_per_block` in clocks, as a mean in long messages; `latency_cycles` from a
    beat of text taken to the one that answers it, where nothing before it is under way, and `first_answer_cycles` the
    same of the first beat of a message whose command came long before; `worst_latency_cycles` from a block of text
    first offered to its answer, of the one that waits longest behind equal messages under one key, if neither sender
    nor receiver pauses: of CMAC to the tag, and not of text that waits for its verdict. All of the mode named first."""

    name: str
    title: str
    mode: str
    aes: str
    key_bits: list[int]
    cycles_per_block: float
    latency_cycles: int
    first_answer_cycles: int
    worst_latency_cycles: int | None
    citation: str
    specification: dict[str, object]


class ListedSBox(TypedDict):
    """An S-box: of each function the two-input gates and the depth in them, as built, not as published."""

    name: str
    summary: str
    functions: dict[str, dict[str, int]]
    citation: str
    claims: list[dict[str, str]]
    provenance: str
    patent: str


class ListedLibrary(TypedDict):
    """A library known by name, and its file."""

    name: str
    path: str
    embedded: bool


class ListedDevice(TypedDict):
    """An FPGA: what it gives ("clock" where designs are placed and routed, else "counts" of mapped cells alone), the
    inputs of its LUTs, speed grades, the pad of the clock, and what places on it, as a wheel."""

    name: str
    title: str
    gives: str
    lut_inputs: int
    speeds: list[str]
    clock_pad: str
    placer: str


class ListedBoard(TypedDict):
    """A board that projects are written for: the tools, the FPGA as these call it, clocks of board and core in MHz, the
    pins of the self-test's ports, and the public file that these are from."""

    name: str
    title: str
    project: str
    part: str
    clock_mhz: float
    core_mhz: float
    pins: dict[str, str]
    source: str
    remark: str


class ListedTable(TypedDict):
    """A published table: where it stands, and its rows."""

    name: str
    title: str
    publication: str
    citation: str
    source: str
    optimise: list[str]
    rows: list[dict[str, str]]


SCHEMAS: dict[str, type] = {
    "cores": ListedCore,
    "families": ListedFamily,
    "engines": ListedEngine,
    "sboxes": ListedSBox,
    "libraries": ListedLibrary,
    "devices": ListedDevice,
    "boards": ListedBoard,
    "tables": ListedTable,
}
"""What each member of the list is that `aesmith list WHAT --json` prints."""


def cores() -> list[ListedCore]:
    """The cores that can be built by name."""
    found: list[ListedCore] = []
    for name, wanted in specifications.presets().items():
        design = specifications.described_design(wanted, specifications.default_name(name), name)
        found.append(
            {
                "name": name,
                "title": design.title,
                "family": specifications.family_of(wanted.architecture).name,
                "key_bits": list(design.key_bits),
                "directions": [str(direction) for direction in design.directions],
                "block_width": design.block_width,
                "cycles_per_block": design.cycles_per_block,
                "latency_cycles": design.latency_cycles,
                "worst_latency_cycles": design.slowest_clocks(max(design.key_bits)).worst,
                "citation": str(design.publication),
                "specification": wanted.model_dump(mode="json"),
            }
        )
    return found


def families() -> list[ListedFamily]:
    """The families of cores, those of plugins included."""
    return [
        {
            "name": name,
            "title": family.title,
            "architectures": list(family.architectures),
            "presets": list(family.presets),
        }
        for name, family in specifications.families().items()
    ]


def engines() -> list[ListedEngine]:
    """The engines of modes of operation that can be named."""
    found: list[ListedEngine] = []
    for name, wanted in modes.engine_presets().items():
        design = modes.build_engine(wanted, specifications.default_name(name), name)
        found.append(
            {
                "name": name,
                "title": design.title,
                "mode": design.mode,
                "aes": design.aes,
                "key_bits": list(design.quoted_key_bits),
                "cycles_per_block": design.cycles_per_block,
                "latency_cycles": design.latency_cycles,
                "first_answer_cycles": design.first_answer_cycles,
                "worst_latency_cycles": design.worst_latency_cycles,
                "citation": str(design.publication),
                "specification": wanted.model_dump(mode="json"),
            }
        )
    return found


def sboxes() -> list[ListedSBox]:
    """The S-boxes and inverters of the catalogue."""
    found: list[ListedSBox] = []
    for entry in catalogue().values():
        circuits = {str(function): entry.circuit(function) for function in entry.functions}
        found.append(
            {
                "name": entry.name,
                "summary": entry.summary,
                "functions": {
                    name: {"gates": round(area(c)), "depth": round(depth(c))} for name, c in circuits.items()
                },
                "citation": str(entry.publication),
                "claims": [{"function": str(claim.function), "text": claim.text} for claim in entry.claims],
                "provenance": entry.provenance,
                "patent": entry.patent,
            }
        )
    return found


def libraries() -> list[ListedLibrary]:
    """The cell libraries known by name."""
    return [
        {"name": name, "path": str(path), "embedded": name == EMBEDDED} for name, path in registered_libraries().items()
    ]


def devices() -> list[ListedDevice]:
    """The FPGAs that cores are mapped to, those that are placed on first."""
    return [
        {
            "name": device.name,
            "title": device.title,
            "gives": "clock" if device.placer is not None else "counts",
            "lut_inputs": device.cells.lut_inputs,
            "speeds": list(device.speeds),
            "clock_pad": device.sites.get("clk", ""),
            "placer": "" if device.placer is None else device.placer.wheel,
        }
        for device in fpgas.DEVICES.values()
    ]


def boards() -> list[ListedBoard]:
    """The boards that projects are written for."""
    return [
        {
            "name": board.name,
            "title": board.title,
            "project": str(board.flow),
            "part": board.part,
            "clock_mhz": board.clock_mhz,
            "core_mhz": board.core_mhz,
            "pins": dict(board.pins),
            "source": board.source,
            "remark": board.remark,
        }
        for board in projects.BOARDS.values()
    ]


def placers() -> list[dict[str, str]]:
    """What places on FPGAs: the wheel, the native program, and the devices, in words."""
    return [
        {
            "wheel": placer.wheel,
            "native": placer.native,
            "devices": ", ".join(device.name for device in fpgas.DEVICES.values() if device.placer == placer),
        }
        for placer in fpgas.PLACERS
    ]


def tables() -> list[ListedTable]:
    """The published tables that can be measured again."""
    every: list[Table | FpgaTable] = [*published.TABLES.values(), *published.FPGA_TABLES.values()]
    return [
        {
            "name": table.name,
            "title": table.title,
            "publication": table.publication.key,
            "citation": str(table.publication),
            "source": table.source,
            "optimise": [str(optimise) for optimise in getattr(table, "optimise", ())],
            "rows": [{"name": row.name, "label": row.label} for row in table.rows],
        }
        for table in every
    ]


def library_facts(library: str | Path | Library) -> dict[str, object]:
    """What a library is: corner (V, °C), cells, and the cell that one GE is the area of.

    Raises RequestError for one that will not do.
    """
    cells = library if isinstance(library, Library) else library_by(library)
    corner = cells.corner
    return {
        "name": cells.name,
        "title": cells.title,
        "path": str(cells.path),
        "files": [str(path) for path in cells.files],
        "digest": cells.digest,
        "corner": {
            "name": corner.name,
            "process": corner.process,
            "voltage": corner.voltage,
            "temperature": corner.temperature,
        },
        "cells": len(cells.cells),
        "cells_for_synthesis": sum(cell.synthesisable for cell in cells.cells.values()),
        "gate_equivalent_cell": cells.nand2.name,
        "gate_equivalent_area": cells.gate_equivalent,
        "flip_flop": cells.flip_flop.name,
        "flip_flop_ge": cells.area_ge(cells.flip_flop),
        "set_aside": {name: aside.reason for name, aside in cells.set_aside.items()},
        "without_power": dict(cells.without_power),
    }
