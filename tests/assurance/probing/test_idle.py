"""Slots without a block carry constants: the cores do, and each that lets something stale in is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.probing.idle import IdleReport, check_idle_slots
from aesmith.assurance.proof.shares.core import with_ranks
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError


def core(**fields: object) -> CoreDesign:
    specification = parse_specification({"preset": "masked-round-gated-enc", **fields})
    return build_design(specification, "core", "masked-round-gated-enc")


def walked(design: CoreDesign, folder: Path) -> IdleReport:
    return check_idle_slots(design, with_ranks(design, folder))


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("fields", "states"), [({}, 128), ({"clocks": 3, "order": 2, "output": "registered"}, 218)], ids=["plain", "other"]
)
def test_slots_without_a_block_carry_constants(fields: dict[str, object], states: int, tmp_path: Path) -> None:
    assert walked(core(**fields), tmp_path) == IdleReport(states, 16 * states)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("preset", "states"), [("masked-serial-gated-enc", 10588), ("masked-serial-keyed-gated-enc", 717)]
)
def test_a_core_on_bytes_lets_nothing_in_while_a_result_leaves(preset: str, states: int, tmp_path: Path) -> None:
    """The key of the second comes with the block, and is of it."""
    design = core(preset=preset)
    assert walked(design, tmp_path / "sound").states == states
    old, new = "assign round_o = ~take_q & ~leave_q & ~turn_o;", "assign round_o = ~take_q & ~turn_o;"
    stale = tuple(replace(source, text=source.text.replace(old, new)) for source in design.sources)
    assert stale != tuple(design.sources)
    with pytest.raises(CheckError, match=r"R4: .*slots without a block must carry constants"):
        walked(replace(design, sources=stale), tmp_path / "stale")


TURN = "({128{turn_i}} & (mixed ^ next_key))"
OLD = "takes what is of no block in work"


@pytest.mark.thorough(but=3)
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param(TURN, "(~{128{load_i}} & (mixed ^ next_key))", OLD, id="all slots go round"),
        pytest.param(TURN, "(({128{turn_i}} & mixed) ^ (~{128{load_i}} & next_key))", OLD, id="an old round key"),
        pytest.param("({128{turn_i}} & next_key)", "(~{128{load_i}} & next_key)", OLD, id="the key's slots go round"),
        pytest.param("(free & block_valid_i)", "free", OLD, id="a block that was not taken"),
        pytest.param("turn_o = turn_q;", "turn_o = phase_q[1];", OLD, id="the wrong slot"),
        pytest.param(
            "turn_o = turn_q;", "turn_o = turn_q | (phase_q[1] & constant_q[1]);", "an idle slot", id="zeros go round"
        ),
        pytest.param(
            "turn_o = turn_q;", "turn_o = turn_q | offering_q;", "a mixture of two blocks", id="a result and a block"
        ),
    ],
)
def test_what_is_stale_does_not_enter(old: str, new: str, told: str, tmp_path: Path) -> None:
    design = core()
    assert any(old in source.text for source in design.sources), old
    sources = tuple(replace(source, text=source.text.replace(old, new)) for source in design.sources)
    with pytest.raises(CheckError, match=rf"R4: .*x_\d_1_q\[\d\] takes {told.removeprefix('takes ')}"):
        walked(replace(design, sources=sources), tmp_path)


def test_a_handshake_that_nothing_defines_is_not_followed(tmp_path: Path) -> None:
    """A register that reset leaves alone decides whether a block is taken."""
    design = core()
    old, new = "block_ready_o = free & random_valid_i;", "block_ready_o = free & random_valid_i & constant_q[0];"
    sources = tuple(replace(source, text=source.text.replace(old, new)) for source in design.sources)
    with pytest.raises(CheckError, match="block_ready_o does not follow from control alone"):
        walked(replace(design, sources=sources), tmp_path)
