"""The programs that come with the package do what they say; they are checked here, never searched for."""

import random

import pytest

from aesmith.circuits.linear import stored
from aesmith.circuits.linear.named import NAMED
from aesmith.circuits.linear.stored import StoredProgram, stored_programs, stored_start
from aesmith.errors import RequestError
from aesmith.fields import aes


@pytest.mark.parametrize("entry", stored_programs(), ids=lambda entry: entry.file)
def test_a_stored_program_computes_its_map_and_says_how_it_was_found(entry: StoredProgram) -> None:
    assert entry.program.matrix == NAMED[entry.map].matrix
    assert entry.found
    assert str(entry.program.xors) in entry.file


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
def test_the_smallest_stored_program_within_a_depth(name: str, depth: int | None, xors: int) -> None:
    program = stored(name, depth)
    assert program.xors <= xors
    assert depth is None or program.depth <= depth


@pytest.mark.parametrize("depth", [None, 4, 3])
def test_stored_mix_columns_transforms_known_columns(depth: int | None) -> None:
    # The columns db135345 -> 8e4da1bc and f20a225c -> 9fdc589d, byte of row 0 first.
    circuit = stored("mixcolumns", depth).circuit("mixcolumns")
    for column, image in (("db135345", "8e4da1bc"), ("f20a225c", "9fdc589d")):
        word = int.from_bytes(bytes.fromhex(column), "little")
        assert circuit(x=word)["y"].to_bytes(4, "little").hex() == image


@pytest.mark.parametrize("depth", [None, 5])
def test_stored_inverse_mix_columns_undoes_mix_columns(depth: int | None) -> None:
    forward, backward = stored("mixcolumns").circuit("forward"), stored("invmixcolumns", depth).circuit("backward")
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


def test_a_depth_that_is_impossible_or_not_stored_is_refused() -> None:
    with pytest.raises(RequestError, match="must be at least 3 XOR levels"):
        stored("mixcolumns", 2)
    with pytest.raises(RequestError, match="there is one for invmixcolumns, mixcolumns, not for 'affine'"):
        stored("affine")


def test_a_stored_start_keeps_to_the_bound_with_late_inputs() -> None:
    assert stored_start("mixcolumns", 3, [0] * 32) == stored("mixcolumns", 3)
    assert stored_start("mixcolumns", 3, [1] * 32) is None
    assert stored_start("affine", None, [0] * 8) is None
