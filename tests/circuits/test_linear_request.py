"""A search as it is asked for: what a request refuses, where it begins, and what it finds by each method."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.circuits.linear.named import NAMED
from aesmith.circuits.linear.request import (
    LinearRequest,
    Method,
    SearchEffort,
    find_program,
    matrix_by,
    search_groups,
    start_of,
    tower_groups,
)
from aesmith.errors import RequestError
from aesmith.fields.offset_search import hamming, objective_in

AFFINE = "ueno2020-enc-unified-affine"


def request(depth: int | None = None, xor3_cost: float | None = None) -> LinearRequest:
    matrix = matrix_by(AFFINE)
    return LinearRequest(AFFINE, matrix, depth, (0,) * matrix.width, 0, xor3_cost)


def test_a_map_is_known_by_name_or_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "m.txt"
    file.write_text("110\n011\n")
    assert matrix_by(AFFINE) == NAMED[AFFINE].matrix
    assert (matrix_by(str(file)).height, matrix_by(str(file)).width) == (2, 3)
    with pytest.raises(RequestError, match="map: must be a file with a matrix or one of"):
        matrix_by("nothing")


@pytest.mark.parametrize(("depth", "cost", "rule"), [(1, None, "depth: must be at least 2"), (None, 3.0, "xor3_cost")])
def test_a_request_that_nothing_can_serve_is_refused(depth: int | None, cost: float | None, rule: str) -> None:
    with pytest.raises(RequestError, match=rule):
        request(depth, cost)


@pytest.mark.parametrize("method", list(Method))
def test_every_method_finds_a_program_of_the_map(method: Method) -> None:
    asked = request()
    program, moves = find_program(asked, method, SearchEffort(steps=10_000))
    assert program.matrix == asked.matrix
    assert (moves > 0) == (method is Method.WALK)


def test_a_heuristic_that_cannot_do_as_asked_says_so() -> None:
    with pytest.raises(RequestError, match="boyar-peralta has no depth bound"):
        find_program(request(depth=3), Method.BOYAR_PERALTA)
    with pytest.raises(RequestError, match="paar takes neither --start"):
        find_program(request(), Method.PAAR, SearchEffort(state=Path("s.json")))


@pytest.mark.thorough
def test_three_input_cells_are_searched_for_as_many_moves_as_the_walk_took() -> None:
    said: list[int | None] = []
    asked = request(xor3_cost=1.4)
    program, moves = find_program(
        asked, effort=SearchEffort(steps=10_000), cell_progress=lambda _done, rounds, _best: said.append(rounds)
    )
    assert moves == 10_000
    assert set(said) == {1}
    assert program.cost(1.4) < program.xors


def test_a_search_begins_with_one_program_or_none() -> None:
    asked = LinearRequest("mixcolumns", matrix_by("mixcolumns"), None, (0,) * 32, 0)
    assert start_of(asked, None, from_stored=False) is None
    assert start_of(asked, None, from_stored=True) == asked.stored
    with pytest.raises(RequestError, match="either --start or --from-stored"):
        start_of(asked, Path("p.slp"), from_stored=True)


def test_towers_are_searched_by_group_without_and_with_offset() -> None:
    groups = tower_groups("ueno2015", None)
    assert {name: len(bases) for name, bases in groups.items()} == {"inverter_towers": 4, "all_towers": 120}
    said: list[str] = []
    found = search_groups(groups, hamming(), top=3, progress=lambda label, _done, _all: said.append(label))
    own = found["inverter_towers"]
    assert [own[which].best.score for which in ("without_offset", "with_offset") if own[which].best] == [4416, 4016]
    assert len(found["all_towers"]["with_offset"].ranked) == 3
    assert dict.fromkeys(said).keys() == {
        f"{g} towers, {w} offset" for g in ("inverter", "all") for w in ("without", "with")
    }


def test_an_objective_is_a_function_of_a_file_that_runs(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def score(weights):\n    return weights.weight('phi')\nraise_me = 1\n")
    assert callable(objective_in(str(file), "score"))
    with pytest.raises(RequestError, match="has no function 'other'"):
        objective_in(str(file), "other")
    file.write_text("1 / 0\n")
    with pytest.raises(RequestError, match="fails when it is run"):
        objective_in(str(file), "score")
