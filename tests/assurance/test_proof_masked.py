"""Masked cores are proved through the sums of their shares, and each wrong one is refuted or refused by name."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.probing.check import ProbingVerdict, check_probing
from aesmith.assurance.probing.structure import check_structure
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.proof.shares.core import moves_without_fresh, sum_core, with_ranks
from aesmith.assurance.proof.shares.sbox import masked_sbox_modules, prove_masked_sbox
from aesmith.circuits.systemverilog import staged_systemverilog
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError
from aesmith.masking.gadgets import dom
from aesmith.masking.sbox import masked_sbox

PROVED, REFUTED, REFUSED, OPEN = Verdict


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens()


def core(**fields: object) -> CoreDesign:
    specification = parse_specification({"preset": "masked-round-gated-enc", **fields})
    return build_design(specification, "core", "masked-round-gated-enc")


def edited(design: CoreDesign, *changes: tuple[str, str]) -> CoreDesign:
    """The design with texts in its sources replaced, wherever they stand; each must stand somewhere."""
    for old, new in changes:
        assert any(old in source.text for source in design.sources), old
        sources = tuple(replace(source, text=source.text.replace(old, new)) for source in design.sources)
        design = replace(design, sources=sources)
    return design


LONG = pytest.param({"order": 2, "output": "registered"}, marks=pytest.mark.slow)


@pytest.mark.thorough(but=("fields0",))
@pytest.mark.parametrize("fields", [{}, {"clocks": 3, "clock_gates": False}, LONG])
def test_a_masked_core_is_proved(fields: dict[str, object], tokens: Tokens, tmp_path: Path) -> None:
    design = core(**fields)
    report = prove(design, tmp_path, tokens=tokens)
    assert report.proved, report.parts
    clocks = next(part.detail for part in report.parts if part.name == "clocks")
    assert clocks == f"encrypt: {design.cycles_per_block} a block, {design.latency_cycles} to its result"
    # No checker knows the channel of fresh bits, so that there is nothing for it.
    assert not (tmp_path / "certificate.json").exists()


@pytest.mark.thorough(but=5)
@pytest.mark.parametrize("clocks", [3, 4])
@pytest.mark.parametrize(("order", "clock_gates"), [(1, True), (1, False), (2, True), (3, True)])
def test_the_masked_s_box_is_proved(order: int, clocks: int, clock_gates: bool, tmp_path: Path) -> None:
    design = core(order=order, clocks=clocks, clock_gates=clock_gates)
    ((module, masked),) = masked_sbox_modules(design).items()
    part = prove_masked_sbox(design, module, masked, tmp_path)
    assert part.verdict is PROVED, part.detail
    assert part.detail == f"{order + 1} shares, {clocks} clocks, all 256 bytes"


EARLIER = """  logic late_q, share_q;
  always_ff @(posedge clk_i) {late_q, share_q} <= {random_1_i[0], x_1_i[0]};
"""


@pytest.mark.thorough(but=6)
@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        # A fresh bit must be the same in the registers of both shares that it blinds, and of one clock.
        (r"(assign s1_n\d+ = .*)random_1_i\[0\]", r"\1random_1_i[1]", REFUTED),
        # … nor of two clocks: late_q is random_1_i[0] of the clock before.
        (r"(assign s1_n\d+ = .*)random_1_i\[0\]", r"\1late_q", REFUTED),
        (r"(assign s2_n\d+ = .*)random_2_i\[0\]", r"\1random_1_i[0]", REFUTED),
        # Which bit it is does not matter to the function, nor whether it is one.
        (r"random_1_i\[0\]", "random_4_i[0]", PROVED),
        (r"random_2_i\[1\]", "1'b0", PROVED),
        # Shares out of step, exchanged, or with the constant of S twice.
        (r"(assign s1_n\d+ = .*)x_1_i\[0\]", r"\1share_q", REFUTED),
        (r"(assign s1_n\d+ = .*)x_1_i\[0\]", r"\1x_0_i[0]", REFUTED),
        (r"(assign y_1_o = )", r"\g<1>8'h63 ^ ", REFUTED),
        (r"assign y_0_o = ", "assign y_0_o = 8'h01 & ", REFUTED),
        # A register of a rank left out.
        (r"(assign s3_n\d+ = .*)rank_2_q(\[\d+\])", r"\1rank_2_d\2", REFUTED),
        # Something else that it reads, or holds by.
        (r"assign y_0_o = ", "assign y_0_o = {8{random_4_i[0]}} ^ ", REFUTED),
        (r"rank_4_q <= rank_4_d;", "if (random_4_i[0]) rank_4_q <= rank_4_d;", REFUTED),
    ],
)
def test_each_wrong_s_box_is_refuted(old: str, new: str, verdict: Verdict, tmp_path: Path) -> None:
    design = core()
    ((module, masked),) = masked_sbox_modules(design).items()
    sources = []
    for source in design.sources:
        text = source.text
        if source.name == f"{module}.sv":
            text, count = re.subn(old, new, text, count=int(verdict is REFUTED))
            assert count
            text = re.sub(r"^\);\n", f");\n{EARLIER}", text, count=1, flags=re.MULTILINE)
        sources.append(replace(source, text=text))
    wrong = replace(design, sources=tuple(sources))
    part = prove_masked_sbox(wrong, module, masked, tmp_path / "sbox")
    assert part.verdict is verdict, part.detail
    assert verdict is PROVED or re.fullmatch(
        r"shares of .. become shares of .., not .., in clock \d+ of a run", part.detail
    )
    # A core with it is refused: its S-box is no longer one that this project makes.
    report = prove(wrong, tmp_path / "core")
    assert report.verdict is REFUSED
    assert "has 0 modules that are masked S-boxes" in report.parts[0].detail


def test_dom_in_the_place_of_hpc3_computes_s_and_is_refused_for_its_probes(tmp_path: Path) -> None:
    design = core()
    ((module, _),) = masked_sbox_modules(design).items()
    naive = masked_sbox(1, 4, gadget=dom)
    text = staged_systemverilog(naive.staged, "Masked S-box.", module)
    sources = tuple(replace(s, text=text) if s.name == f"{module}.sv" else s for s in design.sources)
    assert prove_masked_sbox(replace(design, sources=sources), module, naive, tmp_path / "sbox").verdict is PROVED
    assert check_probing(naive).verdict is ProbingVerdict.LEAKS
    with pytest.raises(CheckError, match="has 0 modules that are masked S-boxes"):
        check_structure(replace(design, sources=sources), tmp_path / "core")


LATE = """if (share == 1) begin : gen_late
          logic [7:0] late_q;
          always_ff @(posedge clk_i) late_q <= state_i[share][i];
          assign x[share] = late_q;
        end else begin : gen_now
          assign x[share] = state_i[share][i];
        end"""


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        # One share is left out of the key schedule.
        (
            "(key_substituted[share])",
            "(share == 1 ? '0 : key_substituted[share])",
            r"register .*_q\[\d+\] of share \d takes what no register of another share does",
        ),
        # Shares out of step.
        ("assign x[share] = state_i[share][i];", LATE, r"register .*late_q\[0\] of share 1 takes what no"),
        # Shares exchanged between two bytes, for one share alone.
        (
            "assign state_o[share][i] = y[share];",
            "assign state_o[share][share == 1 ? i ^ 1 : i] = y[share];",
            "takes what no register of another share does",
        ),
        ("(key_i[share])", "(key_i[share] ^ {127'b0, key_i[0][0]})", "shares 0 and 1 meet at "),
        ("block_o[share])", "block_o[Shares-1-share])", r"block_o\[0\] of share 0 depends on share 1"),
        (".move_i  (move)", ".move_i  (move & ~key_i[0][0])", "shares 0 and 1 meet at|share 0"),
        ("(block_i[share])", "(block_i[share] & {128{random_i[0]}})", r"fresh bit random_i\[0\] is read outside"),
        ("& key_q)", "& key_q & block)", r"is a product of two bits of share 0"),
        # The two choices of the multiplexer are no longer apart.
        ("assign turn_o = turn_q;", "assign turn_o = turn_q | idle_q;", r"is a product of two bits of share 0"),
        ("module core_masked_sbox (", "module core_masked_sbox_2 (", "does not elaborate"),
    ],
)
def test_what_no_sum_goes_through_is_refused_by_name(old: str, new: str, told: str, tmp_path: Path) -> None:
    report = prove(edited(core(), (old, new)), tmp_path)
    assert report.verdict is REFUSED, report.parts
    assert re.search(told, report.parts[0].detail), report.parts[0].detail


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    "changes",
    [
        # Rcon on two shares; on none.
        [("(share == 0 ? constant : 8'h00)", "(constant)")],
        [("(share == 0 ? constant : 8'h00)", "(8'h00)")],
        # Half of the S-boxes move in clocks in which the others stand still.
        [(".clk_i   (sbox_clk)", ".clk_i   (i < 8 ? sbox_clk : clk_i)")],
        # A round ends though nothing moves.
        [("assign ends = move_o & turn_q;", "assign ends = turn_q;")],
        # A constant on two shares of a block.
        [("(block_i[share])", "(block_i[share] ^ 128'h1)"), ("Shares = 2", "Shares = 3")],
    ],
)
def test_a_wrong_sum_is_refuted_by_a_run(changes: list[tuple[str, str]], tokens: Tokens, tmp_path: Path) -> None:
    order = 2 if len(changes) > 1 else 1
    report = prove(edited(core(order=order), *changes[:1]), tmp_path, tokens=tokens)
    assert report.verdict is REFUTED, report.parts
    assert report.counterexample is not None
    assert report.counterexample.waveform.is_file()
    assert any("that of AES is" in part.detail for part in report.parts if part.verdict is REFUTED)


@pytest.mark.thorough
def test_the_same_constant_on_two_shares_is_no_difference(tokens: Tokens, tmp_path: Path) -> None:
    assert prove(edited(core(), ("(block_i[share])", "(block_i[share] ^ 128'h1)")), tmp_path, tokens=tokens).proved


def test_s_boxes_that_move_without_fresh_bits_are_not_proved(tmp_path: Path) -> None:
    # AES it computes all the same: of fresh bits no level is supposed.
    hasty = edited(core(), ("assign move_o = random_valid_i & random_ready_o;", "assign move_o = random_ready_o;"))
    report = prove(hasty, tmp_path)
    assert [(part.name, part.verdict) for part in report.failing] == [("fresh bits", OPEN)]
    assert re.search(r"x_\d_1_q\[0\] may move while random_valid_i is 0", report.failing[0].detail)


def test_a_word_of_fresh_bits_that_is_not_taken_does_not_move_s_boxes(tmp_path: Path) -> None:
    free = edited(core(), ("assign move_o = random_valid_i & random_ready_o;", "assign move_o = random_valid_i;"))
    assert "may move while random_ready_o is 0" in moves_without_fresh(with_ranks(free, tmp_path))


def test_a_core_without_a_channel_of_fresh_bits_is_refused(tmp_path: Path) -> None:
    design = core()
    channels = tuple(channel for channel in design.ports.channels if channel.name != "random")
    with pytest.raises(CheckError, match="with a channel of fresh bits"):
        sum_core(replace(design, ports=replace(design.ports, channels=channels)), tmp_path)
