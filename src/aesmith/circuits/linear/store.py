"""The one store of linear programs: found once by long search, kept as data, each checked against its matrix when read.

What is not in the file is searched for when it is asked for, and kept in the user's cache.

Any room names a linear map by its matrix and asks for the best program within its limits: XOR levels, levels at which
the inputs arrive, and what a three-input XOR cell costs. A bilinear map (a multiplier) is three linear ones, of either
operand and of the products, and has a program for each. `benchmarks/linear_store.py` searches for all maps that the
catalogue and the presets ask for again, and writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from aesmith.cache import Cache, digest, subfolder
from aesmith.circuits.linear.heuristics import paar
from aesmith.circuits.linear.program import LinearProgram, check_depth, smallest_depth
from aesmith.circuits.linear.search import best
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.own_code import LINEAR_SEARCH, code_digest

FILE = "programs.json"
"""The file, in the folder `data` beside this module: a JSON array with a program a line."""

_FOUND = "search when it was asked for"

_TRIES = 20
"""Runs of Paar's algorithm for a map that is not kept and that must not take long."""


@dataclass(frozen=True)
class MapRequest:
    """A linear map and what its program must keep to.

    `depth` is the most XOR levels of any output (None: any number), `arrivals` the level of each input (None: all 0),
    `xor3_cost` what a three-input XOR cell costs in two-input ones (None: there is no such cell).
    """

    matrix: BitMatrix
    depth: int | None = None
    arrivals: tuple[int, ...] | None = None
    xor3_cost: float | None = None

    def __post_init__(self) -> None:
        if self.arrivals is not None and not any(self.arrivals):
            object.__setattr__(self, "arrivals", None)

    def level(self, program: LinearProgram) -> int:
        """XOR level of the program's latest output."""
        return max(program.levels(self.arrivals), default=0)

    def cost(self, program: LinearProgram) -> float:
        """XOR gates, or with three-input cells the cost of all cells."""
        return program.cost(2.0 if self.xor3_cost is None else self.xor3_cost)

    def is_met_by(self, program: LinearProgram) -> bool:
        """Whether a program of this matrix keeps to the limits."""
        return (self.xor3_cost is not None or not program.cells[1]) and (
            self.depth is None or self.level(program) <= self.depth
        )


@dataclass(frozen=True)
class KeptProgram:
    """A program, the request that it was searched for, and how it was found."""

    request: MapRequest
    program: LinearProgram
    found: str


@lru_cache(maxsize=4096)
def linear_map(
    matrix: BitMatrix, depth: int | None = None, arrivals: tuple[int, ...] | None = None, *, quick: bool = False
) -> LinearProgram:
    """The smallest known XOR program of `matrix`, of at most `depth` XOR levels, inputs coming at level `arrivals`.

    A map that is not kept is searched for, which takes about a second, and then kept in the user's cache; with `quick`,
    by Paar's algorithm, which takes milliseconds. Raises RequestError if no program has so few levels.
    """
    check_depth(matrix, depth, arrivals)
    request = MapRequest(matrix, depth, arrivals)
    found = kept(request)
    if found is not None:
        return found
    if quick:
        return paar(matrix, depth, tries=_TRIES, arrivals=arrivals)
    return _searched(request)


def _searched(request: MapRequest) -> LinearProgram:
    """What the search finds, once for all processes of the user."""
    found = Cache(subfolder("linear"))
    wanted = KeptProgram(request, LinearProgram(request.matrix.width, (), ()), _FOUND)
    name = digest([code_digest(LINEAR_SEARCH), format_programs([wanted])])
    with found.alone(name):
        file = found.find(name)
        if file is not None:
            with suppress(OSError, ValueError, RequestError):  # what is damaged is searched for again
                [entry] = parse_programs(file.read_text(encoding="utf-8"))
                return entry.program
        program = best(request.matrix, request.depth, arrivals=request.arrivals)
        program = program_of(request, program.sums)  # as it is read later
        found.keep_text(name, format_programs([KeptProgram(request, program, _FOUND)]))
        return program


def shallow(matrix: BitMatrix) -> LinearProgram:
    """The smallest known program of the fewest XOR levels that the matrix can have; `quick` where none is kept."""
    return linear_map(matrix, smallest_depth(matrix), quick=True)


def kept(request: MapRequest) -> LinearProgram | None:
    """The cheapest kept program of the request's matrix within its limits, None if there is none.

    Of several that cost the same, the one that was searched for this very request, else the least deep.
    """
    entries = [entry for entry in _by_matrix().get(request.matrix, ()) if request.is_met_by(entry.program)]
    chosen = min(
        entries,
        key=lambda entry: (
            request.cost(entry.program),
            entry.request != request,
            request.level(entry.program),
        ),
        default=None,
    )
    return None if chosen is None else chosen.program


@cache
def kept_programs() -> tuple[KeptProgram, ...]:
    """All programs of the file, in its order. Raises RequestError if one is not what it says."""
    text = resources.files("aesmith.circuits.linear").joinpath("data", FILE).read_text(encoding="utf-8")
    return parse_programs(text)


def parse_programs(text: str) -> tuple[KeptProgram, ...]:
    """The programs of a file's text. Raises RequestError if one does not compute its matrix within its limits."""
    return tuple(_entry(fields) for fields in json.loads(text))


def format_programs(entries: Iterable[KeptProgram]) -> str:
    """The file's text: a JSON array, a program a line, by size of the map.

    `rows` are hexadecimal, bit j for input j; signals 0 to width-1 in `sums` are the inputs, signal width+i is sum i.
    The outputs are not kept: they are the signals that equal the rows.
    """
    lines = [json.dumps(_fields(entry), separators=(",", ":")) for entry in sorted(entries, key=_order)]
    return "[\n" + ",\n".join(lines) + "\n]\n"


@cache
def _by_matrix() -> Mapping[BitMatrix, Sequence[KeptProgram]]:
    found: dict[BitMatrix, list[KeptProgram]] = {}
    for entry in kept_programs():
        found.setdefault(entry.request.matrix, []).append(entry)
    return found


def _fields(entry: KeptProgram) -> dict[str, object]:
    request = entry.request
    fields: dict[str, object] = {"width": request.matrix.width, "rows": [f"{row:x}" for row in request.matrix.rows]}
    for name in ("depth", "arrivals", "xor3_cost"):
        if (value := getattr(request, name)) is not None:
            fields[name] = value
    return fields | {"found": entry.found, "sums": entry.program.sums}


def _entry(fields: Mapping[str, object]) -> KeptProgram:
    width, rows, sums, found = (fields[name] for name in ("width", "rows", "sums", "found"))
    depth, arrivals, xor3_cost = (fields.get(name) for name in ("depth", "arrivals", "xor3_cost"))
    assert isinstance(width, int)
    assert isinstance(rows, list)
    assert isinstance(sums, list)
    assert depth is None or isinstance(depth, int)
    assert arrivals is None or isinstance(arrivals, list)
    assert xor3_cost is None or isinstance(xor3_cost, float)
    request = MapRequest(
        BitMatrix(tuple(int(row, 16) for row in rows), width),
        depth,
        None if arrivals is None else tuple(arrivals),
        xor3_cost,
    )
    return KeptProgram(request, program_of(request, sums), str(found))


def program_of(request: MapRequest, sums: Iterable[Sequence[int]]) -> LinearProgram:
    """The program with these sums, its outputs the signals that equal the rows of the matrix, the first of equal ones.

    Raises RequestError unless it computes the matrix within the limits.
    """
    matrix = request.matrix
    signals = LinearProgram(matrix.width, tuple(map(tuple, sums)), ())
    where = {form: signal for signal, form in reversed(list(enumerate(signals.forms)))}
    if missing := [row for row in matrix.rows if row and row not in where]:
        raise RequestError(f"linear map: the kept program does not compute the row {missing[0]:#x}")
    found = LinearProgram(matrix.width, signals.sums, tuple(where[row] if row else None for row in matrix.rows))
    if not request.is_met_by(found):
        limits = [f"{request.depth} levels"] * (request.depth is not None)
        limits += ["two-input cells"] * (request.xor3_cost is None)
        raise RequestError(
            f"linear map: the kept program has {request.level(found)} levels and {found.cells[1]} three-input cells; "
            f"it must keep to {' and '.join(limits)}"
        )
    return found


def _order(entry: KeptProgram) -> tuple[object, ...]:
    request = entry.request
    shape = request.matrix.width, request.matrix.height, request.matrix.rows
    return *shape, request.depth or 0, request.arrivals or (), request.xor3_cost or 0.0
