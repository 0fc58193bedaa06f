"""`aesmith search`: the tower and offset with the lightest merged maps, the smallest circuit of a linear map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from aesmith.circuits.linear.named import NAMED
from aesmith.circuits.linear.offset_ranking import DEFAULT_MAPS, search_groups, tower_groups
from aesmith.circuits.linear.program import LinearProgram, format_program, input_levels, smallest_depth
from aesmith.circuits.linear.request import LinearRequest, Method, SearchEffort, find_program, matrix_by, start_of
from aesmith.circuits.linear.search import Progress
from aesmith.commands.console import Display
from aesmith.commands.request import Json
from aesmith.errors import RequestError
from aesmith.fields.families import inverters, tower_families
from aesmith.fields.offset_search import (
    DATA_PATH,
    MAPS,
    Constraint,
    Objective,
    OffsetCandidate,
    SearchResult,
    depth_at_most,
    hamming,
    heaviest_row,
    objective_in,
)
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
            help="hamming: ones in all maps of the data path; row: the heaviest row; xors: XOR gates, of the "
            "--shortlist lightest; FILE.py:FUNCTION: your own, from MapWeights to an array of scores.",
        ),
    ] = "hamming",
    multiplicity: Annotated[
        list[str] | None,
        typer.Option(
            "--multiplicity", metavar="MAP=N", help=f"How often a map counts, repeatable. Maps: {', '.join(MAPS)}."
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option("--constraint", metavar="MAP-depth=N", help="A map has at most N XOR levels; repeatable."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="D", min=1, help="XOR levels for the objective xors.")
    ] = None,
    shortlist: Annotated[
        int, typer.Option("--shortlist", metavar="N", min=1, help="How many candidates the objective xors looks at.")
    ] = 20,
    top: Annotated[int, typer.Option("--top", metavar="N", min=1, help="How many candidates to report.")] = 10,
    as_json: Json = False,
) -> None:
    """Search towers, isomorphisms and offsets γ exhaustively for the best merged maps, without and with offset.

    Example: aesmith search offset --inverter ueno2015 --constraint phi-depth=2
    """
    display = Display(as_json=as_json)
    multiplicities = _read_multiplicities(multiplicity or [])
    score = _read_objective(objective, multiplicities)
    allowed = _read_constraints(constraint or [])
    groups = tower_groups(inverter, family)
    sizes = {name: len(bases) for name, bases in groups.items()}
    with display.progress("searching offsets") as bar:
        found = search_groups(
            groups,
            score,
            allowed,
            shortlist=shortlist if objective == "xors" else None,
            depth=depth,
            top=top,
            progress=bar.done,
        )
    display.value(
        {
            "inverter": inverter,
            "families": sorted({basis.family for bases in groups.values() for basis in bases}),
            "objective": objective,
            "multiplicities": multiplicities if objective in {"hamming", "xors"} else None,
            "constraints": constraint or [],
        }
        | {
            name: {"towers": sizes[name]} | {which: _result_json(result) for which, result in results.items()}
            for name, results in found.items()
        }
    )
    _show_candidates(found, sizes, objective, display)


@app.command("linear")
def linear_command(
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
    matrix = matrix_by(source)
    levels = input_levels(matrix.width, _read_levels(arrivals))
    request = LinearRequest(source, matrix, depth, levels, seed, xor3_cost)
    for name, path in (("output", output), ("state", state)):
        if path is not None and not path.absolute().parent.is_dir():
            raise RequestError(f"{name}: the folder {path.absolute().parent} does not exist")
    begin = start_of(request, start, from_stored=from_stored)
    effort = SearchEffort(seconds, steps, state)
    with display.progress(f"searching {source}") as bar:

        def show(now: Progress) -> None:
            label = f"{now.best.xors} XORs, depth {request.level(now.best)}, start {now.start + 1}"
            if effort.limit is not None:
                bar.done(label, min(int(now.seconds), int(effort.limit)), int(effort.limit))
            else:
                bar.done(label, now.steps, steps or now.steps)

        def show_cells(done: int, rounds: int | None, best: LinearProgram) -> None:
            bar.done(f"three-input cells: cost {best.cost(xor3_cost or 2.0):.2f}", done, rounds or done)

        program, moves = find_program(request, method, effort, start=begin, progress=show, cell_progress=show_cells)
    found = f"aesmith search linear, {method}, seed {seed}" + (f", {moves} moves" if moves else "")
    facts = {"map": source, "xors": program.xors, "depth": request.level(program), "found": found}
    text = format_program(program, facts)
    if output is not None:
        write_whole(output, text, "output")
    display.value(_json(request, program, method, moves, text))
    _show_program(request, program, display)
    if output is not None:
        display.line(f"The program is in {output}.")


def _read_multiplicities(texts: Sequence[str]) -> Mapping[str, int]:
    if not texts:
        return DATA_PATH
    result = {}
    for text in texts:
        name, equals, number = text.partition("=")
        if not equals or name not in MAPS or not number.isdecimal():
            raise RequestError(f"multiplicity: must be MAP=N with MAP one of {', '.join(MAPS)}, not {text!r}")
        result[name] = int(number)
    return result


def _read_constraints(texts: Sequence[str]) -> Constraint | None:
    bounds = {}
    for text in texts:
        name, equals, number = text.partition("=")
        if not equals or name.removesuffix("-depth") not in MAPS or not name.endswith("-depth"):
            raise RequestError(f"constraint: must be MAP-depth=N with MAP one of {', '.join(MAPS)}, not {text!r}")
        if not number.isdecimal() or int(number) > 10:
            raise RequestError(f"constraint: the depth of {name.removesuffix('-depth')} must be 0 to 10, not {number}")
        bounds[name.removesuffix("-depth")] = int(number)
    return depth_at_most(bounds) if bounds else None


def _read_objective(text: str, multiplicities: Mapping[str, int]) -> Objective:
    if text in {"hamming", "xors"}:
        return hamming(multiplicities)
    if text == "row":
        return heaviest_row()
    file, colon, function = text.rpartition(":")
    if not colon or not file.endswith(".py"):
        raise RequestError(f"objective: must be hamming, row, xors or FILE.py:FUNCTION, not {text!r}")
    return objective_in(file, function)


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


def _show_candidates(
    found: Mapping[str, Mapping[str, SearchResult]], sizes: Mapping[str, int], objective: str, display: Display
) -> None:
    for name, results in found.items():
        for which, result in results.items():
            title = f"{name}, {which}: {sizes[name]} bases, {result.solutions} of {result.candidates} candidates"
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


def _show_program(request: LinearRequest, program: LinearProgram, display: Display) -> None:
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
