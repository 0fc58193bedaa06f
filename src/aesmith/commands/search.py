"""`aesmith search`: the tower and offset with the lightest merged maps, the smallest circuit of a linear map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from aesmith.api.search import (
    DEEPEST,
    DEFAULT_MAPS,
    DEFAULT_SECONDS,
    MAPS,
    NAMED,
    LinearFound,
    LinearProgram,
    Method,
    OffsetCandidate,
    OffsetFound,
    SearchProgress,
    SearchResult,
    inverters,
    linear,
    offset,
    tower_families,
)
from aesmith.commands.console import Display
from aesmith.commands.request import Json
from aesmith.errors import RequestError
from aesmith.scratch import write_whole

app = typer.Typer(no_args_is_help=True, help="Search towers and offsets, or the smallest circuit of a linear map.")


@app.command("offset")
def offset_command(
    *,
    inverter: Annotated[
        str | None,
        typer.Option("--inverter", metavar="NAME", help=f"The inverter's own tower: {', '.join(inverters())}."),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(
            "--family", metavar="NAME", help=f"Towers of a family, repeatable: {', '.join(tower_families())}."
        ),
    ] = None,
    objective: Annotated[
        str,
        typer.Option(
            "--objective",
            metavar="NAME",
            help="hamming: ones in all maps of the data path; row: the heaviest row. xors: XOR gates, for the "
            "--shortlist lightest. FILE.py:FUNCTION: your own, from MapWeights to an array of scores.",
        ),
    ] = "hamming",
    multiplicity: Annotated[
        list[str] | None,
        typer.Option("--multiplicity", metavar="MAP=N", help=f"Weight of a map, repeatable. Maps: {', '.join(MAPS)}."),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option("--constraint", metavar="MAP-depth=N", help="A map has at most N XOR levels; repeatable."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="D", min=1, help="XOR levels for the objective xors.")
    ] = None,
    shortlist: Annotated[
        int, typer.Option("--shortlist", metavar="N", min=1, help="Candidates that the objective xors evaluates.")
    ] = 20,
    top: Annotated[int, typer.Option("--top", metavar="N", min=1, help="Number of candidates to report.")] = 10,
    as_json: Json = False,
) -> None:
    """Search towers, isomorphisms and offsets γ exhaustively for the best merged maps, without and with offset.

    Example: aesmith search offset --inverter ueno2015 --constraint phi-depth=2
    """
    display = Display(as_json=as_json)
    counted, bounds = _read_multiplicities(multiplicity or []), _read_constraints(constraint or [])
    with display.progress("searching offsets") as bar:
        found = offset(
            inverter,
            families=family,
            objective=objective,
            multiplicities=counted or None,
            depths=bounds,
            depth=depth,
            shortlist=shortlist,
            top=top,
            progress=bar.done,
        )
    display.value(
        {
            "inverter": inverter,
            "families": list(found.families),
            "objective": objective,
            "multiplicities": found.multiplicities,
            "constraints": constraint or [],
        }
        | {
            name: {"towers": found.towers[name]} | {which: _result_json(result) for which, result in results.items()}
            for name, results in found.groups.items()
        }
    )
    _show_candidates(found, objective, display)


@app.command("linear")
def linear_command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="MAP|FILE",
            help="A map by name, or a file with one line of 0s and 1s per row, column 0 leftmost. Names: "
            + ", ".join(NAMED),
        ),
    ],
    *,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="D", help="Maximum XOR levels. [default: unlimited]")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="S", min=0, help="Duration of the search. [default: 10, or up to --steps]"),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            "--steps",
            metavar="N",
            min=0,
            help="Number of moves in all runs; makes the search repeatable on any machine.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the search.")] = 0,
    method: Annotated[Method, typer.Option("--method", help="The search, or a published heuristic.")] = Method.WALK,
    arrivals: Annotated[
        str | None, typer.Option("--arrivals", metavar="LEVELS", help="XOR level of each input, column 0 first: 0,2,…")
    ] = None,
    xor3_cost: Annotated[
        float | None,
        typer.Option(
            "--xor3-cost", metavar="R", help="Use three-input XOR cells, each at the cost of R two-input cells."
        ),
    ] = None,
    state: Annotated[
        Path | None, typer.Option("--state", metavar="FILE", help="File with the state of the search, to resume it.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--start", metavar="FILE", help="Start from this program, as written by --output.")
    ] = None,
    from_stored: Annotated[
        bool, typer.Option("--from-stored", help="Start from the best program shipped with aesmith.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE", help="Write the program here.")] = None,
    as_json: Json = False,
) -> None:
    """Find the circuit of a linear map with the fewest XOR gates. Ctrl-C ends the search with the best so far.

    Example: aesmith search linear mixcolumns --depth 3 --seconds 60 --seed 1
    """
    display = Display(as_json=as_json)
    levels = _read_levels(arrivals)
    if output is not None and not output.absolute().parent.is_dir():
        raise RequestError(f"output: the folder {output.absolute().parent} does not exist")
    timed = seconds is not None or steps is None
    limit = int(DEFAULT_SECONDS if seconds is None else seconds)
    with display.progress(f"searching {source}") as bar:

        def show(now: SearchProgress) -> None:
            label = f"{now.best.xors} XORs, depth {max(now.best.levels(levels), default=0)}, start {now.start + 1}"
            if timed:
                bar.done(label, min(int(now.seconds), limit), limit)
            else:
                bar.done(label, now.steps, steps or now.steps)

        def show_cells(done: int, rounds: int | None, best: LinearProgram) -> None:
            bar.done(f"three-input cells: cost {best.cost(xor3_cost or 2.0):.2f}", done, rounds or done)

        found = linear(
            source,
            depth=depth,
            seconds=seconds,
            steps=steps,
            seed=seed,
            method=method,
            arrivals=levels,
            xor3_cost=xor3_cost,
            state=state,
            start=start,
            from_stored=from_stored,
            progress=show,
            cell_progress=show_cells,
        )
    if output is not None:
        write_whole(output, found.text, "output")
    display.value(_json(found))
    _show_program(found, display)
    if output is not None:
        display.line(f"The program is in {output}.")


def _read_multiplicities(texts: Sequence[str]) -> Mapping[str, int]:
    result = {}
    for text in texts:
        name, equals, number = text.partition("=")
        if not equals or name not in MAPS or not number.isdecimal():
            raise RequestError(f"multiplicity: must be MAP=N with MAP one of {', '.join(MAPS)}, not {text!r}")
        result[name] = int(number)
    return result


def _read_constraints(texts: Sequence[str]) -> Mapping[str, int]:
    bounds = {}
    for text in texts:
        name, equals, number = text.partition("=")
        if not equals or name.removesuffix("-depth") not in MAPS or not name.endswith("-depth"):
            raise RequestError(f"constraint: must be MAP-depth=N with MAP one of {', '.join(MAPS)}, not {text!r}")
        if not number.isdecimal() or int(number) > DEEPEST:
            raise RequestError(
                f"constraint: the depth of {name.removesuffix('-depth')} must be 0 to {DEEPEST}, not {number}"
            )
        bounds[name.removesuffix("-depth")] = int(number)
    return bounds


def _read_levels(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise RequestError(f"arrivals: must be whole numbers with commas between, like 0,0,2, not {text!r}") from error


def _result_json(result: SearchResult) -> dict[str, object]:
    return {
        "candidates": result.candidates,
        "solutions": result.solutions,
        "best": _candidate_json(result.best) if result.best else None,
        "ranked": [_candidate_json(candidate) for candidate in result.ranked],
    }


def _candidate_json(candidate: OffsetCandidate) -> dict[str, object]:
    score = candidate.score
    return {
        "score": int(score) if float(score).is_integer() else score,
        "family": candidate.basis.family,
        "alpha": f"{candidate.basis.alpha:#04x}",
        "gamma": f"{candidate.gamma:#04x}",
        "register_elements": [f"{element:#04x}" for element in candidate.basis.register_elements],
        "weights": dict(candidate.weights),
        "heaviest_rows": dict(candidate.heaviest_rows),
    }


def _show_candidates(found: OffsetFound, objective: str, display: Display) -> None:
    for name, results in found.groups.items():
        for which, result in results.items():
            title = f"{name}, {which}: {found.towers[name]} bases, {result.solutions} of {result.candidates} candidates"
            rows = [
                (
                    f"{c.score:g}",
                    c.basis.family,
                    f"{c.basis.alpha:#04x}",
                    f"{c.gamma:#04x}",
                    " ".join(f"{name}:{weight}" for name, weight in c.weights.items()),
                )
                for c in result.ranked
            ]
            display.table(title.replace("_", " "), (f">{objective}", "family", "α", "γ", "ones in each map"), rows)
    if objective == "xors":
        display.line(f"XOR gates of one circuit for {', '.join(DEFAULT_MAPS)} of one byte.")


def _json(found: LinearFound) -> dict[str, object]:
    request, program = found.request, found.program
    twos, threes = program.cells
    stored = request.stored
    return {
        "map": request.source,
        "rows": request.matrix.height,
        "columns": request.matrix.width,
        "xors": found.xors,
        "depth": found.depth,
        "cells": {"xor2": twos, "xor3": threes},
        "cost": program.cost(2.0 if request.xor3_cost is None else request.xor3_cost),
        "depth_bound": request.depth,
        "smallest_depth": found.smallest_depth,
        "arrivals": list(request.arrivals),
        "method": str(found.method),
        "seed": request.seed,
        "moves": found.moves,
        "stored": None if stored is None else {"xors": stored.xors, "depth": request.level(stored)},
        "published": [{"xors": p.xors, "depth": p.depth, "source": p.source} for p in request.published],
        "program": found.text,
    }


def _show_program(found: LinearFound, display: Display) -> None:
    request, program = found.request, found.program
    rows: list[tuple[object, ...]] = [("found", found.xors, found.depth, "")]
    if (stored := request.stored) is not None:
        rows.append(("comes with aesmith", stored.xors, request.level(stored), ""))
    rows += [("published", p.xors, "-" if p.depth is None else p.depth, p.source) for p in request.published]
    title = f"{request.source}: {request.matrix.height} outputs, {request.matrix.width} inputs"
    display.table(title, ("circuit", ">XORs", ">depth", "source"), rows)
    if request.xor3_cost is not None:
        twos, threes = program.cells
        cost = program.cost(request.xor3_cost)
        display.line(f"{twos} two-input and {threes} three-input XOR cells, cost {cost:.2f} two-input cells")
