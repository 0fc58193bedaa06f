"""Measure in a library what a requirement needs: the most promising first, until nothing promising is left.

What is promising is told by a point's figures elsewhere, to scale: areas in gate equivalents, and periods relative to
each other, differ little between libraries, and what has been measured of both tells the factor.
What is measured, in the time there is, is kept in the store as a sweep's points are.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aesmith.cores.specification import presets
from aesmith.errors import AesmithError, CheckError, ToolError
from aesmith.explore.design_space import Condition
from aesmith.explore.obtain import obtain, obtain_power
from aesmith.explore.outline import BARE, Outline, engine_outline, outline
from aesmith.explore.points import (
    ONE_RECIPE,
    as_toml,
    condition_of,
    frame,
    is_engine,
    known_points,
    points,
    quiet_core,
    synthesis_of,
)
from aesmith.explore.recommend.choice import Outlook, best_point
from aesmith.explore.recommend.engines import candidate_rows
from aesmith.explore.recommend.requirement import Requirement
from aesmith.explore.recommend.serving import BLOCK_BITS, has_clock_gates, margins, protection_of, serve
from aesmith.explore.runs import DONE, FAILED, begin_run, put_point
from aesmith.explore.store import Store
from aesmith.explore.task import Effort, NamedLibrary, figures, point_key, request_key, row_of
from aesmith.explore.verifying import HOW, PLANS, Extent, Verifier
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import GATED, one_recipe
from aesmith.flow.yosys import require_yosys
from aesmith.lazy import LazyModule
from aesmith.processes import Cancelled, run
from aesmith.progress import Progress
from aesmith.technology.library import Library
from aesmith.timing.power.figures import PowerPlan

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

_SCALED = ("area_ge", "period_ns", *(f"{figure}_{way}" for figure in ("power_uw_at_100mhz", "energy_pj_per_block")
           for way in ("encrypt", "decrypt")))  # fmt: skip

MARGIN = 0.15
"""A point that is expected to be worse than the best found by more than this part is not measured."""

SLACK = 0.3
"""Nor is one that is expected to miss a limit by more than this part of it."""

AT_LEAST = 2
"""Points that are measured in any case, if they fit: what stands in the way is then said with figures."""


MeasurePoint = Callable[[Mapping[str, object]], Mapping[str, object] | None]
"""Measures the point of an expected row and gives its row; None if the time was up before it was done."""


@dataclass(frozen=True)
class Needed:
    """`points` are all there are of the library now, of which `measured` are new; of the rest that would fit mode, keys
    and ports, `unmeasured` says how many were left for which reason."""

    points: pd.DataFrame
    measured: int
    unmeasured: Mapping[str, int]


def measure_needed(
    requirement: Requirement,
    known: pd.DataFrame,
    elsewhere: pd.DataFrame,
    measure: MeasurePoint,
    *,
    in_time: Callable[[], bool],
    unheard: Sequence[Mapping[str, object]] = (),
) -> Needed:
    """Measure points of `elsewhere` in the library of `known`, one after the other, as long as one is promising.

    Before them come those of `unheard` that are in neither, in their order: nothing is expected of them.

    What is promising is found anew after each, for each tells how figures here are to those elsewhere. Nothing is begun
    once `in_time` says no.
    """
    points, lacking = _without_power(requirement, known)
    elsewhere = pd.concat([elsewhere, lacking], ignore_index=True)
    measured = late = 0
    heard = {*identity(points), *identity(elsewhere)}
    for each in unheard:
        if next(iter(identity(frame([each])))) in heard:
            continue
        row = measure(each) if in_time() else None
        if row is None:
            late += 1
            continue
        measured += 1
        points = pd.concat([points, frame([row])], ignore_index=True)
    while True:
        waiting = _promising(requirement, points, elsewhere)
        promising = waiting[waiting["promising"]]
        out_of_time = not promising.empty and not in_time()
        if promising.empty or out_of_time:
            break
        row = measure({str(name): value for name, value in promising.iloc[0].items()})
        if row is None:
            out_of_time = True
            break
        measured += 1
        points = pd.concat([points, frame([row])], ignore_index=True)
        # An export of another version may write the same specification differently: it must not come up again.
        elsewhere = elsewhere[~identity(elsewhere).isin(identity(promising.head(1)))]
    left = {
        "promising, but the time was up": int(promising.shape[0]) if out_of_time else 0,
        "of which nothing is known, and the time was up": late,
        f"expected to be worse by more than {MARGIN:.0%}": int((~waiting["promising"] & waiting["within"]).sum()),
        f"expected to miss a limit by more than {SLACK:.0%}": int((~waiting["promising"] & ~waiting["within"]).sum()),
    }
    return Needed(points, measured, {reason: count for reason, count in left.items() if count})


def outlook(requirement: Requirement, known: pd.DataFrame, elsewhere: pd.DataFrame) -> Outlook:
    """What `measure_needed` begins with. Figures of other libraries are as they were there, but for common factors."""
    points, lacking = _without_power(requirement, known)
    elsewhere = pd.concat([elsewhere, lacking], ignore_index=True)
    waiting = _promising(requirement, points, elsewhere)
    waiting = waiting[waiting["promising"]]
    every = pd.concat([points, expected(elsewhere, points)], ignore_index=True)
    return Outlook(best_point(every, requirement), len(waiting), float(waiting["seconds"].fillna(0.0).sum()))


def _without_power(requirement: Requirement, known: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The known points, and of those the ones to be measured again because power is asked for and they have none."""
    if not requirement.needs_power:
        return known, known.head(0)
    columns = [f"power_uw_at_100mhz_{direction}" for direction in requirement.core_directions]
    lacking = known["status"].eq("done") & known[columns].isna().any(axis=1)
    return known[~lacking], known[lacking]


def _promising(requirement: Requirement, points: pd.DataFrame, elsewhere: pd.DataFrame) -> pd.DataFrame:
    """The points still to be measured, most promising first, with `promising` and `within` (of all limits' slack)."""
    objective = requirement.objective
    column, least = objective.figure.column, objective.least
    waiting = serve(expected(elsewhere, points), requirement).frame
    shortfall = pd.Series(0.0, index=waiting.index)
    for limit in requirement.bounds:
        shortfall = np.maximum(shortfall, -margins(waiting, limit).fillna(0.0).astype(float))
    chosen = best_point(points, requirement)
    worth = waiting[column].astype("Float64") * (1 if least else -1)
    within = shortfall.le(SLACK)
    if chosen is not None:
        best = chosen.figures[objective.figure.name]
        assert best is not None
        good_enough = worth.le(best * (1 + MARGIN) if least else -best * (1 - MARGIN)).fillna(True).astype(bool)
        promising = within & good_enough
    else:
        fitting = len(serve(points, requirement).frame)
        promising = (
            within if fitting >= AT_LEAST else shortfall.le(max(SLACK, shortfall.min() if len(shortfall) else 0))
        )
    order = pd.DataFrame(
        {
            "shortfall": shortfall.where(~within, 0.0),
            "worth": worth,
            "area": waiting["area_ge"],
            "name": waiting["design"],
        }
    ).sort_values(["shortfall", "worth", "area", "name"], kind="stable", na_position="last")
    return waiting.assign(promising=promising, within=within).loc[order.index]


def identity(points: pd.DataFrame) -> pd.MultiIndex:
    """Which point each row is, whatever the library: specification, and what was asked of synthesis."""
    return pd.MultiIndex.from_arrays([points["specification"], synthesis_of(points)])


def expected(elsewhere: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """The points of `elsewhere` that are not among `measured`, their figures scaled by what both have.

    Both frames have the columns of `points`; `measured` is of one library, `elsewhere` of others. Of points measured
    in several libraries the one in the library with most points in common counts, and gives way to the next in what it
    lacks. Where nothing is in common, figures are as they were there: good for order among themselves.
    """
    done = measured[measured["status"].eq("done")]
    done = done.set_axis(identity(done))
    done = done[~done.index.duplicated()]
    parts = []
    for _, part in elsewhere[elsewhere["status"].eq("done")].groupby("library", sort=True):
        there = part.set_axis(identity(part))
        there = there[~there.index.duplicated()]
        common = done.index.intersection(there.index)
        scaled = {name: there[name] * _factor(done.loc[common, name], there.loc[common, name]) for name in _SCALED}
        parts.append((len(common), _consistent(there.assign(**scaled))))
    if not parts:
        return elsewhere.head(0)
    parts.sort(key=lambda part: -part[0])
    every = parts[0][1]
    for _, part in parts[1:]:
        every = every.combine_first(part)
    return every[~every.index.isin(identity(measured))].reset_index(drop=True)[list(elsewhere.columns)]


def _factor(here: pd.Series, there: pd.Series) -> float:
    """The geometric mean of the ratios; 1 if there are none."""
    ratios = (here.astype("Float64") / there.astype("Float64")).dropna()
    return float(np.exp(np.log(ratios.to_numpy(dtype=np.float64)).mean())) if len(ratios) else 1.0


def _consistent(frame: pd.DataFrame) -> pd.DataFrame:
    """With what follows from area and period."""
    fmax = 1e3 / frame["period_ns"]
    gbps = fmax * BLOCK_BITS / 1e3 / frame["cycles_per_block"]
    return frame.assign(
        fmax_mhz=fmax,
        latency_ns=frame["latency_cycles"] * frame["period_ns"],
        throughput_gbps=gbps,
        efficiency_kbps_per_ge=gbps * 1e6 / frame["area_ge"],
    )


if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

SPACE = "recommend"
"""What the store says the points were swept in."""


def measure_in_time(
    requirement: Requirement,
    library: Library,
    store: Store,
    folder: Path,
    *,
    seconds: float,
    jobs: int | None = None,
    progress: Progress | None = None,
    begin: Callable[[Outlook], None] | None = None,
    cancel: threading.Event | None = None,
) -> Needed:
    """What is known of a library, and what a requirement needs measured of it, within `seconds` from the first.

    Known are the store's points of the library and those that come with aesmith. Elsewhere, from which figures are
    expected, are those of other libraries, of whose cores those with a quiet output are measured, in a library that has
    clock gates by each recipe with them, too; where an engine is asked for, besides, engines that nobody has measured.
    A design that is verified nowhere is simulated once it is measured.
    `begin` is told what is to be expected before anything is measured. Once `cancel` is set, the time is up.
    Raises ToolError without Yosys, if anything is to be measured.
    """
    end = time.monotonic() + seconds
    up = threading.Event() if cancel is None else cancel
    clock = threading.Timer(min(seconds, threading.TIMEOUT_MAX), up.set)
    clock.daemon = True
    clock.start()
    own = points(store)
    known = known_points(library.name, library.digest, own)
    others = known_points(library.name, library.digest, own, elsewhere=True)
    every = pd.concat([known, others], ignore_index=True)
    elsewhere = _to_expect(requirement, library, others, every, lambda: not up.is_set())
    if begin is not None:
        begin(outlook(requirement, known, elsewhere))

    def measure(row: Mapping[str, object]) -> Mapping[str, Any] | None:
        def tell(step: str, done: int, of: int) -> None:
            if progress is not None:
                left = max(0.0, end - time.monotonic()) / 60
                progress(f"{row['design']}, {condition_of(row).label}: {step} ({left:.0f} min left)", done, of)

        require_yosys()
        power = PowerPlan() if requirement.needs_power else None
        return measure_point(
            row,
            library,
            store,
            folder,
            power=power,
            verified=marks.get(str(row["specification"])),
            jobs=jobs,
            cancel=up,
            progress=tell,
        )

    marks = _marks(every)
    try:
        found = measure_needed(
            requirement,
            known,
            elsewhere,
            measure,
            in_time=lambda: not up.is_set() and time.monotonic() < end,
            unheard=protected_rows(requirement, library),
        )
    finally:
        clock.cancel()
    if requirement.engine is not None:
        return found
    heard_of = {str(design).removesuffix(BARE) for design in (*found.points["design"], *elsewhere["design"])}
    if unknown := len(set(presets()) - heard_of):
        told = dict(found.unmeasured) | {"of presets that were measured in no library": unknown}
        return replace(found, unmeasured=told)
    return found


def _to_expect(
    requirement: Requirement,
    library: Library,
    others: pd.DataFrame,
    every: pd.DataFrame,
    in_time: Callable[[], bool],
) -> pd.DataFrame:
    """The points of other libraries as what may be measured in this one, with what nobody has measured yet."""
    quiet = _of_quiet_cores(others)
    if library.clock_gate is None:
        recipe_has = quiet["recipe"].str.endswith(GATED).fillna(False).astype(bool)
        quiet = quiet[~(recipe_has | quiet["specification"].map(has_clock_gates).astype(bool))]
    parts = [quiet]
    if requirement.engine is not None:
        rows = [{**row, "library": EXPECTED} for row in candidate_rows(requirement, every, library, in_time)]
        parts.append(_consistent(frame(rows)))
    elif library.clock_gate is not None and not requirement.order:
        parts.append(gated_twins(quiet[quiet["core"].isna()]))
    found = pd.concat(parts, ignore_index=True)
    # What is not verified is simulated before it is recommended.
    a_gate = (every["seconds"] / every["area_ge"]).median()
    seconds = found["area_ge"] * (0.0 if pd.isna(a_gate) else a_gate)
    return found.assign(verified=found["verified"].fillna(EXPECTED), seconds=found["seconds"].fillna(seconds))


EXPECTED = "expected"
"""The library of points that nobody has measured, and what verifies those that nobody has verified."""


def _marks(points: pd.DataFrame) -> dict[str, str]:
    """What designs are verified by, by specification."""
    known = points[points["verified"].fillna("").ne("")]
    return dict(zip(known["specification"], known["verified"], strict=True))


def gated_twins(points: pd.DataFrame) -> pd.DataFrame:
    """The points of one recipe once more, with clock gates in the place of enables, as they may be in another library.

    They are expected to be smaller by `GATED_GE` for each flip-flop, and as fast.
    """
    twins = points[points["optimise"].eq(ONE_RECIPE) & ~points["recipe"].str.endswith(GATED).fillna(True)]
    smaller = twins["area_ge"] - GATED_GE * twins["flip_flops"].astype("Float64").fillna(0.0)
    return _consistent(twins.assign(recipe=twins["recipe"] + GATED, area_ge=smaller))


GATED_GE = 1.0
"""Of a selector before a flip-flop, two GE at the least, one: not all of them load by an enable."""

PROTECTED_RECIPES = ("keep-modules", "delay-modules")
"""How cores are mapped whose protection is asked for: each module by itself, for area and for delay."""


def protected_rows(requirement: Requirement, library: Library) -> list[dict[str, object]]:
    """A row, without figures, for each point that a masked core may be measured as for a requirement: presets with
    shares, of another order if need be, in a library that has what they need; none if no protection is asked for.

    First come those of fewest clocks per block where time decides, else of fewest fresh bits, which area goes with.
    """
    if not requirement.order:
        return []
    cores = {core.specification: core for core in protected_cores(requirement.order)}
    fitting = [
        core
        for core in cores.values()
        if requirement.core_directions <= set(core.directions)
        and set(requirement.key_bits) <= set(core.key_bits)
        and requirement.block_width in (None, core.block_width)
        and (library.clock_gate is not None or not has_clock_gates(core.specification))
    ]
    timely = requirement.objective.figure.name in ("throughput", "latency", "latency-cycles")

    def rank(core: Outline) -> tuple[float, ...]:
        protection = protection_of(core.specification)
        size = (float(protection.random_bits), float(protection.seeded))
        clocks = (float(core.cycles_per_block),)
        return (*clocks, *size) if timely else (*size, *clocks)

    named = NamedLibrary.of(library)
    return [
        row_of(core, named, Condition(Optimise.AREA, recipe))
        for recipe in PROTECTED_RECIPES
        for core in sorted(fitting, key=rank)
    ]


def protected_cores(order: int) -> list[Outline]:
    """The cores of presets with shares, at an order of protection if they have it as a parameter."""
    found = []
    for preset in presets().values():
        text = json.dumps(preset.model_dump(mode="json"), sort_keys=True)
        if protection_of(text).random_bits and "order" in type(preset).model_fields:
            core = outline(preset.model_dump(mode="json") | {"order": order})
            if protection_of(core.specification).order >= order:
                found.append(core)
    return found


def _of_quiet_cores(points: pd.DataFrame) -> pd.DataFrame:
    """What is expected of cores with a quiet output by figures of bare ones, which are a gate a bit smaller."""
    cores = [quiet_core(*core) for core in zip(points["design"], points["specification"], strict=True)]
    return points.assign(design=[name for name, _ in cores], specification=[text for _, text in cores])


def measure_point(
    wanted: Mapping[str, object],
    library: Library,
    store: Store,
    folder: Path,
    *,
    power: PowerPlan | None = None,
    verified: str | None = None,
    jobs: int | None = None,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
) -> Mapping[str, Any] | None:
    """Measure the point of a row, its core or engine and what was asked of synthesis, in a library; power if there is
    a plan. It is `verified` so, or simulated.

    Gives its row of points; one that fails has its error. None if `cancel` was set before it was done.
    """
    fields = json.loads(str(wanted["specification"]))
    core = engine_outline(fields) if is_engine(str(wanted["specification"])) else outline(fields)
    condition = condition_of(wanted)
    plan = None if condition.recipe is None else one_recipe(condition.recipe)
    effort = Effort(Verifier(Extent.NONE, ()), power)
    key = point_key(core, library, condition, effort)
    row = row_of(core, NamedLibrary.of(library), condition) | {"key": key, "space": SPACE}
    work = folder / f"{core.name}-{condition.label}"
    try:
        design = core.build()
        measurement = obtain(
            design, library, condition.optimise, work, store, plan=plan, progress=progress, jobs=jobs, cancel=cancel
        ).measurement
        if power is not None:
            measurement = obtain_power(
                design,
                library,
                measurement,
                plan=power,
                work_dir=work / "power",
                store=store,
                modules=False,
                synthesis=plan,
                cancel=cancel,
            ).measurement
        if verified is None and progress is not None:
            progress("simulating", 0, 1)
        row |= figures(measurement) | {"status": DONE}
        row |= {"verified": verified or _simulated(core, work, cancel)}
    except Cancelled:
        return None
    except AesmithError as error:
        if str(error).startswith("store:"):
            raise
        row |= {"status": FAILED, "error": str(error)}
    put_point(store, key, row)
    begin_run(store, SPACE, [(key, request_key(core, library, condition))])
    return row


def _simulated(design: Outline, folder: Path, cancel: threading.Event | None) -> str:
    """What a design is verified by, once it is: in a process of its own, which ends with `cancel`.

    Raises CheckError if it is not AES in its mode, ToolError if a tool is missing, and Cancelled.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{design.name}.toml"
    file.write_text(as_toml(design.specification) + "\n", encoding="utf-8")
    plan = PLANS[Extent.SHORT]
    command = [sys.executable, "-m", "aesmith", "verify", file.name, "--random", str(plan.random_pairs), "--json"]
    ended = run(command, folder, folder / "verify.log", cancel=cancel)
    if ended.status:
        said = " ".join(ended.said.split())[-300:]
        raise (CheckError if ended.status == CheckError.exit_code else ToolError)(f"verification: {said}")
    return HOW[Extent.SHORT]
