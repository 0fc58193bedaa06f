"""The masked core on bytes is proved and keeps the rules of probing; each way to break it is caught."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.probing.check import ProbingVerdict, Surroundings, check_probing
from aesmith.assurance.probing.mapped import check_mapped
from aesmith.assurance.probing.structure import check_structure
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.netlist import FALSE, TRUE
from aesmith.assurance.proof.pace import UNKNOWN, evaluate
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.proof.shares.core import with_ranks
from aesmith.cores.design import CoreDesign
from aesmith.cores.narrow import with_key_kept
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError, RequestError
from aesmith.flow.recipes import recipe_by_name
from aesmith.flow.synthesis import synthesise
from aesmith.masking.sbox import masked_sbox
from aesmith.masking.sharing import ShareBuilder, Sharing
from aesmith.technology.reader import read_library
from aesmith.technology.registry import embedded_path

pytestmark = pytest.mark.one_in(4)


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens()


def core(**fields: object) -> CoreDesign:
    preset = str(fields.pop("preset", "masked-serial-gated-enc"))
    return build_design(parse_specification({"preset": preset, **fields}), "core", preset)


def edited(design: CoreDesign, old: str, new: str) -> CoreDesign:
    """The design with a text in its sources replaced, wherever it stands; it must stand somewhere."""
    assert any(old in source.text for source in design.sources), old
    return replace(design, sources=tuple(replace(s, text=s.text.replace(old, new)) for s in design.sources))


LONG = pytest.param({"order": 2, "output": "registered"}, marks=pytest.mark.slow)
KEYED = "masked-serial-keyed-gated-enc"


@pytest.mark.thorough
@pytest.mark.parametrize("fields", [{}, {"preset": KEYED}, {"clock_gates": False}, LONG])
def test_it_is_proved(fields: dict[str, object], tokens: Tokens, tmp_path: Path) -> None:
    design = core(**fields)
    report = prove(design, tmp_path, tokens=tokens)
    assert report.proved, report.parts
    clocks = next(part.detail for part in report.parts if part.name == "clocks")
    assert clocks == f"encrypt: {design.cycles_per_block} a block, {design.latency_cycles} to its result"


@pytest.mark.thorough
@pytest.mark.parametrize("fields", [{}, {"preset": KEYED}, {"order": 2}])
def test_its_structure_keeps_the_rules_of_probing(fields: dict[str, object], tmp_path: Path) -> None:
    report = check_structure(core(**fields), tmp_path)
    assert (report.instances, report.random_bits) == (1, 90 if "order" in fields else 30)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(("preset", "registers"), [("masked-serial-gated-enc", 941), (KEYED, 680)])
def test_its_netlist_shows_probes_no_more(preset: str, registers: int, tmp_path: Path) -> None:
    library = read_library(embedded_path())
    made = synthesise(core(preset=preset), library, recipe_by_name("shrink-modules"), None, tmp_path / "made")
    found = check_mapped(core(preset=preset), library, made.netlist, tmp_path / "check")
    assert found.registers == made.flip_flops == registers


MOVES = "assign move_o = random_ready_o & random_valid_i;"
SUBSTITUTES = ".substitute_i  (substitute)"


@pytest.mark.thorough(but=3)
@pytest.mark.parametrize(
    ("old", "new", "rule", "told"),
    [
        # Shares exchanged in the register of the key that is kept, and behind the S-box.
        (".key_i   (key_i[share])", ".key_i   (key_i[Shares-1-share])", "R1", "shares 0 and 1 meet at"),
        (".substituted_i (substituted[share])", ".substituted_i (substituted[Shares-1-share])", "R1", "meet at"),
        # … and of one bit of the state.
        (
            ".substituted_i (substituted[share])",
            ".substituted_i ({substituted[share][7:1], substituted[share ^ 1][0]})",
            "R1",
            "meet at",
        ),
        # A fresh bit that serves twice, and one that passes a gate.
        (
            "    .random_i,\n    .y_o",
            "    .random_i({random_i[Fresh-1:1], random_i[1]}),\n    .y_o",
            r"R3: random_i\[1\] serves",
            "",
        ),
        (
            "    .random_i,\n    .y_o",
            "    .random_i(random_i ^ Fresh'(1)),\n    .y_o",
            "R3: .* no S-box",
            "",
        ),
        # A share that decides when something moves.
        (".enable_i(move),", ".enable_i(move & ~block_i[0][0]),", "R1", "share"),
        (".random_valid_i,", ".random_valid_i(random_valid_i & ~block_i[0][0]),", "R1|R5", "share"),
    ],
)
def test_what_breaks_a_rule_is_refused(old: str, new: str, rule: str, told: str, tmp_path: Path) -> None:
    broken = edited(core(), old, new)
    with pytest.raises(CheckError, match=rule):
        check_structure(broken, tmp_path / "structure")
    if told:
        report = prove(broken, tmp_path / "proof")
        assert report.verdict is Verdict.REFUSED
        assert re.search(told, report.parts[0].detail), report.parts[0].detail


@pytest.mark.parametrize(
    ("moves", "line"), [("random_ready_o", "random_valid_i"), ("random_valid_i", "random_ready_o")]
)
def test_an_s_box_that_moves_in_a_pause_is_refused(moves: str, line: str, tmp_path: Path) -> None:
    with pytest.raises(CheckError, match=f"R3: .* may move while {line} is 0"):
        check_structure(edited(core(), MOVES, f"assign move_o = {moves};"), tmp_path)


def test_a_result_that_is_not_gated_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckError, match=r"R4: block_o\[0\] is not gated"):
        check_structure(core(output="bare"), tmp_path)


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # SubWord is left out of the round keys of one share; the chain of words is.
        (SUBSTITUTES, ".substitute_i  (substitute & (share == 0))"),
        (".chain_i       (chain)", ".chain_i       (chain & (share == 0))"),
        # MixColumns of one share alone; ShiftRows of it.
        (".sum_u_i       (sum_u)", ".sum_u_i       (sum_u & (share == 0))"),
        (".swap_i        (swap)", ".swap_i        (share == 0 ? swap : 4'b1)"),
    ],
)
def test_a_share_that_does_not_do_what_the_other_does_is_refused(old: str, new: str, tmp_path: Path) -> None:
    report = prove(edited(core(), old, new), tmp_path)
    assert report.verdict is Verdict.REFUSED
    assert re.search(r"of share \d (takes what no register|is another sum)", report.parts[0].detail)


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Rcon in both shares.
        ("(share == 0 ? constant : 8'h00)", "(constant)"),
        # A result byte that left before a word came is offered again.
        ("else if (block_ready_i) offering_q <= 1'b0;", ""),
        # The ring turns though a result waits.
        ("random_ready_o = leave_q ? left : ", "random_ready_o = leave_q ? 1'b1 : "),
        # MixColumns in the last round, too.
        ("? ~last_round : round_o) &", "? 1'b1 : round_o) &"),
        # SubWord for three bytes of a word.
        ("assign substitute_o = schedule_o &", "assign substitute_o = schedule_o & (row_q != 2'd3) &"),
    ],
)
def test_a_wrong_sum_is_refuted_by_a_run(old: str, new: str, tokens: Tokens, tmp_path: Path) -> None:
    report = prove(edited(core(), old, new), tmp_path, tokens=tokens)
    assert report.verdict is Verdict.REFUTED, report.parts
    assert report.counterexample is not None


def entering(design: CoreDesign, folder: Path) -> list[str]:
    """What enters the S-box in each slot of the block that comes after reset: shares of bytes, or 0 in all shares."""
    netlist = with_ranks(design, folder)
    registers = [UNKNOWN if register.reset is None else register.reset for register in netlist.registers]
    control = dict.fromkeys(("key_valid_i", "block_valid_i", "block_ready_i", "random_valid_i"), 1)
    operands = [register.pin for register in netlist.registers if re.search(r"\bx_\d_1_q\[\d\]$", register.name)]
    assert len(operands) == 16
    seen = []
    for clock in range(16 + design.latency_cycles):
        levels = [UNKNOWN] * netlist.net_count
        levels[FALSE], levels[TRUE] = 0, 1
        for name, level in {**control, "key_valid_i": int(clock < 16)}.items():
            levels[netlist.inputs[name][0]] = level
        for register, level in zip(netlist.registers, registers, strict=True):
            levels[register.q] = level
        evaluate(netlist.gates, levels)
        registers = [levels[register.d] for register in netlist.registers]
        if clock >= 16:
            seen.append("0" if all(levels[net] == 0 for net in operands) else "shares")
    return seen


def test_idle_slots_carry_0_in_all_shares(tmp_path: Path) -> None:
    assert entering(core(), tmp_path / "sound") == ["shares"] * 200 + ["0"] * 16
    stale = edited(core(), "assign round_o = ~take_q & ~leave_q & ~turn_o;", "assign round_o = ~take_q & ~turn_o;")
    assert entering(stale, tmp_path / "stale") == ["shares"] * 216


class Added(ShareBuilder):
    """What enters the S-box is the sum of x and of another byte."""

    def operand(self, name: str, width: int, stage: int = 0) -> Sharing:
        x, other = super().operand(name, width, stage), super().operand("other", width, stage)
        return [self.xor_words(*shares) for shares in zip(x, other, strict=True)]


@pytest.mark.thorough
def test_operands_that_follow_each_other_are_not_told_by_transitions() -> None:
    """Of two clocks: each with an operand of its own, both with one, and in a ring, where x is the result."""
    alone, ring = masked_sbox(1, 4), masked_sbox(1, 4, builder=Added)
    cases = [(alone, Surroundings()), (alone, Surroundings(held=True))]
    cases.append((ring, Surroundings(loop={bit: bit for bit in range(16)})))
    for masked, around in cases:
        assert check_probing(masked, transitions=True, around=around).verdict is ProbingVerdict.SECURE
    # The same with fresh bits of one bus for all stages is not shown to be.
    bus = {bit: ring.origins[bit].bit for bit, origin in enumerate(ring.origins) if origin.is_fresh}
    shared = replace(cases[-1][1], bus=bus)
    found = check_probing(ring, transitions=True, around=shared, most_variables=12)
    assert found.verdict is not ProbingVerdict.SECURE


def test_a_key_in_shares_is_kept_in_shares() -> None:
    kept = with_key_kept(core(preset=KEYED))
    assert [(port.name, port.shares) for port in kept.ports if port.shares > 1] == [
        ("key_i", 2),
        ("block_i", 2),
        ("block_o", 2),
    ]
    assert {port.name for port in kept.ports} == {port.name for port in core().ports}
    keyed = core(preset=KEYED)
    with pytest.raises(RequestError, match="block_width: must be 8 for a masked core"):
        with_key_kept(replace(keyed, key_bits=(256,)))
