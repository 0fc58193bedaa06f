"""The masked core of 32 bits is AES in shares, nothing stale enters its S-boxes, and each wrong one is found."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.probing.structure import check_structure
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.netlist import compile_words
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.proof.shares.core import with_ranks
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError, RequestError

pytestmark = pytest.mark.one_in(3)

PROVED, REFUTED, REFUSED, OPEN = Verdict


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens()


def core(*changes: tuple[str, str], **fields: object) -> CoreDesign:
    """The core, with texts in its sources replaced; each must stand somewhere."""
    preset = "masked-column-gated-enc"
    design = build_design(parse_specification({"preset": preset, **fields}), "core", preset)
    for old, new in changes:
        assert any(old in source.text for source in design.sources), old
        sources = tuple(replace(source, text=source.text.replace(old, new)) for source in design.sources)
        design = replace(design, sources=sources)
    return design


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("fields", [{}, {"clocks": 3, "clock_gates": False, "output": "registered"}])
def test_it_encrypts_while_everything_stalls(fields: dict[str, object], tmp_path: Path) -> None:
    design = core(**fields)
    plan = SimulationPlan(random_pairs=10, scenarios=("timing", "random-stalls", "stalled-output"))
    report = simulate(design, tmp_path, plan)
    assert report.passed, [scenario.failure for scenario in report.failures]
    assert (report.latency_cycles, report.cycles_per_block) == (design.latency_cycles, design.cycles_per_block)


@pytest.mark.thorough(but=("fields2",))
@pytest.mark.parametrize("fields", [{}, {"clocks": 3, "clock_gates": False}, {"order": 2, "output": "registered"}])
def test_it_is_proved(fields: dict[str, object], tokens: Tokens, tmp_path: Path) -> None:
    design = core(**fields)
    report = prove(design, tmp_path, tokens=tokens)
    assert report.proved, report.parts
    clocks = next(part.detail for part in report.parts if part.name == "clocks")
    assert clocks == f"encrypt: {design.cycles_per_block} a block, {design.latency_cycles} to its result"


@pytest.mark.thorough(but=("fields0",))
@pytest.mark.parametrize("fields", [{}, {"clocks": 3, "order": 2}])
def test_its_structure_keeps_all_rules(fields: dict[str, object], tmp_path: Path) -> None:
    report = check_structure(core(**fields), tmp_path)
    assert report.instances == 4
    assert report.random_bits == 4 * report.sbox.fresh_bits


def test_a_bare_output_is_refused() -> None:
    with pytest.raises(RequestError, match="bare, it would show round keys"):
        core(output="bare")


def entering(design: CoreDesign, folder: Path) -> str:
    """What enters the S-boxes in 5,000 clocks with pauses on all channels, a letter for each clock in which they move:
    `.` for 0 in all shares, `x` for anything else. Shares, and results of S-boxes, are random.
    """
    netlist, lanes, chance = with_ranks(design, folder), 64, random.Random(1)
    ones = (1 << lanes) - 1
    step = compile_words(netlist, ones)
    ranks = [i for i, register in enumerate(netlist.registers) if re.search(r"\bx_\d_1_q\[\d\]$", register.name)]
    assert len(ranks) == 4 * 8 * 2
    registers = [ones if register.reset else 0 for register in netlist.registers]
    offered = dict.fromkeys(("key_valid_i", "block_valid_i", "random_valid_i"), 0)
    letters, words_of_keys = [], 0
    for clock in range(5000):
        for name, now in offered.items():
            new_key = clock and name == "key_valid_i" and words_of_keys % 4 == 0
            offered[name] = now or int(chance.random() < (0.003 if new_key else 0.8))
        levels = offered | {"rst_ni": 1, "block_ready_i": int(chance.random() < 0.8)}
        words = [
            ones * levels[name] if name in levels else chance.getrandbits(lanes)
            for name, bits in (*netlist.inputs.items(), ("free", netlist.free))
            for _ in bits
        ]
        outputs, registers = step(words, registers)
        named = dict(zip((name for name, bits in netlist.outputs.items() for _ in bits), outputs, strict=True))
        taken = {name: now & named[name.replace("valid_i", "ready_o")] & 1 for name, now in offered.items()}
        words_of_keys += taken["key_valid_i"]
        if taken["random_valid_i"]:
            letters.append("x" if any(registers[i] for i in ranks) else ".")
        offered = {name: now & ~taken[name] for name, now in offered.items()}
    return "".join(letters)


NEW_KEY, BLOCK = {4: "...x..", 3: "...x."}, {4: "xxxxx.." * 10, 3: "xxxxx." * 10}
STALE = (
    "assign round_key_o = mixed_o | (awaits & ~comes);",
    "assign round_key_o = (runs_q & ~slot_q[4]) | awaits & ~comes;",
)


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("clocks", [3, 4])
def test_nothing_but_words_of_a_block_and_of_its_keys_enters_the_s_boxes(clocks: int, tmp_path: Path) -> None:
    letters = entering(core(clocks=clocks), tmp_path)
    blocks, keys = letters.count(BLOCK[clocks]), letters.count(NEW_KEY[clocks])
    assert blocks > 30
    assert keys > 3
    whole = re.compile(f"({re.escape(NEW_KEY[clocks])}|{re.escape(BLOCK[clocks])})+").match(letters)
    assert whole is not None
    assert len(letters) - len(whole[0]) < len(BLOCK[clocks])


@pytest.mark.thorough
def test_a_stale_word_in_an_idle_slot_is_seen_there_and_nowhere_else(tokens: Tokens, tmp_path: Path) -> None:
    """It is of the key, which R4 lets in."""
    stale = core(STALE)
    assert "xxxxxxx" in entering(stale, tmp_path / "run")
    assert prove(stale, tmp_path / "proof", tokens=tokens).proved
    assert check_structure(stale, tmp_path / "structure").instances == 4


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        # One share is left out of the key schedule; shares of a byte are exchanged, in one share alone.
        (
            ".substituted_i     (substituted),",
            ".substituted_i     (substituted & share == 0),",
            "of share 1 is another sum of bits of its share|takes what no register of another share does",
        ),
        (
            "assign leaving[share][row] = y[share];",
            "assign leaving[share][share == 1 ? row ^ 1 : row] = y[share];",
            "of share 1 is another sum of bits of its share|takes what no register of another share does",
        ),
        (
            "assign x[share] = entering[share][row];",
            "assign x[share] = entering[share ^ 1][row];",
            "of share 0 depends on",
        ),
        ("(key_i[share])", "(key_i[share] ^ {31'b0, key_i[0][0]})", "shares 0 and 1 meet at "),
        ("(block_i[share])", "(block_i[share] & {32{random_i[0]}})", r"fresh bit random_i\[0\] is read outside"),
        # The choices of what enters the S-boxes are no longer apart.
        ("assign made_o = slot_q[4] & ~last", "assign made_o = slot_q[4]", "is a product of two bits of share 0"),
    ],
)
def test_what_no_sum_goes_through_is_refused_by_name(old: str, new: str, told: str, tmp_path: Path) -> None:
    report = prove(core((old, new)), tmp_path)
    assert report.verdict is REFUSED, report.parts
    assert re.search(told, report.parts[0].detail), report.parts[0].detail


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Rcon on two shares.
        ("(share == 0 ? constant : 8'h00)", "(constant)"),
        # One S-box moves in a pause of the fresh bits; the rows do.
        (".clk_i   (clk[0])", ".clk_i   (row == 0 ? clk_i : clk[0])"),
        ("assign row_advance_o[0] = move_o | left;", "assign row_advance_o[0] = ~loads_q | move_o | left;"),
        # The round key stays where a result that left alone has turned it to.
        ("assign turns = awaits & ~together & ~leaves_q;", "assign turns = 1'b0;"),
        ("assign together = (turn_q & slot_q[3:0]) != '0;", "assign together = 1'b1;"),
        # Byte 0 of row 1 does not stand; byte 3 of row 3 does not go by.
        ("~(overtakes_o | slot_q[Slots-2])", "~overtakes_o"),
        ("passes_i ? sbox_i[3] : ", "1'b0 ? sbox_i[3] : "),
        # The kept key is not turned home; a new one is used before its word 3 has entered the S-boxes.
        ("| (last & slot_q[4] & move_o)", ""),
        ("prepares_d = slot_q[3];", "prepares_d = 1'b0; loads_d = slot_q[3];"),
    ],
)
def test_a_wrong_sum_is_refuted(old: str, new: str, tokens: Tokens, tmp_path: Path) -> None:
    report = prove(core((old, new)), tmp_path, tokens=tokens)
    assert report.verdict is REFUTED, report.parts


RANDOM = "random_i[Fresh*row+:Fresh]"
MOVES = "assign move_o = random_valid_i & random_ready_o;"
RESULT = "assign block_o = {64{block_valid_o}} & bare_block;"


@pytest.mark.thorough(but=3)
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "assign x[share] = entering[share][row];",
            "assign x[share] = entering[share ^ 1][row];",
            r"R1: .* depends on",
        ),
        ("(key_i[share])", "(key_i[share] ^ {31'b0, key_i[0][0]})", "R1: .* depends on share 0 and share 1"),
        (RANDOM, "random_i[Fresh-1:0]", r"R3: random_i\[\d+\] serves twice"),
        (MOVES, "assign move_o = random_ready_o;", r"R3: .*x_0_1_q\[0\] may move while random_valid_i is 0"),
        (".clk_i   (clk[0])", ".clk_i   (row == 0 ? clk_i : clk[0])", r"R3: .*x_0_1_q\[0\] moves in every clock"),
        (RESULT, "assign block_o = bare_block;", r"R4: block_o\[0\] is not gated"),
        (
            RESULT,
            "assign block_o = {64{block_valid_o & block_ready_i}} & bare_block;",
            r"R4: block_o\[0\] is not gated",
        ),
        (
            "assign block_valid_o = leaves_q;",
            "assign block_valid_o = leaves_q & ~slot_q[4];",
            "R4: the valid of channel",
        ),
        (
            ".enable_i(advance[bank])",
            ".enable_i(advance[bank] & (bank > 0 | ~block_i[0][0]))",
            "R5: .* depends on share 0",
        ),
    ],
)
def test_each_rule_refuses_what_breaks_it(old: str, new: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(CheckError, match=told):
        check_structure(core((old, new)), tmp_path)
