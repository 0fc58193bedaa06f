"""What each measured point would give in the service that a requirement describes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from aesmith.cores.design import Direction
from aesmith.cores.ports import Meaning
from aesmith.cores.specification import design_of, families, presets
from aesmith.errors import RequestError
from aesmith.explore.outline import build_specified, with_named_cores
from aesmith.explore.points import FOREIGN, POWER_FIGURES, is_engine, quiet_core
from aesmith.explore.recommend.requirement import Limit, Packets, Requirement, clocks_per_block
from aesmith.lazy import LazyModule
from aesmith.modes.buses import bus_of
from aesmith.modes.engine import StreamEngine
from aesmith.modes.specification import presets_of, without_clock_gates
from aesmith.modes.specification import specified as specified_engine

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = LazyModule("pandas")

BLOCK_BITS = 128


NOT_VERIFIED = "verified by nothing yet"
"""Why a point is left out that was measured, but of a design that was neither simulated nor proved."""


@dataclass(frozen=True)
class Served:
    """The points that fit, with what they give; of the others, how many points were left out for which reason.

    `frame` has the columns of `points` and further `clock_mhz` (the clock it runs at), `served_gbps`,
    `served_latency_ns`, `served_kbps_per_ge`, `served_power_uw` and `served_energy_pj`. A point that lacks several
    things is counted under the first. `unlike` are those of the mode that lack something that another design of the
    kind may have, such as a key size, with the same columns and what each lacks first (`lacks`) and of how many things
    (`lacking`).
    """

    frame: pd.DataFrame
    left_out: Mapping[str, int]
    unlike: pd.DataFrame


def serve(points: pd.DataFrame, requirement: Requirement) -> Served:
    """The points of a frame (columns as in `points`) that fit a requirement's mode, keys, ports and clock, verified.

    Points of a core count if no engine is asked for, and those of an engine that has the mode if one is.
    """
    if requirement.engine is not None:
        points = in_mode(points, requirement.engine)
    # A device that nothing is placed on has counts, and no clock.
    counted = points["seeds"].eq(0) if "seeds" in points.columns else False
    never = {
        "failed": points["status"].ne("done") | (points["fmax_mhz"].isna() & ~pd.Series(counted, index=points.index)),
        "of somebody else": points["family"].eq(FOREIGN),
        NOT_VERIFIED: points["verified"].fillna("").eq(""),
    }
    if requirement.engine is None:
        never["of engines"] = points["core"].notna()
        ways = " and ".join(sorted(requirement.core_directions, reverse=True))
        unlike = {f"without {ways}": ~_has_directions(points, requirement.core_directions)}
    else:
        never["of cores alone"] = points["core"].isna()
        never["of other modes"] = points["family"].ne(requirement.engine)
        never["measured with registers"] = points["specification"].map(lambda text: bool(json.loads(text).get("bus")))
        ways = " and ".join(f"{way}ion" for way in requirement.directions)
        unlike = {f"without {ways}": ~_has_directions(points, frozenset(requirement.directions))}
    unlike[f"without keys of {' and '.join(map(str, requirement.key_bits))} bits"] = ~_has_keys(points, requirement)
    if requirement.order:
        unlike |= {
            f"not protected at order {requirement.order}": ~_is_protected(points, requirement),
            "synthesised across the borders of S-boxes": ~points["recipe"].fillna("").str.contains("-modules"),
        }
    if requirement.registers:
        standard = bus_of(str(dict(requirement.registers)["bus"])).standard
        lacks = [
            bool(fits) and _peripheral(str(text), requirement) is None
            for text, fits in zip(points["specification"], ~_first_of(points, never).notna(), strict=True)
        ]
        unlike[f"without registers on {standard}"] = pd.Series(lacks, index=points.index, dtype=bool)
    elif requirement.block_width is not None:
        unlike[f"without ports of {requirement.block_width} bits"] = points["block_width"].ne(requirement.block_width)
    if requirement.packets is not None:
        of_mode = ~_first_of(points, never).notna()
        for lack in ("release", "room"):
            words = {
                "release": f"without {requirement.packets.release} text",
                "room": f"without room for packets of {requirement.packets.sizes[1]} bytes",
            }
            lacks = [
                bool(fits) and _packet_service(str(text), requirement)[1] == lack
                for text, fits in zip(points["specification"], of_mode, strict=True)
            ]
            unlike[words[lack]] = pd.Series(lacks, index=points.index, dtype=bool)
    out, lacks = _first_of(points, never), _first_of(points, unlike)
    first = out.fillna(lacks)
    counts = {reason: int(first.eq(reason).sum()) for reason in (*never, *unlike)}
    lacking = sum((holds.fillna(True).astype(int) for holds in unlike.values()), start=points["area_ge"] * 0)
    kind = out.isna() & lacks.notna()
    return Served(
        _with_service(points[first.isna()], requirement),
        {reason: count for reason, count in counts.items() if count},
        _with_service(points[kind], requirement).assign(lacks=lacks[kind], lacking=lacking[kind]),
    )


def _first_of(points: pd.DataFrame, reasons: Mapping[str, pd.Series]) -> pd.Series:
    """The first reason that holds of each point, missing where none does."""
    found = pd.Series(pd.NA, index=points.index, dtype="string")
    for reason, holds in reversed(list(reasons.items())):
        found = found.mask(holds.fillna(True).astype(bool), reason)
    return found


def in_mode(points: pd.DataFrame, mode: str) -> pd.DataFrame:
    """The points, each engine that has this mode beside others as one of it: its clocks and directions are those of the
    mode, and its power, which was measured in another mode, is missing."""
    others = points["core"].notna() & points["family"].ne(mode)
    found = {place: columns_by_mode(str(text)).get(mode) for place, text in points["specification"][others].items()}
    columns = {place: columns for place, columns in found.items() if columns}
    if not columns:
        return points
    points = points.copy()
    for name in next(iter(columns.values())):
        points.loc[[*columns], name] = [each[name] for each in columns.values()]
    points.loc[[*columns], [f"{figure}_{way}" for figure in POWER_FIGURES for way in Direction]] = pd.NA
    return points


@cache
def columns_by_mode(specification: str) -> Mapping[str, Mapping[str, object]]:
    """Of an engine (JSON) of several modes, what a point has in those of its columns that depend on the mode, by mode;
    nothing of any other design."""
    fields = json.loads(specification)
    return {
        mode: {
            "family": mode,
            "directions": "+".join(view.mode_directions),
            "cycles_per_block": float(view.cycles_per_block),
            "latency_cycles": view.latency_cycles,
        }
        for mode in (fields.get("modes", ()) if len(fields.get("modes", ())) > 1 else ())
        if (view := engine_in(specification, mode))
    }


@cache
def engine_in(specification: str, mode: str, registers: tuple[tuple[str, object], ...] = ()) -> StreamEngine | None:
    """The engine of a specification (JSON), with these fields of registers, as one of a mode that it has, at its
    largest key, for which figures are quoted.

    None of a core, of an engine that does not have the mode or cannot have the registers, or has some already.
    """
    if not is_engine(specification) or (registers and json.loads(specification).get("bus")):
        return None
    try:
        engine = build_specified(with_registers(specification, registers), "engine", "")
    except RequestError:
        return None
    assert isinstance(engine, StreamEngine)
    views = (view for view in engine.views if view.mode == mode)
    return max(views, key=lambda view: view.rated_key_bits, default=None)


def _peripheral(specification: str, requirement: Requirement) -> StreamEngine | None:
    """What the mode and the registers of a requirement make of a specification (JSON)."""
    assert requirement.engine is not None
    return engine_in(specification, requirement.engine, requirement.registers)


def with_registers(specification: str, registers: tuple[tuple[str, object], ...]) -> str:
    """A specification in JSON with these fields of registers."""
    return json.dumps(json.loads(specification) | dict(registers), sort_keys=True) if registers else specification


def _packet_service(specification: str, requirement: Requirement) -> tuple[float | None, str | None]:
    """`packet_service` of what a requirement makes of a specification."""
    assert requirement.packets is not None
    assert requirement.engine is not None
    return packet_service(
        specification, requirement.engine, requirement.registers, requirement.packets, requirement.directions
    )


@cache
def packet_service(
    specification: str,
    mode: str,
    registers: tuple[tuple[str, object], ...],
    packets: Packets,
    directions: tuple[Direction, ...],
) -> tuple[float | None, str | None]:
    """Bits a clock, overhead included, that an engine (JSON) gets through in a mode of the packets that take it
    longest; None where it cannot have these registers.

    The second is what it lacks: `release`, if text is not released as asked, or `room`, for the longest packet to
    decrypt; else None. What is said of clocks is the engine's own formula.
    """
    if packets.release is not None and json.loads(specification).get("release") != packets.release:
        return None, "release"
    engine = engine_in(specification, mode, registers)
    if engine is None:
        return None, None
    headers, texts, _ = packets.worst[-1]
    if Direction.DECRYPT in directions:
        try:
            if engine.room_for(headers, texts):
                return None, "room"
        except RequestError:
            return None, "room"
    return slowest(engine, packets, directions).rate, None


@dataclass(frozen=True)
class Busy:
    """An engine with packets: blocks of header and of text, bytes of text, whether to encrypt, clocks from one to the
    next, for how many of these each part is busy, and bits per clock, overhead included."""

    header_blocks: int
    text_blocks: int
    size: int
    encrypt: bool
    demands: Mapping[str, float]
    clocks: float
    rate: float


def slowest(engine: StreamEngine, packets: Packets, directions: tuple[Direction, ...]) -> Busy:
    """The packets that an engine gets through with the least throughput, in that of these directions of its that takes
    longer."""

    def rate(of: tuple[int, int, int, bool]) -> float:
        headers, blocks, size, encrypt = of
        return 8 * (size + packets.overhead) / engine.message_cycles(headers, blocks, encrypt=encrypt)

    ways = [way is Direction.ENCRYPT for way in directions]
    least = min(((*of, encrypt) for of in packets.worst for encrypt in ways), key=rate)
    headers, blocks, size, encrypt = least
    demands = engine.demands(headers, blocks, encrypt=encrypt)
    clocks = engine.message_cycles(headers, blocks, encrypt=encrypt)
    return Busy(headers, blocks, size, encrypt, demands, clocks, rate(least))


def unmeasured_presets(points: pd.DataFrame, requirement: Requirement) -> tuple[str, ...]:
    """The presets that have the mode, directions and keys of a requirement, and no verified point among these; of
    engines those of other keys, too, of whose families no point has the keys: with another core they may."""
    measured = points[points["status"].eq("done") & points["verified"].fillna("").ne("")]
    known = {quiet_core(*of)[1] for of in zip(measured["design"], measured["specification"], strict=True)}
    found = []
    if requirement.engine is not None:
        keys, told = set(requirement.key_bits), " and ".join(map(str, requirement.key_bits))
        families = {json.loads(text)["mode"] for text in known if is_engine(text) and keys <= keys_of(text)}
        for name, engine in presets_of(requirement.engine).items():
            text = json.dumps(with_named_cores(engine).model_dump(mode="json"), sort_keys=True)
            if not keys <= keys_of(text):
                found += [f"{name} with keys of {told} bits"] * (engine.mode not in families)
            elif text not in known:
                found.append(name)
        return tuple(found)
    ways = {str(way) for way in requirement.core_directions}
    for name, core in presets().items():
        fields = core.model_dump(mode="json")
        text = json.dumps(fields, sort_keys=True)
        fits = ways <= set(fields.get("directions", ways)) and set(requirement.key_bits) <= keys_of(text)
        if fits and text not in known and (not requirement.order or protection_of(text).order >= requirement.order):
            found.append(name)
    return tuple(found)


def meets(frame: pd.DataFrame, limit: Limit) -> pd.Series:
    """Which rows of a served frame reach a limit; one whose figure was not measured does not."""
    values = frame[limit.figure.column]
    reached = values.le(limit.bound) if limit.figure.least_is_best else values.ge(limit.bound)
    return reached.fillna(False).astype(bool)


def margins(frame: pd.DataFrame, limit: Limit) -> pd.Series:
    """How far each row of a served frame is on the good side of a limit, as a fraction of it (`Limit.margin`)."""
    values = frame[limit.figure.column].astype("Float64")
    return (limit.bound - values if limit.figure.least_is_best else values - limit.bound) / (limit.bound or 1.0)


@cache
def keys_of(specification: str) -> frozenset[int]:
    """The key sizes of AES in a specification in JSON, of an engine those of its core."""
    fields = json.loads(specification)
    if "mode" in fields:
        core = fields.get("core")
        fields = presets()[core].model_dump(mode="json") if isinstance(core, str) and core in presets() else core
    given = fields.get("key_bits", 128) if isinstance(fields, dict) else 128
    return frozenset(given if isinstance(given, list) else [given])


@cache
def has_clock_gates(specification: str) -> bool:
    """Whether a core (JSON) holds registers by clock gates, or a core of an engine does."""
    fields = json.loads(specification)
    return bool(without_clock_gates(specified_engine(fields)) if "mode" in fields else fields.get("clock_gates"))


@dataclass(frozen=True)
class Protection:
    """What a core's shares give: the order at which `aesmith verify --probing` has something to show of it, 0 if none;
    the fresh bits it takes in a clock of work; and whether it makes them inside, from a seed."""

    order: int
    random_bits: int
    seeded: bool


@cache
def protection_of(specification: str) -> Protection:
    """The protection of a specification in JSON: that of its ports.

    Of S-boxes that clock enables hold nothing is shown above order 1 (rule R6).
    """
    fields = json.loads(specification)
    if fields.get("architecture") not in architectures_with_an_order():
        return Protection(0, 0, seeded=False)
    design = design_of(fields, "core", "")
    order = min((load.shares for load in design.ports.payloads if load.shares > 1), default=1) - 1
    fresh = (design.within or design).ports.find(Meaning.RANDOM)
    if order > 1 and not design.parameters.get("clock_gates"):
        order = 0
    return Protection(order, 0 if fresh is None else fresh.bits, seeded=design.within is not None)


@cache
def architectures_with_an_order() -> frozenset[str]:
    """The architectures that have an order of protection."""
    return frozenset(
        str(each.model_fields["architecture"].default)
        for family in families().values()
        for each in family.specifications
        if "order" in each.model_fields
    )


def _is_protected(points: pd.DataFrame, requirement: Requirement) -> pd.Series:
    return points["specification"].map(lambda text: protection_of(str(text)).order >= requirement.order).astype(bool)


def _has_directions(points: pd.DataFrame, directions: frozenset[Direction]) -> pd.Series:
    wanted = {str(direction) for direction in directions}
    return points["directions"].map(lambda text: wanted <= set(str(text).split("+"))).astype(bool)


def _has_keys(points: pd.DataFrame, requirement: Requirement) -> pd.Series:
    wanted = set(requirement.key_bits)
    return points["specification"].map(lambda text: wanted <= keys_of(str(text))).astype(bool)


def _with_service(points: pd.DataFrame, requirement: Requirement) -> pd.DataFrame:
    cycles = points["cycles_per_block"].to_numpy(dtype=np.float64)
    latency = points["latency_cycles"].to_numpy(dtype=np.float64)
    if requirement.registers:
        made = [_peripheral(str(text), requirement) for text in points["specification"]]
        cycles = np.array([each.cycles_per_block if each else np.nan for each in made], dtype=np.float64)
        latency = np.array([each.latency_cycles if each else np.nan for each in made], dtype=np.float64)
        points = points.assign(cycles_per_block=cycles, latency_cycles=latency)
    if requirement.engine is None:
        clocks = clocks_per_block(requirement.mode, requirement.directions, cycles, latency, requirement.streams)
    elif requirement.packets is None:
        clocks = cycles
    else:
        rates = (_packet_service(str(each), requirement)[0] for each in points["specification"])
        clocks = np.array([BLOCK_BITS / rate if rate else np.nan for rate in rates], dtype=np.float64)
    clock = points["fmax_mhz"] if requirement.clock_mhz is None else points["fmax_mhz"] * 0 + requirement.clock_mhz
    gbps = clock * BLOCK_BITS / 1e3 / clocks
    # Power is simulated with blocks back to back: a pipeline that a chained stream leaves half empty is another thing.
    calls = requirement.mode.calls if requirement.engine is None else 1
    idle = requirement.chained & points["blocks_in_flight"].gt(requirement.streams)
    return points.assign(
        clock_mhz=clock,
        served_gbps=gbps,
        served_latency_ns=latency * 1e3 / clock,
        served_kbps_per_ge=gbps * 1e6 / points["area_ge"],
        served_power_uw=_worst(points, requirement, "power_uw_at_100mhz").mask(idle),
        served_energy_pj=calls * _worst(points, requirement, "energy_pj_per_block").mask(idle),
    )


def _worst(points: pd.DataFrame, requirement: Requirement, figure: str) -> pd.Series:
    """The greatest over the directions in use; missing if it is missing in one."""
    used = requirement.core_directions if requirement.engine is None else requirement.directions
    columns = [f"{figure}_{direction}" for direction in used]
    return points[columns].max(axis=1, skipna=False)
