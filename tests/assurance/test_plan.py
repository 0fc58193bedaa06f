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


@pytest.mark.parametrize(("block_width", "key_width", "beats"), [(8, 8, (16, 16)), (32, 16, (8, 4)), (64, 128, (1, 2))])
def test_beats_follow_from_the_widths_of_both_channels(
    block_width: int, key_width: int, beats: tuple[int, int]
) -> None:
    ports = block_interface((128,), (Direction.ENCRYPT,), block_width, key_width)
    facts = facts_of(replace(iterative(), directions=(Direction.ENCRYPT,), ports=ports))
    assert (facts.key_beats, facts.block_beats) == beats


def test_a_width_that_divides_no_block_or_key_is_refused() -> None:
    with pytest.raises(RequestError, match="block_width: must be 8, 16, 32, 64 or 128, not 24"):
        block_interface((128,), (Direction.ENCRYPT,), 24)
    with pytest.raises(RequestError, match="key_width: must be whole bytes that divide a key of 128 bits, not 48"):
        block_interface((128,), (Direction.ENCRYPT,), 8, 48)


def test_each_scenario_has_its_function() -> None:
    assert list(scenarios.FUNCTIONS) == list(SCENARIOS)
