"""The structure of whole masked cores: sound ones pass, and each way to break one is refused by its rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.probing.structure import check_structure
from aesmith.assurance.proof.shares.sbox import masked_sbox_modules
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError


def core(**fields: object) -> CoreDesign:
    specification = parse_specification({"preset": "masked-round-gated-enc", **fields})
    return build_design(specification, "broken", "masked-round-gated-enc")


def edited(design: CoreDesign, old: str, new: str) -> CoreDesign:
    """The design with a text in its sources replaced, wherever it stands; it must stand somewhere."""
    assert any(old in source.text for source in design.sources), old
    sources = tuple(replace(source, text=source.text.replace(old, new)) for source in design.sources)
    return replace(design, sources=sources)


@pytest.mark.thorough(but=("fields0",))
@pytest.mark.parametrize("fields", [{"clocks": 3}, {"order": 2, "output": "registered"}])
def test_a_sound_core_passes(fields: dict[str, object], tmp_path: Path) -> None:
    report = check_structure(core(**fields), tmp_path)
    assert report.instances == 20
    assert report.shares == report.sbox.shares == int(str(fields.get("order", 1))) + 1
    assert report.random_bits == 20 * report.sbox.fresh_bits


RANDOM, LATE = "random_i[Fresh*i+:Fresh]", "late_q[Fresh*i+:Fresh]"
MOVES = "assign move_o = random_valid_i & random_ready_o;"


@pytest.mark.thorough(but=4)
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (".x_0_i(x_i[0])", ".x_0_i(x_i[1])", r"R1: .* at x_0_i of .* depends on share 1"),
        ("(key_i[share])", "(key_i[share] ^ {127'b0, key_i[0][0]})", "R1: .* depends on share 0 and share 1"),
        ("block_o[share])", "block_o[Shares-1-share])", r"R1: .*at output block_o\[0\] depends on share 1"),
        (RANDOM, "random_i[Fresh-1:0]", r"R3: random_i\[\d+\] serves twice"),
        (RANDOM, "{random_i[Fresh*i+1+:Fresh-1], 1'b0}", r"R3: random_1_i\[0\] of .* is tied to a constant"),
        (RANDOM, "(random_i[Fresh*i+:Fresh] ^ Fresh'(i))", r"R3: random_i\[\d+\] is read by .*, no S-box"),
        (".random_2_i(random_i[11:8])", ".random_2_i(random_i[3:0])", r"R3: random_i\[\d+\] serves twice"),
        (".move_i  (move)", ".move_i  (move & ~key_i[0][0])", "R5: .* depends on share 0"),
        (".random_valid_i,", ".random_valid_i(random_valid_i & random_i[0]),", r"R3: random_i\[0\] is read by"),
        (RANDOM, LATE, r"R3: random_i\[\d+\] is read by .*, no S-box"),
        (MOVES, "assign move_o = random_ready_o;", r"R3: .*x_0_1_q\[0\] may move while random_valid_i is 0"),
        (MOVES, "assign move_o = random_valid_i;", r"R3: .*x_0_1_q\[0\] may move while random_ready_o is 0"),
        (".clk_i   (sbox_clk)", ".clk_i   (i < 8 ? sbox_clk : clk_i)", r"R3: .*x_0_1_q\[0\] moves in every clock"),
        ("s1_n0 = ", "s1_n0 = 1'b1 & ", "has 0 modules that are masked S-boxes"),
    ],
)
def test_each_rule_refuses_what_breaks_it(old: str, new: str, told: str, tmp_path: Path) -> None:
    broken = edited(core(), old, new)
    if new == LATE:
        declared = "logic [20*Fresh-1:0] late_q;\n  always_ff @(posedge clk_i) late_q <= random_i;\n"
        broken = edited(broken, "  logic sbox_clk, sbox_enable", f"  {declared}  logic sbox_clk, sbox_enable")
    with pytest.raises(CheckError, match=told):
        check_structure(broken, tmp_path)


RESULT = "block_o[127-8*i-:8] = "


@pytest.mark.parametrize("last_byte", ["shifted[15] ^ next_key[15]", "8'h00"], ids=["a sum", "a constant"])
def test_a_bare_output_is_not_gated(last_byte: str, tmp_path: Path) -> None:
    bare = edited(core(output="bare"), RESULT, f"{RESULT}i == 15 ? {last_byte} : ")
    with pytest.raises(CheckError, match=r"R4: block_o\[0\] is not gated"):
        check_structure(bare, tmp_path)


@pytest.mark.thorough
def test_what_holds_the_registers_of_s_boxes_is_told(tmp_path: Path) -> None:
    assert not check_structure(core(), tmp_path / "gates").enabled
    assert check_structure(core(clock_gates=False), tmp_path / "enables").enabled


def test_a_core_without_shares_is_not_masked(tmp_path: Path) -> None:
    plain = build_design(parse_specification({"preset": "boyar2010-enc"}), "plain", "boyar2010-enc")
    assert not masked_sbox_modules(plain)
    with pytest.raises(CheckError, match="is not masked"):
        check_structure(plain, tmp_path)
