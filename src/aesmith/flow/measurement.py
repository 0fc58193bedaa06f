"""What a measurement is: its condition and what is tried under it, figures, and all candidates that they are of."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from aesmith.cores.ports import SCAN_ENABLE_PORT
from aesmith.errors import RequestError
from aesmith.flow.recipes import (
    COMPRESS,
    COMPRESS_EASED,
    COMPRESS_MODULES,
    COMPRESS_TIMED,
    DELAY,
    DELAY_TIMED,
    EASE,
    KEEP,
    KEEP_EASED,
    KEEP_SIZED,
    KEEP_TIMED,
    RECIPES,
    SHRINK,
    SHRINK_EASED,
    SHRINK_SIZED,
    SHRINK_TIMED,
    Rewiring,
    SynthesisPlan,
    one_recipe,
    rewired_recipe,
)
from aesmith.technology.library import Library
from aesmith.timing.power.figures import DirectionPower
from aesmith.timing.static import PathPoint, TimingConditions, TimingReport

PERIOD, PERIOD_WITH_PORTS = "period, register to register", "period, with ports"
FMAX, FMAX_WITH_PORTS = "Fmax, register to register", "Fmax, with ports"
"""What a period or its clock counts. With ports: with paths from inputs and to outputs, and no delay outside."""

_DERIVED = ("cell_count", "period_with_ports_ns", "fmax_with_ports_mhz")
_POWER_FIGURES = ("power_uw_at_100mhz", "glitch_fraction", "energy_pj_per_block", "power_latency_product")


class Optimise(StrEnum):
    """The synthesis conditions of the papers' tables.

    Under a *kept* one the description is not flattened: every module is mapped by itself (Ueno et al., TC 2020, section
    3.4).
    """

    AREA = "area"
    AREA_SPEED = "area-speed"
    SPEED = "speed"
    AREA_KEPT = "area-kept"
    AREA_SPEED_KEPT = "area-speed-kept"

    @property
    def goal(self) -> Optimise:
        """What the netlists are chosen by: the condition without the hierarchy."""
        return Optimise(self.removesuffix("-kept"))

    @property
    def kept(self) -> bool:
        """Whether the hierarchy of the sources is kept."""
        return self is not self.goal


SHORTEST_PS = 1.0
"""A target that no netlist reaches: a recipe that sizes on the timing tables then gives the shortest delay it can."""

_FLAT_PLANS = {
    Optimise.AREA: SynthesisPlan(
        (KEEP, SHRINK, COMPRESS, COMPRESS_MODULES, KEEP_EASED, SHRINK_EASED, COMPRESS_EASED),
    ),
    Optimise.AREA_SPEED: SynthesisPlan(
        (
            KEEP_TIMED,
            KEEP_TIMED.without_xor2(),
            SHRINK_TIMED,
            COMPRESS_TIMED,
            DELAY,
            DELAY_TIMED,
        ),
        finalists=2,
        factors=(1.0, 1.12),
    ),
    Optimise.SPEED: SynthesisPlan(
        (DELAY, KEEP_SIZED, KEEP_SIZED.without_xor2(), SHRINK_SIZED, SHRINK_SIZED.without_xor2()),
        aimed=tuple((recipe, SHORTEST_PS) for recipe in (DELAY_TIMED, KEEP_TIMED, KEEP_TIMED.without_xor2())),
    ),
}
PLANS = _FLAT_PLANS | {kept: _FLAT_PLANS[kept.goal].by_modules() for kept in Optimise if kept.kept}
"""The plan for each condition: the same for every design."""
_WHOLE = tuple(recipe for recipe in RECIPES.values() if not recipe.hierarchical)
_EVERY = tuple(variant for recipe in _WHOLE for variant in (recipe, recipe.without_xor2()))
_THOROUGH = SynthesisPlan(
    (*_EVERY, COMPRESS_MODULES),
    finalists=sum(recipe.targets for recipe in _EVERY),
    factors=(1.0, 1.12, 1.3),
    aimed=tuple((recipe, SHORTEST_PS) for recipe in _EVERY if recipe.timed and recipe.targets),
)
THOROUGH = {condition: _THOROUGH.by_modules() if condition.kept else _THOROUGH for condition in Optimise}
"""For each condition every recipe there is, with XOR2 cells and without, and all that take a target with a choice of
them: what a plan of `PLANS` tries is among these."""
MOST_REWIRED, MOST_REWIRED_THOROUGHLY = 2, 4
"""Netlists that are rewired, where that is asked for: the best ones."""


def chosen_plan(
    optimise: Optimise,
    *,
    rewire: bool = False,
    clock_gates: bool = False,
    moves: int | None = None,
    thorough: bool = False,
    recipe: str | None = None,
) -> SynthesisPlan:
    """The plan for a condition; with `clock_gates` all its netlists have them in the place of enables, with `rewire`
    its best netlists are rewired, by that many `moves` for each cell, or, with None, as many as the condition takes.

    With `thorough` it is that of `THOROUGH`, and more of its netlists are rewired, by all kinds of moves. With
    `recipe`, a name as `one_recipe` takes it, that one alone is tried, whose name says all. Raises RequestError for
    moves that are below 1 or without `rewire`, for anything else beside a recipe, and for one that there is not.
    """
    if recipe is not None:
        others = {"rewire": rewire, "clock_gates": clock_gates, "moves": moves is not None, "thorough": thorough}
        if asked := [name for name, value in others.items() if value]:
            raise RequestError(
                f"{asked[0]}: recipe {recipe} alone is tried, and its name says how, as keep+gated+rewired1000 does; "
                f"leave out {asked[0]} or the recipe"
            )
        return one_recipe(recipe)
    if moves is not None and not rewire:
        raise RequestError("moves: no netlist is rewired; give rewire (--rewire), too, or leave it out")
    plan = (THOROUGH if thorough else PLANS)[optimise]
    plan = plan.with_clock_gates() if clock_gates else plan
    if not rewire:
        return plan
    count = MOST_REWIRED_THOROUGHLY if thorough else MOST_REWIRED
    return replace(plan, rewired=count, rewiring=Rewiring(moves, thorough))


@dataclass(frozen=True)
class Candidate:
    """One synthesis that was tried: its target in ps (None: none), GE and ns; `failure` says why figures are None."""

    recipe: str
    target_ps: float | None
    area_ge: float | None
    period_ns: float | None
    efficiency_kbps_per_ge: float | None
    seconds: float
    failure: str | None = None

    @property
    def label(self) -> str:
        """Recipe and target in one word."""
        return self.recipe if self.target_ps is None else f"{self.recipe}@{self.target_ps:.0f}"

    @property
    def rewired(self) -> bool:
        """Whether its netlist was rewired."""
        return rewired_recipe(self.recipe)[1] is not None


@dataclass(frozen=True)
class PlacedFigures:
    """What a placed netlist measures, beside the same netlist without wires.

    `core_width_um` and `core_height_um` are those of the core area, `wire_mm` the length of all wires. Delays are
    those of `Measurement`, in ns. `wired_period_ns` is the period with the wires before any gate was sized again.
    Figures that begin with `clock_` are of the estimated clock tree, which is in no other figure; None without a clock.
    `repeaters` is how many buffers were put into wires.
    """

    technology: str
    source: str
    utilisation: float
    core_width_um: float
    core_height_um: float
    wire_mm: float
    half_perimeter_mm: float
    area_ge: float
    period_ns: float | None
    period_with_ports_ns: float
    wired_period_ns: float | None
    throughput_gbps: float | None
    efficiency_kbps_per_ge: float | None
    turns: int
    stands: bool
    seed: int
    clock_buffers: int | None = None
    clock_area_ge: float | None = None
    clock_wire_mm: float | None = None
    clock_power_uw_at_100mhz: float | None = None
    repeaters: int = 0


@dataclass(frozen=True)
class Measurement:
    """A core, or a leaf circuit, measured in a library under one condition.

    `period_ns` is the worst register-to-register path: clock to Q, logic, setup. Area is all cells, registers and
    control included. `block_bits` is what `cycles_per_block` clocks process. A figure that could not be had is None,
    and `gaps` says why, by the figure's name. `power` has an entry a direction, or none where it was not asked for;
    `placed` has the figures with wires, where they were asked for: all others are without.
    """

    design: str
    area_ge: float
    logic_area_ge: float
    register_area_ge: float
    period_ns: float | None
    fmax_mhz: float | None
    cycles_per_block: float
    latency_cycles: int
    latency_ns: float | None
    throughput_gbps: float | None
    efficiency_kbps_per_ge: float | None
    input_to_register_ns: float | None
    register_to_output_ns: float | None
    flip_flops: int
    cells: Mapping[str, int]
    critical_path: tuple[PathPoint, ...]
    library: str
    library_digest: str
    corner: str
    optimise: Optimise
    recipe: str
    tool_versions: Mapping[str, str]
    conditions: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    gaps: Mapping[str, str]
    block_bits: int = 128
    input_to_output_ns: float | None = None
    power: tuple[DirectionPower, ...] = ()
    placed: PlacedFigures | None = None

    @property
    def cell_count(self) -> int:
        """Number of cells."""
        return sum(self.cells.values())

    @property
    def period_with_ports_ns(self) -> float | None:
        """The longest of all paths, those from inputs (which come with the clock) and to outputs included."""
        paths = (self.period_ns, self.input_to_register_ns, self.register_to_output_ns, self.input_to_output_ns)
        return max((path for path in paths if path is not None), default=None)

    @property
    def fmax_with_ports_mhz(self) -> float | None:
        """The clock in MHz at which all paths fit, those from inputs and to outputs included; None without registers,
        as `fmax_mhz`, which counts paths from register to register alone."""
        period = self.period_with_ports_ns
        return None if self.period_ns is None or period is None else fmax_mhz(period)

    def to_json(self) -> dict[str, object]:
        """The measurement as plain JSON values, fields by their names."""
        values = asdict(self) | {name: getattr(self, name) for name in _DERIVED}
        if self.power:
            for name in _POWER_FIGURES:
                values[name] = {power.direction: getattr(power, name) for power in self.power}
        plain: dict[str, object] = json.loads(json.dumps(values))
        return plain

    @classmethod
    def from_json(cls, values: Mapping[str, object]) -> Measurement:
        """The measurement that `to_json` gave these values for."""
        fields = dict(values)
        for derived in (*_DERIVED, *_POWER_FIGURES):
            fields.pop(derived, None)
        fields["optimise"] = Optimise(str(fields["optimise"]))
        fields["conditions"] = tuple(fields["conditions"])  # type: ignore[arg-type]
        fields["critical_path"] = tuple(PathPoint(**point) for point in fields["critical_path"])  # type: ignore[attr-defined]
        fields["candidates"] = tuple(Candidate(**entry) for entry in fields["candidates"])  # type: ignore[attr-defined]
        fields["power"] = tuple(DirectionPower.from_json(entry) for entry in fields.get("power", ()))  # type: ignore[attr-defined]
        fields["placed"] = PlacedFigures(**fields["placed"]) if fields.get("placed") else None  # type: ignore[arg-type]
        return cls(**fields)  # type: ignore[arg-type]


def fmax_mhz(period_ns: float) -> float:
    """Clock frequency in MHz for a period in ns."""
    return 1e3 / period_ns


def throughput_gbps(period_ns: float, cycles_per_block: float, block_bits: int = 128) -> float:
    """Gbit/s of blocks that follow each other without a pause."""
    return block_bits / (period_ns * cycles_per_block)


def efficiency_kbps_per_ge(period_ns: float, cycles_per_block: float, area_ge: float, block_bits: int = 128) -> float:
    """Throughput in Kbit/s per gate equivalent."""
    return throughput_gbps(period_ns, cycles_per_block, block_bits) * 1e6 / area_ge


def conditions(library: Library, optimise: Optimise, count: int, timing: TimingReport) -> tuple[str, ...]:
    """What the figures hold under, a sentence each."""
    goal = {
        Optimise.AREA: f"area: of {count} netlists, all of them buffered, those at most {EASE:.0%} larger than the "
        "smallest, and of these the one with the least area × period",
        Optimise.AREA_SPEED: f"area-speed: of {count} netlists the one with the best throughput per gate equivalent",
        Optimise.SPEED: f"speed: of {count} netlists the one with the shortest period, whatever its area",
    }[optimise.goal]
    if count == 1:
        goal = "one netlist was made: nothing was chosen"
    surroundings = timing.conditions
    extrapolated = len(timing.overloaded)
    return (
        goal,
        *["the hierarchy of the sources is kept: every module is mapped by itself, gates are sized in the whole"]
        * optimise.kept,
        f"1 GE is the area of {library.nand2.name}; area is all cells, registers and control included",
        "before layout: wires have no delay and no load, the clock is ideal",
        "period: the worst path from register to register (clock to Q, logic, setup)",
        _SURROUNDINGS.format(f"{surroundings.input_slew_ns:.4g}", f"{surroundings.output_load_ff:.4g}"),
        *(
            [f"{extrapolated} cells drive more than the library allows; their delays are extrapolated"]
            * bool(extrapolated)
        ),
        *_tied(library, timing),
    )


_SURROUNDINGS = "inputs change within {} ns, outputs drive {} fF"


def surroundings_of(measurement: Measurement) -> TimingConditions | None:
    """The surroundings that a measurement states among its conditions, to four digits; None if it states none."""
    for condition in measurement.conditions:
        if found := re.fullmatch(_SURROUNDINGS.format(r"(\S+)", r"(\S+)"), condition):
            return TimingConditions(float(found[1]), float(found[2]))
    return None


TIED = "test pins of clock gates are tied"


def _tied(library: Library, timing: TimingReport) -> tuple[str, ...]:
    """What becomes of the test pins of the clock gates that a netlist has."""
    scannable = SCAN_ENABLE_PORT in timing.graph.bound.netlist.ports
    gate = library.scan_clock_gate if scannable else library.clock_gate
    if gate is None or gate.cell not in timing.graph.bound.cells:
        return ()
    ties = {pin: level for pin, level in gate.ties.items() if not scannable or pin != gate.scan}
    if not ties:
        return ()
    pins = ", ".join(f"{pin} to {level}" for pin, level in ties.items())
    return (f"{TIED}: of {gate.cell.name} {pins}; a scan flow has to connect them",)


def gaps(timing: TimingReport) -> dict[str, str]:
    """Reasons for the figures the timing report does not have."""
    reasons = {
        "period_ns": (timing.period_ns, "the netlist has no path from a register to a register"),
        "input_to_register_ns": (timing.input_to_register_ns, "the netlist has no path from an input to a register"),
        "register_to_output_ns": (timing.register_to_output_ns, "the netlist has no path from a register to an output"),
        "input_to_output_ns": (timing.input_to_output_ns, "the netlist has no path from an input to an output"),
    }
    missing = {name: reason for name, (value, reason) in reasons.items() if value is None}
    if "period_ns" in missing:
        derived = ("fmax_mhz", "fmax_with_ports_mhz", "latency_ns", "throughput_gbps", "efficiency_kbps_per_ge")
        missing |= dict.fromkeys(derived, missing["period_ns"])
    return missing
