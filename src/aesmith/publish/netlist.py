"""A design elaborated with its hierarchy kept, as data: what the block diagram and the module table are made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError
from aesmith.flow.yosys import read_commands, run_script, write_sources
from aesmith.publish.structure import plain_name
from aesmith.yosys_json import Module, read_json


@dataclass(frozen=True)
class Elaborated:
    """The modules of an elaborated design by name; every instance has a module of its own."""

    top: str
    modules: Mapping[str, Module]


@dataclass(frozen=True)
class ModuleUse:
    """A module in the hierarchy: how often the core has it, and the flip-flops that one of them holds itself."""

    name: str
    depth: int
    instances: int
    flip_flops: int


def elaborate(design: CoreDesign, work_dir: Path) -> Elaborated:
    """Elaborates `design` in `work_dir`, which is made. Raises ToolError if Yosys is missing or refuses the sources."""
    work_dir.mkdir(parents=True, exist_ok=True)
    commands = read_commands(design, write_sources(design, work_dir), keep_hierarchy=True, keep_processes=True)
    cleaning = ["proc -noopt", "opt_expr", "opt_clean", "opt_merge", "opt_dff", "opt_clean"]
    run_script([*commands, *cleaning, "write_json netlist.json"], work_dir / "netlist.log")
    return Elaborated(design.top, read_json(work_dir / "netlist.json").modules)


def check_ports(design: CoreDesign, netlist: Elaborated) -> None:
    """Raises CheckError unless the top module has the ports that `design` states, and no others."""
    found = {port.name: (port.direction, port.width) for port in netlist.modules[netlist.top].ports.values()}
    stated = {port.name: (port.direction.value, port.bits) for port in design.ports}
    for name in sorted(found.keys() | stated.keys()):
        if found.get(name) != stated.get(name):
            has, says = (" of ".join(map(str, side[name])) if name in side else "missing" for side in (found, stated))
            raise CheckError(f"{design.name}: port {name} is stated as {says}, but is {has} in the sources")


def module_uses(netlist: Elaborated) -> tuple[ModuleUse, ...]:
    """The hierarchy from the top down: each module under the one that first uses it."""
    counts = Counter(name for name, _ in _walk(netlist, netlist.top, 0))
    uses: dict[str, ModuleUse] = {}
    for name, (module, depth) in ((name, found) for name, found in _walk(netlist, netlist.top, 0)):
        if name not in uses:
            uses[name] = ModuleUse(name, depth, counts[name], _flip_flops(netlist.modules[module]))
    return tuple(uses.values())


def _walk(netlist: Elaborated, module: str, depth: int) -> Iterator[tuple[str, tuple[str, int]]]:
    yield plain_name(module), (module, depth)
    cells = netlist.modules[module].cells
    for cell in sorted(cells):
        if cells[cell].type in netlist.modules:
            yield from _walk(netlist, cells[cell].type, depth + 1)


def _flip_flops(module: Module) -> int:
    return sum(len(cell.pins["Q"]) for cell in module.cells.values() if "dff" in cell.type and "Q" in cell.pins)
