"""Cores for both directions with several blocks in flight are AES, for each key size or choice; wrong ones fail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign
from aesmith.cores.round_based.slot_circuits import GATES
from aesmith.cores.round_based.two_way_slots import TwoWaySlotCircuits
from aesmith.cores.round_based.ueno import UenoTower
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import RequestError

MAPS = UenoTower(0xAA, 0xED, 0x98).maps
QUICK = SimulationPlan(random_pairs=60, monte_carlo_rounds=1)
ENCDEC, SELECTABLE = "ueno2020-encdec", "ueno2020-encdec-selectable"
SEQUENCER = "_two_way_slot_sequencer.sv"


def core(slots: int, *, change: tuple[str, str, str] | None = None, **fields: object) -> CoreDesign:
    """The core; `change` is a source, by the end of its name, and what in it is another text."""
    given = {"architecture": ENCDEC, "blocks_in_flight": slots, **fields}
    design = build_design(parse_specification(given), "core", "core")
    if change is None:
        return design
    file, before, after = change
    assert sum(before in source.text for source in design.sources if source.name.endswith(file)) == 1
    sources = [
        replace(source, text=source.text.replace(before, after)) if source.name.endswith(file) else source
        for source in design.sources
    ]
    return replace(design, sources=tuple(sources))


def test_a_round_key_is_added_before_the_cut_that_both_directions_share() -> None:
    # 10 bits of each byte cross the cut behind the inverters, whatever the direction; 2·8 begin the ring.
    circuits = TwoWaySlotCircuits(MAPS, 3)
    assert len(circuits.column.registers[1]) == 4 * 10
    assert len(circuits.column.circuit.output_nodes) == 4 * 32


def test_more_slots_have_no_longer_stages() -> None:
    longest = [max(TwoWaySlotCircuits(MAPS, slots).column.stage_delays(GATES)) for slots in range(2, 9)]
    assert longest == sorted(longest, reverse=True)
    assert longest[0] > 1.5 * longest[1]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"clock_gates": True}, "clock_gates: must be false with 3 blocks in flight, not true"),
        ({"demultiplexer": False}, "demultiplexer: must be true with 3 blocks in flight, not false"),
        ({"blocks_in_flight": 9}, "blocks_in_flight: must be .*8"),
        (
            {"architecture": SELECTABLE, "clock_gates": True},
            "clock_gates: must be false with 3 blocks in flight, not true",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(fields: dict[str, object], told: str) -> None:
    with pytest.raises(RequestError, match=told):
        build_design(parse_specification({"architecture": ENCDEC, "blocks_in_flight": 3, **fields}), "core", "core")


@pytest.mark.parametrize("architecture", [ENCDEC, SELECTABLE])
def test_one_block_in_flight_is_the_core_as_it_was(architecture: str) -> None:
    plain = build_design(parse_specification({"architecture": architecture}), "core", "core")
    assert core(1, architecture=architecture).sources == plain.sources


@pytest.mark.slow
@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("slots", "fields"),
    [
        (3, {}),
        (2, {}),
        (4, {"key_bits": 192}),
        (5, {"key_bits": 256}),
        (8, {}),
        (2, {"architecture": SELECTABLE}),
        (3, {"architecture": SELECTABLE}),
        (4, {"architecture": SELECTABLE}),
    ],
)
def test_it_is_aes_in_both_directions_in_the_stated_clocks(
    slots: int, fields: dict[str, object], tmp_path: Path
) -> None:
    report = simulate(core(slots, **fields), tmp_path, QUICK)
    assert report.passed, report.failures


WRONG = {
    "the ring goes on though a result is not taken": ("moves = ~offering_q | block_ready_i", "moves = 1'b1"),
    "a block is loaded under the key before": ("{Lead{~changes}}", "'1"),
    "a run that began from another key turns": ("if (changes) run_d = '0;", ""),
    "a key comes into a run without a block": ("key_ready_o = ~expands_q", "key_ready_o = 1'b1"),
    "a block is taken in the wrong direction": ("block_ready_o = free & ~wrong_end", "block_ready_o = free"),
    "the first round of encryption adds a key": ("adds_q <= ~loads_q & ", "adds_q <= "),
    "a run without a block is offered": (" & ~expanding_d[Slots-1]", ""),
}


@pytest.mark.slow
@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("what", WRONG)
def test_wrong_control_fails(what: str, tmp_path: Path) -> None:
    assert not simulate(core(3, change=(SEQUENCER, *WRONG[what])), tmp_path, QUICK).passed
