"""Circuits masked gate by gate: they compute the same, keep their secrets, and are scheduled as well as can be."""

from __future__ import annotations

import random
from typing import Any

import pytest

from aesmith.assurance.probing.check import ProbingVerdict, check_pini, check_probing
from aesmith.circuits.circuit import CircuitBuilder, Op
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.masking import gatewise
from aesmith.masking.gadgets import dom
from aesmith.masking.gatewise import masked_circuit
from aesmith.masking.sbox import masked_sbox
from aesmith.masking.sharing import MaskedCircuit
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function

SECURE, LEAKS, NOT_SHOWN = ProbingVerdict


def results(masked: MaskedCircuit, seed: int = 1) -> list[int]:
    """Of all operands, with shares and fresh bits by chance."""
    chance = random.Random(seed)
    width = sum(port.width for port in masked.operands)
    cases = list(range(1 << width))
    shares = [[chance.getrandbits(width) for _ in cases] for _ in range(masked.order)]
    return masked.unmasked(cases, shares, [chance.getrandbits(masked.fresh_bits) for _ in cases])


@pytest.mark.parametrize(
    ("name", "function", "clocks", "fresh", "register_bits"),
    [
        ("boyar2012", Function.FORWARD, 4, 68, 300),
        ("teng2022", Function.FORWARD, 4, 70, 300),
        ("canright2005", Function.FORWARD, 4, 80, 334),
        ("boyar2010", Function.FORWARD, 6, 64, 386),
        ("canright2005", Function.INVERSE, 4, 80, 337),
    ],
)
def test_any_s_box_is_masked(name: str, function: Function, clocks: int, fresh: int, register_bits: int) -> None:
    masked = masked_circuit(sbox(name).circuit(function), 1)
    table = {Function.FORWARD: aes.SBOX, Function.INVERSE: aes.INVERSE_SBOX}[function]
    assert results(masked) == list(table)
    assert (masked.latency, masked.fresh_bits) == (clocks, fresh)
    assert masked.staged.register_bits <= register_bits
    assert check_probing(masked).verdict is SECURE
    assert check_pini(masked).verdict is SECURE
    assert masked.fresh_bits > masked_sbox(1).fresh_bits


def test_three_shares_are_the_same_function() -> None:
    masked = masked_circuit(sbox("boyar2012").circuit(Function.FORWARD), 2)
    assert results(masked) == list(aes.SBOX)
    assert masked.fresh_bits == 3 * 68


@pytest.mark.parametrize("op", [op for op in Op if op.arity])
@pytest.mark.parametrize("order", [1, 2])
def test_every_gate_is_masked(op: Op, order: int) -> None:
    builder = CircuitBuilder(str(op))
    wires = [builder.input(f"x{i}", 1)[0] for i in range(op.arity)]
    builder.output("y", [builder.gate(op, *wires)])
    circuit = builder.build()
    masked = masked_circuit(circuit, order)
    wanted = circuit.evaluate_ints(range(1 << op.arity))
    assert results(masked) == wanted
    assert check_probing(masked).verdict is SECURE


def test_equal_and_constant_gates_are_not_masked_twice() -> None:
    builder = CircuitBuilder("twice")
    a, b = (builder.input(name, 1)[0] for name in "ab")
    one = builder.gate(Op.ONE)
    first = builder.gate(Op.AND, builder.gate(Op.AND, a, one), b)
    second = builder.gate(Op.NOR, builder.gate(Op.NOT, b), builder.gate(Op.NOT, a))
    builder.output("y", [builder.gate(Op.XOR, first, builder.gate(Op.AND, second, a))])
    masked = masked_circuit(builder.build(), 1)
    assert results(masked) == [0, 0, 0, 0]
    assert masked.fresh_bits == 2 * 2


def test_a_constant_output_is_refused() -> None:
    builder = CircuitBuilder("constant")
    a = builder.input("a", 1)[0]
    builder.output("y", [builder.gate(Op.XNOR, a, a)])
    builder.output("z", [builder.gate(Op.AND, a, builder.gate(Op.NOT, a))])
    with pytest.raises(RequestError, match="constant: an output is always 1, and there is nothing to mask"):
        masked_circuit(builder.build(), 1)


def test_dom_in_the_place_of_hpc3_leaks() -> None:
    leaky = masked_circuit(sbox("boyar2012").circuit(Function.FORWARD), 1, gadget=dom)
    assert results(leaky) == list(aes.SBOX)
    assert check_probing(leaky).verdict is LEAKS


def test_products_begin_when_the_fewest_bits_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = sbox("boyar2010").circuit(Function.FORWARD)
    best = masked_circuit(circuit, 1)

    def earliest(*given: Any, **_: Any) -> tuple[int, ...]:
        return tuple(first for first, _ in given[2])

    monkeypatch.setattr(gatewise, "least_lifetimes", earliest)
    early = masked_circuit(circuit, 1)
    assert results(early) == results(best)
    assert early.latency == best.latency
    assert early.staged.register_bits > best.staged.register_bits
