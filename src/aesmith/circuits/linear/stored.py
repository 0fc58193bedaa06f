"""The best programs found so far for the maps that take long to search, kept as data and checked by test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from aesmith.circuits.linear.named import NAMED
from aesmith.circuits.linear.program import LinearProgram, check_depth
from aesmith.circuits.linear.slp import parse_program
from aesmith.errors import RequestError


@dataclass(frozen=True)
class StoredProgram:
    """A program of the named map `map`, and how it was found."""

    file: str
    map: str
    found: str
    program: LinearProgram


@cache
def stored_programs() -> tuple[StoredProgram, ...]:
    """All programs in the package, by name of their file."""
    folder = resources.files("aesmith.circuits.linear") / "data"
    entries = []
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".slp"):
            program, facts = parse_program(file.read_text(encoding="utf-8"))
            entries.append(StoredProgram(file.name, facts["map"], facts["found"], program))
    return tuple(entries)


def stored(name: str, depth: int | None = None) -> LinearProgram:
    """The smallest stored program of a named map with at most `depth` XOR levels.

    Raises RequestError if nothing is stored for the name, if no program can meet the depth (naming the smallest depth
    that is possible), or if none of those stored does.
    """
    programs = [entry.program for entry in stored_programs() if entry.map == name]
    if not programs:
        names = sorted({entry.map for entry in stored_programs()})
        raise RequestError(f"stored program: there is one for {', '.join(names)}, not for {name!r}")
    check_depth(NAMED[name].matrix, depth)
    meeting = [program for program in programs if depth is None or program.depth <= depth]
    if not meeting:
        depths = ", ".join(str(program.depth) for program in sorted(programs, key=lambda program: program.depth))
        raise RequestError(f"depth: the stored programs of {name} have {depths} XOR levels, none at most {depth}")
    return min(meeting, key=lambda program: (program.xors, program.depth))


def stored_start(name: str, depth: int | None, arrivals: Sequence[int]) -> LinearProgram | None:
    """The smallest stored program of a map that meets a depth bound with these arrival levels, if there is one."""
    programs = [
        entry.program
        for entry in stored_programs()
        if entry.map == name and (depth is None or max(entry.program.levels(arrivals)) <= depth)
    ]
    return min(programs, key=lambda program: program.xors, default=None)
