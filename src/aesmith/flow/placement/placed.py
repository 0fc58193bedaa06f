"""Sizes and places in turn: a mapped netlist placed, its gates sized again with the wires, until the period stands.

What stays out: routing (wires are Steiner trees over the middles of cells, on no layer), the clock tree (the clock is
ideal, its tree is estimated beside), power rails, signoff. A long wire gets a larger driver, and a repeater where asked
for.
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
from aesmith.flow.placement.repeaters import NAME, check_only_repeaters, with_repeaters
from aesmith.flow.placement.technology import PhysicalTechnology
from aesmith.flow.placement.wires import Route, half_perimeter_um, length_um, routes, wires
from aesmith.flow.recipes import EASE, SynthesisPlan
from aesmith.flow.sizing import SizingStep, size
from aesmith.modes.engine import StreamEngine
from aesmith.technology.library import Library
from aesmith.timing.binding import BoundNetlist, bind
from aesmith.timing.netlist import CellNetlist, read_netlist
from aesmith.timing.power.figures import DirectionPower, PowerPlan
from aesmith.timing.power.report import PowerMeter
from aesmith.timing.static import TimingReport, analyse, default_conditions
from aesmith.timing.wires import Wires

UTILISATION = 0.7
STANDS = 0.01
"""The period stands when a turn moves it by less than this share."""
MOST_TURNS = 8
REPEATER_TURNS = 3
"""So often repeaters are tried behind them; each time takes two turns."""
REPEATER_AREA = 0.003
"""Each time they may take this share of the netlist's area."""


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
    over its width, `seed` the placer's; with `repeaters` late nets get buffers.

    Raises RequestError for a share or a shape that no core can have.
    """

    utilisation: float = UTILISATION
    aspect: float = 1.0
    seed: int = 1
    repeaters: bool = False

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
        repeaters=sum(instance.name.startswith(NAME) for instance in placed.netlist.instances),
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
    design: CoreDesign | StreamEngine, placed: PlacedNetlist, plan: PowerPlan
) -> Iterator[tuple[Direction, DirectionPower]]:
    """Power of a placed design in each of its directions, one after the other, on the loads and delays of its wires.

    Raises what `PowerMeter` and its `measure` raise: CheckError if the netlist computes anything that AES, or the
    engine's model, does not.
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
    repeaters: bool = False,
    progress: TurnProgress | None = None,
) -> PlacedNetlist:
    """Place a netlist and size its gates with the wires, in turns, for the goal of `optimise`.

    With `repeaters` its late nets then get buffers, and gates are sized once more, as long as that helps. The best
    state by that goal counts. Deterministic for a seed. Raises what `bind` and `place` raise.
    """
    surroundings, merit = default_conditions(library), _merit(optimise)
    turns: list[Turn] = []

    def turn(netlist: CellNetlist, before: CellPlacement | None) -> PlacedNetlist:
        bound = bind(netlist, library)
        placement = place(bound, technology, utilisation=utilisation, aspect=aspect, seed=seed, before=before)
        laid = routes(bound, placement)
        found = wires(bound, placement, laid, surroundings.output_load_ff)
        timing = analyse(netlist, library, surroundings, found)
        turns.append(_turn(bound, timing, laid))
        if progress is not None:
            progress(turns[-1])
        return PlacedNetlist(netlist, bound, placement, laid, found, timing, (), False)

    def sized(state: PlacedNetlist) -> CellNetlist:
        growth = limit / sum(cell.area for cell in state.bound.cells) - 1
        found = size(
            state.netlist, library, merit=merit, growth=None if growth == float("inf") else growth, wires=state.wires
        )
        return _with_cells(state.netlist, found.cells)

    def worth(state: PlacedNetlist) -> float:
        return merit(_step(_turn(state.bound, state.timing, state.routes)))

    best = state = turn(netlist, None)
    limit, stands = (1 + EASE) * turns[0].area if optimise.goal is Optimise.AREA else float("inf"), False
    while len(turns) < MOST_TURNS and not stands:
        state = turn(sized(state), state.placement)
        best = min(best, state, key=worth)
        stands = abs(turns[-1].longest_ns - turns[-2].longest_ns) < STANDS * turns[-2].longest_ns
    for _ in range(REPEATER_TURNS if repeaters else 0):
        before, most = best, min(limit, (1 + REPEATER_AREA) * sum(cell.area for cell in best.bound.cells))
        where = with_repeaters(best.netlist, best.placement, best.routes, best.timing, most_area=most)
        if len(where[0].instances) == len(before.netlist.instances):
            break
        state = turn(*where)
        best = min(best, state, turn(sized(state), state.placement), key=worth)
        if best is before:
            break
    check_only_repeaters(netlist, best.netlist, library)
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
