"""The masked round-based core of both directions is AES in shares around inverters, and each wrong one is found."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.probing.check import ProbingVerdict, check_pini, check_probing
from aesmith.assurance.probing.clocks import check_ring
from aesmith.assurance.probing.idle import IdleReport, check_idle_slots
from aesmith.assurance.probing.structure import check_structure
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.assurance.proof.shares.core import with_ranks
from aesmith.assurance.proof.shares.sbox import function_table, masked_sbox_modules, prove_masked_sbox
from aesmith.cores.design import CoreDesign
from aesmith.cores.masked.round_encdec import (
    MaskedRoundEncdec,
    inverse_linear_operations,
    linear_operations,
    round_constants,
)
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError, RequestError
from aesmith.fields import aes
from aesmith.masking.gadgets import dom
from aesmith.masking.sbox import CLOCKS, masked_inverter, masked_sbox
from aesmith.sboxes.canright2005 import BASIS

pytestmark = pytest.mark.one_in(3)

PROVED, REFUTED, REFUSED, OPEN = Verdict
SECURE, LEAKS, NOT_SHOWN = ProbingVerdict
PRESET = "masked-round-gated-encdec"
MAPS = MaskedRoundEncdec().maps


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens()


def core(*changes: tuple[str, str], **fields: object) -> CoreDesign:
    """The core, with texts in its sources replaced; each must stand somewhere."""
    design = build_design(parse_specification({"preset": PRESET, **fields}), "core", PRESET)
    for old, new in changes:
        assert any(old in source.text for source in design.sources), old
        sources = tuple(replace(source, text=source.text.replace(old, new)) for source in design.sources)
        design = replace(design, sources=sources)
    return design


def test_the_inverter_inverts_in_its_tower() -> None:
    table = [BASIS.encode(aes.FIELD.inverse(BASIS.decode(word))) for word in range(256)]
    for clocks in CLOCKS:
        assert list(function_table(masked_inverter(1, clocks))) == table
    assert function_table(masked_sbox(1)) == aes.SBOX


@pytest.mark.thorough(but=("79",))
@pytest.mark.parametrize("gamma", [1, 0x4F])
def test_merged_maps_are_rounds_of_aes(gamma: int) -> None:
    """Of a column, on register words: the AES field's by Δγ, and Δγ⁻¹ in front of the inverters of decryption."""
    maps = MaskedRoundEncdec(gamma=gamma).maps
    invert, backwards = aes.FIELD.inverse, MaskedRoundEncdec(gamma=invert_of(gamma)).maps
    for column in ([1, 2, 3, 4], [0x53, 0, 0xFF, 0x80], [0xCA, 0x10, 0x7E, 0x01]):
        substituted = [aes.AFFINE.apply(invert(byte)) for byte in column]
        word = packed([BASIS.encode(invert(aes.FIELD.multiply(gamma, byte))) for byte in column])
        mixed = product(aes.MIX_COLUMNS, substituted)
        expected = packed([maps.delta.apply(byte) for byte in (*mixed, *substituted)])
        assert linear_operations(maps).evaluate_ints([word]) == [expected]
        mixed = product(aes.INVERSE_MIX_COLUMNS, column)
        expected = packed([backwards.delta.apply(aes.INVERSE_AFFINE.apply(byte)) for byte in mixed])
        keyed = packed([maps.delta.apply(byte) for byte in column])
        assert inverse_linear_operations(maps).evaluate_ints([keyed]) == [expected]


def invert_of(gamma: int) -> int:
    return aes.FIELD.inverse(gamma)


def packed(words: list[int]) -> int:
    return sum(word << 8 * i for i, word in enumerate(words))


def product(coefficients: tuple[int, ...], column: list[int]) -> list[int]:
    sums = [0] * 4
    for row in range(4):
        for e in range(4):
            sums[row] ^= aes.FIELD.multiply(coefficients[(e - row) % 4], column[e])
    return sums


def test_round_constants_run_both_ways() -> None:
    got = round_constants(MAPS).evaluate_ints([*range(10), *range(16, 26)])
    constants = [MAPS.delta.apply(aes.round_constant(step)) for step in range(1, 11)]
    assert got == [*constants, *reversed(constants)]


def test_an_offset_out_of_range_is_refused() -> None:
    with pytest.raises(RequestError, match="gamma"):
        parse_specification({"preset": PRESET, "gamma": 256})


@pytest.mark.parametrize("clocks", CLOCKS)
def test_the_inverter_is_pini_and_with_dom_it_is_not(clocks: int) -> None:
    assert check_pini(masked_inverter(1, clocks)).verdict is SECURE
    assert check_probing(masked_inverter(1, clocks)).verdict is SECURE
    assert check_pini(masked_inverter(1, clocks, gadget=dom)).verdict is NOT_SHOWN


RINGS = {
    "encryption": (MAPS.phi, MAPS.phi_constant),
    "decryption": (MAPS.lambda_(0), MAPS.lambda_constant),
    "decryption, multiplied by 9": (MAPS.lambda_(3), 0),
}


@pytest.mark.thorough
@pytest.mark.parametrize("way", RINGS)
@pytest.mark.parametrize("clocks", CLOCKS)
def test_no_probe_of_two_clocks_tells_anything_of_the_inverter_as_a_ring(way: str, clocks: int) -> None:
    """With the affine maps of both directions in the loop, and a key added."""
    assert check_ring(masked_inverter(1, clocks, RINGS[way])).verdict is SECURE


def test_dom_in_a_ring_leaks() -> None:
    assert check_ring(masked_inverter(1, 4, RINGS["decryption"], gadget=dom)).verdict is LEAKS


@pytest.mark.thorough
@pytest.mark.parametrize("fields", [{}, {"clocks": 3}])
def test_it_is_proved(fields: dict[str, object], tokens: Tokens, tmp_path: Path) -> None:
    design = core(**fields)
    report = prove(design, tmp_path, tokens=tokens)
    assert report.proved, report.parts
    clocks = next(part.detail for part in report.parts if part.name == "clocks")
    both = f"{design.cycles_per_block} a block, {design.latency_cycles} to its result"
    assert clocks == f"encrypt: {both}; decrypt: {both}"


def test_a_wrong_inverter_is_refuted(tmp_path: Path) -> None:
    design = core()
    ((module, masked),) = masked_sbox_modules(design).items()
    assert prove_masked_sbox(design, module, masked, tmp_path / "right").verdict is PROVED
    wrong = core(("assign y_1_o = ", "assign y_1_o = 8'h01 ^ "))
    assert prove_masked_sbox(wrong, module, masked, tmp_path / "wrong").verdict is REFUTED
    assert not masked_sbox_modules(wrong)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "(key_inverted[share])",
            "(share == 1 ? '0 : key_inverted[share])",
            "takes what no register of another share does",
        ),
        (
            "assign inverted[share][i] = y[share];",
            "assign inverted[share][share == 1 ? i ^ 1 : i] = y[share];",
            "takes what no register of another share does",
        ),
        ("(key_i[share])", "(key_i[share] ^ {127'b0, key_i[0][0]})", "shares 0 and 1 meet at "),
        ("(block_i[share])", "(block_i[share] & {128{random_i[0]}})", r"fresh bit random_i\[0\] is read outside"),
        # The choices of what enters are no longer apart.
        ("assign decrypt_o = decrypts_q;", "assign decrypt_o = turn_q;", "is a product of two bits of share 0"),
    ],
)
def test_what_no_sum_goes_through_is_refused_by_name(old: str, new: str, told: str, tmp_path: Path) -> None:
    report = prove(core((old, new)), tmp_path)
    assert report.verdict is REFUSED, report.parts
    assert re.search(told, report.parts[0].detail), report.parts[0].detail


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Constants on all shares: of the key schedule, of S, of its inverse.
        ("(share == 0 ? constant : 8'h00)", "(constant)"),
        ("(share == 0 ? AffineConstant : 0)", "(AffineConstant)"),
        ("(share == 0 ? InverseAffineConstant : 0)", "(InverseAffineConstant)"),
        # A turn that does not wait for a run of the key's own; one that forgets which end there is.
        ("(~other_end_q & ~key_valid_i)", "~key_valid_i"),
        ("last_end_d = last_end_q ^ key_turn_o;", "last_end_d = last_end_q | key_turn_o;"),
    ],
)
def test_a_wrong_sum_is_refuted(old: str, new: str, tokens: Tokens, tmp_path: Path) -> None:
    report = prove(core((old, new)), tmp_path, tokens=tokens)
    assert report.verdict is REFUTED, report.parts


@pytest.mark.thorough
@pytest.mark.parametrize("fields", [{}, {"clocks": 3}])
def test_its_structure_keeps_all_rules(fields: dict[str, object], tmp_path: Path) -> None:
    report = check_structure(core(**fields), tmp_path)
    assert report.instances == 20
    assert report.random_bits == 20 * report.sbox.fresh_bits


RANDOM = "random_i[Fresh*i+:Fresh]"
MOVES = "assign move_o = random_valid_i & random_ready_o;"


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (".x_0_i(x_i[0])", ".x_0_i(x_i[1])", r"R1: .* at x_0_i of .* depends on share 1"),
        ("(key_i[share])", "(key_i[share] ^ {127'b0, key_i[0][0]})", "R1: .* depends on share 0 and share 1"),
        ("block_o[share])", "block_o[Shares-1-share])", r"R1: .*at output block_o\[0\] depends on share 1"),
        (RANDOM, "random_i[Fresh-1:0]", r"R3: random_i\[\d+\] serves twice"),
        (RANDOM, "{random_i[Fresh*i+1+:Fresh-1], 1'b0}", r"R3: random_1_i\[0\] of .* is tied to a constant"),
        (MOVES, "assign move_o = random_ready_o;", r"R3: .*x_0_1_q\[0\] may move while random_valid_i is 0"),
        (MOVES, "assign move_o = random_valid_i;", r"R3: .*x_0_1_q\[0\] may move while random_ready_o is 0"),
        (
            "assign block_o = {256{block_valid_o}} & bare_block;",
            "assign block_o = bare_block;",
            r"R4: block_o\[0\] is not gated",
        ),
        (".enable_i(move)", ".enable_i(move & ~key_i[0][0])", "R5: .* depends on share 0"),
    ],
)
def test_each_rule_refuses_what_breaks_it(old: str, new: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(CheckError, match=told):
        check_structure(core((old, new)), tmp_path)


OLD = "takes what is of no block in work; slots without a block must carry constants"


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param(
            "assign encrypt_o = encrypts_q;",
            "assign encrypt_o = encrypts_q | (phase_q[1] & ~run_decrypt_q);",
            OLD,
            id="slots of encryption go round",
        ),
        pytest.param(
            "assign decrypt_o = decrypts_q;",
            "assign decrypt_o = decrypts_q | (phase_q[1] & run_decrypt_q);",
            "takes an idle slot",
            id="slots of decryption go round",
        ),
        pytest.param(
            "round_ends & ~expanding_q & ~run_decrypt_q",
            "round_ends & ~run_decrypt_q",
            "takes an idle slot",
            id="a run without a block",
        ),
        pytest.param(
            "assign load_encrypt_o = rests & ~wrong_end & ~last_end_q;",
            "assign load_encrypt_o = rests & ~last_end_q;",
            OLD,
            id="a block that was not taken",
        ),
    ],
)
def test_what_is_stale_does_not_enter(old: str, new: str, told: str, tmp_path: Path) -> None:
    design = core((old, new))
    with pytest.raises(CheckError, match=rf"R4: .*x_\d_1_q\[\d\] {told}"):
        check_idle_slots(design, with_ranks(design, tmp_path))


@pytest.mark.thorough
def test_slots_without_a_block_carry_constants(tmp_path: Path) -> None:
    """With each level of the five lines in each clock."""
    design = core()
    assert check_idle_slots(design, with_ranks(design, tmp_path)) == IdleReport(758, 32 * 758)
