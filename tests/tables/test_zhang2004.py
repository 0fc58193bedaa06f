"""What Zhang and Parhi's text claims of gates is counted on circuits that compute what they should."""

from __future__ import annotations

import random

import pytest

from aesmith.circuits.circuit import CircuitBuilder
from aesmith.circuits.linear.named import named_map
from aesmith.sboxes.zhang2004 import Inverter4, inverse_4_direct, inverse_4_shallow
from aesmith.tables.catalogue import TABLES
from aesmith.tables.figures import critical_path
from aesmith.tables.model import Row
from aesmith.tables.zhang2004 import speed_up

TEXT = TABLES["zhang-blocks"]


def gates(row: Row) -> tuple[int, int, tuple[int, int]]:
    assert row.circuit is not None
    ops = [str(gate.op) for gate in row.circuit().gates]
    return sum(op == "xor" for op in ops), sum(op in ("and", "nand") for op in ops), critical_path(row.circuit())


@pytest.mark.parametrize(("row", "name"), [("mix_columns", "mixcolumns"), ("inverse_mix_columns", "invmixcolumns")])
def test_figures_7_and_8_compute_their_maps(row: str, name: str) -> None:
    circuit, matrix = TEXT.row(row).circuit, named_map(name).matrix
    assert circuit is not None
    source = random.Random(4)
    words = [1 << bit for bit in range(32)] + [source.getrandbits(32) for _ in range(8)]
    assert [circuit()(x0=word)["y"] for word in words] == [matrix.apply(word) for word in words]


def test_their_gates_are_those_of_the_text() -> None:
    """By blocks the path of figure 8 has seven XOR gates; the longest that a bit takes has six."""
    assert gates(TEXT.row("mix_columns")) == (108, 0, (3, 0))
    assert gates(TEXT.row("inverse_mix_columns")) == (193, 0, (6, 0))


def test_the_inverter_of_table_ii_exists() -> None:
    def table(place: Inverter4) -> list[int]:
        builder = CircuitBuilder("inverse")
        builder.output("y", place(builder, builder.input("x", 4)))
        return builder.build().table()

    assert table(inverse_4_shallow) == table(inverse_4_direct)
    assert gates(TEXT.row("direct_shallow")) == (14, 9, (3, 2))


def test_the_paths_of_the_inverter_have_no_more_xor_and_no_more_and_than_that() -> None:
    """The critical path is the one with most gates; here no path at all has more of either."""
    make = TEXT.row("direct_shallow").circuit
    assert make is not None
    circuit = make()
    paths = [{(0, 0)} for _ in range(circuit.input_width)]
    for gate in circuit.gates:
        xor, and_ = str(gate.op) == "xor", str(gate.op) in ("and", "nand")
        paths.append({(x + xor, a + and_) for arg in gate.args for x, a in paths[arg]})
    assert {path for node in circuit.output_nodes for path in paths[node]} <= {
        (x, a) for x in range(4) for a in range(3)
    }


def test_the_formula_of_substages_is_the_period_of_equal_stages() -> None:
    register, logic = 0.12, 1.5
    for r in (1, 3, 7):
        assert speed_up(r, register / logic) == pytest.approx((logic + register) / (logic / r + register))
