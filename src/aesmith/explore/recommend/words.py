"""A recommendation in words for people, and as plain values for machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from aesmith.explore.points import FOREIGN, POWER_FIGURES, PROOF, condition_of, is_engine, points_by, shipped_points
from aesmith.explore.recommend.choice import ALTERNATIVES, NAMES, NEAR, TIE, TIES, Miss, Option, Recommendation
from aesmith.explore.recommend.devices import measured_by
from aesmith.explore.recommend.requirement import (
    BLOCK_WIDTHS,
    CLOCKS,
    DEVICE_FIGURES,
    DEVICE_LIMITS,
    FIGURES,
    KEY_SIZES,
    LIMITS,
    MODES,
    MOST_ORDER,
    OF_LIBRARIES,
    Criterion,
    Limit,
    Requirement,
    written,
)
from aesmith.explore.recommend.serving import BLOCK_BITS, NOT_VERIFIED, engine_in, protection_of, slowest
from aesmith.lazy import LazyModule
from aesmith.modes.buses import bus_of
from aesmith.modes.served import SERVED

if TYPE_CHECKING:
    import pandas as pd

    from aesmith.explore.recommend import engines
else:
    engines = LazyModule("aesmith.explore.recommend.engines")

SHOWN = ("area", "throughput", "latency", "fmax", "power", "energy", "efficiency")
"""The figures of the table of options."""

SHOWN_ON_DEVICE = ("luts", "memories", "throughput", "latency", "fmax")
"""The same of points of a device."""


MANY = 2.0
"""From this part on a difference is said as a multiple: `38 times` and not `+3700.7 %`."""


def percent(part: float) -> str:
    """A relative difference: `+12.5 %`, or `38 times` for a large one."""
    return times(part) if part >= MANY else f"{100 * part:+.1f} %"


def times(part: float) -> str:
    """A large relative difference as a multiple: `38 times`."""
    return written(1 + part, "times") if part < 9 else f"{1 + part:,.0f} times"


def options_table(found: Recommendation) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Columns and rows: each figure of the choice and its alternatives, these relative to the choice."""
    assert found.chosen is not None
    options = (found.chosen, *found.alternatives)
    rows = []
    on_device = bool(found.requirement.device)
    for name in SHOWN_ON_DEVICE if on_device else SHOWN:
        figure = (FIGURES | DEVICE_FIGURES)[name]
        if any(option.figures[name] is not None for option in options):
            rows.append((name, *(_cell(option, figure, found.chosen) for option in options)))
    if found.requirement.order:
        shares = [protection_of(str(option.row["specification"])) for option in options]
        rows.append(("order of protection", *(str(each.order) for each in shares)))
        rows.append(
            ("fresh bits per cycle", *(f"{each.random_bits:,}{_MADE if each.seeded else ''}" for each in shares))
        )
    if on_device:
        rows += _placed(options)
    else:
        rows.append(("synthesis for", *(condition_of(option.row).label for option in options)))
    rows.append(("verified by", *(str(option.row["verified"]) for option in options)))
    return ("", *(f">{option.design}" for option in options)), rows


def _placed(options: Sequence[Option]) -> list[tuple[str, ...]]:
    """How points of a device were made, and how far their placements differ."""

    def spread(row: Mapping[str, object]) -> str:
        if not row["seeds"]:
            return "mapped, not placed"
        return f"{row['median_fmax_mhz']:.1f}, {row['least_fmax_mhz']:.1f} MHz of {row['seeds']}"

    def how(row: Mapping[str, object]) -> str:
        return ", ".join(str(row[name]) for name in ("corner", "recipe") if row[name]) or "as it is by default"

    return [
        ("median and slowest seed", *(spread(option.row) for option in options)),
        ("of these LUTs memories", *(f"{option.row['memory_luts']}" for option in options)),
        ("measured with", *(how(option.row) for option in options)),
    ]


def reasons(found: Recommendation) -> list[str]:
    """Why the choice was chosen, a sentence a line."""
    chosen, requirement = found.chosen, found.requirement
    assert chosen is not None
    objective = requirement.objective
    fitting = found.points - sum(found.left_out.values())
    those = "only point that fits" if fitting == 1 else f"{fitting} points that fit"
    lines = [f"{objective} of the {those} mode, keys and ports ({found.points} measured)"]
    binding = {str(binding.limit): binding.better for binding in found.binding}
    for limit in requirement.bounds:
        margin = chosen.margin(limit)
        assert margin is not None
        spare = f"{times(margin)} over" if margin >= MANY else f"with {100 * margin:.1f} % to spare"
        held = f"{limit}: holds {spare}"
        if (better := binding.get(str(limit))) is not None:
            change = better.change(objective.figure, chosen)
            held += f"; it binds: without it {better.design}, {_of(change, objective.figure)}"
        lines.append(held)
    lines.append(_rests_on(found, chosen))
    if requirement.chained:
        lines.append(_chained(found, chosen))
    lines.append(_output(chosen))
    if requirement.device:
        lines.append(f"measure it again: `{measured_by(chosen.row)}`")
    if requirement.registers:
        lines.append(_registers(chosen, requirement))
    if requirement.packets is not None:
        lines += _packets(chosen, requirement)
    if key_of(str(chosen.row["specification"])) == "with-block":
        lines.append("its key comes with each block, and none is kept")
    if requirement.order:
        lines += protected(str(chosen.row["specification"]))
    if found.near is not None:
        near = found.near
        change = near.option.change(objective.figure, chosen)
        lines.append(
            f"near: {near.option.design}, {_of(change, objective.figure)}, but {_missed(near.miss, near.option)}"
        )
    if requirement.mode.note and (requirement.engine is None or requirement.mode.name in SERVED):
        lines.append(f"{requirement.mode.title}: {requirement.mode.note}")
    return lines


def failures(found: Recommendation) -> list[str]:
    """What stands in the way where nothing meets the requirement, a sentence a line."""
    if found.closest is None:
        counted = [f"{count} {reason}" for reason, count in found.left_out.items()]
        lines = [f"none of the {found.points} points fits: {', '.join(counted) or 'there are none'}"]
        if found.nearest is not None:
            lines.append(f"nearest: {brief(found.nearest)}, but {found.lacks}: what has that was not measured")
        return [*lines, WHAT_IS_MASKED] if found.requirement.order else lines
    lines = []
    for miss, option in found.not_reached:
        best = miss.limit.figure.text(_value(option, miss.limit))
        lines.append(
            f"{miss.limit}: no measured point reaches it: the best is {best} ({option.design}), {_short(miss)}"
        )
    if not found.misses:
        objective = found.requirement.objective.figure.name
        lines.append(f"{objective}: was not measured of any point that fits; it cannot decide")
    elif len(lines) < len(found.misses) or len(found.requirement.bounds) > 1:
        what = "; ".join(_missed(miss, found.closest) for miss in found.misses)
        lines.append(f"closest to all limits together: {found.closest.design}: {what}")
    return lines


def brief(option: Option) -> str:
    """A point in a few words: `gcm-10g, 73,280 GE, 12.4 Gbit/s, 488 MHz`."""
    shown = ((FIGURES | DEVICE_FIGURES)[name] for name in ("area", "luts", "throughput", "fmax"))
    figures = [figure.text(value) for figure in shown if (value := option.figures.get(figure.name)) is not None]
    return f"{option.design}, {', '.join(figures)}"


def point_count(count: int) -> str:
    """`1 point`, `2 points`."""
    return f"{count} point{'' if count == 1 else 's'}"


def searched(frame: pd.DataFrame, name: str | None = None) -> str:
    """Which points were searched, of the export of this name or else of a store, and where there are more."""
    libraries = ", ".join(sorted(frame["library"].dropna().unique()))
    if name is None:
        return f"searched: {point_count(len(frame))} measured in {libraries}"
    wider = []
    for other in shipped_points():
        if other != name:
            points = points_by(other)
            wider.append(f"--points {other} has {len(points)}, in {', '.join(sorted(points['library'].unique()))}")
    wider.append("with --measure, what is lacking is measured")
    designs = f"{frame['design'].nunique()} {'cores' if frame['core'].isna().all() else 'designs'}"
    return f"searched: {point_count(len(frame))} of {designs} in {libraries} (--points {name}); {'; '.join(wider)}"


def rule_as_values() -> dict[str, object]:
    """What the rule is made of, as plain JSON values, for who applies it elsewhere: modes, figures, limits, margins."""
    return {
        "modes": [
            {
                "name": mode.name,
                "title": mode.title,
                "uses": {str(way): sorted(needed) for way, needed in mode.uses.items()},
                "chained": sorted(mode.chained),
                "calls": mode.calls,
                "key_bits": list(mode.key_bits),
                "note": mode.note,
                "engine": mode.engine,
                "in_turn": mode.in_turn,
                "served": mode.name in SERVED,
            }
            for mode in MODES.values()
        ],
        "key_bits": list(KEY_SIZES),
        "figures": [
            asdict(figure)
            | {"only": "device" if name in DEVICE_FIGURES else "library" if name in OF_LIBRARIES else None}
            for name, figure in (FIGURES | DEVICE_FIGURES).items()
        ],
        "limits": [{"name": name, "figure": figure} for name, figure in (LIMITS | DEVICE_LIMITS).items()]
        + [{"name": "max_latency", "figure": "latency", "clocks": "latency-cycles"}],
        "clocks": asdict(CLOCKS),
        "block_bits": BLOCK_BITS,
        "block_widths": list(BLOCK_WIDTHS),
        "alternatives": ALTERNATIVES,
        "near": NEAR,
        "tie": TIE,
        "ties": [list(tie) for tie in TIES],
        "names": list(NAMES),
        "proof": PROOF,
        "power": list(POWER_FIGURES),
        "foreign": FOREIGN,
        "not_verified": NOT_VERIFIED,
        "released": _RELEASED,
        "many": MANY,
        "shown": list(SHOWN),
        "shown_on_device": list(SHOWN_ON_DEVICE),
        "most_order": MOST_ORDER,
        "what_is_masked": WHAT_IS_MASKED,
    }


def as_values(found: Recommendation) -> dict[str, object]:
    """The recommendation as plain JSON values."""
    requirement = found.requirement
    return {
        "requirement": {
            "mode": requirement.mode.name,
            "directions": [str(direction) for direction in requirement.directions],
            "key_bits": list(requirement.key_bits),
            "block_width": requirement.block_width,
            "clock_mhz": requirement.clock_mhz,
            "streams": requirement.streams,
            "order": requirement.order,
            "device": requirement.device or None,
            "engine": requirement.engine,
            "packets": None if requirement.packets is None else asdict(requirement.packets),
            "limits": [_limit_values(limit) for limit in requirement.bounds],
            "objective": {"figure": requirement.objective.figure.name, "least": requirement.objective.least},
        },
        "points": found.points,
        "designs": found.designs,
        "left_out": dict(found.left_out),
        "chosen": None if found.chosen is None else _option_values(found.chosen, found),
        "alternatives": [_option_values(option, found) for option in found.alternatives],
        "binding": [
            {"limit": _limit_values(binding.limit), "without_it": _option_values(binding.better, found)}
            for binding in found.binding
        ],
        "near": None
        if found.near is None
        else _option_values(found.near.option, found) | {"misses": [_miss_values(found.near.miss)]},
        "unproved": None if found.unproved is None else _option_values(found.unproved, found),
        "closest": None
        if found.closest is None
        else _option_values(found.closest, found) | {"misses": [_miss_values(miss) for miss in found.misses]},
        "not_reached": [
            _miss_values(miss) | {"best": _option_values(option, found)} for miss, option in found.not_reached
        ],
        "unknown": found.unknown,
        "nearest": None if found.nearest is None else _option_values(found.nearest, found) | {"lacks": found.lacks},
    }


def _option_values(option: Option, found: Recommendation) -> dict[str, object]:
    names = ("design", "family", "architecture", "library", "corner", "optimise", "recipe", "verified", "rtl", "key")
    relative: Mapping[str, float | None] = (
        {}
        if found.chosen is None
        else {
            name: option.change(figure, found.chosen)
            for name, figure in (FIGURES | DEVICE_FIGURES).items()
            if name in option.figures
        }
    )
    return {
        **{name: option.row[name] for name in names},
        "specification": json.loads(str(option.row["specification"])),
        "proved": option.proved,
        "protection": asdict(protection_of(str(option.row["specification"]))),
        "figures": dict(option.figures),
        "margins": [_limit_values(limit) | {"margin": option.margin(limit)} for limit in found.requirement.bounds],
        "relative_to_chosen": dict(relative),
    }


def _limit_values(limit: Limit) -> dict[str, object]:
    side = "at_most" if limit.figure.least_is_best else "at_least"
    return {"figure": limit.figure.name, side: limit.bound, "unit": limit.figure.kind.unit}


def _miss_values(miss: Miss) -> dict[str, object]:
    return _limit_values(miss.limit) | {"margin": miss.margin}


def _cell(option: Option, figure: Criterion, chosen: Option) -> str:
    value = option.figures[figure.name]
    if value is None:
        return "not measured"
    change = None if option is chosen else option.change(figure, chosen)
    return figure.text(value) if change is None else f"{figure.text(value)} ({percent(change)})"


def _value(option: Option, limit: Limit) -> float:
    value = option.figures[limit.figure.name]
    assert value is not None
    return value


def _of(change: float | None, figure: Criterion) -> str:
    return f"{figure.name} not comparable" if change is None else f"{percent(change)} {figure.name}"


def _short(miss: Miss) -> str:
    if miss.margin is None:
        return "not measured"
    return f"{-100 * miss.margin:.1f} % {'above' if miss.limit.figure.least_is_best else 'below'} the limit"


def _missed(miss: Miss, option: Option) -> str:
    if miss.margin is None:
        return f"its {miss.limit.figure.name} was not measured (limit {miss.limit})"
    value = miss.limit.figure.text(_value(option, miss.limit))
    return f"its {miss.limit.figure.name} is {value}, {_short(miss)} ({miss.limit})"


def _packets(chosen: Option, requirement: Requirement) -> list[str]:
    """Which packets take an engine longest, how busy its parts are with them, and from which size on it keeps up."""
    assert requirement.packets is not None
    assert requirement.engine is not None
    engine = engine_in(str(chosen.row["specification"]), requirement.engine, requirement.registers)
    assert engine is not None
    busy = slowest(engine, requirement.packets, requirement.directions)
    header = f" and {busy.header_blocks} of header" if busy.header_blocks else ""
    parts = ", ".join(f"{part} {clocks:g}" for part, clocks in busy.demands.items())
    lines = [
        f"the packets with the least throughput have {busy.size} bytes, {busy.text_blocks} blocks of text{header}: "
        f"one every {busy.clocks:g} clocks, of which each part needs: {parts}"
    ]
    wanted = next((limit.bound for limit in requirement.limits if limit.figure.name == "throughput"), None)
    if wanted is not None:
        asked = engines.PacketRequirement(
            engine.mode,
            requirement.key_bits[0],
            wanted,
            float(str(chosen.row["clock_mhz"])),
            requirement.packets.sizes,
            requirement.packets.headers,
            requirement.packets.overhead,
        )
        least = engines.least_packet(engine, asked)
        if least is not None and least < requirement.packets.sizes[0]:
            kind = "packets of whole blocks" if engine.clocks_of_whole_blocks else "packets"
            lines.append(f"it keeps up with {kind} of {least} bytes or more")
    return lines


def _registers(chosen: Option, requirement: Requirement) -> str:
    """What the figures of an engine that gets registers are of."""
    standard = bus_of(str(dict(requirement.registers)["bus"])).standard
    return (
        f"registers on {standard}: throughput and latency are with words of 32 bits, a block every "
        f"{chosen.row['cycles_per_block']:g} clocks, where software or DMA keeps up; area, clock and power are without "
        "registers: `aesmith measure` of the build gives those of the whole"
    )


def _output(chosen: Option) -> str:
    """Of which output the figures are, and what the other would change."""
    if is_engine(str(chosen.row["specification"])):
        released = json.loads(str(chosen.row["specification"])).get("release")
        return "figures: of the whole engine, with all that its mode needs" + _RELEASED.get(released, "")
    bits = f"each of {chosen.row['block_width']} bits"
    match output_of(str(chosen.row["specification"])):
        case "bare":
            return f"figures: with a bare output; a build adds a quiet one, an AND gate for {bits}"
        case "registered":
            return f"figures: with a registered output; a quiet one would save a flip-flop for {bits}, and a clock"
        case _:
            return f"figures: with a quiet output; a bare one would save an AND gate for {bits}"


def key_of(specification: str) -> str:
    """How a core has its key, by its specification in JSON: kept, or with-block."""
    return str(json.loads(specification).get("key", "kept"))


def output_of(specification: str) -> str:
    """Which output a core has, by its specification in JSON: bare, quiet or registered."""
    return str(json.loads(specification).get("output", "bare"))


_MADE = ", made inside"
_RELEASED = {
    "verified": "; decrypted text is released once its tag is verified, so a message must fit in the engine",
    "cut-through": "; decrypted text is released before its tag is verified (cut-through)",
}

WHAT_IS_MASKED = (
    "protected cores are those with shares at their ports (`aesmith list cores`); they are measured with each module "
    "mapped by itself; above order 1 they need a library with clock gates"
)


def protected(specification: str) -> list[str]:
    """What the protection of a specification in JSON covers, and what it does not."""
    shares = protection_of(specification)
    each = f"{shares.random_bits:,} fresh random bits in each clock of work"
    if shares.seeded:
        fresh = f"it makes {each} from a seed of 80 bits, which must be uniform, secret and never used twice"
    else:
        fresh = f"it takes {each}: uniform, independent, used once; what makes them is in no figure"
    probes = "one probe tells" if shares.order == 1 else f"any {shares.order} probes at a time tell"
    return [
        f"protected at order {shares.order}: keys, blocks and results in {shares.order + 1} shares; {probes} nothing, "
        "glitches included, where the rules hold that `aesmith verify --probing` checks of its sources, and with "
        "--netlist of a netlist: check what you build",
        fresh,
        f"not covered: attacks of order {shares.order + 1} and more, faults, coupling of wires, layout, static power, "
        "where fresh bits or their seed come from, and of transitions all but what `--probing` says",
    ]


def _rests_on(found: Recommendation, chosen: Option) -> str:
    """What is known of the core's correctness, and what was left aside for it."""
    objective = found.requirement.objective.figure
    known = chosen.row["verified"]
    engine = is_engine(str(chosen.row["specification"]))
    line = f"rests on {known}" if chosen.proved or engine else f"rests on {known}, and on no proof"
    if (other := found.unproved) is not None:
        line += f"; {other.design}, {_of(other.change(objective, chosen), objective)}, is not proved"
    if not engine and output_of(str(chosen.row["specification"])) == "bare":
        line += "; this is of the core with a bare output: `aesmith verify --prove` proves the build"
    return line


def _chained(found: Recommendation, chosen: Option) -> str:
    requirement = found.requirement
    ways = " and ".join(f"{way}ion" for way in requirement.directions if way in requirement.mode.chained)
    streams = "one stream" if requirement.streams == 1 else f"{requirement.streams} streams"
    clocks = chosen.row["latency_cycles"]
    unchained = float(str(chosen.row["throughput_gbps"]))
    line = f"{requirement.mode.title} {ways} is chained: {streams}, a block every {clocks} clocks each"
    if (served := chosen.figures["throughput"]) and unchained > 1.2 * served and requirement.clock_mhz is None:
        line += f"; independent blocks would get {FIGURES['throughput'].text(unchained)}"
    return line
