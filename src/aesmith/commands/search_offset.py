"""`aesmith search offset`: the tower field and multiplicative offset with the lightest merged maps."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from aesmith.circuits.linear.offset_ranking import DEFAULT_MAPS, rank_by_xors
from aesmith.commands.console import Display
from aesmith.commands.options import Json
from aesmith.errors import RequestError
from aesmith.fields.families import TowerBasis, families, tower_bases
from aesmith.fields.inverters import inverter_bases, inverters
from aesmith.fields.map_weights import MAPS
from aesmith.fields.offset_search import (
    ALL_OFFSETS,
    DATA_PATH,
    NO_OFFSET,
    Constraint,
    Objective,
    OffsetCandidate,
    SearchResult,
    depth_at_most,
    hamming,
    heaviest_row,
    search,
)


def command(
    *,
    inverter: Annotated[
        str | None,
        typer.Option("--inverter", metavar="NAME", help=f"The inverter's own tower: {', '.join(inverters())}."),
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option("--family", metavar="NAME", help=f"Towers of a family, repeatable: {', '.join(families())}."),
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
    groups = _groups(inverter, family)
    keep = max(top, shortlist) if objective == "xors" else top
    found: dict[str, dict[str, SearchResult]] = {}
    sizes = {name: len(bases) for name, bases in groups.items()}
    with display.progress("searching offsets") as bar:
        for name, bases in groups.items():
            found[name] = {}
            for which, gammas in (("without_offset", NO_OFFSET), ("with_offset", ALL_OFFSETS)):
                label = f"{name}, {which}".replace("_", " ")
                result = search(
                    bases,
                    gammas,
                    objective=score,
                    constraint=allowed,
                    top=keep,
                    progress=partial(bar.done, label),
                )
                if objective == "xors":
                    result = rank_by_xors(result, shortlist, depth, partial(bar.done, label))
                found[name][which] = SearchResult(result.candidates, result.solutions, result.ranked[:top])
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
    _show(found, sizes, objective, display)


def _groups(inverter: str | None, chosen: Sequence[str] | None) -> dict[str, tuple[TowerBasis, ...]]:
    groups: dict[str, tuple[TowerBasis, ...]] = {}
    if inverter is not None:
        groups["inverter_towers"] = inverter_bases(inverter)
        chosen = chosen or [groups["inverter_towers"][0].family]
    names = dict.fromkeys(chosen or families())
    groups["all_towers"] = tuple(basis for name in names for basis in tower_bases(name))
    return groups


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
    if not Path(file).is_file():
        raise RequestError(f"objective: there is no file {file}")
    specification = importlib.util.spec_from_file_location("aesmith_user_objective", file)
    if specification is None or specification.loader is None:
        raise RequestError(f"objective: {file} is no Python module")
    module = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise RequestError(f"objective: {file} fails when it is run ({type(error).__name__}: {error})") from error
    score = getattr(module, function, None)
    if not callable(score):
        raise RequestError(f"objective: {file} has no function {function!r}")
    return score  # type: ignore[no-any-return]


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


def _show(
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
