"""A plan or a design that makes no sense is refused before any work."""

from dataclasses import replace

import pytest

from aesmith.assurance.plan import SCENARIOS, SimulationPlan, facts_of
from aesmith.assurance.testbench import scenarios
from aesmith.cores.design import Direction
from aesmith.cores.ports import block_interface
from aesmith.errors import RequestError

from .standins import iterative


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("random_pairs", 0, "random_pairs: must be at least 1, not 0"),
        ("monte_carlo_rounds", 101, r"monte_carlo_rounds: must be 1 to 100 .*, not 101"),
        ("seed", -1, "seed: must be 0 to 2147483647, not -1"),
        ("stall_rates", ((0.1, 0.1, 1.0),), "stall_rates: each must be three probabilities from 0 to 0.95"),
        ("scenarios", ("timing", "speed"), r"scenarios: must be one or more of known-answers, .*; not speed"),
        ("scenarios", (), "not none at all"),
    ],
)
def test_a_value_out_of_range_is_refused_with_the_rule(field: str, value: object, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        SimulationPlan(**{field: value})  # type: ignore[arg-type]


def test_facts_are_of_one_key_size() -> None:
    with pytest.raises(RequestError, match=r"key_bits: .*one key size, not 2"):
        facts_of(replace(iterative(), key_bits=(128, 256)))


def test_a_block_width_of_another_interface_is_refused() -> None:
    with pytest.raises(RequestError, match="block_width: must be 128 or 8, not 32"):
        facts_of(replace(iterative(), ports=block_interface((128,), (Direction.ENCRYPT,), 32)))


def test_each_scenario_has_its_function() -> None:
    assert list(scenarios.FUNCTIONS) == list(SCENARIOS)
