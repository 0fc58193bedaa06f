"""`aesmith search linear`: the smallest XOR circuit of a bit matrix."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from aesmith.circuits.linear import LinearProgram, Progress, paar, search, smallest_depth
from aesmith.circuits.linear.boyar_peralta import boyar_peralta
from aesmith.circuits.linear.cells import check_cell_cost, with_three_input_cells
from aesmith.circuits.linear.cells_walk import ROUND, search_cells
from aesmith.circuits.linear.named import NAMED, Published
from aesmith.circuits.linear.program import check_depth, input_levels
from aesmith.circuits.linear.search import check_result
from aesmith.circuits.linear.slp import format_program, parse_program
from aesmith.circuits.linear.stored import stored_start
from aesmith.commands.console import Display
from aesmith.commands.options import Json
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix

DEFAULT_SECONDS = 10.0
PAAR_TRIES, BOYAR_PERALTA_TRIES = 20, 4


class Method(StrEnum):
    """How to look for the circuit."""

    WALK = "walk"
    PAAR = "paar"
    BOYAR_PERALTA = "boyar-peralta"


@dataclass(frozen=True)
class LinearRequest:
    """A map, and what its circuit must keep to."""

    source: str
    matrix: BitMatrix
    depth: int | None
    arrivals: tuple[int, ...]
    seed: int
    xor3_cost: float | None

    @property
    def published(self) -> tuple[Published, ...]:
        """What publications state for the map."""
        return NAMED[self.source].published if self.source in NAMED else ()

    @property
    def stored(self) -> LinearProgram | None:
        """The best program of the map that comes with the package, if it keeps to the bound."""
        return stored_start(self.source, self.depth, self.arrivals)

    def level(self, program: LinearProgram) -> int:
        """XOR level of its latest output."""
        return max(program.levels(self.arrivals), default=0)


def command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="MAP|FILE",
            help="A map by name, or a file with a line of 0s and 1s a row, column 0 leftmost. Names: "
            + ", ".join(NAMED),
        ),
    ],
    *,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="D", help="At most so many XOR levels. [default: any number]")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="S", min=0, help="How long to search. [default: 10, or up to --steps]"),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option("--steps", metavar="N", min=0, help="How many moves, all runs together: the same everywhere."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Decides every random choice.")] = 0,
    method: Annotated[Method, typer.Option("--method", help="The search, or a published heuristic.")] = Method.WALK,
    arrivals: Annotated[
        str | None, typer.Option("--arrivals", metavar="LEVELS", help="XOR level of each input, column 0 first: 0,2,…")
    ] = None,
    xor3_cost: Annotated[
        float | None,
        typer.Option("--xor3-cost", metavar="R", help="Use three-input XOR cells, each as dear as R two-input cells."),
    ] = None,
    state: Annotated[
        Path | None, typer.Option("--state", metavar="FILE", help="Keep the search in this file, and go on from it.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--start", metavar="FILE", help="Begin with this program, as --output writes it.")
    ] = None,
    from_stored: Annotated[
        bool, typer.Option("--from-stored", help="Begin with the best program that comes with aesmith.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Write the program here.")] = None,
    as_json: Json = False,
) -> None:
    """Find the circuit of a linear map with the fewest XOR gates. Ctrl-C ends the search with the best so far.

    Example: aesmith search linear mixcolumns --depth 3 --seconds 60 --seed 1
    """
    display = Display(as_json=as_json)
    matrix = _read_matrix(source)
    levels = input_levels(matrix.width, _read_levels(arrivals))
    request = LinearRequest(source, matrix, depth, levels, seed, xor3_cost)
    check_depth(matrix, depth, levels)
    if xor3_cost is not None:
        check_cell_cost(xor3_cost)
    for name, path in (("output", output), ("state", state)):
        if path is not None and not path.absolute().parent.is_dir():
            raise RequestError(f"{name}: the folder {path.absolute().parent} does not exist")
    begin = _read_start(request, start, from_stored=from_stored)
    if method is Method.WALK:
        limit = DEFAULT_SECONDS if seconds is None and steps is None else seconds
        program, moves = _walk(request, begin, display, seconds=limit, steps=steps, state=state)
    else:
        if begin is not None or state is not None:
            raise RequestError(f"method: {method} takes neither --start, --from-stored nor --state; walk does")
        program, moves = _baseline(request, method), 0
    if xor3_cost is not None:
        program = with_three_input_cells(program, xor3_cost, depth, levels)
        if depth is None and method is Method.WALK:
            program = _cells(request, xor3_cost, program, display, seconds=seconds, moves=moves)
    found = f"aesmith search linear, {method}, seed {seed}" + (f", {moves} moves" if moves else "")
    facts = {"map": source, "xors": program.xors, "depth": request.level(program), "found": found}
    text = format_program(program, facts)
    if output is not None:
        _write(output, text)
    display.value(_json(request, program, method, moves, text))
    _show(request, program, display)
    if output is not None:
        display.line(f"The program is in {output}.")


def _walk(
    request: LinearRequest,
    start: LinearProgram | None,
    display: Display,
    *,
    seconds: float | None,
    steps: int | None,
    state: Path | None,
) -> tuple[LinearProgram, int]:
    """The search under a progress bar; returns the program and the number of moves of all runs."""
    moves = 0
    with display.progress(f"searching {request.source}") as bar:

        def show(progress: Progress) -> None:
            nonlocal moves
            moves = progress.steps
            label = f"{progress.best.xors} XORs, depth {request.level(progress.best)}, start {progress.start + 1}"
            if seconds is not None:
                bar.done(label, min(int(progress.seconds), int(seconds)), int(seconds))
            else:
                bar.done(label, progress.steps, steps or progress.steps)

        program = search(
            request.matrix,
            request.depth,
            arrivals=request.arrivals,
            seed=request.seed,
            seconds=seconds,
            steps=steps,
            start=start,
            state_file=state,
            progress=show,
        )
    return program, moves


def _cells(
    request: LinearRequest,
    xor3_cost: float,
    start: LinearProgram,
    display: Display,
    *,
    seconds: float | None,
    moves: int,
) -> LinearProgram:
    """As long again for three-input cells: the same time, or, if the moves were given, as many moves."""
    rounds = None if seconds is not None else -(-moves // ROUND)
    with display.progress(f"searching {request.source} for three-input cells") as bar:
        return search_cells(
            start,
            request.matrix,
            xor3_cost,
            rounds=rounds,
            seconds=seconds,
            seed=request.seed,
            progress=lambda done, best: bar.done(f"cost {best.cost(xor3_cost):.2f}", done, rounds or done),
        )


def _baseline(request: LinearRequest, method: Method) -> LinearProgram:
    if method is Method.PAAR:
        return paar(request.matrix, request.depth, request.seed, PAAR_TRIES, request.arrivals)
    if request.depth is not None:
        raise RequestError("depth: boyar-peralta has no depth bound; paar and walk keep to one")
    return boyar_peralta(request.matrix, request.seed, BOYAR_PERALTA_TRIES)


def _json(request: LinearRequest, program: LinearProgram, method: Method, moves: int, text: str) -> dict[str, object]:
    twos, threes = program.cells
    stored = request.stored
    return {
        "map": request.source,
        "rows": request.matrix.height,
        "columns": request.matrix.width,
        "xors": program.xors,
        "depth": request.level(program),
        "cells": {"xor2": twos, "xor3": threes},
        "cost": program.cost(2.0 if request.xor3_cost is None else request.xor3_cost),
        "depth_bound": request.depth,
        "smallest_depth": smallest_depth(request.matrix, request.arrivals),
        "arrivals": list(request.arrivals),
        "method": str(method),
        "seed": request.seed,
        "moves": moves,
        "stored": None if stored is None else {"xors": stored.xors, "depth": request.level(stored)},
        "published": [{"xors": p.xors, "depth": p.depth, "source": p.source} for p in request.published],
        "program": text,
    }


def _show(request: LinearRequest, program: LinearProgram, display: Display) -> None:
    rows: list[tuple[object, ...]] = [("found", program.xors, request.level(program), "")]
    if (stored := request.stored) is not None:
        rows.append(("comes with aesmith", stored.xors, request.level(stored), ""))
    rows += [("published", p.xors, "-" if p.depth is None else p.depth, p.source) for p in request.published]
    title = f"{request.source}: {request.matrix.height} outputs, {request.matrix.width} inputs"
    display.table(title, ("circuit", ">XORs", ">depth", "source"), rows)
    if request.xor3_cost is not None:
        twos, threes = program.cells
        cost = program.cost(request.xor3_cost)
        display.line(f"{twos} two-input and {threes} three-input XOR cells, cost {cost:.2f} two-input cells")


def _read_matrix(source: str) -> BitMatrix:
    if source in NAMED:
        return NAMED[source].matrix
    path = Path(source)
    if not path.is_file():
        raise RequestError(f"map: must be a file with a matrix or one of {', '.join(NAMED)}, not {source!r}")
    return BitMatrix.parse(_read(path, "map"))


def _read_levels(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise RequestError(f"arrivals: must be whole numbers with commas between, like 0,0,2, not {text!r}") from error


def _read_start(request: LinearRequest, path: Path | None, *, from_stored: bool) -> LinearProgram | None:
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


def _read(path: Path, field: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"{field}: {path} cannot be read as text ({error})") from error


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RequestError(f"output: {path} cannot be written ({error})") from error
