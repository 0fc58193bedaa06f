"""The multiplier in stages: its kept cuts, what they are of, and what comes out of them clock by clock."""

from __future__ import annotations

import random

import numpy as np
import pytest

from aesmith.circuits.circuit import Circuit, ints_from, words_from
from aesmith.circuits.cost import LEVELS
from aesmith.circuits.multipliers import field_128
from aesmith.circuits.multipliers.field_128 import (
    FieldProduct,
    circuit_digest,
    format_cuts,
    multiplier,
    searched,
    staged_multiplier,
)
from aesmith.circuits.multipliers.proving import prove_product
from aesmith.circuits.pipeline import StagedCircuit
from aesmith.errors import RequestError

KEPT = {("oooo", 2): (8, 1010), ("oooo", 3): (6, 1846), ("oooo", 4): (4, 3682), ("ooooo", 2): (9, 870),
        ("ooooo", 3): (6, 2322)}  # fmt: skip
"""Levels of the longest stage, and registers between the stages."""


@pytest.mark.parametrize(("splits", "stages"), KEPT)
def test_what_is_kept_is_of_the_circuit_and_as_short_as_is_said(splits: str, stages: int) -> None:
    circuit = multiplier(splits).circuit
    assert field_128._kept()[f"{splits} {stages}"]["circuit"] == circuit_digest(circuit)
    cut = staged_multiplier(splits, stages)
    assert cut.circuit == circuit
    assert (max(cut.stage_delays(LEVELS)), cut.register_bits) == KEPT[splits, stages]


@pytest.mark.thorough
def test_a_search_finds_what_is_kept_and_writes_it_so() -> None:
    found = searched(multiplier("ooooo").circuit, 2)
    assert found.registers == staged_multiplier("ooooo", 2).registers
    assert format_cuts([("ooooo", found)]).splitlines()[1] in _lines()


def _lines() -> list[str]:
    file = field_128.resources.files("aesmith.circuits.multipliers").joinpath("data", field_128.FILE)
    return [line.rstrip(",") for line in file.read_text(encoding="utf-8").splitlines()]


def test_cuts_of_another_circuit_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    other = {"ooooo 2": {"circuit": "0" * 16, "registers": [[0]]}}
    monkeypatch.setattr(field_128, "_kept", lambda: other)
    asked = []

    def found(circuit: Circuit, stages: int) -> str:
        asked.append((circuit.name, stages))
        return "searched"

    monkeypatch.setattr(field_128, "searched", found)
    assert field_128.staged_multiplier.__wrapped__("ooooo", 2) == "searched"
    assert asked == [("multiplier_ooooo", 2)]


def products(cut: StagedCircuit, pairs: list[tuple[int, int]]) -> list[int]:
    """What leaves the last stage for each pair, one pair a clock."""
    clocks = len(pairs) + cut.latency
    words = np.zeros((clocks, 256, 1), dtype=np.uint64)
    for clock, (a, b) in enumerate(pairs):
        words[clock] = words_from([a >> i & 1 for i in range(128)] + [b >> i & 1 for i in range(128)], (1,))
    made = cut.simulate(words)[cut.latency :]
    return [sum(bit << i for i, bit in enumerate(ints_from(row))) for row in made]


@pytest.mark.parametrize(("splits", "stages"), [("oooo", 2), ("ooooo", 3)])
def test_a_product_a_clock_leaves_the_last_stage(splits: str, stages: int) -> None:
    rng = random.Random(stages)
    pairs = [(rng.getrandbits(128), rng.getrandbits(128)) for _ in range(20)]
    product, cut = multiplier(splits), staged_multiplier(splits, stages)
    assert products(cut, pairs) == [product.value(a=a, b=b) for a, b in pairs]
    prove_product(FieldProduct(cut.circuit, product.terms))


def test_a_product_of_another_pair_is_seen() -> None:
    cut = staged_multiplier("ooooo", 2)
    pairs = [(3, 5), (1 << 127, 2)]
    assert products(cut, pairs) != products(cut, pairs[::-1])


def test_more_stages_than_levels_are_refused() -> None:
    with pytest.raises(RequestError, match="stages: must be 1 to"):
        staged_multiplier("oooo", 40)
