"""The core of 32 bits for both directions: its clocks, key sizes and faults."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.plan import SCENARIOS, SimulationPlan
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.simulation import simulate
from aesmith.circuits.linear.named import named_map
from aesmith.cores.column.two_way import before_inverse_mix_columns
from aesmith.cores.design import Clocks, CoreDesign, Direction
from aesmith.cores.specification import build_design, parse_specification
from aesmith.fields import aes
from aesmith.publish.trace import check_schedule, trace_core
from aesmith.testing.mutants import with_fault

pytestmark = pytest.mark.one_in(2)

PRESET = "column-beat32-gated-encdec"


def core(**fields: object) -> CoreDesign:
    """The core of a specification, called `two_way`."""
    return build_design(parse_specification({"preset": PRESET, **fields}), "two_way", PRESET)


def test_mix_columns_after_what_stands_before_it_is_the_inverse_of_the_standard() -> None:
    matrix = aes.column_matrix(aes.INVERSE_MIX_COLUMNS)
    before, mix = before_inverse_mix_columns(), named_map("mixcolumns").matrix
    assert [mix.apply(before(x=1 << bit)["y"]) for bit in range(32)] == [matrix.apply(1 << bit) for bit in range(32)]


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    "fields",
    [
        {"clock_gates": False},
        {"key_bits": 192},
        {"key_bits": 256},
        {"key_bits": [128, 192, 256], "output": "registered"},
    ],
)
def test_it_is_aes_both_ways_whatever_the_stalls_and_takes_the_clocks_it_states(
    fields: dict[str, object], tmp_path: Path
) -> None:
    scenarios = tuple(name for name in SCENARIOS if name != "monte-carlo")
    report = simulate(core(**fields), tmp_path, SimulationPlan(random_pairs=20, scenarios=scenarios))
    assert [s.failure for s in report.scenarios if not s.passed] == []


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("preset", [PRESET, f"{PRESET}-selectable"])
def test_it_is_proved(preset: str, tmp_path: Path) -> None:
    assert prove(core(preset=preset), tmp_path).verdict is Verdict.PROVED


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("fields", [{"preset": "column-beat32-enc"}, {"key_bits": [128, 192, 256]}])
def test_its_waveform_has_the_clocks_it_states(fields: dict[str, object], tmp_path: Path) -> None:
    design = core(**fields)
    check_schedule(design, trace_core(design, tmp_path / "trace"))


@pytest.mark.thorough(but=2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("direction", "stated", "told"),
    [
        (Direction.DECRYPT, Clocks(96, 100, 101), "latency_cycles: the design says 100, decryption took 101"),
        # What was stated: the clocks of decryption for both, and the first block's for each.
        (Direction.ENCRYPT, Clocks(96, 63, 110), "cycles_per_block: the design says 96, encryption took 105"),
        (Direction.ENCRYPT, Clocks(105, 63, 63), "worst_latency_cycles: the design says 63, encryption took 110"),
    ],
)
def test_clocks_of_each_direction_are_checked(direction: Direction, stated: Clocks, told: str, tmp_path: Path) -> None:
    right = core()
    wrong = replace(right, other_clocks={**right.other_clocks, (128, direction): stated})
    (timing,) = simulate(wrong, tmp_path, SimulationPlan(scenarios=("timing",))).scenarios
    assert told in timing.failure


@pytest.mark.thorough(but=2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "broken"),
    [
        # Backward the first key word of a run is not the sum of two.
        ("assign second_last_o = slot_q.of_key & words_o[0] & at_end_q;", "assign second_last_o = 1'b0;"),
        # Backward a word is added that has been replaced.
        ("last_word_o = ~at_end_q | slot_q.zero;", "last_word_o = 1'b1;"),
        # The schedule runs on where all words are made.
        ("(busy_q ? last & words_o[0] : last | closing)", "last & (words_o[0] | ~busy_q)"),
        # A new key does not stand at the beginning.
        ("at_end_d = at_end & ~key_take_o;", "at_end_d = at_end;"),
        # A new key does not begin with the first constant.
        ("if (key_take_o) constant_d = FirstConstant;", ""),
        # A block in the other direction begins at the wrong end.
        ("(decrypt_i != at_end)", "1'b0"),
        # Rows are turned as for encryption.
        ("assign left_o = ~at_end_q | half_o;", "assign left_o = 1'b1;"),
        # A byte that overtakes does not.
        ("((slot_q.three | slot_q.two | inserted) & ~last)", "((slot_q.three | inserted) & ~last)"),
        # The last column goes by the S-boxes.
        ("assign last_o = works & last & steps;", "assign last_o = works & last;"),
        # A key is taken between the words of a block.
        ("(ring_q == Fill) & (count_q == '0) & (slot_q == Idle)", "(ring_q == Fill) & (slot_q == Idle)"),
    ],
)
def test_a_broken_core_is_refuted(right: str, broken: str, tmp_path: Path) -> None:
    assert prove(with_fault(core(), right, broken), tmp_path).verdict is Verdict.REFUTED


@pytest.mark.thorough(but=3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "broken"),
    [
        # With 192 bits the front of the state does not stand still while a word of the key enters.
        ("front_advance_o = moves | (works & (steps", "front_advance_o = moves | (works & (steps | slot_q.of_key_6"),
        # SubWord has the place of another round.
        ("(swapped ? third_q == 2'd0 : third_q[0])", "third_q[0]"),
        # Columns of every other round key are not in the order of the ring.
        ("assign half_o = words_o[1] & at_end_q;", "assign half_o = 1'b0;"),
        # The ring does not turn to where the other direction begins.
        ("assign ends = slot_q.three & (busy_q ? last & words_o[0]", "assign ends = slot_q.three & (busy_q ? last"),
        # The last constant forward is another size's.
        ("(words_o[1] & constant_q[7])", "(words_o[1] & constant_q[6])"),
    ],
)
def test_a_broken_core_of_192_bits_is_refuted(right: str, broken: str, tmp_path: Path) -> None:
    assert prove(with_fault(core(key_bits=192), right, broken), tmp_path).verdict is Verdict.REFUTED
