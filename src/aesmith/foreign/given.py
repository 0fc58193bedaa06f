"""A design of somebody else's that is named by its files: its ports as a file says, or as their names let one guess.

A guess is tried: the published vectors must pass through the ports, and the clocks are those that are seen.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError, RequestError
from aesmith.foreign.description import ForeignDescription, ForeignSource, fields_of, parse_description
from aesmith.foreign.design import ADAPTER_CLOCKS, foreign_design
from aesmith.foreign.proposal import KEY_NAME, propose

Progress = Callable[[str, int, int], None]

KNOWN_ANSWERS = "known-answers"
_TRY = SimulationPlan(scenarios=(KNOWN_ANSWERS, "timing"))
_ENDINGS = (".v", ".sv")
_UNKNOWN = "FIXME"
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
        raise RequestError(f"ports.{unknown[0]}: could not be guessed; {_WRITE_THEM_DOWN}")
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


def given_design(source: ForeignSource, name: str, folder: Path, progress: Progress | None = None) -> CoreDesign:
    """The design of a source. Without a file for its ports it is simulated in `folder`, to see whether the guess is
    right and what clocks it takes.

    Raises RequestError for sources and ports that will not do; CheckError if published vectors do not pass through
    ports that were guessed; ToolError for a missing tool.
    """
    if source.ports is not None:
        return foreign_design(described(source), name)
    description = guessed(source)
    failures = []
    for number, possible in enumerate(either for way in either_payload(description) for either in _either_reset(way)):
        report = simulate(foreign_design(possible, name), folder / str(number), _TRY, progress)
        failed = [scenario for scenario in report.failures if scenario.name == KNOWN_ANSWERS]
        if not failed:
            break
        failures.append(failed[0].failure)
    else:
        said = f"{source.top}: is not AES by ports as they were guessed: {failures[0]}"
        raise CheckError(f"{said}; if the guess is wrong, {_WRITE_THEM_DOWN}")
    seen = {timing.direction.value: timing.latency_cycles - ADAPTER_CLOCKS for timing in report.timing}
    if seen.keys() != set(description.directions):
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
