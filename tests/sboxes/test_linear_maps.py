"""The kept XOR programs: what is kept is what is asked for, and a wrong one is refused."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import pytest

from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.sboxes import linear_maps
from aesmith.sboxes.catalogue import catalogue
from aesmith.sboxes.linear_maps import key_text, linear_map, parse_key, program

KEPT = json.loads((Path(linear_maps.__file__).parent / "data" / "linear_maps.json").read_text())


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_program_computes_its_map_within_its_depth(name: str) -> None:
    matrix, depth, arrivals = parse_key(name)
    assert program(matrix, depth, arrivals, KEPT[name]).matrix == matrix


def test_every_map_of_the_catalogue_is_kept_and_no_other() -> None:
    asked = set()
    with (
        mock.patch.object(
            linear_maps, "key_text", side_effect=lambda *key: asked.add(key_text(*key)) or key_text(*key)
        ),
        mock.patch.object(linear_maps, "best", side_effect=AssertionError("a map is not in the file")),
    ):
        for entry in catalogue().values():
            for function in entry.functions:
                entry.circuit(function)
    assert asked == set(KEPT)


@pytest.mark.parametrize("depth", [None, 4])
@pytest.mark.parametrize("arrivals", [None, (0, 1, 2)])
def test_a_name_says_the_whole_request(depth: int | None, arrivals: tuple[int, ...] | None) -> None:
    matrix = BitMatrix((0b101, 0b011), 3)
    assert parse_key(key_text(matrix, depth, arrivals)) == (matrix, depth, arrivals)


def test_a_program_of_another_map_is_refused() -> None:
    with pytest.raises(RequestError, match="does not compute the row 0x7"):
        program(BitMatrix((0b111,), 3), None, None, [[0, 1]])


def test_a_program_that_is_too_deep_is_refused() -> None:
    chain = [[0, 1], [2, 4], [3, 5]]
    with pytest.raises(RequestError, match="has 3 levels, not 2"):
        program(BitMatrix((0b1111,), 4), 2, None, chain)


def test_a_map_that_is_not_kept_is_searched_for() -> None:
    matrix = aes.FIELD.multiplication(0x53)
    assert key_text(matrix, None, None) not in KEPT
    assert linear_map(matrix).matrix == matrix
