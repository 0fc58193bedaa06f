"""Searches: towers and offsets with the lightest merged maps, and the smallest circuit of a linear map.

import aesmith

aesmith.search.offset("ueno2015").best("all_towers").gamma
aesmith.search.linear("mixcolumns", depth=3, steps=100_000).xors
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aesmith.circuits.linear.named import NAMED
from aesmith.circuits.linear.program import LinearProgram, format_program, input_levels, smallest_depth
from aesmith.circuits.linear.request import (
    DEFAULT_MAPS,
    DEFAULT_SECONDS,
    LinearRequest,
    Method,
    SearchEffort,
    find_program,
    matrix_by,
    search_groups,
    start_of,
    tower_groups,
)
from aesmith.circuits.linear.search import SearchProgress
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.fields.families import inverters, tower_families
from aesmith.fields.offset_search import (
    DATA_PATH,
    MAPS,
    Objective,
    OffsetCandidate,
    SearchResult,
    depth_at_most,
    hamming,
    heaviest_row,
    objective_in,
)
from aesmith.progress import Progress

__all__ = [
    "DEEPEST",
    "DEFAULT_MAPS",
    "DEFAULT_SECONDS",
    "MAPS",
    "NAMED",
    "LinearFound",
    "LinearProgram",
    "Method",
    "OffsetCandidate",
    "OffsetFound",
    "SearchProgress",
    "SearchResult",
    "inverters",
    "linear",
    "offset",
    "tower_families",
]

DEEPEST = 10
"""A bound of more XOR levels bounds nothing: a row has 8 inputs."""


@dataclass(frozen=True)
class OffsetFound:
    """The best candidates of each group of towers, `without_offset` and `with_offset`.

    `groups` are `inverter_towers`, the inverter's own, if one was named, and `all_towers`; `towers` says how many each
    has, `families` which they are of. `multiplicities` say how often each map counted, None if the objective has none.
    """

    groups: Mapping[str, Mapping[str, SearchResult]]
    towers: Mapping[str, int]
    families: tuple[str, ...]
    multiplicities: Mapping[str, int] | None

    def best(self, group: str = "all_towers", which: str = "with_offset") -> OffsetCandidate | None:
        """The best candidate of a group: its tower, γ, and the weight of each map; None if none keeps the bounds."""
        return self.groups[group][which].best


def offset(
    inverter: str | None = None,
    *,
    families: Sequence[str] | None = None,
    objective: str | Objective = "hamming",
    multiplicities: Mapping[str, int] | None = None,
    depths: Mapping[str, int] | None = None,
    depth: int | None = None,
    shortlist: int = 20,
    top: int = 10,
    progress: Progress | None = None,
) -> OffsetFound:
    """Search towers, isomorphisms and offsets γ exhaustively for the best merged maps.

    `objective` is hamming (ones in all maps, each counted as `multiplicities` say), row (the heaviest row), xors (XOR
    gates of the `shortlist` lightest, in at most `depth` levels), FILE.py:FUNCTION, or a function from `MapWeights` to
    an array of scores. `depths` bounds the XOR levels of maps by name. Raises RequestError for what there is not.
    """
    counted = DATA_PATH if multiplicities is None else multiplicities
    for name, levels in (depths or {}).items():
        if not 0 <= levels <= DEEPEST:
            raise RequestError(f"constraint: the depth of {name} must be 0 to {DEEPEST}, not {levels}")
    groups = tower_groups(inverter, families)
    found = search_groups(
        groups,
        _objective(objective, counted),
        depth_at_most(depths) if depths else None,
        shortlist=shortlist if objective == "xors" else None,
        depth=depth,
        top=top,
        progress=progress,
    )
    return OffsetFound(
        found,
        {name: len(bases) for name, bases in groups.items()},
        tuple(sorted({basis.family for bases in groups.values() for basis in bases})),
        counted if objective in ("hamming", "xors") else None,
    )


def _objective(given: str | Objective, multiplicities: Mapping[str, int]) -> Objective:
    if not isinstance(given, str):
        return given
    if given in ("hamming", "xors"):
        return hamming(multiplicities)
    if given == "row":
        return heaviest_row()
    file, colon, function = given.rpartition(":")
    if not colon or not file.endswith(".py"):
        raise RequestError(f"objective: must be hamming, row, xors or FILE.py:FUNCTION, not {given!r}")
    return objective_in(file, function)


@dataclass(frozen=True)
class LinearFound:
    """The smallest circuit found of a linear map, what was asked for, and how many `moves` the search made."""

    request: LinearRequest
    program: LinearProgram
    method: Method
    moves: int

    @property
    def xors(self) -> int:
        """XOR gates, or cells."""
        return self.program.xors

    @property
    def depth(self) -> int:
        """XOR level of the latest output."""
        return self.request.level(self.program)

    @property
    def smallest_depth(self) -> int:
        """The XOR levels that no circuit of the map can do with less of."""
        return smallest_depth(self.request.matrix, self.request.arrivals)

    @property
    def text(self) -> str:
        """The program, a line a gate, with how it was found; `linear` begins with such a file as `start`."""
        found = f"aesmith search linear, {self.method}, seed {self.request.seed}"
        found += f", {self.moves} moves" if self.moves else ""
        return format_program(
            self.program, {"map": self.request.source, "xors": self.xors, "depth": self.depth, "found": found}
        )


def linear(
    source: str | Path | BitMatrix,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    method: str = "walk",
    arrivals: Sequence[int] | None = None,
    xor3_cost: float | None = None,
    state: Path | None = None,
    start: Path | None = None,
    from_stored: bool = False,
    progress: Callable[[SearchProgress], None] | None = None,
    cell_progress: Callable[[int, int | None, LinearProgram], None] | None = None,
) -> LinearFound:
    """Find the circuit of a linear map with the fewest XOR gates, in at most `depth` XOR levels.

    `source` is a map's name, a file with a line of 0s and 1s a row (column 0 leftmost), or a matrix. The search takes
    `seconds` (10 by default) or `steps` moves, which give the same everywhere with the same `seed`; an interrupt ends
    it with the best so far. `method` is walk or a published heuristic, paar or boyar-peralta; `arrivals` are the XOR
    levels of the inputs; with `xor3_cost` three-input cells are used, each as dear as so many two-input ones. `state`
    is a file that the search is kept in and goes on from; it begins with the program in the file `start`, or with the
    stored one. Raises RequestError for what cannot be.
    """
    if method not in tuple(Method):
        raise RequestError(f"method: must be one of {', '.join(Method)}, not {method!r}")
    matrix = source if isinstance(source, BitMatrix) else matrix_by(str(source))
    name = f"{matrix.height} x {matrix.width} matrix" if isinstance(source, BitMatrix) else str(source)
    levels = input_levels(matrix.width, None if arrivals is None else list(arrivals))
    request = LinearRequest(name, matrix, depth, levels, seed, xor3_cost)
    if state is not None and not state.absolute().parent.is_dir():
        raise RequestError(f"state: the folder {state.absolute().parent} does not exist")
    first = start_of(request, start, from_stored=from_stored)
    program, moves = find_program(
        request,
        Method(method),
        SearchEffort(seconds, steps, state),
        start=first,
        progress=progress,
        cell_progress=cell_progress,
    )
    return LinearFound(request, program, Method(method), moves)
