"""Searching linear circuits: correct, within bounds, reproducible, resumable, as small as is known to be possible."""

import json
import random
from pathlib import Path

import pytest

from aesmith.circuits.linear import LinearProgram, SearchProgress, best, paar, search_program, smallest_depth
from aesmith.circuits.linear.heuristics import boyar_peralta
from aesmith.circuits.linear.named import NAMED
from aesmith.circuits.linear.node_set import advance_walk, node_set
from aesmith.circuits.linear.program import schedule
from aesmith.circuits.linear.search import CHUNK, LinearSearch
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix

MIX_COLUMNS = NAMED["mixcolumns"].matrix
UNIFIED_AFFINE = NAMED["ueno2020-unified-affine"].matrix


def some_matrix(seed: int, height: int = 8, width: int = 8) -> BitMatrix:
    source = random.Random(seed)
    return BitMatrix(tuple(source.randrange(1 << width) for _ in range(height)), width)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("slack", [None, 0, 1])
def test_every_method_computes_the_matrix_within_the_bound(seed: int, slack: int | None) -> None:
    matrix = some_matrix(seed, height=10, width=7)
    depth = None if slack is None else smallest_depth(matrix) + slack
    programs = [paar(matrix, depth, tries=3), search_program(matrix, depth, seed=seed, steps=CHUNK)]
    programs += [boyar_peralta(matrix)] if depth is None else []
    for program in programs:
        assert program.matrix == matrix
        assert depth is None or program.depth <= depth


@pytest.mark.parametrize("seed", range(4))
def test_late_inputs_are_added_late(seed: int) -> None:
    matrix = some_matrix(seed)
    arrivals = tuple(random.Random(seed).randrange(4) for _ in range(8))
    depth = smallest_depth(matrix, arrivals)
    for program in (paar(matrix, depth, arrivals=arrivals), best(matrix, depth, arrivals=arrivals)):
        assert program.matrix == matrix
        assert max(program.levels(arrivals)) == depth


def test_a_depth_that_no_program_meets_is_refused_with_the_smallest() -> None:
    for method in (paar, best, search_program):
        with pytest.raises(RequestError, match=r"depth: must be at least 3 XOR levels \(row 0 has 5 ones\), not 2"):
            method(MIX_COLUMNS, 2)


def test_matrices_without_a_sum_need_no_gate() -> None:
    matrix = BitMatrix((0b01, 0b00, 0b10, 0b01), 2)
    for program in (paar(matrix), best(matrix), boyar_peralta(matrix)):
        assert (program.xors, program.outputs) == (0, (0, None, 1, 0))


def test_the_search_and_boyar_and_peralta_find_what_cancellation_saves() -> None:
    # x0+x1, x0+x1+x2, x0+x1+x2+x3, and x1+x2+x3 = the third + x0: 4 sums, 5 without cancellation (Boyar et al. 2013).
    matrix = BitMatrix.parse("1100\n1110\n1111\n0111")
    assert paar(matrix, tries=20).xors == 5
    assert search_program(matrix).xors == boyar_peralta(matrix).xors == 4


def test_the_same_seed_and_steps_give_the_same_program() -> None:
    first, second = (search_program(UNIFIED_AFFINE, 3, seed=5, steps=3 * CHUNK) for _ in range(2))
    assert first == second


@pytest.mark.thorough
def test_the_unified_affine_maps_take_50_xors_at_three_levels() -> None:
    program = best(UNIFIED_AFFINE, 3)
    assert program.matrix == UNIFIED_AFFINE
    assert (program.xors, program.depth) == (50, 3)


def test_the_encryption_core_maps_take_24_xors_at_two_levels() -> None:
    program = best(NAMED["ueno2020-enc-unified-affine"].matrix, 2)
    assert (program.xors, program.depth) == (24, 2)


def test_mix_columns_gets_below_paar_in_a_moment() -> None:
    program = search_program(MIX_COLUMNS, seed=0, steps=10 * CHUNK)
    assert program.matrix == MIX_COLUMNS
    assert program.xors < paar(MIX_COLUMNS).xors - 5


def test_boyar_and_peralta_do_better_than_paar_on_mix_columns() -> None:
    program = boyar_peralta(MIX_COLUMNS)
    assert program.matrix == MIX_COLUMNS
    assert program.xors <= 98 < paar(MIX_COLUMNS).xors


def test_boyar_and_peralta_refuse_heavy_rows() -> None:
    with pytest.raises(RequestError, match="rows must have at most 10 ones, not"):
        boyar_peralta(NAMED["invmixcolumns"].matrix)


def test_a_search_that_was_saved_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    state = tmp_path / "search.json"
    search_program(MIX_COLUMNS, 4, seed=3, steps=2 * CHUNK, state_file=state)
    resumed = search_program(MIX_COLUMNS, 4, seed=3, steps=5 * CHUNK, state_file=state)
    assert resumed == search_program(MIX_COLUMNS, 4, seed=3, steps=5 * CHUNK)
    assert json.loads(state.read_text())["steps"] == 5 * CHUNK


def test_new_starts_are_resumed_too(tmp_path: Path) -> None:
    matrix, steps = some_matrix(1), 40 * CHUNK
    state = tmp_path / "search.json"
    search_program(matrix, seed=1, steps=25 * CHUNK, state_file=state)
    assert json.loads(state.read_text())["starts"] > 0
    search_program(matrix, seed=1, steps=steps, state_file=state)
    whole = LinearSearch(matrix, seed=1)
    while whole.steps < steps:
        whole.advance()
    assert json.loads(state.read_text()) == whole.snapshot()


def test_a_state_of_another_request_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "search.json"
    search_program(MIX_COLUMNS, 4, seed=3, steps=CHUNK, state_file=state)
    with pytest.raises(RequestError, match="state: it belongs to another search; its depth is 4, this one's 5"):
        search_program(MIX_COLUMNS, 5, seed=3, steps=CHUNK, state_file=state)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "other"}, "the format must be"),
        ({"forms": ["zz"]}, "damaged"),
        ({"forms": None}, "damaged"),
        ({"steps": "many"}, "damaged"),
    ],
)
def test_a_damaged_state_is_refused(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    state = tmp_path / "search.json"
    search_program(UNIFIED_AFFINE, 3, steps=CHUNK, state_file=state)
    state.write_text(json.dumps(json.loads(state.read_text()) | change))
    with pytest.raises(RequestError, match=reason):
        search_program(UNIFIED_AFFINE, 3, steps=2 * CHUNK, state_file=state)
    state.write_text("{")
    with pytest.raises(RequestError, match="cannot be read as JSON"):
        search_program(UNIFIED_AFFINE, 3, steps=2 * CHUNK, state_file=state)


def test_an_interrupt_gives_the_best_so_far_and_keeps_the_state(tmp_path: Path) -> None:
    state = tmp_path / "search.json"

    def interrupt(progress: SearchProgress) -> None:
        if progress.steps == 2 * CHUNK:
            raise KeyboardInterrupt

    program = search_program(MIX_COLUMNS, seed=3, state_file=state, progress=interrupt)
    assert program == search_program(MIX_COLUMNS, seed=3, steps=2 * CHUNK)
    assert json.loads(state.read_text())["steps"] == 2 * CHUNK


def test_a_start_must_compute_the_matrix() -> None:
    with pytest.raises(RequestError, match="row 0 of the matrix"):
        search_program(MIX_COLUMNS, start=LinearProgram(32, ((0, 1),), (32,) * 32), steps=0)


def test_a_start_is_never_made_worse() -> None:
    start = paar(MIX_COLUMNS, 3, tries=3)
    assert search_program(MIX_COLUMNS, 3, start=start, steps=0).xors == start.xors


def test_wide_maps_are_for_paar() -> None:
    matrix = BitMatrix.identity(65)
    with pytest.raises(RequestError, match="at most 64 columns, not 65"):
        search_program(matrix, steps=0)
    assert best(matrix).xors == 0


def test_forms_that_do_not_reach_the_matrix_are_no_program() -> None:
    with pytest.raises(RequestError, match="do not reach row 1"):
        schedule([0b0011, 0b1111], BitMatrix((0b0011, 0b1111), 4))


def test_every_set_of_a_walk_still_reaches_all_rows_within_the_bound() -> None:
    """The compiled closure against the scheduler, which shares no code with it."""
    for depth in (3, 4, 30):
        state = node_set(list(paar(MIX_COLUMNS, depth).forms), frozenset(MIX_COLUMNS.rows), (0,) * 32, source=7)
        for _ in range(20):
            advance_walk(state, depth, 500)
            assert len(set(state.forms)) == len(state.forms)
            program = schedule(state.forms, MIX_COLUMNS)
            assert program.matrix == MIX_COLUMNS
            assert program.depth <= depth
            best = schedule(state.best_forms, MIX_COLUMNS)
            assert best.xors == state.best_size - 32
            assert best.depth == state.best_level


def test_of_programs_of_as_many_sums_the_least_deep_is_the_best() -> None:
    start = NAMED["mixcolumns"].program()
    assert (start.xors, start.depth) == (88, 9)
    program = search_program(MIX_COLUMNS, start=start, seed=1, steps=2 * CHUNK)
    assert program.matrix == MIX_COLUMNS
    assert program.xors == 88
    assert program.depth < 9
