import numpy as np
import pytest

from aesmith.errors import RequestError
from aesmith.technology.boolean import parse_function

ONES = 0b11111111
A, B, C = 0b10101010, 0b11001100, 0b11110000

EXPRESSIONS = [
    ("A", A),
    ("!A", ONES ^ A),
    ("A'", ONES ^ A),
    ("!A'", A),
    ("A & B", A & B),
    ("A * B", A & B),
    ("A B", A & B),
    ("A B'", A & (ONES ^ B)),
    ("(A+B)(B+C)", (A | B) & (B | C)),
    ("A !B C", A & (ONES ^ B) & C),
    ("A + B", A | B),
    ("A|B", A | B),
    ("A + B C", A | (B & C)),
    ("A B + C", (A & B) | C),
    ("A ^ B", A ^ B),
    ("A & B ^ C", A & (B ^ C)),
    ("A ^ B & C", (A ^ B) & C),
    ("A ^ B + C", (A ^ B) | C),
    ("!(A & B)'", A & B),
    ("(A ^ B)' C", (ONES ^ A ^ B) & C),
    ("!((A*B) | (C'))", ONES ^ ((A & B) | (ONES ^ C))),
    ("0", 0),
    ("1 A", A),
]


@pytest.mark.parametrize(("text", "table"), EXPRESSIONS)
def test_an_expression_means_what_liberty_says(text: str, table: int) -> None:
    assert parse_function(text, "test").truth_table(("A", "B", "C")) == table


def test_words_are_evaluated_bitwise() -> None:
    rng = np.random.default_rng(1)
    a, b, c = rng.integers(0, 2**64, size=(3, 5), dtype=np.uint64)
    ones = np.full(5, np.iinfo(np.uint64).max)
    got = parse_function("!(A & B) ^ C + 0", "test").evaluate({"A": a, "B": b, "C": c}, ones)
    assert (got == (~(a & b)) ^ c).all()


@pytest.mark.parametrize("text", ["", "A &", "(A", "A)", "A $ B", "& A", "2", "A ! "])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match="cell X, pin Y"):
        parse_function(text, "cell X, pin Y")


def test_signature_ignores_names_and_order_only() -> None:
    def signature(text: str) -> tuple[int, int]:
        return parse_function(text, "test").signature

    assert signature("!(A & B)") == signature("!B2 + !A1")
    assert signature("(S & B) | (!S & A)") == signature("(X' Y) + (X Z)")
    assert signature("A & !B") == signature("!A & B")
    assert signature("A & B + 0 & C") == signature("A & B")
    assert signature("!(A & B)") != signature("!(A | B)")
    assert signature("A ^ B") != signature("!(A ^ B)")
    assert signature("A") != signature("!A")


@pytest.mark.parametrize(("text", "sense"), [("A & B", 1), ("!(A & B)", -1), ("A ^ B", 0), ("B + A & !A", 2), ("B", 2)])
def test_sense_tells_how_the_output_follows(text: str, sense: int) -> None:
    assert parse_function(text, "test").sense("A") == sense


def test_fixing_an_input_leaves_the_rest() -> None:
    mux = parse_function("(S & B) | (!S & A)", "test")
    assert mux.given({"S": True}).support == ("B",)
    assert mux.given({"S": False}).support == ("A",)
    assert mux.given({"A": True, "B": True}).constant is True
    assert mux.given({"A": False, "B": False}).constant is False
    assert mux.given({"A": True}).constant is None
