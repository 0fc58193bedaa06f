"""Multipliers of GF(2^128) are proved, have the gates that are claimed, and go the way of every circuit."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.circuits.circuit import Circuit, CircuitGate, Op
from aesmith.circuits.cost import LEVELS, depth
from aesmith.circuits.multipliers.field_128 import (
    FieldProduct,
    ProductTerm,
    digit_step,
    lanes_step,
    multiplier,
    product_circuit,
)
from aesmith.circuits.multipliers.proving import prove_product
from aesmith.circuits.pipeline import pipeline
from aesmith.circuits.systemverilog import staged_systemverilog, systemverilog
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import find_verilator

DIGITS = [2**n for n in range(8)]


@pytest.mark.parametrize("splits", ["", "o", "b", "k", "ko", "bok", "ooooo", "bbbbb", "ooobb", "kkkkkkk"])
def test_multipliers_of_any_word_are_proved(splits: str) -> None:
    assert prove_product(multiplier(splits)).inputs == 129 * 129


@pytest.mark.parametrize("digit", DIGITS)
def test_every_digit_is_proved_unsplit_and_split_to_the_end(digit: int) -> None:
    for splits in {"", "b" * (digit.bit_length() - 1)}:
        assert prove_product(digit_step(digit, splits)).inputs == (129 + digit) * 129


@pytest.mark.parametrize("lanes", [1, 2, 3])
def test_sums_of_lanes_are_proved(lanes: int) -> None:
    assert prove_product(lanes_step(lanes, "ooooo")).inputs == (129 + 128 * lanes) * (1 + 128 * lanes)


@pytest.mark.parametrize(("make", "of"), [(multiplier, ("ob",)), (digit_step, (16, "bo")), (lanes_step, (2, "oo"))])
def test_random_elements_agree_with_the_field(make: Callable[..., FieldProduct], of: tuple[object, ...]) -> None:
    product, source = make(*of), random.Random(3)
    for _ in range(20):
        ports = {port.name: source.getrandbits(port.width) for port in product.circuit.inputs}
        assert product.circuit(**ports)["p"] == product.value(**ports)


def test_steps_of_a_digit_make_a_multiplication() -> None:
    step, source = digit_step(16, "bbb").circuit, random.Random(4)
    a, h, y = source.getrandbits(128), source.getrandbits(128), 0
    for at in range(112, -1, -16):
        y = step(y=y, d=a >> at & 0xFFFF, h=h)["p"]
    assert y == multiplier().value(a=a, b=h)


@pytest.mark.parametrize(
    ("make", "of", "gates", "levels"),
    [
        (multiplier, ("bbbbb",), 12_112, 21),
        (multiplier, ("ooooo",), 12_841, 15),
        (multiplier, ("oooo",), 13_654, 14),
        (lanes_step, (4, "ooooo"), 41_363, 18),
        (digit_step, (1,), 259, 2),
        (digit_step, (16, "bbb"), 2_925, 11),
        (digit_step, (64, "bbbb"), 7_631, 17),
    ],
)
def test_gates_and_levels(make: Callable[..., FieldProduct], of: tuple[object, ...], gates: int, levels: int) -> None:
    circuit = make(*of).circuit
    assert (len(circuit.gates), depth(circuit)) == (gates, levels)


@pytest.mark.parametrize(("splits", "published"), [("kkkkkkk", 14_287), ("kkkkk", 12_343), ("bbbbb", 11_620)])
def test_products_have_the_gates_of_the_publications(splits: str, published: int) -> None:
    assert len(product_circuit(splits).gates) == published


def mutated(circuit: Circuit, source: random.Random) -> Circuit:
    """One gate with another function, or with another input."""
    number = source.randrange(len(circuit.gates))
    gate = circuit.gates[number]
    if source.random() < 0.5:
        gate = replace(gate, op=source.choice([op for op in (Op.AND, Op.XOR, Op.OR, Op.XNOR) if op is not gate.op]))
    else:
        gate = replace(gate, args=(source.randrange(circuit.input_width + number), gate.args[1]))
    return replace(circuit, gates=(*circuit.gates[:number], gate, *circuit.gates[number + 1 :]))


def test_mutants_are_refused() -> None:
    """A mutant may compute the same, and may then pass; none that differs on random elements does."""
    product, source = multiplier("bbbb"), random.Random(5)
    cases = [source.getrandbits(256) for _ in range(256)]
    right = product.circuit.evaluate_ints(cases)
    differ = 0
    for _ in range(40):
        circuit = mutated(product.circuit, source)
        if circuit.evaluate_ints(cases) != right:
            differ += 1
            with pytest.raises(CheckError):
                prove_product(replace(product, circuit=circuit))
    assert differ >= 35


def _with(circuit: Circuit, **changes: object) -> Circuit:
    return replace(circuit, **changes)  # type: ignore[arg-type]


def test_wrong_circuits_of_each_kind_are_refused_and_their_right_twins_pass() -> None:
    product = multiplier("oo")
    circuit = product.circuit
    top = circuit.input_width + len(circuit.gates)
    first, *others = circuit.output_nodes

    def extended(*gates: CircuitGate) -> FieldProduct:
        return replace(product, circuit=_with(circuit, gates=circuit.gates + gates, output_nodes=(node, *others)))

    node = top
    with pytest.raises(CheckError, match=r"xnor of .* is not bilinear"):
        prove_product(extended(CircuitGate(Op.XNOR, (first, others[0]), 0)))
    with pytest.raises(CheckError, match="output bit 0 is wrong where of the inputs bit 3 and no bit is 1"):
        prove_product(extended(CircuitGate(Op.XOR, (first, 3), 0)))
    with pytest.raises(CheckError, match="output bit 0 is wrong where of the inputs no bit and bit 128 is 1"):
        prove_product(extended(CircuitGate(Op.XOR, (first, 128), 0)))
    # Right wherever at most one bit of each factor is 1: only its type betrays it.
    node = top + 1
    cubic = (CircuitGate(Op.AND, (0, 1), 0), CircuitGate(Op.XOR, (first, top), 0))
    with pytest.raises(CheckError, match=r"and of \(LEFT, LEFT\), is not bilinear"):
        prove_product(extended(*cubic))
    twice = (CircuitGate(Op.XOR, (first, 3), 0), CircuitGate(Op.XOR, (top, 3), 0))
    prove_product(extended(*twice))

    turned = replace(product, circuit=_with(circuit, output_nodes=circuit.output_nodes[::-1]))
    with pytest.raises(CheckError, match="output bit 0 is wrong"):
        prove_product(turned)


def test_the_right_circuit_of_another_product_is_refused() -> None:
    with pytest.raises(CheckError, match="is wrong"):
        prove_product(replace(digit_step(8), terms=(ProductTerm("y", shift=7), ProductTerm("d", "h"))))
    with pytest.raises(CheckError, match="its ports are not those of the product"):
        prove_product(replace(digit_step(8), terms=(ProductTerm("d", "h"),)))
    with pytest.raises(CheckError, match="port h is a left and a right factor"):
        prove_product(replace(digit_step(8), terms=(ProductTerm("y", "h"), ProductTerm("h"), ProductTerm("d"))))


def test_stages_compute_the_same_and_both_modules_lint(tmp_path: Path) -> None:
    product = digit_step(8, "bb")
    staged = pipeline(product.circuit, stages=2, model=LEVELS)
    assert staged.stages == 2
    prove_product(replace(product, circuit=staged.circuit))
    for name, text in (
        ("whole", systemverilog(product.circuit, "A step.", "whole")),
        ("cut", staged_systemverilog(staged, "A step.", "cut", enable=True)),
    ):
        (tmp_path / f"{name}.sv").write_text(text, encoding="utf-8")
        verilator = find_verilator()
        run = subprocess.run(
            [str(verilator.command), "--lint-only", "-Wall", "--top-module", name, f"{name}.sv"],
            cwd=tmp_path,
            env=verilator.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: multiplier("bx"), "splits: must be a word of the letters b, k and o, not 'bx'"),
        (lambda: multiplier("b" * 8), "splits: 128 coefficients can't be halved 8 times"),
        (lambda: digit_step(24), "digit: must divide 128, not 24"),
        (lambda: digit_step(0), "digit: must divide 128, not 0"),
        (lambda: digit_step(4, "bbb"), "splits: 4 coefficients can't be halved 3 times"),
        (lambda: lanes_step(0), "lanes: must be 1 or more, not 0"),
    ],
)
def test_what_can_not_be_built_is_refused(wrong, told: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(RequestError, match=told):
        wrong()
