"""The node-set walk as a search: many starts, best so far at any time, state that can be saved and resumed."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from aesmith.circuits.linear.heuristics import greedy, paar
from aesmith.circuits.linear.node_set import NodeSet, advance_walk, node_set, resume_walk
from aesmith.circuits.linear.program import LinearProgram, check_depth, input_levels, schedule
from aesmith.circuits.linear.three_levels import Ways, annealed, is_three_levels, ways_of
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.scratch import write_whole

CHUNK = 10_000
"""Moves between two looks at the clock, the keyboard and the best so far."""

PATIENCE, ANNEALED_PATIENCE, GIVEN_PATIENCE = 100, 10, 2000
"""Moves without a better set, for each pair of forms, after which a start is left: an annealed one has little left to
find, and one that was given is walked for minutes, since from 90 XORs of MixColumns to 89 it may take 30 million."""

DEFAULT_STEPS = 200_000
"""Moves of `best`: about a second for the maps of an S-box."""

_NO_BOUND = 1 << 20
_FORMAT = "aesmith linear search 2"
_SAVE_SECONDS = 5.0


@dataclass(frozen=True)
class SearchProgress:
    """Where a search is: wall seconds of this run, moves proposed in all runs, number of the start, best program."""

    seconds: float
    steps: int
    start: int
    best: LinearProgram


class LinearSearch:
    """A search for the smallest program of a matrix, advanced in steps; deterministic for a seed and a number of steps.

    Start 0 is Paar's greedy program (or the `start` given), later ones are randomised Paar programs (or, every other
    one, `start` again); with a depth of three and all inputs at level 0, later ones are annealed (`three_levels`), each
    in a second or two that counts as no step. A start is left when it has not improved for 100 steps a pair of its
    forms, an annealed one for 10, a given one for 2,000. Of programs of as many XORs the least deep is the best.
    Raises RequestError for more than 64 inputs, a depth that no program can meet, or a start that computes something
    else.
    """

    def __init__(
        self,
        matrix: BitMatrix,
        depth: int | None = None,
        arrivals: Sequence[int] | None = None,
        seed: int = 0,
        start: LinearProgram | None = None,
    ) -> None:
        if matrix.width > 64:
            raise RequestError(
                f"matrix: the search takes at most 64 columns, not {matrix.width}; paar takes any number"
            )
        check_depth(matrix, depth, arrivals)
        self.matrix = matrix
        self.depth = depth
        self.arrivals = input_levels(matrix.width, arrivals)
        self.seed = seed
        self.start = start
        self.steps = 0
        self.starts = 0
        self._targets = frozenset(row for row in matrix.rows if row.bit_count() > 1)
        self._idle = 0
        self._walk = self._first_set()
        self.best = self._program(self._walk.best_forms)

    @property
    def is_optimal(self) -> bool:
        """Whether the best program is known to be the smallest: one gate for each different row of two ones or more."""
        return self.best.xors == len(self._targets)

    def advance(self) -> None:
        """Propose `CHUNK` moves, then go to a new start if this one has long not improved."""
        merit = self._walk.best_size, self._walk.best_level
        advance_walk(self._walk, _NO_BOUND if self.depth is None else self.depth, CHUNK)
        self.steps += CHUNK
        if (self._walk.best_size, self._walk.best_level) < merit:
            self._idle = 0
            self.best = min(self.best, self._program(self._walk.best_forms), key=self._rank)
            return
        self._idle += CHUNK
        if self._idle >= self._patience * self._walk.best_size**2:
            self._idle = 0
            self.starts += 1
            self._walk = self._first_set()
            self.best = min(self.best, self._program(self._walk.best_forms), key=self._rank)

    @property
    def _patience(self) -> int:
        if self._is_given:
            return GIVEN_PATIENCE
        return ANNEALED_PATIENCE if self._is_annealed else PATIENCE

    @property
    def _is_annealed(self) -> bool:
        """Whether the start that the search is at is an annealed one."""
        return self.starts > 0 and not self._is_given and self._ways is not None

    @cached_property
    def _ways(self) -> Ways | None:
        return ways_of(self.matrix) if is_three_levels(self.depth, self.arrivals) else None

    @property
    def _is_given(self) -> bool:
        return self.start is not None and self.starts % 2 == 0

    def snapshot(self) -> dict[str, object]:
        """All that `resume` needs, as plain JSON values."""
        return {
            "format": _FORMAT,
            **self._request(),
            "start_forms": None if self.start is None else _hex(self.start.forms),
            "steps": self.steps,
            "starts": self.starts,
            "idle": self._idle,
            "source": int(self._walk.source[0]),
            "forms": _hex(self._walk.forms),
            "walk_best": _hex(self._walk.best_forms),
            "walk_level": self._walk.best_level,
            "best": _hex(self.best.forms),
        }

    def resume(self, snapshot: Mapping[str, object]) -> None:
        """Go on where another search for the same request was. Raises RequestError if it was for a different one."""
        if snapshot.get("format") != _FORMAT:
            raise RequestError(f"state: the format must be {_FORMAT!r}, not {snapshot.get('format')!r}")
        for field, value in self._request().items():
            if snapshot.get(field) != value:
                raise RequestError(
                    f"state: it belongs to another search; its {field} is {_brief(snapshot.get(field))}, "
                    f"this one's {_brief(value)}"
                )
        try:
            if snapshot["start_forms"] is not None:
                self.start = schedule(_unhex(snapshot["start_forms"]), self.matrix, self.arrivals)
            self.steps, self.starts, self._idle = (_number(snapshot[key]) for key in ("steps", "starts", "idle"))
            self._walk = self._set(_unhex(snapshot["forms"]), _number(snapshot["source"]))
            resume_walk(self._walk, _unhex(snapshot["walk_best"]), _number(snapshot["walk_level"]))
            self.best = self._program(_unhex(snapshot["best"]))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise RequestError(f"state: it is damaged ({type(error).__name__}: {error})") from error

    def _request(self) -> dict[str, object]:
        return {
            "width": self.matrix.width,
            "matrix": _hex(self.matrix.rows),
            "depth": self.depth,
            "arrivals": list(self.arrivals),
            "seed": self.seed,
        }

    def _rank(self, program: LinearProgram) -> tuple[int, int]:
        return program.xors, max(program.levels(self.arrivals), default=0)

    def _program(self, forms: Sequence[int]) -> LinearProgram:
        return schedule(forms, self.matrix, self.arrivals)

    def _first_set(self) -> NodeSet:
        source = random.Random(f"{self.seed} {self.starts}")
        if self._is_given and self.start is not None:
            program = self._program(self.start.forms)
            check_result(program, self.matrix, self.depth, self.arrivals)
        elif self._is_annealed and self._ways is not None:
            program = annealed(self.matrix, self._ways, source)
        else:
            program = greedy(self.matrix, self.depth, self.arrivals, source if self.starts else None)
        return self._set(list(dict.fromkeys(program.forms)), source.randrange(1, 1 << 64))

    def _set(self, forms: list[int], source: int) -> NodeSet:
        return node_set(forms, self._targets, self.arrivals, source)


def check_result(
    program: LinearProgram, matrix: BitMatrix, depth: int | None = None, arrivals: Sequence[int] | None = None
) -> None:
    """Raises RequestError unless the program computes the matrix within the depth bound."""
    if program.matrix != matrix:
        raise RequestError("linear program: it does not compute the matrix")
    levels = max(program.levels(arrivals), default=0)
    if depth is not None and levels > depth:
        raise RequestError(f"linear program: must have at most {depth} XOR levels, not {levels}")


def search_program(
    matrix: BitMatrix,
    depth: int | None = None,
    *,
    arrivals: Sequence[int] | None = None,
    seed: int = 0,
    seconds: float | None = None,
    steps: int | None = None,
    start: LinearProgram | None = None,
    state_file: Path | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> LinearProgram:
    """The best program found in `seconds` of this run or up to `steps` moves in all runs, whichever ends first.

    Without either, it runs until interrupted; KeyboardInterrupt ends any search and the best so far is returned. With
    `state_file`, the state is kept there and a later call for the same request goes on from it. `progress` is called
    after every `CHUNK` moves. The result has been checked against the matrix and the bound. Raises RequestError for
    what `LinearSearch` refuses, and for a state file that is damaged or belongs to another request.
    """
    work = LinearSearch(matrix, depth, arrivals, seed, start)
    if state_file is not None and state_file.exists():
        work.resume(_read_state(state_file))
    snapshot = work.snapshot()
    best = work.best
    begun = saved = time.monotonic()
    try:
        while not work.is_optimal and (steps is None or work.steps < steps):
            elapsed = time.monotonic() - begun
            if seconds is not None and elapsed >= seconds:
                break
            work.advance()
            snapshot, best = work.snapshot(), work.best
            if progress is not None:
                progress(SearchProgress(time.monotonic() - begun, work.steps, work.starts, best))
            if state_file is not None and time.monotonic() - saved > _SAVE_SECONDS:
                _write_state(state_file, snapshot)
                saved = time.monotonic()
    except KeyboardInterrupt:
        pass
    if state_file is not None:
        _write_state(state_file, snapshot)
    check_result(best, matrix, depth, arrivals)
    return best


def best(
    matrix: BitMatrix,
    depth: int | None = None,
    *,
    arrivals: Sequence[int] | None = None,
    seed: int = 0,
    seconds: float | None = None,
) -> LinearProgram:
    """A good program quickly: the search with a fixed number of moves, so the same on every machine.

    Interrupted, it gives none. With `seconds` it searches that long instead, and the result depends on the machine.
    Maps of more than 64 inputs get Paar's algorithm. Raises RequestError for a depth that no program can meet.
    """
    if matrix.width > 64:
        return paar(matrix, depth, seed, tries=5, arrivals=arrivals)
    if seconds is not None:
        return search_program(matrix, depth, arrivals=arrivals, seed=seed, seconds=seconds)
    return _best(matrix, depth, input_levels(matrix.width, arrivals), seed)


@lru_cache(maxsize=256)
def _best(matrix: BitMatrix, depth: int | None, arrivals: tuple[int, ...], seed: int) -> LinearProgram:
    work = LinearSearch(matrix, depth, arrivals, seed)
    while not work.is_optimal and work.steps < DEFAULT_STEPS:
        work.advance()
    check_result(work.best, matrix, depth, arrivals)
    return work.best


def _read_state(path: Path) -> Mapping[str, object]:
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RequestError(f"state: {path} cannot be read as JSON ({error})") from error
    if not isinstance(state, dict):
        raise RequestError(f"state: {path} must hold a JSON object")
    return state


def _write_state(path: Path, snapshot: Mapping[str, object]) -> None:
    write_whole(path, json.dumps(snapshot) + "\n", "state")


def _hex(forms: Sequence[int]) -> list[str]:
    return [format(form, "x") for form in forms]


def _unhex(values: object) -> list[int]:
    if not isinstance(values, list):
        raise TypeError("a list of forms is missing")
    return [int(value, 16) for value in values]


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError("a number is missing")
    return value


def _brief(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
