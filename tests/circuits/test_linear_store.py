"""The kept programs do what they say, and are those that somebody asks for; checked here, never searched for."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest

from aesmith.cache import ENVIRONMENT
from aesmith.circuits.linear import LinearProgram, linear_map, search, shallow, smallest_depth, store
from aesmith.circuits.linear.heuristics import with_three_input_cells
from aesmith.circuits.linear.named import NAMED, named_map
from aesmith.circuits.linear.search import best
from aesmith.circuits.linear.store import (
    KeptProgram,
    MapRequest,
    format_programs,
    kept,
    kept_programs,
    parse_programs,
    program_of,
)
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.fields.bitmatrix import BitMatrix

ROOT = Path(__file__).parents[2]
PARITY = BitMatrix((0b1111,), 4)
CHAIN = LinearProgram(4, ((0, 1), (2, 4), (3, 5)), (6,))
TREE = LinearProgram(4, ((0, 1), (2, 3), (4, 5)), (6,))


@pytest.mark.parametrize("entry", kept_programs(), ids=lambda entry: str(entry.request.matrix.rows)[:40])
def test_a_kept_program_computes_its_map_and_says_how_it_was_found(entry: KeptProgram) -> None:
    assert entry.program.matrix == entry.request.matrix
    assert entry.request.is_met_by(entry.program)
    assert entry.found


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("linear_store", ROOT / "benchmarks" / "linear_store.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.thorough
@pytest.mark.slow
def test_the_maps_that_designs_ask_for_are_kept_and_beside_them_named_ones(writer: ModuleType) -> None:
    asked = set(writer.requests())
    there = {entry.request for entry in kept_programs()}
    assert asked <= there
    assert {request for request in there if not writer.is_named(request)} <= asked


def test_a_request_is_kept_once() -> None:
    assert len({entry.request for entry in kept_programs()}) == len(kept_programs())


def test_the_file_is_as_it_is_written() -> None:
    text = format_programs(kept_programs())
    assert parse_programs(text) == kept_programs()
    assert format_programs(parse_programs(text)) == text


def test_all_of_a_request_is_written() -> None:
    request = MapRequest(PARITY, 4, (0, 1, 2, 0), 1.5)
    entry = KeptProgram(request, LinearProgram(4, ((0, 1, 3), (2, 4)), (5,)), "by hand")
    assert parse_programs(format_programs([entry])) == (entry,)


def test_inputs_that_all_come_at_once_are_no_request_of_their_own() -> None:
    assert MapRequest(PARITY, 2, (0, 0, 0, 0)) == MapRequest(PARITY, 2)


@pytest.mark.parametrize(
    ("name", "depth", "xors"),
    [
        ("mixcolumns", None, 88),
        ("mixcolumns", 4, 91),
        ("mixcolumns", 3, 99),
        ("invmixcolumns", None, 88),
        ("invmixcolumns", 5, 146),
    ],
)
def test_the_smallest_program_of_a_named_map_within_a_depth(name: str, depth: int | None, xors: int) -> None:
    program = named_map(name).program(depth)
    assert program.xors <= xors
    assert depth is None or program.depth <= depth


@pytest.mark.parametrize("depth", [None, 4, 3])
def test_kept_mix_columns_transforms_known_columns(depth: int | None) -> None:
    # The columns db135345 -> 8e4da1bc and f20a225c -> 9fdc589d, byte of row 0 first.
    circuit = named_map("mixcolumns").program(depth).circuit("mixcolumns")
    for column, image in (("db135345", "8e4da1bc"), ("f20a225c", "9fdc589d")):
        word = int.from_bytes(bytes.fromhex(column), "little")
        assert circuit(x=word)["y"].to_bytes(4, "little").hex() == image


@pytest.mark.parametrize("depth", [None, 5])
def test_kept_inverse_mix_columns_undoes_mix_columns(depth: int | None) -> None:
    forward = named_map("mixcolumns").program().circuit("forward")
    backward = named_map("invmixcolumns").program(depth).circuit("backward")
    columns = [random.Random(1).randrange(1 << 32) for _ in range(200)]
    assert backward.evaluate_ints(forward.evaluate_ints(columns)) == columns


def test_the_matrix_of_mix_columns_is_field_multiplication() -> None:
    source = random.Random(2)
    for _ in range(50):
        column = [source.randrange(256) for _ in range(4)]
        word = NAMED["mixcolumns"].matrix.apply(int.from_bytes(bytes(column), "little"))
        u = aes.MIX_COLUMNS
        expected = [
            aes.FIELD.multiply(u[0], column[i])
            ^ aes.FIELD.multiply(u[1], column[(i + 1) % 4])
            ^ column[(i + 2) % 4]
            ^ column[(i + 3) % 4]
            for i in range(4)
        ]
        assert list(word.to_bytes(4, "little")) == expected


def test_a_depth_that_is_impossible_is_refused() -> None:
    with pytest.raises(RequestError, match="must be at least 3 XOR levels"):
        linear_map(NAMED["mixcolumns"].matrix, 2)


def test_the_cheapest_program_within_the_limits_is_chosen() -> None:
    cells = with_three_input_cells(CHAIN, 1.4)
    entries = [
        KeptProgram(MapRequest(PARITY), CHAIN, "by hand"),
        KeptProgram(MapRequest(PARITY, 2), TREE, "by hand"),
        KeptProgram(MapRequest(PARITY, None, None, 1.4), cells, "by hand"),
    ]
    with mock.patch.object(store, "_by_matrix", return_value={PARITY: entries}):
        assert kept(MapRequest(PARITY)) == CHAIN
        assert kept(MapRequest(PARITY, 2)) == TREE
        assert kept(MapRequest(PARITY, 4)) == TREE
        assert kept(MapRequest(PARITY, 3, (1, 0, 0, 1))) == TREE
        assert kept(MapRequest(PARITY, 2, (0, 0, 0, 1))) is None
        assert kept(MapRequest(PARITY, xor3_cost=1.4)) == cells
        assert kept(MapRequest(BitMatrix((0b11,), 2))) is None


def test_late_inputs_count() -> None:
    mixcolumns = NAMED["mixcolumns"].matrix
    assert kept(MapRequest(mixcolumns, 3, (1,) * 32)) is None
    assert kept(MapRequest(mixcolumns, 4, (1,) * 32)) == kept(MapRequest(mixcolumns, 3))


def test_a_program_of_another_map_is_refused() -> None:
    with pytest.raises(RequestError, match="does not compute the row 0x7"):
        program_of(MapRequest(BitMatrix((0b111,), 3)), [[0, 1]])


def test_a_program_that_is_too_deep_is_refused() -> None:
    with pytest.raises(RequestError, match="has 3 levels and 0 three-input cells; it must keep to 2 levels"):
        program_of(MapRequest(PARITY, 2), CHAIN.sums)


def test_a_program_of_cells_that_the_request_has_not_is_refused() -> None:
    with pytest.raises(RequestError, match="1 three-input cells; it must keep to two-input cells"):
        program_of(MapRequest(PARITY), [[0, 1, 2], [3, 4]])


NOT_KEPT = aes.FIELD.multiplication(0x53)


def test_a_map_that_is_not_kept_is_found_quickly() -> None:
    assert kept(MapRequest(NOT_KEPT)) is None
    assert linear_map(NOT_KEPT, quick=True).matrix == NOT_KEPT


def test_a_map_that_is_not_kept_is_searched_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By all processes, as long as request and code are the same and the cache holds what it held."""
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path))
    monkeypatch.setattr(search, "DEFAULT_STEPS", search.CHUNK)

    def asked(depth: int | None = None) -> tuple[LinearProgram, int]:
        """The program, and how many searches there were."""
        linear_map.cache_clear()
        with mock.patch.object(store, "best", wraps=best) as searches:
            return linear_map(NOT_KEPT, depth), searches.call_count

    program, searches = asked()
    assert (program.matrix, searches) == (NOT_KEPT, 1)
    assert asked() == (program, 0)
    assert asked(program.depth)[1] == 1
    for file in (tmp_path / "linear").glob("[!.]*"):
        file.write_text(file.read_text().replace('"sums":[[', '"sums":[[1,2],['))
    assert asked() == (program, 1)
    assert asked() == (program, 0)
    for file in (tmp_path / "linear").glob("[!.]*"):
        file.write_text("[")
    assert asked() == (program, 1)
    monkeypatch.setattr(store, "code_digest", lambda _: "of other code")
    assert asked() == (program, 1)
    monkeypatch.setenv(ENVIRONMENT, "")
    assert [asked(), asked()] == [(program, 1), (program, 1)]
    linear_map.cache_clear()


def test_a_shallow_program_has_the_fewest_levels_possible() -> None:
    matrix = aes.FIELD.multiplication(0x53)
    assert shallow(matrix).depth == smallest_depth(matrix)
