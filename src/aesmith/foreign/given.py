"""A third-party design that is named by its files: its ports as a file says, or as their names let one guess.

A guess is tried: the published vectors must pass through the ports, and the clocks are those that are seen.
"""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice, product
from pathlib import Path
from typing import Any

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError, RequestError
from aesmith.foreign.description import ForeignDescription, ForeignSource, fields_of, parse_description
from aesmith.foreign.design import ADAPTER_CLOCKS, foreign_design
from aesmith.foreign.proposal import KEY_NAME, head, lines_of, propose
from aesmith.foreign.reading import read_sources
from aesmith.foreign.trial import CLOCKS, MOST_LANES, Passed, PortWay, TrialBench, bench, gates_of, tried
from aesmith.foreign.ways import batches, descriptions, lanes, ways
from aesmith.progress import Progress

KNOWN_ANSWERS = "known-answers"
_TRY = SimulationPlan(scenarios=(KNOWN_ANSWERS, "timing"))
TRIAL_SECONDS = 60.0
"""How long ways to connect a core are tried on its gates, of one processor."""
_MOST_SIMULATED = 4
_LIKELIEST = 256
"""Ways and cases that are tried for as many clocks as it takes, before others."""
_ENDINGS = (".v", ".sv")
_UNKNOWN = "FIXME"
_UNGUESSED = "could not be guessed"
_TAKEN_BACK = re.compile(r"ready|rdy|ack|valid|vld", re.IGNORECASE)
_WRITE_THEM_DOWN = "write the ports down (`aesmith ports` begins the file) and give --ports FILE"


def files_in(path: Path) -> tuple[Path, ...]:
    """The sources that a path names: itself, or all Verilog in a folder. Raises RequestError if there is nothing."""
    if path.is_file():
        return (path,)
    found = tuple(sorted(file for file in path.glob("*") if file.suffix in _ENDINGS)) if path.is_dir() else ()
    if not found:
        raise RequestError(f"rtl: there is no {'Verilog in' if path.is_dir() else 'file'} {path}")
    return found


def described(source: ForeignSource) -> ForeignDescription:
    """The description of a source with a file for its ports. Raises what `parse_description` raises."""
    assert source.ports is not None
    fields = fields_of(source.ports, "ports") | _stated(source)
    return parse_description(fields, source.ports.parent, f"ports {source.ports}")


def guessed(source: ForeignSource) -> ForeignDescription:
    """The description of a source by the names and widths of its ports; its clocks are still to be seen.

    Raises RequestError for a port that could not be guessed, and what `propose` raises.
    """
    fields = tomllib.loads(propose(source.files, source.top, **asdict(source.settings)))
    unknown = [
        name if part == "clock" else f"{part}.{name}"
        for part, lines in fields["ports"].items()
        for name, value in (lines.items() if isinstance(lines, dict) else [(part, lines)])
        if value == _UNKNOWN or (part, name) == ("result", "clocks")
    ]
    if unknown:
        raise RequestError(f"ports.{unknown[0]}: {_UNGUESSED}; {_WRITE_THEM_DOWN}")
    return parse_description(fields | _stated(source) | {"origin": ""}, Path(), "ports")


def _stated(source: ForeignSource) -> dict[str, Any]:
    """What of a description the source itself says."""
    settings = source.settings
    fields: dict[str, Any] = {"rtl": list(map(str, source.files)), "top": source.top}
    fields |= {"include": list(map(str, settings.include))} if settings.include else {}
    fields |= {"defines": dict(settings.defines)} if settings.defines else {}
    fields |= {"parameters": dict(settings.parameters)} if settings.parameters else {}
    fields |= {"language": settings.language} if settings.language != "systemverilog" else {}
    return fields | ({} if source.cycles_per_block is None else {"cycles_per_block": source.cycles_per_block})


def likely(source: ForeignSource, folder: Path, progress: Progress | None = None) -> list[ForeignDescription]:
    """Descriptions by which a source computes AES on its gates, the likeliest first; of a core that is too large to try
    them, those that names and widths let one guess.

    Raises CheckError if none is found in `TRIAL_SECONDS`, and what `read_sources` and `guessed` raise.
    """
    found = _found(source, folder, progress)
    if found is None:
        return [way for either in either_payload(guessed(source)) for way in _either_reset(either)]
    return [parse_description(_stated(source) | fields | {"origin": ""}, Path(), "ports") for fields in found]


def proposed(source: ForeignSource, folder: Path, progress: Progress | None = None) -> tuple[str, bool]:
    """The text of a description file for a source, and whether its ports computed AES on the gates, for two blocks
    under two keys; else they are guessed by names and widths. What nothing tells stands in it as `FIXME`.

    Raises what `propose` raises.
    """
    settings = asdict(source.settings)
    try:
        found = _found(source, folder, progress)
    except CheckError:
        found = None
    if not found:
        return propose(source.files, source.top, **settings), False
    return "\n".join([*head(source.files, source.top, **settings), *lines_of(found[0])]) + "\n", True


def _found(source: ForeignSource, folder: Path, progress: Progress | None) -> list[dict[str, Any]] | None:
    """The fields by which a source computes AES on its gates, the likeliest first; None of a core that is not tried.

    Raises CheckError if there are none, and what `read_sources` raises.
    """
    settings = source.settings
    read = read_sources(source.files, source.top, folder / "read", **asdict(settings))
    own = {name: read.names.get(name, name) for name in (source.top, *settings.parameters)}
    names = {port: port for port in read.ports} | {own: original for original, own in read.names.items()}
    clock = read.clock
    parameters = {own[name]: value for name, value in settings.parameters.items()}
    ports = [port for port in read.ports.values() if port.name != clock]
    tried = ways(ports, read.resets) if clock else []
    netlist = gates_of(read, own[source.top], parameters, clock, folder / "gates") if clock and tried else None
    if netlist is None:  # where no port has the width of a key, a block or a result, the guess says which
        return None
    assert clock
    widths = {port.name: port.width for port in ports}
    passed = _passing(bench(netlist), tried, widths, progress)
    found = descriptions(passed, names, names[clock], widths)
    if not found:
        shown = ", ".join(f"{p.direction} {names[p.name]}[{p.width}]" for p in ports)
        raise CheckError(
            f"{source.top}: is not AES in any of the ways to connect its ports that were tried (clock {names[clock]}; "
            f"{shown}); if it is AES, {_WRITE_THEM_DOWN}"
        )
    return found


def _passing(
    made: TrialBench, found: Sequence[PortWay], widths: Mapping[str, int], progress: Progress | None
) -> list[Passed]:
    """What passes of the likeliest ways, in all key sizes and directions: few clocks are tried before many."""
    end = time.process_time() + TRIAL_SECONDS
    every = lanes(found, widths, every_size=False)
    first, *others = [[*islice(every, _LIKELIEST)], *batches(every, MOST_LANES)]
    schedule = [*((first, clocks) for clocks in CLOCKS), *product(others, CLOCKS)]
    schedule[len(CLOCKS) :] = sorted(schedule[len(CLOCKS) :], key=lambda each: each[1])
    for number, (batch, clocks) in enumerate(schedule):
        if (left := end - time.process_time()) <= 0:
            break
        if progress is not None:
            progress("ways to connect its ports", number, len(schedule))
        if passed := tried(made, batch, clocks, left):
            best = list({id(each.way): each.way for each in passed}.values())[:_MOST_SIMULATED]
            whole = [*lanes(best, widths, every_size=True)][:MOST_LANES]
            return tried(made, whole, 2 * clocks, TRIAL_SECONDS)
    return []


def _possible(source: ForeignSource, folder: Path, progress: Progress | None) -> Iterator[ForeignDescription]:
    """First what names say, where they say all and no line takes results back; then what is likely on the gates."""
    try:
        named = guessed(source)
    except RequestError as error:
        if _UNGUESSED not in str(error):
            raise
    else:
        if not any(_TAKEN_BACK.search(name) for name in named.ports.tied):
            yield from islice((each for way in either_payload(named) for each in _either_reset(way)), 2)
    yield from likely(source, folder / "ways", progress)[:_MOST_SIMULATED]


def given_design(source: ForeignSource, name: str, folder: Path, progress: Progress | None = None) -> CoreDesign:
    """The design of a source. Without a file for its ports the likely ways to connect it are simulated in `folder`, to
    see whether one is right and what clocks it takes.

    Raises RequestError for sources and ports that will not do; CheckError if published vectors do not pass through
    ports that were guessed; ToolError for a missing tool.
    """
    if source.ports is not None:
        return foreign_design(described(source), name)
    failures = []
    for number, possible in enumerate(_possible(source, folder, progress)):
        report = simulate(foreign_design(possible, name), folder / str(number), _TRY, progress)
        failed = [scenario for scenario in report.failures if scenario.name.startswith(KNOWN_ANSWERS)]
        if not failed:
            break
        failures.append(failed[0].failure)
    else:
        said = f"{source.top}: is not AES by ports as they were guessed: {failures[0]}"
        raise CheckError(f"{said}; if the guess is wrong, {_WRITE_THEM_DOWN}")
    directions = len(possible.directions)
    seen = {
        f"{possible.key_sizes[number // directions]} {timing.direction.value}": timing.latency_cycles - ADAPTER_CLOCKS
        for number, timing in enumerate(report.timing)
    }
    if seen.keys() != {f"{bits} {direction}" for bits, direction in possible.choices}:
        raise CheckError(f"{source.top}: its latency could not be seen; {_WRITE_THEM_DOWN}")
    return foreign_design(possible.model_copy(update={"latency_cycles": seen}), name)


def either_payload(description: ForeignDescription) -> tuple[ForeignDescription, ...]:
    """The description, and, where no name tells the key, the one with key and block the other way round."""
    ports = description.ports
    if KEY_NAME.search(str(ports.key.data)) or ports.key.data == ports.block.data:
        return (description,)
    key, block = ports.key.model_copy(update={"data": ports.block.data}), ports.block
    turned = ports.model_copy(update={"key": key, "block": block.model_copy(update={"data": ports.key.data})})
    return description, description.model_copy(update={"ports": turned})


def _either_reset(description: ForeignDescription) -> tuple[ForeignDescription, ...]:
    """The description, and the one with the reset the other way round: of a `rst` no name tells."""
    reset = description.ports.reset
    if reset is None:
        return (description,)
    turned = reset.removeprefix("!") if reset.startswith("!") else f"!{reset}"
    ports = description.ports.model_copy(update={"reset": turned})
    return description, description.model_copy(update={"ports": ports})


def check_vectors(design: CoreDesign, folder: Path, progress: Progress | None = None) -> None:
    """Raise CheckError unless every published vector passes through a design's ports; works in `folder`."""
    report = simulate(design, folder, SimulationPlan(scenarios=(KNOWN_ANSWERS,)), progress)
    if not report.passed:
        raise CheckError(f"{design.name}: is not AES, so it is not measured: {report.failures[0].failure}")
