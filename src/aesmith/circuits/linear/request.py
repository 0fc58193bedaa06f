"""What `aesmith search` is asked for: a linear map's circuit, or the offset that makes those of a core smallest.

Of a circuit that is the map and what the circuit must keep to, the method and where to begin; of an offset groups of
towers, searched without and with offset. Candidates can be ranked again by XOR gates with all sharing, which Hamming
weights only estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from aesmith.circuits.linear.cells_walk import ROUND, search_cells
from aesmith.circuits.linear.heuristics import boyar_peralta, check_cell_cost, paar, with_three_input_cells
from aesmith.circuits.linear.named import NAMED, Published
from aesmith.circuits.linear.program import LinearProgram, check_depth, parse_program
from aesmith.circuits.linear.search import SearchProgress, best, check_result, search_program
from aesmith.circuits.linear.store import MapRequest, kept
from aesmith.errors import RequestError, meant, not_one_of
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.fields.families import TowerBasis, inverter_bases, tower_bases, tower_families
from aesmith.fields.offset import OffsetMaps
from aesmith.fields.offset_search import ALL_OFFSETS, NO_OFFSET, Constraint, Objective, SearchResult, search_offsets
from aesmith.progress import Progress

DEFAULT_SECONDS = 10.0
PAAR_TRIES, BOYAR_PERALTA_TRIES = 20, 4

DEFAULT_MAPS = ("omega1", "phi", "lambda0", "lambda1", "lambda2", "lambda3")
"""The maps that one inverter output enters in a core for both directions."""

CellProgress = Callable[[int, int | None, LinearProgram], None]
"""Called with the rounds done, the number of all (None if time is the limit), and the best program."""


class Method(StrEnum):
    """How to look for the circuit."""

    WALK = "walk"
    PAAR = "paar"
    BOYAR_PERALTA = "boyar-peralta"


@dataclass(frozen=True)
class LinearRequest:
    """A map, and what its circuit must keep to: `source` is its name or file, `arrivals` the XOR level of each input.

    With `xor3_cost` three-input cells are used, each as dear as so many two-input ones. Raises RequestError for a depth
    that no circuit can meet, and a cost that makes no sense.
    """

    source: str
    matrix: BitMatrix
    depth: int | None
    arrivals: tuple[int, ...]
    seed: int
    xor3_cost: float | None = None

    def __post_init__(self) -> None:
        check_depth(self.matrix, self.depth, self.arrivals)
        if self.xor3_cost is not None:
            check_cell_cost(self.xor3_cost)

    @property
    def published(self) -> tuple[Published, ...]:
        """What publications state for the map."""
        return NAMED[self.source].published if self.source in NAMED else ()

    @property
    def stored(self) -> LinearProgram | None:
        """The best program of the map that comes with the package, if it keeps to the bound."""
        return kept(MapRequest(self.matrix, self.depth, self.arrivals))

    def level(self, program: LinearProgram) -> int:
        """XOR level of its latest output."""
        return max(program.levels(self.arrivals), default=0)


@dataclass(frozen=True)
class SearchEffort:
    """How long to search: `seconds`, or `steps` moves of all runs together; by default `DEFAULT_SECONDS`.

    `state` is a file that the search is kept in and goes on from.
    """

    seconds: float | None = None
    steps: int | None = None
    state: Path | None = None

    @property
    def limit(self) -> float | None:
        """The seconds that the search itself may take."""
        return DEFAULT_SECONDS if self.seconds is None and self.steps is None else self.seconds


def find_program(
    request: LinearRequest,
    method: Method = Method.WALK,
    effort: SearchEffort = SearchEffort(),
    *,
    start: LinearProgram | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
    cell_progress: CellProgress | None = None,
) -> tuple[LinearProgram, int]:
    """The smallest program found, and the number of moves it took, of all runs (0 but for the walk).

    With three-input cells and no bound on the depth the walk is followed by one over cells, for the same time or, if
    moves were given, as many moves. Raises RequestError for what a heuristic does not take.
    """
    moves = 0
    if method is Method.WALK:

        def told(now: SearchProgress) -> None:
            nonlocal moves
            moves = now.steps
            if progress is not None:
                progress(now)

        program = search_program(
            request.matrix,
            request.depth,
            arrivals=request.arrivals,
            seed=request.seed,
            seconds=effort.limit,
            steps=effort.steps,
            start=start,
            state_file=effort.state,
            progress=told,
        )
    else:
        if start is not None or effort.state is not None:
            raise RequestError(f"method: {method} takes neither --start, --from-stored nor --state; walk does")
        program = _baseline(request, method)
    if request.xor3_cost is None:
        return program, moves
    program = with_three_input_cells(program, request.xor3_cost, request.depth, request.arrivals)
    if request.depth is None and method is Method.WALK:
        rounds = None if effort.seconds is not None else -(-moves // ROUND)
        program = search_cells(
            program,
            request.matrix,
            request.xor3_cost,
            rounds=rounds,
            seconds=effort.seconds,
            seed=request.seed,
            progress=lambda done, best: cell_progress(done, rounds, best) if cell_progress is not None else None,
        )
    return program, moves


def matrix_by(source: str) -> BitMatrix:
    """The map of that name, or the matrix in a file: a line of 0s and 1s a row, column 0 leftmost.

    Raises RequestError, listing the names, if there is neither, and for a file that is no matrix.
    """
    if source in NAMED:
        return NAMED[source].matrix
    path = Path(source)
    if not path.is_file():
        raise RequestError(
            f"map: must be a file with a matrix or one of {', '.join(NAMED)}, not {source!r}{meant(source, NAMED)}"
        )
    return BitMatrix.parse(_read(path, "map"))


def start_of(request: LinearRequest, path: Path | None, *, from_stored: bool) -> LinearProgram | None:
    """The program to begin with: that of a file, or the stored one of the map; None for neither.

    Raises RequestError for both, and for a program that is not there, computes something else or is too deep.
    """
    if path is None and not from_stored:
        return None
    if path is not None and from_stored:
        raise RequestError("start: give either --start or --from-stored, not both")
    if path is None:
        if request.stored is None:
            raise RequestError(f"from-stored: no stored program of {request.source!r} keeps to the bound")
        return request.stored
    program, _ = parse_program(_read(path, "start"))
    check_result(program, request.matrix, request.depth, request.arrivals)
    return program


def _baseline(request: LinearRequest, method: Method) -> LinearProgram:
    if method is Method.PAAR:
        return paar(request.matrix, request.depth, request.seed, PAAR_TRIES, request.arrivals)
    if request.depth is not None:
        raise RequestError("depth: boyar-peralta has no depth bound; paar and walk keep to one")
    return boyar_peralta(request.matrix, request.seed, BOYAR_PERALTA_TRIES)


def _read(path: Path, field: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"{field}: {path} cannot be read as text ({error})") from error


def stacked_maps(maps: OffsetMaps, names: Sequence[str] = DEFAULT_MAPS) -> BitMatrix:
    """The named maps of the inverter's output (omega0, omega1, phi, lambda0 to lambda3), one above the other."""
    known = {"omega0": maps.omega(0), "omega1": maps.omega(1), "phi": maps.phi}
    known |= {f"lambda{k}": maps.lambda_(k) for k in range(4)}
    if unknown := [name for name in names if name not in known]:
        raise not_one_of("map", unknown[0], known)
    return stack(known[name] for name in names)


def rank_by_xors(
    result: SearchResult,
    shortlist: int,
    depth: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    names: Sequence[str] = DEFAULT_MAPS,
) -> SearchResult:
    """The first `shortlist` candidates ranked again by the XOR gates of one circuit of the named maps.

    Hamming weight predicts XOR gates well but not exactly, so the shortlist should be longer than what is wanted of
    it. Raises RequestError for a depth that no circuit of a candidate's maps can meet.
    """
    ranked = []
    for count, candidate in enumerate(result.ranked[:shortlist], start=1):
        program = best(stacked_maps(candidate.maps, names), depth)
        ranked.append(replace(candidate, score=float(program.xors)))
        if progress is not None:
            progress(count, min(shortlist, len(result.ranked)))
    return SearchResult(result.candidates, result.solutions, tuple(sorted(ranked, key=lambda found: found.score)))


def tower_groups(inverter: str | None, chosen: Sequence[str] | None) -> dict[str, tuple[TowerBasis, ...]]:
    """The towers to search by group: an inverter's own, if one is named, and all of the chosen families.

    Without a choice that is the inverter's family, else every family. Raises RequestError for unknown names.
    """
    groups: dict[str, tuple[TowerBasis, ...]] = {}
    if inverter is not None:
        groups["inverter_towers"] = inverter_bases(inverter)
        chosen = chosen or [groups["inverter_towers"][0].family]
    names = dict.fromkeys(chosen or tower_families())
    groups["all_towers"] = tuple(basis for name in names for basis in tower_bases(name))
    return groups


def search_groups(
    groups: Mapping[str, Sequence[TowerBasis]],
    objective: Objective,
    constraint: Constraint | None = None,
    *,
    shortlist: int | None = None,
    depth: int | None = None,
    top: int = 10,
    progress: Progress | None = None,
) -> dict[str, dict[str, SearchResult]]:
    """The `top` best of each group, `without_offset` and `with_offset`.

    With a `shortlist` as many of the best are ranked again by XOR gates, in at most `depth` levels if it is given.
    `progress` is called with what is searched, the number of bases done and of all. Raises as `search` does.
    """
    found: dict[str, dict[str, SearchResult]] = {}
    for name, bases in groups.items():
        found[name] = {}
        for which, gammas in (("without_offset", NO_OFFSET), ("with_offset", ALL_OFFSETS)):
            told = None if progress is None else partial(progress, f"{name}, {which}".replace("_", " "))
            keep = top if shortlist is None else max(top, shortlist)
            result = search_offsets(bases, gammas, objective=objective, constraint=constraint, top=keep, progress=told)
            if shortlist is not None:
                result = rank_by_xors(result, shortlist, depth, told)
            found[name][which] = SearchResult(result.candidates, result.solutions, result.ranked[:top])
    return found
