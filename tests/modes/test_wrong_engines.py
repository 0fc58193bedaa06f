"""Every engine that `benchmarks/` has found wrong by traffic or refuted can be made, whichever of them a run simulates.

A run takes part of the cases of long tests; what is left out would hide that the sources have moved on.
"""

from __future__ import annotations

import pytest
from tests.docs.scripts import script as script_of
from tests.modes.engine_bench import wrong_engine


@pytest.mark.thorough
@pytest.mark.one_in(1)
def test_the_text_of_each_that_traffic_finds_stands_in_the_right_one_once() -> None:
    lists = [(right, each) for right, each, _ in script_of("engine_traffic").wrong_lists()]
    gone = []
    for right, each in lists:
        for name, fault in each.items():
            try:
                wrong_engine(right, "wrong", *fault)
            except AssertionError as error:
                gone.append((right.title, name, str(error)))
    assert gone == []


@pytest.mark.thorough
@pytest.mark.one_in(1)
def test_each_that_a_proof_refutes_can_be_made_of_one_of_the_right_ones() -> None:
    script = script_of("prove_engines")
    gone = [
        (named, name)
        for named, family in script.families().items()
        for number, (name, fault) in enumerate(family.wrong.items())
        if not list(script.wrong_ones(family, number, fault))
    ]
    assert gone == []
