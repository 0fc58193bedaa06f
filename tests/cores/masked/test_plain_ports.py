"""Masked cores with ports of values are AES, and each wrong boundary is found by name."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.leakage.assess import core_assessment
from aesmith.assurance.leakage.plan import LeakagePlan
from aesmith.assurance.plan import SimulationPlan
from aesmith.assurance.probing.lane_bench import check_sampled
from aesmith.assurance.probing.structure import check_structure
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.proof.shares.plain_ports import check_plain_ports
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import Meaning
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError, RequestError
from aesmith.flow.recipes import recipe_by_name
from aesmith.technology.reader import read_library
from aesmith.technology.registry import embedded_path

pytestmark = pytest.mark.one_in(2)

PRESET = "masked-column-gated-enc"


def core(*changes: tuple[str, str], **fields: object) -> CoreDesign:
    """The core, with texts in its sources replaced; each must stand somewhere."""
    asked = {"preset": PRESET, "output": "registered", "unmasked_ports": "all", **fields}
    design = build_design(parse_specification(asked), "core", str(asked["preset"]))
    for old, new in changes:
        assert any(old in source.text for source in design.sources), old
        sources = tuple(replace(source, text=source.text.replace(old, new)) for source in design.sources)
        design = replace(design, sources=sources)
    return design


def test_a_word_has_the_masks_of_what_is_shared_here() -> None:
    for order, pairs in ((1, 1), (2, 3)):
        own = 4 * 30 * pairs
        for unmasked, masks in (("blocks", 32 * order), ("all", 64 * order)):
            design = core(order=order, unmasked_ports=unmasked)
            ports = design.ports
            assert ports.payload(Meaning.RANDOM).bits == own + masks
            assert ports.payload(Meaning.BLOCK).shares == ports.payload(Meaning.RESULT).shares == 1
            assert ports.payload(Meaning.KEY).shares == (1 if unmasked == "all" else order + 1)
            assert design.opened is not None
            assert {load.shares for load in design.opened.ports.payloads} == {1, order + 1}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"output": "quiet"}, "output: must be 'registered' with unmasked_ports"),
        ({"output": "bare", "preset": "masked-round-enc"}, "output: must be 'registered' with unmasked_ports"),
        ({"preset": "masked-serial-keyed-gated-enc"}, "unmasked_ports: must be 'none' where a key comes with each"),
    ],
)
def test_what_has_no_such_ports_is_refused(fields: dict[str, object], told: str) -> None:
    with pytest.raises(RequestError, match=told):
        core(**fields)


def test_what_tells_values_at_ports_is_neither_sampled_nor_assessed(tmp_path: Path) -> None:
    design = core(preset="masked-round-enc", unmasked_ports="blocks")
    with pytest.raises(RequestError, match="sampled are cores with shares at all ports"):
        check_sampled(design)
    library, recipe = read_library(embedded_path()), recipe_by_name("keep-modules")
    with pytest.raises(RequestError, match="unmasked_ports: the power of masked-round-enc's ports tells their values"):
        core_assessment(design, library, LeakagePlan(), recipe=recipe, folder=tmp_path)


ROUND = {"preset": "masked-round-gated-enc"}


@pytest.mark.thorough
@pytest.mark.slow
def test_it_encrypts_while_everything_stalls(tmp_path: Path) -> None:
    once = ("\nendmodule", "\n  /* verilator no_inline_module */\nendmodule")
    plan = SimulationPlan(random_pairs=4, scenarios=("timing", "random-stalls", "stalled-output"))
    report = simulate(core(once, **ROUND), tmp_path, plan)
    assert report.passed, [scenario.failure for scenario in report.failures]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "fields",
    [
        {"unmasked_ports": "blocks"},
        pytest.param(ROUND, marks=pytest.mark.slow),
    ],
)
def test_it_is_proved(fields: dict[str, object], tmp_path: Path) -> None:
    report = prove(core(**fields), tmp_path)
    assert report.proved, report.parts
    ports = next(part.detail for part in report.parts if part.name == "ports")
    named = "block_i, block_o" if fields.get("unmasked_ports") == "blocks" else "key_i, block_i, block_o"
    assert re.fullmatch(rf"\d+ masks in a word; not covered: wires that read {named}, which are values", ports)


@pytest.mark.thorough
def test_the_core_inside_keeps_all_rules(tmp_path: Path) -> None:
    report = check_structure(core(), tmp_path)
    assert report.ports is not None
    assert "rules R1 to R6 hold; around them 64 masks in a word; not covered: wires that read key_i" in str(report)


def test_a_result_that_is_summed_comes_from_registers(tmp_path: Path) -> None:
    """Without them, what sums the result would read the last round in shares."""
    passing = ("assign data_o = data_q;", "assign data_o = data_i;")
    with pytest.raises(CheckError, match=r"R4: block_o\[0\] is summed and does not come from a register"):
        check_structure(core(passing), tmp_path)


def test_right_boundaries_pass(tmp_path: Path) -> None:
    """At order 2; before a serial core; with a generator beside, which makes the masks, too."""
    made = core(prng="bivium", unmasked_ports="blocks").opened
    assert made is not None
    for number, (design, masks) in enumerate(
        ((core(order=2), 128), (core(preset="masked-serial-gated-enc"), 16), (made, 32))
    ):
        assert check_plain_ports(design, tmp_path / str(number)).masks == masks


BLOCK, MASK = "shares_of_block_i", "random_i[120+:32]"


@pytest.mark.thorough(but=7)
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        # A mask that is tied, serves twice, is one of the core's fresh bits, or is read by something else.
        (f"[1] = {MASK}", "[1] = '0", r"R3: share 1 of block_i\[0\] is a constant, no fresh bit"),
        ("random_i[152+:32]", MASK, r"R3: random_i\[120\].* (serves twice|is read by something else, too)"),
        (MASK, "random_i[0+:32]", r"R3: random_i\[0\].* is read by something else, too"),
        (
            "block_o = shares",
            "block_o = random_i[151:120] ^ shares",
            r"R3: random_i\[120\], a mask of block_i\[0\], is read by",
        ),
        (
            "random_i[119:0]",
            "{random_i[118:0], random_i[0]}",
            r"R3: random_i\[0\], a fresh bit .* is read by something",
        ),
        # A value that is in no share, in another, or in another bit.
        (f"{BLOCK}[0] = block_i ^ {MASK}", f"{BLOCK}[0] = block_i", r"R1: share 0 of block_i\[0\] is not the sum"),
        (f"{BLOCK}[0] = block_i ^", f"{BLOCK}[0] = key_i ^", r"R1: share 0 of block_i\[0\] is not the sum"),
        (f"{BLOCK}[0] = block_i ^", f"{BLOCK}[0] = {{block_i[30:0], block_i[31]}} ^", "R1: share 0 of block_i"),
        ("[0] ^ shares_of_block_o[1]", "[0]", r"R4: block_o\[0\] is not the sum of its shares"),
        # Something is taken without a word, or on one side alone; a value decides when.
        (
            "own_block_valid_i = block_valid_i & random_valid_i",
            "own_block_valid_i = block_valid_i",
            r"channel block may move on one side of the boundary only|R3: channel block may move",
        ),
        (" | (key_valid_i & own_key_ready_o)", "", "R3: channel key may move in a clock in which no word is taken"),
        (
            "assign random_ready_o = own_random_ready_o |",
            "assign random_ready_o =",
            "R3: the core inside may take a word",
        ),
        (
            "assign key_ready_o = own_key_ready_o &",
            "assign key_ready_o = key_i[0] &",
            r"R5: key_i\[0\] reaches a handshake",
        ),
    ],
)
def test_a_wrong_boundary_is_refused_by_name(old: str, new: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(CheckError, match=told):
        check_plain_ports(core((old, new)), tmp_path)


def test_a_register_at_the_boundary_is_refused(tmp_path: Path) -> None:
    gate = "  assign own_block_valid_i = block_valid_i &"
    register = "  logic q;\n  always_ff @(posedge clk_i) q <= block_valid_i;\n"
    later = (gate, register + gate.replace("block_valid_i &", "q & block_valid_i &"))
    with pytest.raises(CheckError, match="is outside the core in shares"):
        check_plain_ports(core(later), tmp_path)


def test_a_wrong_boundary_is_not_proved(tmp_path: Path) -> None:
    wrong = core(("[0] ^ shares_of_block_o[1]", "[0]"))
    report = prove(wrong, tmp_path)
    assert report.verdict is Verdict.REFUSED
    assert "is not the sum of its shares" in report.parts[0].detail
