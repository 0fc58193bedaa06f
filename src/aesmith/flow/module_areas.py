"""Where the area of a core goes: every module mapped by itself, nothing optimised across module boundaries."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aesmith.cores.design import CoreDesign
from aesmith.flow.recipes import KEEP
from aesmith.flow.synthesis import inline_script, shared_modules_commands, unpack
from aesmith.flow.yosys import run_script
from aesmith.technology.cell import CellKind
from aesmith.technology.library import Library


@dataclass(frozen=True)
class ModuleArea:
    """One module: how often the core has it, and the GE of one instance, with and without the modules inside it.

    `flip_flops` counts those of one instance, the modules inside it left out.
    """

    name: str
    instances: int
    area_ge: float
    own_area_ge: float
    flip_flops: int


def module_areas(
    design: CoreDesign, library: Library, work_dir: Path, *, cancel: threading.Event | None = None
) -> tuple[ModuleArea, ...]:
    """The modules of `design` in `library`, the top module first, then by the area of all their instances.

    The areas add up to more than a measurement's, which optimises across modules; the proportions are what they are
    for. Files go to `work_dir`, which is made. Raises RequestError for a library that lacks what synthesis needs,
    ToolError if Yosys fails.
    """
    library.check_for_synthesis()
    work_dir.mkdir(parents=True, exist_ok=True)
    cells_file = unpack(library, work_dir).name
    forbidden = "".join(f" -dont_use {cell}" for cell in KEEP.forbidden_cells(library))
    commands = [
        f"read_liberty -overwrite -lib -ignore_miss_func {cells_file}",
        *shared_modules_commands(design, work_dir, cancel=cancel),
        f"synth -top {design.top} -noabc -nofsm",
        f"dfflibmap -liberty {cells_file}{forbidden}",
        "opt",
        f"abc -liberty {cells_file} -script {inline_script('strash; map -a; topo')}{forbidden}",
        "opt_clean -purge",
        "tee -q -o modules.json stat -json",
    ]
    run_script(commands, work_dir / "modules.log", cancel=cancel)
    modules = json.loads((work_dir / "modules.json").read_text())["modules"]
    cells = {name.removeprefix("\\"): _counts(facts["num_cells_by_type"]) for name, facts in modules.items()}
    own = {
        name: sum(library.area_ge(cell) * count for cell, count in used.items() if cell in library.cells)
        for name, used in cells.items()
    }
    areas = [
        ModuleArea(
            name=name,
            instances=_instances(cells, design.top, name),
            area_ge=_whole(cells, own, name),
            own_area_ge=own[name],
            flip_flops=sum(
                count
                for cell, count in used.items()
                if cell in library.cells and library.cells[cell].kind is CellKind.FLIP_FLOP
            ),
        )
        for name, used in cells.items()
    ]
    return tuple(sorted(areas, key=lambda area: (area.name != design.top, -area.instances * area.area_ge, area.name)))


def _counts(by_type: Mapping[str, int | Mapping[str, int]]) -> dict[str, int]:
    return {
        name.removeprefix("\\"): count if isinstance(count, int) else count["count"] for name, count in by_type.items()
    }


def _instances(cells: Mapping[str, Mapping[str, int]], top: str, name: str) -> int:
    """How often `name` stands in the hierarchy under `top`, `top` itself counted."""
    inside = sum(count * _instances(cells, child, name) for child, count in cells[top].items() if child in cells)
    return inside + (top == name)


def _whole(cells: Mapping[str, Mapping[str, int]], own: Mapping[str, float], name: str) -> float:
    """Area of one instance with everything inside it."""
    return own[name] + sum(count * _whole(cells, own, child) for child, count in cells[name].items() if child in cells)
