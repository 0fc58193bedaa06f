"""The core of 32 bits for both directions: its clocks, key sizes and faults."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.plan import SCENARIOS, SimulationPlan
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.simulation import simulate
from aesmith.cores.column.two_way import inverse_mix_columns
from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.specification import build_design, parse_specification
from aesmith.fields import aes
from aesmith.publish.trace import check_schedule, trace_core
from aesmith.testing.mutants import with_fault

PRESET = "column-beat32-gated-encdec"


def core(**fields: object) -> CoreDesign:
    """The core of a specification, called `two_way`."""
    return build_design(parse_specification({"preset": PRESET, **fields}), "two_way", PRESET)


def test_inverse_mix_columns_is_that_of_the_standard() -> None:
    matrix = aes.column_matrix(aes.INVERSE_MIX_COLUMNS)
    circuit = inverse_mix_columns()
    assert [circuit(x=1 << bit)["y"] for bit in range(32)] == [matrix.apply(1 << bit) for bit in range(32)]


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


@pytest.mark.slow
def test_it_is_proved(tmp_path: Path) -> None:
    assert prove(core(), tmp_path).verdict is Verdict.PROVED


@pytest.mark.parametrize("fields", [{"preset": "column-beat32-enc"}, {"key_bits": [128, 192, 256]}])
def test_its_waveform_has_the_clocks_it_states(fields: dict[str, object], tmp_path: Path) -> None:
    design = core(**fields)
    check_schedule(design, trace_core(design, tmp_path / "trace"))


@pytest.mark.slow
def test_clocks_of_decryption_are_checked_too(tmp_path: Path) -> None:
    right = core()
    wrong = replace(right, other_clocks={**right.other_clocks, (128, Direction.DECRYPT): (109, 111)})
    scenarios = ("timing",)
    (timing,) = simulate(wrong, tmp_path, SimulationPlan(scenarios=scenarios)).scenarios
    assert "latency_cycles: the design says 111, decryption took 112" in timing.failure


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "broken"),
    [
        # The first key word of decryption is not in its place.
        ("forward_o = ~at_end_q | key_take_o | (slot_q.of_key & first_q)", "forward_o = ~at_end_q | key_take_o"),
        # The schedule runs on where all words are made.
        ("assign run_ends = ~busy_q & steps & made;", "assign run_ends = ~busy_q & slot_q.three & made;"),
        # A new key does not stand at the beginning.
        ("at_end_d = at_end & ~key_take_o;", "at_end_d = at_end;"),
        # A block in the other direction begins at the wrong end.
        ("(decrypt_i != at_end)", "1'b0"),
        # Columns of a decrypted block are not in reverse.
        ("assign up_o = (ring_q == Fill) ? decrypt_i :", "assign up_o = (ring_q == Fill) ? 1'b0 :"),
        # The last column goes by the S-boxes.
        ("assign last_o = last & steps;", "assign last_o = last;"),
        # A key is taken between the words of a block.
        ("(ring_q == Fill) & (count_q == '0) & ~moving", "(ring_q == Fill) & ~moving"),
    ],
)
def test_a_broken_core_is_refuted(right: str, broken: str, tmp_path: Path) -> None:
    assert prove(with_fault(core(), right, broken), tmp_path).verdict is Verdict.REFUTED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "broken"),
    [
        # With 192 bits the front of the state does not stand still while a word of the key enters.
        ("front_advance_o = steps | (", "front_advance_o = steps | slot_q.of_key_6 | ("),
        # SubWord has the place of another round.
        ("assign middle = words_o[1] & (third_q == 2'd1);", "assign middle = words_o[1] & (third_q == 2'd2);"),
        # The first constant backward is another size's.
        ("if (words_o[1]) last_constant = 8'h80;", ""),
    ],
)
def test_a_broken_core_of_192_bits_is_refuted(right: str, broken: str, tmp_path: Path) -> None:
    assert prove(with_fault(core(key_bits=192), right, broken), tmp_path).verdict is Verdict.REFUTED
