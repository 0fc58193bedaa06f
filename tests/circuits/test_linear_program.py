"""Linear programs: what they compute, what they cost, their depth bound, their text."""

import pytest

from aesmith.circuits.circuit import CircuitBuilder, Op
from aesmith.circuits.linear import LinearProgram, smallest_depth
from aesmith.circuits.linear.program import check_depth, format_program, parse_program
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix

# y0 = x0 + x1, y1 = x0 + x1 + x2 + x3 by a three-input cell, y2 = 0, y3 = x3
PROGRAM = LinearProgram(4, ((0, 1), (2, 3, 4)), (4, 5, None, 3))


def test_a_program_knows_its_matrix_and_its_cost() -> None:
    assert PROGRAM.matrix == BitMatrix((0b0011, 0b1111, 0, 0b1000), 4)
    assert (PROGRAM.xors, PROGRAM.cells, PROGRAM.cost(1.4)) == (3, (1, 1), 2.4)
    assert PROGRAM.depths == (1, 3, 0, 0)


def test_inputs_may_arrive_late() -> None:
    assert PROGRAM.levels((0, 5, 0, 0)) == (6, 8, 0, 0)


def test_the_circuit_of_a_program_computes_its_matrix_plus_a_constant() -> None:
    circuit = PROGRAM.circuit("map", constant=0b1110)
    assert circuit.table() == [PROGRAM.matrix.apply(x) ^ 0b1110 for x in range(16)]


def test_a_complemented_output_is_one_xnor() -> None:
    circuit = LinearProgram(2, ((0, 1),), (2,)).circuit("xnor", constant=1)
    assert circuit.count() == {Op.XNOR: 1}


def test_a_program_takes_as_many_wires_as_it_has_inputs() -> None:
    builder = CircuitBuilder("short")
    with pytest.raises(RequestError, match="needs 4 input wires, not 3"):
        PROGRAM.place(builder, builder.input("x", 3))


@pytest.mark.parametrize("sums", [((0, 4),), ((0, 0),), ((0,),), ((0, 1, 2, 3),), ((0, -1),)])
def test_a_sum_adds_two_or_three_earlier_signals(sums: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(RequestError, match="sum 0"):
        LinearProgram(4, sums, (4,))


def test_an_output_is_a_signal_of_the_program() -> None:
    with pytest.raises(RequestError, match="output 1"):
        LinearProgram(2, (), (1, 2))


@pytest.mark.parametrize(
    ("row", "arrivals", "least"),
    [
        (0b00000, None, 0),
        (0b00001, None, 0),
        (0b00011, None, 1),
        (0b00111, None, 2),
        (0b11111, None, 3),
        (0b00001, (4, 0, 0, 0, 0), 4),
        (0b00011, (3, 0, 0, 0, 0), 4),
        (0b11111, (2, 0, 0, 0, 0), 3),
        (0b11111, (2, 1, 1, 1, 1), 4),
        (0b10000, (9, 9, 9, 9, 1), 1),
    ],
)
def test_the_smallest_depth_counts_the_inputs_at_their_levels(
    row: int, arrivals: tuple[int, ...] | None, least: int
) -> None:
    matrix = BitMatrix((row,), 5)
    assert smallest_depth(matrix, arrivals) == least
    check_depth(matrix, least, arrivals)
    if least:
        with pytest.raises(RequestError, match=f"depth: must be at least {least} XOR levels"):
            check_depth(matrix, least - 1, arrivals)


def test_arrivals_are_one_level_an_input() -> None:
    with pytest.raises(RequestError, match="arrivals: must be 4 levels"):
        PROGRAM.levels((0, 0))
    with pytest.raises(RequestError, match="levels must be 0 to 30, not -1"):
        PROGRAM.levels((0, 0, 0, -1))


def test_text_and_program_are_one() -> None:
    text = format_program(PROGRAM, {"map": "example"})
    assert text.splitlines()[:4] == ["# map: example", "inputs 4", "t0 = x0 ^ x1", "t1 = x2 ^ x3 ^ t0"]
    assert parse_program(text) == (PROGRAM, {"map": "example"})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no line `inputs N`"),
        ("t0 = x0 ^ x1", "line 1 must be `inputs N`"),
        ("inputs 2\nt1 = x0 ^ x1", "line 2 must set t0, not t1"),
        ("inputs 2\nt0 = x0 ^ x2", "line 2: x2 is not defined there"),
        ("inputs 2\nt0 = x0 ^ t0", "line 2: t0 is not defined there"),
        ("inputs 2\nt0 = x0 + x1", "line 2: a signal is x0 to x1"),
        ("inputs 2\ny0 = x0 ^ x1", "line 2 must set an output to one signal"),
        ("inputs 2\nhello", "line 2 must be like"),
    ],
)
def test_a_wrong_text_is_refused_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(RequestError, match=reason):
        parse_program(text)
