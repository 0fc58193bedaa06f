"""Cores with several blocks in flight: AES for any number of them, proved by slots, and wrong ones refuted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.proof.behaviour import SLOTS, prove_netlist
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.interface import block_ports
from aesmith.assurance.proof.partition import find_pipeline
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.assurance.proof.slot_clocks import SlotProof
from aesmith.assurance.proof.slots import SlotProver
from aesmith.check_proof import check_certificate
from aesmith.cores.design import CoreDesign
from aesmith.cores.round_based.slot_circuits import GATES, SlotCircuits
from aesmith.cores.round_based.ueno import UenoTower
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.testing.mutants import mutants

MAPS = UenoTower(0x09, 0x50, 0x69).maps


def core(slots: int, *, change: tuple[str, str, str] | None = None, **fields: object) -> CoreDesign:
    """The core; `change` is a source, by the end of its name, and what in it is another text."""
    given = {"architecture": "ueno2020-enc", "blocks_in_flight": slots, **fields}
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


def slot_proof(design: CoreDesign, folder: Path) -> SlotProof:
    netlist = elaborate(design, folder)
    pipeline = find_pipeline(netlist)
    assert pipeline is not None
    return SlotProver(netlist, block_ports(netlist, design), pipeline).run(Limits())


def test_more_slots_have_no_longer_stages_and_the_key_goes_along() -> None:
    longest = []
    for slots in range(2, 9):
        circuits = SlotCircuits(MAPS, slots)
        assert (circuits.column.stages, circuits.key_step.stages) == (slots, slots)
        longest.append(max(circuits.column.stage_delays(GATES)))
        assert max(circuits.key_step.stage_delays(GATES)) <= longest[-1]
    assert longest == sorted(longest, reverse=True)
    assert longest[0] > 1.7 * longest[2]


def test_a_pair_sum_made_twice_is_kept_by_eight_bits_at_a_cut_behind_the_norm() -> None:
    # 5 bits of the inverse of the norm and 8 of the byte in each row, not 20 pair sums.
    assert len(SlotCircuits(MAPS, 3).column.registers[0]) == 4 * (5 + 8)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"rounds_per_clock": 2}, "rounds_per_clock: must be 1 with 3 blocks in flight, not 2"),
        ({"clock_gates": True}, "clock_gates: must be false with 3 blocks in flight, not true"),
        ({"blocks_in_flight": 9}, "blocks_in_flight: must be .*8"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(fields: dict[str, object], told: str) -> None:
    with pytest.raises(RequestError, match=told):
        parse_specification({"architecture": "ueno2020-enc", "blocks_in_flight": 3, **fields})


def test_one_block_in_flight_is_the_core_as_it_was() -> None:
    plain = build_design(parse_specification({"architecture": "ueno2020-enc"}), "core", "core")
    assert core(1).sources == plain.sources


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(("slots", "key_bits"), [(2, 128), (3, 192), (4, 256), (5, 128), (8, 128)])
def test_slots_are_proved_by_slots(slots: int, key_bits: int, tmp_path: Path) -> None:
    proof = slot_proof(core(slots, key_bits=key_bits), tmp_path)
    moves = aes.rounds(key_bits) * slots
    assert (proof.violation, proof.open_reason) == (None, "")
    assert (proof.moves, proof.period) == (moves, slots)
    # With every slot full a result, a key and a block wait for one whole block at most.
    assert (proof.result_bound, proof.key_bound, proof.block_bound) == (moves + 1,) * 3


WRONG = {
    "the ring goes on though a result is not taken": ("moves_o = ~offering_q | block_ready_i", "moves_o = 1'b1"),
    "a result that is taken stays": ("moves_o = ~offering_q | block_ready_i", "moves_o = ~offering_q"),
    "a result is offered a round early": ("round_d[Slots-1] == Last;", "round_d[Slots-1] == Last - First;"),
    "a block is taken where there is one": ("block_ready_o = load_q & key", "block_ready_o = key"),
    "a block is taken before a key": ("load_q & key_known_q & moves_o", "load_q & moves_o"),
    "a slot is loaded though no block came": ("else if (block_valid_i & key_known_q)", "else"),
}


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize("what", WRONG)
def test_wrong_control_is_not_proved(what: str, tmp_path: Path) -> None:
    before, after = WRONG[what]
    proof = slot_proof(core(2, change=("_slot_sequencer.sv", before, after)), tmp_path)
    assert proof.violation is not None or proof.open_reason


@pytest.mark.thorough
def test_wrong_cores_are_refuted_with_a_run(tmp_path: Path) -> None:
    changes = [("_slot_sequencer.sv", *WRONG[what]) for what in WRONG]
    changes.append(("_slot_core.sv", "round_key_q <= next_key;", "if (!load) round_key_q <= next_key;"))
    changes.append(("_slot_core.sv", "if (key_load) initial_key_q", "if (key_load & ~load) initial_key_q"))
    for number, change in enumerate(changes):
        report = prove(core(4, change=change), tmp_path / str(number), Limits())
        assert any(part.verdict is Verdict.REFUTED for part in report.parts), change


@pytest.mark.thorough
def test_a_core_of_four_slots_is_proved_and_its_certificate_accepted(tmp_path: Path) -> None:
    report = prove(core(4), tmp_path, Limits())
    assert report.proved
    assert SLOTS in {part.engine for part in report.parts}
    accepted = check_certificate(tmp_path / "certificate.json", tmp_path / "rtl")
    assert accepted.bounds == dict.fromkeys(accepted.bounds, 41)


@pytest.mark.thorough
def test_mutants_of_the_netlist_are_refuted_or_equal(tmp_path: Path) -> None:
    design = core(4)
    netlist = elaborate(design, tmp_path)
    ports, tokens = block_ports(netlist, design), Tokens()
    refuted = 0
    for mutant in mutants(netlist, 8, seed=3):
        outcome = prove_netlist(mutant.netlist, ports, Limits(), tokens=tokens, clocks=400)
        assert outcome.proved or outcome.run is not None, f"{mutant.kind}: {mutant.place}"
        refuted += outcome.run is not None
    assert refuted >= 7
