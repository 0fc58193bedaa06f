"""Leakage assessment from Python: what glitch-accurate power tells of the data of a core or of a masked S-box."""

from __future__ import annotations

from pathlib import Path

from aesmith.api.designs import DEFAULT_LIBRARY, library_by
from aesmith.assurance.leakage.assess import core_assessment, core_attack, sbox_assessment
from aesmith.assurance.leakage.mapped import mapped_json
from aesmith.assurance.leakage.plan import AttackReport, LeakagePlan, LeakageReport
from aesmith.cores.design import CoreDesign
from aesmith.flow.recipes import recipe_by_name
from aesmith.flow.yosys import require_yosys
from aesmith.progress import Progress
from aesmith.scratch import work_folder
from aesmith.technology.library import Library

RECIPE, HIERARCHICAL = "keep", "keep-modules"
"""How a target is mapped if nothing is said: a core whose structure protects it module by module."""


def assess_core(
    design: CoreDesign,
    plan: LeakagePlan | None = None,
    library: str | Path | Library = DEFAULT_LIBRARY,
    *,
    recipe: str | None = None,
    netlist: Path | None = None,
    progress: Progress | None = None,
) -> LeakageReport:
    """Test the traces of a core that is synthesised by `recipe`, or of its mapped `netlist` (Verilog, or Yosys' JSON).

    A leak is no error. Raises RequestError for a plan that the core does not allow, CheckError if the netlist computes
    wrongly, ToolError without Yosys.
    """
    require_yosys()
    cells = library_by(library)
    by = recipe_by_name(recipe or (HIERARCHICAL if design.in_shares else RECIPE))
    with work_folder() as folder:
        mapped = None if netlist is None else mapped_json(netlist, design.top, cells, folder / "netlist")
        assessment = core_assessment(
            design, cells, plan or LeakagePlan(), recipe=by, folder=folder / "synthesis", netlist=mapped
        )
        return assessment.run(progress)


def attack_core(
    design: CoreDesign,
    plan: LeakagePlan | None = None,
    library: str | Path | Library = DEFAULT_LIBRARY,
    *,
    recipe: str | None = None,
    netlist: Path | None = None,
    progress: Progress | None = None,
) -> AttackReport:
    """Look for the key of a core in its traces by correlation; the rest as `assess_core`."""
    require_yosys()
    cells = library_by(library)
    by = recipe_by_name(recipe or (HIERARCHICAL if design.in_shares else RECIPE))
    with work_folder() as folder:
        mapped = None if netlist is None else mapped_json(netlist, design.top, cells, folder / "netlist")
        place = folder / "synthesis"
        chosen = plan or LeakagePlan()
        return core_attack(design, cells, chosen, recipe=by, folder=place, netlist=mapped, progress=progress)


def assess_sbox(
    order: int = 1,
    clocks: int = 4,
    plan: LeakagePlan | None = None,
    library: str | Path | Library = DEFAULT_LIBRARY,
    *,
    recipe: str | None = None,
    zero_stages: frozenset[int] = frozenset(),
    progress: Progress | None = None,
) -> LeakageReport:
    """Test the traces of the masked S-box. With `zero_stages` the fresh bits of these stages, from 1 on, are 0.

    Raises RequestError for a plan that is for cores, ToolError without Yosys.
    """
    require_yosys()
    by = recipe_by_name(recipe or RECIPE)
    with work_folder() as folder:
        assessment = sbox_assessment(
            order, clocks, library_by(library), plan or LeakagePlan(), recipe=by, folder=folder, zero_stages=zero_stages
        )
        return assessment.run(progress)
