"""Synthesis: from a design to a netlist of library cells that any timing tool and any Verilog simulator reads.

The model of a clock gate, which has a latch, becomes the library's cell on the way.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict

from aesmith.cores.design import Design, SourceFile
from aesmith.errors import RequestError, ToolError
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import Recipe, Rewiring, SynthesisPlan
from aesmith.flow.register_outputs import without_register_buffers
from aesmith.flow.rewiring.rewire import FOR_AREA, FOR_SPEED, LEFT_OUT, RewiringPlan, rewire
from aesmith.flow.sizing import SizingStep, json_with_cells, size, with_cells
from aesmith.flow.verilog2005 import verilog2005
from aesmith.flow.yosys import DEFAULT_TIMEOUT_S, SOURCE_FOLDER, read_commands, run_script, write_sources
from aesmith.technology.cell import CellKind
from aesmith.technology.library import ClockGate, Library
from aesmith.technology.reading.writer import liberty_text
from aesmith.timing.netlist import read_netlist
from aesmith.timing.static import default_conditions

_LIBERTY = "library.lib"
_ELABORATED = "elaborated.il"
GATED_TOGETHER = 4
"""Fewer registers keep their selectors: a gate has the area of two, and is one more branch of the clock tree."""
_BORDERS = 3
"""Borders of modules that a constant or an unread output crosses, at the most: shell, key schedule, its sums."""

_DELAY = re.compile(r"Delay =\s*([\d.]+) ps")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class MappedNetlist:
    """A design mapped to a library.

    `netlist` is a flat Verilog file of cell instances with module `top`, `json` the same as JSON. Areas are of all
    cells, registers and control included; `area` in the library's unit, the others in GE. `abc_delay_ps` is the longest
    delay between registers or ports as ABC saw it while sizing (registers' own delays not included), None where it
    states none; of `timed` recipes the shortest that sizing reached.
    """

    top: str
    netlist: Path
    json: Path
    recipe: str
    target_ps: float | None
    area: float
    area_ge: float
    register_area_ge: float
    cells: Mapping[str, int]
    flip_flops: int
    abc_delay_ps: float | None
    log: Path
    seconds: float

    @property
    def cell_count(self) -> int:
        """Number of cells."""
        return sum(self.cells.values())

    @property
    def logic_area_ge(self) -> float:
        """Area of everything that is no flip-flop, in GE."""
        return self.area_ge - self.register_area_ge


def elaborate(
    design: Design,
    library: Library,
    work_dir: Path,
    *,
    hierarchical: bool = False,
    gated: bool = False,
    liberty: Path | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    cancel: threading.Event | None = None,
) -> Path:
    """What all recipes start from: `design` as generic gates and flip-flops of `library`, in a file of Yosys' RTLIL.

    It is flat, or `hierarchical`: then equal instances share one module. If `gated`, the library's clock gate stands
    before each `GATED_TOGETHER` or more registers of one clock and one enable, which load in every clock that it lets
    through. It takes longer than a recipe does, so whoever tries several makes it once. Files go to `work_dir`, which
    is made; `liberty` as for `synthesise`, which also says what is raised.
    """
    library.check_for_synthesis()
    gate = clock_gate_source(design, library)
    work_dir.mkdir(parents=True, exist_ok=True)
    gates = gating_commands(library, work_dir) if gated else []
    if hierarchical:
        read = shared_modules_commands(design, work_dir, gate, cancel=cancel)
    else:
        read = read_commands(design, write_sources(design, work_dir), keep_hierarchy=False)
        if gate is not None:
            (work_dir / SOURCE_FOLDER / gate.name).write_text(gate.text)
    cells_file = os.path.relpath(liberty or unpack(library, work_dir), work_dir)
    forbidden = "".join(f" -dont_use {cell}" for cell in library.not_for_synthesis)
    commands = [
        # The library comes first: a cell that is not known when the design is read has no known outputs.
        f"read_liberty -overwrite -lib -ignore_miss_func {cells_file}",
        *read,
        # A table after a register would be read as a memory, and get a copy of the register for each port of it.
        f"synth -top {design.top} -noabc -nofsm -nordff -latches error{'' if hierarchical else ' -flatten'}",
        *gates,
        f"dfflibmap -liberty {cells_file}{forbidden}",
        "opt",
        f"write_rtlil {_ELABORATED}",
    ]
    run_script(commands, work_dir / "elaboration.log", timeout_s=timeout_s, cancel=cancel)
    return work_dir / _ELABORATED


def synthesise(
    design: Design,
    library: Library,
    recipe: Recipe,
    target_ps: float | None,
    work_dir: Path,
    *,
    liberty: Path | None = None,
    elaborated: Path | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    cancel: threading.Event | None = None,
) -> MappedNetlist:
    """Map `design` to `library`; all files go to `work_dir`, which is made.

    `target_ps` is the delay in ps between registers that gates are sized for (a register's own delay and setup come on
    top, but for `timed` recipes, which count all of every path); None sizes for the shortest. `liberty` is an unpacked
    copy of the library's file, where there is one already (see `unpack`), and `elaborated` what `elaborate` made of the
    design for this kind of recipe. Raises RequestError for a target the recipe cannot use and for a library without the
    cells synthesis needs, a clock gate included where the design has one; ToolError if Yosys fails, or leaves anything
    unmapped, undriven or latched.
    """
    library.check_for_synthesis()
    mapping = recipe.mapping
    script = mapping.abc_script(None if recipe.timed else target_ps)
    work_dir.mkdir(parents=True, exist_ok=True)
    forbidden = "".join(f" -dont_use {cell}" for cell in recipe.forbidden_cells(library))
    if elaborated is None:
        elaborated = elaborate(
            design,
            library,
            work_dir,
            hierarchical=recipe.hierarchical,
            gated=recipe.gated,
            liberty=liberty,
            timeout_s=timeout_s,
            cancel=cancel,
        )
    cells_file = os.path.relpath(liberty or unpack(library, work_dir), work_dir)
    (work_dir / "boundary.sdc").write_text(_boundary(library))
    commands = [
        f"read_liberty -overwrite -lib -ignore_miss_func {cells_file}",
        f"read_rtlil {os.path.relpath(elaborated, work_dir)}",
        f"abc -liberty {cells_file} -constr boundary.sdc -script {inline_script(script)}{forbidden}",
        "opt_clean -purge",
        *(["flatten", "opt_clean -purge"] if recipe.hierarchical else []),
        *_netlist_commands(design.top, library),
    ]
    log = work_dir / "yosys.log"
    seconds = run_script(commands, log, timeout_s=timeout_s, cancel=cancel)
    netlist = work_dir / "netlist.json"
    freed = None if recipe.sized_by_abc else without_register_buffers(netlist.read_text(), design.top, library)
    if freed is not None:
        netlist.write_text(freed)
        commands = [commands[0], f"read_json {netlist.name}", *_netlist_commands(design.top, library)]
        seconds += run_script(commands, work_dir / "registers.log", timeout_s=timeout_s, cancel=cancel)
    cells = _cells(work_dir / "cells.json", library)
    mapped = MappedNetlist(
        top=design.top,
        netlist=netlist.with_suffix(".v"),
        json=netlist,
        recipe=recipe.name,
        target_ps=target_ps,
        cells=cells,
        abc_delay_ps=None if recipe.hierarchical else _last_delay(log),
        log=log,
        seconds=seconds,
        **_areas(cells, library),
    )
    return resized(mapped, library, recipe, target_ps, work_dir) if recipe.timed else mapped


def resized(
    mapped: MappedNetlist, library: Library, recipe: Recipe, target_ps: float | None, work_dir: Path
) -> MappedNetlist:
    """What `recipe`, which is `timed`, makes of the netlist of its own mapping; the new one goes to `work_dir`.

    Its `abc_delay_ps` is the shortest longest path that sizing reached.
    """

    def merit(step: SizingStep) -> float:
        if target_ps is None:
            return step.area * step.delay_ns
        return step.area if 1e3 * step.delay_ns <= target_ps else 1e12 * step.delay_ns

    sized = size(mapped.json, library, merit=merit, growth=recipe.growth)
    shortest = 1e3 * min(step.delay_ns for step in sized.steps)
    work_dir.mkdir(parents=True, exist_ok=True)
    netlist = work_dir / "netlist.v"
    netlist.write_text(with_cells(mapped.netlist.read_text(), sized.cells))
    netlist.with_suffix(".json").write_text(json_with_cells(mapped.json.read_text(), mapped.top, sized.cells))
    cells = dict(sorted(Counter(sized.cells.values()).items()))
    return replace(
        mapped,
        netlist=netlist,
        json=netlist.with_suffix(".json"),
        recipe=recipe.name,
        target_ps=target_ps,
        abc_delay_ps=shortest,
        cells=cells,
        **_areas(cells, library),
    )


def rewired(
    mapped: MappedNetlist,
    library: Library,
    optimise: Optimise,
    work_dir: Path,
    how: Rewiring,
    *,
    progress: Callable[[str, int], None] | None = None,
    cancel: threading.Event | None = None,
) -> MappedNetlist:
    """What rewiring makes of a netlist, for speed and area, or for area alone; the new one goes to `work_dir`.

    `progress` is told what is worked on and how many of `REWIRING_STEPS` are done. The netlist is proved to have the
    functions of `mapped`. Raises what `aesmith.flow.rewiring.rewire.rewire` raises.
    """
    work_dir.mkdir(parents=True, exist_ok=True)
    small = optimise.goal is Optimise.AREA
    moves = how.moves or (FOR_AREA if small else FOR_SPEED)
    plan = RewiringPlan(moves, faster=not small, without=frozenset() if how.all_kinds else LEFT_OUT)
    began = time.monotonic()
    found = rewire(mapped.json, library, work_dir / "proof", plan=plan, progress=progress, cancel=cancel)
    netlist = work_dir / "netlist.json"
    netlist.write_text(found.json)
    verilog = "write_verilog -noattr -noexpr -nohex -simple-lhs netlist.v"
    log = work_dir / "rewired.log"
    run_script([f"read_json {netlist.name}", verilog], log, cancel=cancel)
    cells = Counter(instance.cell for instance in read_netlist(netlist, mapped.top).instances)
    return replace(
        mapped,
        netlist=netlist.with_suffix(".v"),
        json=netlist,
        recipe=mapped.recipe + how.suffix,
        cells=dict(sorted(cells.items())),
        abc_delay_ps=None,
        log=log,
        seconds=mapped.seconds + time.monotonic() - began,
        **_areas(cells, library),
    )


class _Areas(TypedDict):
    area: float
    area_ge: float
    register_area_ge: float
    flip_flops: int


def _areas(cells: Mapping[str, int], library: Library) -> _Areas:
    registers = {name: count for name, count in cells.items() if library.cell(name).kind is CellKind.FLIP_FLOP}
    return {
        "area": sum(library.cell(name).area * count for name, count in cells.items()),
        "area_ge": sum(library.area_ge(name) * count for name, count in cells.items()),
        "register_area_ge": sum(library.area_ge(name) * count for name, count in registers.items()),
        "flip_flops": sum(registers.values()),
    }


def shared_modules_commands(
    design: Design, work_dir: Path, gate: SourceFile | None, *, cancel: threading.Event | None = None
) -> list[str]:
    """Yosys commands that read `design` with its hierarchy, equal instances sharing one module.

    `gate` is its `clock_gate_source`, which takes the place of the module of that name.

    The front end makes a module of every instance; by way of the one-file Verilog each is mapped once. What a module is
    given as a constant wherever it stands, and what nobody reads of it, is settled across its borders: what a parameter
    switches off takes no gates.
    """
    (work_dir / "modules.v").write_text(verilog2005(design, "", work_dir, cancel=cancel))
    settled = ["opt_hier", "opt"] * _BORDERS
    read = ["read_verilog modules.v", f"hierarchy -check -top {design.top}", "proc", "opt", *settled]
    if gate is not None:
        (work_dir / SOURCE_FOLDER).mkdir(exist_ok=True)
        (work_dir / SOURCE_FOLDER / gate.name).write_text(gate.text)
        read.append(f"read_verilog -overwrite {SOURCE_FOLDER}/{gate.name}")
    return read


def inline_script(script: str) -> str:
    """`script` as the argument of Yosys' `abc -script`. ABC could not open a script file in a folder with a space."""
    return "+" + re.sub(r"\s+", ",", script.strip())


def unpack(library: Library, folder: Path) -> Path:
    """Write the library to `folder` as library.lib, in the form that Yosys and ABC read; return its path."""
    path = folder / _LIBERTY
    path.write_text(liberty_text(library))
    return path


def _boundary(library: Library) -> str:
    """ABC's constraints: inputs come from the smallest buffer, outputs drive what static timing has them drive."""
    return f"set_driving_cell {library.buffers[0].name}\nset_load {default_conditions(library).output_load_ff:.4f}\n"


def _netlist_commands(top: str, library: Library) -> list[str]:
    """Commands that make the mapped design a netlist old tools read: no constants but from tie cells, no names but
    simple ones, no concatenation on a left-hand side."""
    high, low = library.tie_high, library.tie_low
    ties = (f" -hicell {high.cell.name} {high.pin}" if high else "") + (
        f" -locell {low.cell.name} {low.pin}" if low else ""
    )
    return [
        "setundef -zero",
        *([f"hilomap -singleton{ties}"] if ties else []),
        # Without this, ports become aliases of long hierarchical names.
        f"rename -hide {top}/w:* {top}/i:* %d {top}/o:* %d",
        "opt_clean -purge",
        # Only inner nets: with the ports split, the module would have a port a bit.
        "splitnets",
        "rename -enumerate t:*",
        "check -mapped -assert",
        "tee -q -o cells.json stat -json",
        "write_verilog -noattr -noexpr -nohex -simple-lhs netlist.v",
        "write_json netlist.json",
    ]


def _cells(statistics: Path, library: Library) -> dict[str, int]:
    """Number of cells of each type, by name, from the JSON of Yosys' `stat`."""
    counts = json.loads(statistics.read_text())["design"]["num_cells_by_type"]
    cells = {name: count["count"] if isinstance(count, dict) else count for name, count in sorted(counts.items())}
    unknown = [name for name in cells if name not in library.cells]
    if unknown:
        raise ToolError(f"synthesis: the netlist has cells that library {library.name} has not: {', '.join(unknown)}")
    return cells


def _last_delay(log: Path) -> float | None:
    """What ABC last stated as the delay of the netlist, in ps."""
    found = _DELAY.findall(_COLOUR.sub("", log.read_text(errors="replace")))
    return float(found[-1]) if found else None


def gating_commands(library: Library, work_dir: Path) -> list[str]:
    """Yosys' commands that put the library's clock gate in the place of enables; a file of them goes to `work_dir`.

    Raises RequestError if the library has none.
    """
    (work_dir / _MAP).write_text(_around(_gate_of(library, "clock gates", "leave out --clock-gates"), _MAP))
    put = f"clockgate -pos {Path(_MAP).stem} enable_i:clk_i:clk_o -min_net_size {GATED_TOGETHER}"
    return [put, f"techmap -map {_MAP}", "opt_clean"]


def check_cells(design: Design, library: Library, plan: SynthesisPlan | None = None) -> None:
    """Raise RequestError if `library` lacks a cell that synthesis of `design` needs; of a gated `plan` a clock gate."""
    library.check_for_synthesis()
    clock_gate_source(design, library)
    if plan is not None and plan.gated:
        _gate_of(library, "clock gates", "leave out --clock-gates")
        if design.ports.scan_enable is not None:
            raise RequestError(
                f"clock-gates: {design.ports.scan_enable} does not reach clock gates that synthesis puts in; leave out "
                "--clock-gates, or scan_enable of the specification"
            )


_MAP = "library_clock_gate.v"


def _gate_of(library: Library, what: str, instead: str) -> ClockGate:
    gate = library.clock_gate
    if gate is None:
        raise RequestError(
            f"{what}: library {library.name} has no integrated clock gate for the rising edge; choose a library that "
            f"has one, or {instead}"
        )
    return gate


def _around(gate: ClockGate, file: str, scan_enable: str | None = None) -> str:
    """A module, called as its file, around the library's cell, its test pins tied. A `scan_enable` is an input that
    opens it: at a test pin, or beside the enable of a cell that has none."""
    pins = {gate.clock: "clk_i", gate.enable: "enable_i"} | {pin: f"1'b{level}" for pin, level in gate.ties.items()}
    if scan_enable is not None and gate.scan is None:
        pins[gate.enable] = f"enable_i | {scan_enable}"
    elif scan_enable is not None and gate.scan is not None:
        pins[gate.scan] = "~" * gate.ties[gate.scan] + scan_enable
    inputs = "".join(f"  input  {port},\n" for port in ("clk_i", *filter(None, [scan_enable]), "enable_i"))
    connected = ",\n".join(f"    .{pin}({net})" for pin, net in (pins | {gate.output: "clk_o"}).items())
    return f"""\
module {Path(file).stem} (
{inputs}  output clk_o
);
  {gate.cell.name} u_gate (
{connected}
  );
endmodule
"""


_MODEL = "_clock_gate.sv"


def clock_gate_source(design: Design, library: Library) -> SourceFile | None:
    """The design's clock gate as a module around the library's cell, under its old name; None if it has none.

    The cell is the library's smallest: what it drives is the clock, which is ideal until there is a clock tree. A
    design's scan enable is at its test pin, or beside the enable where no cell has such a pin. Raises RequestError if
    the library has no integrated clock gate.
    """
    name = next((source.name for source in design.sources if source.name.endswith(_MODEL)), None)
    if name is None:
        return None
    gate = _gate_of(library, "clock_gates", "--clock-gates off (in a specification clock_gates = false)")
    scan_enable = design.ports.scan_enable
    if scan_enable is not None and library.scan_clock_gate is not None:
        gate = library.scan_clock_gate
    return SourceFile(name, f"// The clock gate of library {library.name}.\n{_around(gate, name, scan_enable)}")
