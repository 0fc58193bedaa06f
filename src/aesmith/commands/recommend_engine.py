"""`aesmith recommend --packets`: the engine of a mode that keeps up with packets of all sizes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from aesmith.api.recommending import (
    ENGINE_POINTS,
    EngineAnswer,
    Load,
    MeasuredEngine,
    PacketRequirement,
    answer_engine,
    least_packet,
    packet_requirement,
)
from aesmith.commands import build
from aesmith.commands.console import Display
from aesmith.commands.request import Request
from aesmith.errors import CheckError, RequestError
from aesmith.explore.recommend.requirement import AREA, written
from aesmith.flow.measurement import Optimise
from aesmith.modes.engine import MOST_CORES
from aesmith.scratch import work_folder

NAME = "engine"


def asked(
    mode: str,
    key: list[int] | None,
    min_throughput: str | None,
    clock: str | None,
    *,
    packets: str,
    header: str,
    overhead: int,
    release: str,
) -> PacketRequirement:
    """What the options ask for. Raises RequestError for what is lacking, and for what cannot be."""
    if min_throughput is None or clock is None:
        raise RequestError("packets: an engine is asked for; give --min-throughput and --clock too")
    return packet_requirement(
        mode,
        key[0] if key else 128,
        min_throughput=min_throughput,
        clock=clock,
        packets=packets,
        header=header,
        line_overhead=overhead,
        release=release,
    )


def run(
    wanted: PacketRequirement,
    plan: build.BuildPlan,
    points: str | None,
    seconds: float,
    *,
    folder: Path | None,
    display: Display,
) -> None:
    """Measures engines in the library of a plan, prints the answer, and builds it if a folder is named.

    Raises CheckError if no engine meets the requirement.
    """
    assert plan.library is not None
    with work_folder() as work, display.progress(f"measuring engines in {plan.library.name}") as steps:
        found = answer_engine(
            wanted,
            plan.library,
            plan.store,
            work,
            points=points or ENGINE_POINTS,
            seconds=seconds,
            jobs=plan.jobs,
            progress=steps.done,
        )
    answer(found, plan, folder, display)


def answer(given: EngineAnswer, plan: build.BuildPlan, folder: Path | None, display: Display) -> None:
    """Prints the answer, and builds the engine if a folder is named for it. Raises CheckError if nothing was chosen."""
    display.line(f"Required: {given.wanted}")
    values = as_values(given)
    if given.chosen is None:
        display.value(values)
        raise CheckError("\n".join(("no engine that was measured meets the requirement", *_why_not(given))))
    _show(given, given.chosen, display)
    if folder is not None:
        name = folder.name if folder.name.isidentifier() else NAME
        optimise = Optimise(given.chosen.measurement.optimise)
        built = build.run(Request(given.engine(name)), folder, replace(plan, optimise=(optimise,)), display)
        display.line(f"Built in {built.folder}/; the datasheet is {built.folder / 'datasheet.md'}.")
        values |= {"built": build.as_values(built)}
    display.value(values)


def as_values(given: EngineAnswer) -> dict[str, object]:
    """The answer as plain JSON values."""
    chosen = given.chosen
    return {
        "requirement": asdict(given.wanted),
        "candidates": given.candidates,
        "late": given.late,
        "measured": [_values(each) for each in given.measured],
        "chosen": None if chosen is None else _values(chosen),
    }


def _values(each: MeasuredEngine) -> dict[str, object]:
    busy = each.candidate.load
    return {
        "specification": dict(each.candidate.fields),
        "load": asdict(busy) | {"share": busy.share, "binding": busy.binding},
        "area_ge": each.measurement.area_ge,
        "fmax_mhz": each.measurement.fmax_mhz,
        "optimise": each.measurement.optimise,
    }


def _show(given: EngineAnswer, chosen: MeasuredEngine, display: Display) -> None:
    wanted = given.wanted
    rows = []
    for each in sorted(given.measured, key=lambda each: (not each.meets(wanted), each.measurement.area_ge)):
        busy = each.candidate.load
        rows.append(
            (
                each.candidate.engine(NAME).title,
                AREA.text(each.measurement.area_ge),
                written(each.measurement.fmax_mhz or 0.0, "MHz"),
                f"{busy.share:.0%} {busy.binding}",
                "" if each.meets(wanted) else "misses the clock",
            )
        )
    display.table("Recommended: the first", ("engine", ">area", ">fmax", ">busiest part", ""), rows, in_turn=True)
    for line in _reasons(given, chosen):
        display.line(f"- {line}")
    display.line()
    display.line("As a specification:")
    for name, value in chosen.candidate.fields.items():
        display.line(f"  {name} = {_toml(value)}")


def _reasons(given: EngineAnswer, chosen: MeasuredEngine) -> list[str]:
    wanted, busy = given.wanted, chosen.candidate.load
    engine = chosen.candidate.engine(NAME)
    least = least_packet(engine, wanted)
    reasons = [
        f"the packet that binds has {_packet(busy)}: of {busy.budget:.1f} clocks to the next one "
        + ", ".join(f"{part} needs {clocks:g} ({clocks / busy.budget:.0%})" for part, clocks in busy.demands.items()),
        f"{given.candidates} engines of {MOST_CORES} cores at most keep up with all packets, of each core and "
        f"multiplier the one with the fewest cores; the {len(given.measured)} expected to be smallest were measured",
    ]
    if least is not None and least < wanted.packets[0]:
        reasons.append(f"it keeps up with packets from {least} bytes on")
    elif least is not None:
        reasons.append(f"it does not keep up with packets shorter than {least} bytes")
    if given.late:
        reasons.append(f"{given.late} more were not measured, for the time was up: --budget")
    return reasons


def _packet(busy: Load) -> str:
    header = f", {busy.header_blocks} of header" if busy.header_blocks else ""
    return f"{busy.text_blocks} blocks of text{header}"


def _why_not(given: EngineAnswer) -> list[str]:
    if not given.candidates:
        return [
            "no engine of a core that is as fast as the clock, of at most 16 cores, keeps up with the packets: ask for "
            "a higher clock, longer packets or less throughput"
        ]
    return [
        f"{each.candidate.engine(NAME).title}: {written(each.measurement.fmax_mhz or 0.0, 'MHz')} of "
        f"{written(given.wanted.clock_mhz, 'MHz')}"
        for each in given.measured
    ]


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_toml(item)}" for name, item in value.items()) + " }"
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value)
