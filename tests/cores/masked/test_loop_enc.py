"""The masked core with a block in each rank of its S-boxes: AES in shares, and each wrong one is found."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.probing.structure import check_structure
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError

pytestmark = pytest.mark.one_in(5)

PROVED, REFUTED, REFUSED, OPEN = Verdict


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens()


def core(*changes: tuple[str, str], **fields: object) -> CoreDesign:
    """The core, with texts in its sources replaced; each must stand somewhere."""
    preset = "masked-loop-gated-enc"
    design = build_design(parse_specification({"preset": preset, **fields}), "core", preset)
    for old, new in changes:
        assert any(old in source.text for source in design.sources), old
        sources = tuple(replace(source, text=source.text.replace(old, new)) for source in design.sources)
        design = replace(design, sources=sources)
    return design


@pytest.mark.thorough
@pytest.mark.slow
def test_it_encrypts_while_everything_stalls(tmp_path: Path) -> None:
    """S-boxes are compiled once for all of them."""
    design = core(("\nendmodule", "\n  /* verilator no_inline_module */\nendmodule"))
    plan = SimulationPlan(random_pairs=6, scenarios=("timing", "random-stalls", "stalled-output"))
    report = simulate(design, tmp_path, plan)
    assert report.passed, [scenario.failure for scenario in report.failures]
    assert (report.latency_cycles, report.cycles_per_block) == (41, 10)


LONG = pytest.param({"order": 2, "output": "registered"}, marks=pytest.mark.slow)


@pytest.mark.thorough
@pytest.mark.parametrize("fields", [{}, {"clocks": 3, "clock_gates": False}, LONG])
def test_it_is_proved_with_a_block_every_ten_clocks(fields: dict[str, object], tokens: Tokens, tmp_path: Path) -> None:
    design = core(**fields)
    report = prove(design, tmp_path, tokens=tokens)
    assert report.proved, report.parts
    clocks = next(part.detail for part in report.parts if part.name == "clocks")
    assert clocks == f"encrypt: 10 a block, {design.latency_cycles} to its result"


@pytest.mark.thorough
@pytest.mark.parametrize(("fields", "states"), [({}, 3224), ({"clocks": 3, "order": 2}, 917)])
def test_its_structure_keeps_all_rules(fields: dict[str, object], states: int, tmp_path: Path) -> None:
    report = check_structure(core(**fields), tmp_path)
    assert (report.instances, report.idle_states) == (20, states)
    assert report.random_bits == 20 * report.sbox.fresh_bits


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A key is taken while blocks come, or in the clock in which the first of them does.
        ("assign key_ready_o = ~open_q | (empty_q & ~accept);", "assign key_ready_o = 1'b1;"),
        ("| (empty_q & ~accept);", "| empty_q;"),
        # The next key takes the round key's place while results still need it, or not at all.
        ("(open_q & last_phase));", "(open_q & phase_q[1]));"),
        ("(open_q & last_phase));", "1'b0);"),
        # The round key goes on with each block, or a block late.
        ("assign first_o = phase_q[0];", "assign first_o = ~last_phase;"),
        ("assign first_o = phase_q[0];", "assign first_o = phase_q[1];"),
        # Slots are exchanged: a block is taken for the one behind it; a byte goes to that one's slot, in all shares.
        (
            "{in_last_rank, full_d} = {full_q, accept | turn_q};",
            "{full_d[0], in_last_rank} = {accept | turn_q, full_q[1]};",
        ),
        # The ring has fewer ranks than the S-boxes.
        (".Clocks(Clocks)", ".Clocks(Clocks - 1)"),
        # A result does not stop the ranks, or is offered again while no word comes.
        ("assign may_move = ~offering_q | block_ready_i;", "assign may_move = 1'b1;"),
        ("(offering_q & ~leaves);", "offering_q;"),
        # Blocks of which none came in the first slot are forgotten; empty slots keep the ranks open for ever.
        ("open_q ? ~|{in_last_rank, full_d}", "open_q ? ~full_d[0]"),
        ("~empty_q | (key_known_q & block_valid_i)", "~empty_q"),
        # Rcon on two shares; half of the S-boxes move in pauses.
        ("(share == 0 ? constant : 8'h00)", "(constant)"),
        (".clk_i   (sbox_clk)", ".clk_i   (i < 8 ? sbox_clk : clk_i)"),
    ],
)
def test_a_wrong_sum_is_refuted(old: str, new: str, tokens: Tokens, tmp_path: Path) -> None:
    report = prove(core((old, new)), tmp_path, tokens=tokens)
    assert report.verdict is REFUTED, report.parts


LATE = """if (i == 0) begin : gen_late
          logic [7:0] late_q;
          always_ff @(posedge sbox_clk) late_q <= state_i[share][i];
          assign x[share] = late_q;
        end else begin : gen_now
          assign x[share] = state_i[share][i];
        end"""
ENTERS = "assign x[share] = state_i[share][i];"


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "(key_substituted[share])",
            "(share == 1 ? '0 : key_substituted[share])",
            r"register .*_q\[\d+\] of share \d takes what no register of another share does",
        ),
        ("(key_i[share])", "(key_i[share] ^ {127'b0, key_i[0][0]})", "shares 0 and 1 meet at "),
        ("block_o[share])", "block_o[Shares-1-share])", r"block_o\[0\] of share 0 depends on share 1"),
        ("assign load_o = accept;", "assign load_o = accept | turn_q;", r"is a product of two bits of share 0"),
    ],
)
def test_what_no_sum_goes_through_is_refused_by_name(old: str, new: str, told: str, tmp_path: Path) -> None:
    report = prove(core((old, new)), tmp_path)
    assert report.verdict is REFUSED, report.parts
    assert re.search(told, report.parts[0].detail), report.parts[0].detail


TURN = "({128{turn_i}} & (mixed ^ round_key))"
MOVES = "assign move_o = random_valid_i & random_ready_o;"
RANDOM = "random_i[Fresh*i+:Fresh]"
OLD = r"R4: .*x_\d_1_q\[\d\] takes what is of no block in work"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        # Stale slots: all go round; those with results too; a block that was not taken; none.
        (TURN, "(~{128{load_i}} & (mixed ^ round_key))", OLD),
        ("turn_q <= in_last_rank & ~open_d;", "turn_q <= ~open_d;", r"R4: .* takes (what is of no block|an idle slot)"),
        ("turn_q <= in_last_rank & ~open_d;", "turn_q <= in_last_rank;", r"R4: .* takes a mixture of two blocks"),
        ("assign load_o = accept;", "assign load_o = open_q;", OLD),
        # A byte goes to the slot of the block behind it: AES it no longer is, either.
        (ENTERS, LATE, r"R4: .* takes (what is of no block in work|a mixture of two blocks)"),
        # SubWord of a slot that has no word of the key.
        ("assign first_o = phase_q[0];", "assign first_o = 1'b1;", OLD),
        ("({8{first_i}} & sub_word)", "sub_word", r"R4: .* takes an idle slot"),
        # The fresh bits of one slot serve in the next, or those of a clock for two slots.
        (".random_2_i(random_i[11:8])", ".random_2_i(random_i[3:0])", r"R3: random_i\[\d+\] serves twice"),
        (RANDOM, "random_i[Fresh-1:0]", r"R3: random_i\[\d+\] serves twice"),
        (MOVES, "assign move_o = random_ready_o;", r"R3: .*x_0_1_q\[0\] may move while random_valid_i is 0"),
        (MOVES, "assign move_o = random_valid_i;", r"R3: .*x_0_1_q\[0\] may move while random_ready_o is 0"),
        (ENTERS, "assign x[share] = state_i[share ^ 1][i];", r"R1: .* depends on share 1"),
        (".move_i  (move)", ".move_i  (move & ~key_i[0][0])", "R5: .* depends on share 0"),
    ],
)
def test_each_rule_refuses_what_breaks_it(old: str, new: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(CheckError, match=told):
        check_structure(core((old, new)), tmp_path)
