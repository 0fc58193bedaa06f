"""Sizes and places in turn: a mapped netlist placed, its gates sized again with the wires, until the period stands.

What stays out: routing (wires are Steiner trees over the middles of cells, on no layer), the clock tree (the clock is
ideal, its tree is estimated beside), power rails, repeaters (a long wire gets a larger driver, not one more), signoff.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from aesmith.cores.design import CoreDesign, Design, Direction
from aesmith.errors import CheckError
from aesmith.flow.measure import measured_netlist, measurement_key
from aesmith.flow.measurement import (
    Measurement,
    Optimise,
    PlacedFigures,
    efficiency_kbps_per_ge,
    throughput_gbps,
)
from aesmith.flow.placement.clock_tree import clock_tree
from aesmith.flow.placement.place import CellPlacement, check_shape, place, placer_version
from aesmith.flow.placement.technology import PhysicalTechnology
from aesmith.flow.placement.wires import Route, half_perimeter_um, length_um, routes, wires
from aesmith.flow.recipes import EASE, SynthesisPlan
from aesmith.flow.sizing import SizingStep, size
from aesmith.technology.library import Library
from aesmith.timing.binding import BoundNetlist, bind
from aesmith.timing.netlist import CellNetlist, read_netlist
from aesmith.timing.power.figures import DirectionPower, PowerPlan
from aesmith.timing.power.report import PowerMeter
from aesmith.timing.static import TimingReport, Wires, analyse, default_conditions

UTILISATION = 0.7
STANDS = 0.01
"""The period stands when a turn moves it by less than this share."""
MOST_TURNS = 8


@dataclass(frozen=True)
class Turn:
    """One turn: area (library units), period and longest path of all (ns), and length of wires (µm)."""

    area: float
    period_ns: float | None
    longest_ns: float
    wire_um: float


TurnProgress = Callable[[Turn], None]


@dataclass(frozen=True, eq=False)
class PlacedNetlist:
    """A netlist with its placement, wires and timing. `turns` are the states on the way, the first with the sizes that
    the netlist came with; `stands` tells whether the last turn moved the period by less than `STANDS`."""

    netlist: CellNetlist
    bound: BoundNetlist
    placement: CellPlacement
    routes: tuple[Route, ...]
    wires: Wires
    timing: TimingReport
    turns: tuple[Turn, ...]
    stands: bool


@dataclass(frozen=True)
class PlacementPlan:
    """How a netlist is placed: `utilisation` is the area of cells over that of the core, `aspect` the core's height
    over its width, `seed` the placer's.

    Raises RequestError for a share or a shape that no core can have.
    """

    utilisation: float = UTILISATION
    aspect: float = 1.0
    seed: int = 1

    def __post_init__(self) -> None:
        check_shape(self.utilisation, self.aspect)


def figures(placed: PlacedNetlist, library: Library, measurement: Measurement, seed: int) -> PlacedFigures:
    """The figures of a placed netlist of what was measured."""
    placement, period = placed.placement, placed.timing.period_ns
    area = sum(library.area_ge(cell) for cell in placed.bound.cells)
    cycles, bits = measurement.cycles_per_block, measurement.block_bits
    tree = clock_tree(placed.bound, placement, library)
    return PlacedFigures(
        technology=placement.technology.name,
        source=placement.technology.source,
        utilisation=placement.utilisation,
        core_width_um=placement.core_width_um,
        core_height_um=placement.core_height_um,
        wire_mm=length_um(placed.routes) / 1e3,
        half_perimeter_mm=half_perimeter_um(placed.routes) / 1e3,
        area_ge=area,
        period_ns=period,
        period_with_ports_ns=_longest(placed.timing),
        wired_period_ns=placed.turns[0].period_ns,
        throughput_gbps=None if period is None else throughput_gbps(period, cycles, bits),
        efficiency_kbps_per_ge=None if period is None else efficiency_kbps_per_ge(period, cycles, area, bits),
        turns=len(placed.turns),
        stands=placed.stands,
        seed=seed,
        clock_buffers=None if tree is None else tree.buffers,
        clock_area_ge=None if tree is None else tree.area_ge,
        clock_wire_mm=None if tree is None else tree.wire_um / 1e3,
        clock_power_uw_at_100mhz=None if tree is None else tree.power_uw_at_100mhz,
    )


def placement_key(
    design: Design,
    library: Library,
    optimise: Optimise,
    technology: PhysicalTechnology,
    plan: PlacementPlan,
    *,
    synthesis: SynthesisPlan | None = None,
) -> str:
    """SHA-256 (hex) of everything `measure_placed` depends on; `synthesis` is the plan of `measure`, if not its own."""
    parts = {
        "measurement": measurement_key(design, library, optimise, synthesis),
        "technology": asdict(technology),
        "plan": asdict(plan),
        "placer": placer_version(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def measure_placed(
    design: Design,
    library: Library,
    measurement: Measurement,
    technology: PhysicalTechnology,
    *,
    plan: PlacementPlan,
    work_dir: Path,
    made: Path | None = None,
    progress: TurnProgress | None = None,
) -> tuple[Measurement, PlacedNetlist]:
    """`measurement` of `design` in `library` with its figures placed, and the netlist that they are of.

    `made` is the folder `measure` worked in, if its netlists are still there: then nothing is synthesised again. Raises
    what `measured_netlist` and `place_and_size` raise.
    """
    netlist, _ = measured_netlist(design, library, measurement, work_dir, made=made)
    cells = read_netlist(netlist / "netlist.json", design.top)
    placed = place_and_size(cells, library, technology, measurement.optimise, **asdict(plan), progress=progress)
    return replace(measurement, placed=figures(placed, library, measurement, plan.seed)), placed


def power_with_wires(
    design: CoreDesign, placed: PlacedNetlist, plan: PowerPlan
) -> Iterator[tuple[Direction, DirectionPower]]:
    """Power of a placed core in each of its directions, one after the other, on the loads and delays of its wires.

    Raises what `PowerMeter` and its `measure` raise: CheckError if the netlist computes anything that AES does not.
    """
    meter = PowerMeter(design, placed.timing)
    for direction in design.directions:
        yield direction, meter.measure(direction, plan).power


def place_and_size(
    netlist: CellNetlist,
    library: Library,
    technology: PhysicalTechnology,
    optimise: Optimise,
    *,
    utilisation: float = UTILISATION,
    aspect: float = 1.0,
    seed: int = 1,
    progress: TurnProgress | None = None,
) -> PlacedNetlist:
    """Place a netlist and size its gates with the wires, in turns, for the goal of `optimise`.

    The best state by that goal counts. Deterministic for a seed. Raises what `bind` and `place` raise.
    """
    best: PlacedNetlist | None = None
    before: CellPlacement | None = None
    turns: list[Turn] = []
    merit, stands = _merit(optimise), False
    while len(turns) < MOST_TURNS and not stands:
        bound = bind(netlist, library)
        before = place(bound, technology, utilisation=utilisation, aspect=aspect, seed=seed, before=before)
        laid = routes(bound, before)
        surroundings = default_conditions(library)
        found = wires(bound, before, laid, surroundings.output_load_ff)
        timing = analyse(netlist, library, surroundings, found)
        turns.append(_turn(bound, timing, laid))
        if progress is not None:
            progress(turns[-1])
        if best is None or merit(_step(turns[-1])) < min(merit(_step(turn)) for turn in turns[:-1]):
            best = PlacedNetlist(netlist, bound, before, laid, found, timing, (), False)
        stands = len(turns) > 1 and abs(turns[-1].longest_ns - turns[-2].longest_ns) < STANDS * turns[-2].longest_ns
        if not stands:
            growth = None if optimise.goal is not Optimise.AREA else (1 + EASE) * turns[0].area / turns[-1].area - 1
            sized = size(netlist, library, merit=merit, growth=growth, wires=found)
            netlist = _with_cells(netlist, sized.cells)
    assert best is not None
    return replace(best, turns=tuple(turns), stands=stands)


def _merit(optimise: Optimise) -> Callable[[SizingStep], float]:
    """What is to be least: the delay for speed, else area times delay. For area the netlist may grow by `EASE`."""
    if optimise.goal is Optimise.SPEED:
        return lambda step: step.delay_ns
    return lambda step: step.area * step.delay_ns


def _step(turn: Turn) -> SizingStep:
    return SizingStep(turn.area, turn.longest_ns)


def _turn(bound: BoundNetlist, timing: TimingReport, laid: tuple[Route, ...]) -> Turn:
    return Turn(sum(cell.area for cell in bound.cells), timing.period_ns, _longest(timing), length_um(laid))


def _longest(timing: TimingReport) -> float:
    """The longest of all paths, those from inputs and to outputs included (ns)."""
    ends = (timing.register_to_register, timing.input_to_register, timing.register_to_output, timing.input_to_output)
    paths = [path.delay_ns for path in ends if path is not None]
    if not paths:
        raise CheckError(f"netlist {timing.graph.bound.netlist.name}: has no path that could be timed")
    return max(paths)


def _with_cells(netlist: CellNetlist, cells: dict[str, str]) -> CellNetlist:
    return replace(
        netlist,
        instances=tuple(replace(instance, cell=cells[instance.name]) for instance in netlist.instances),
    )
