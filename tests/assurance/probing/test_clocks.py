"""Masked circuits in two clocks: rings and clock enables that are sound pass, and broken ones do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.probing.check import ProbingVerdict, Surroundings
from aesmith.assurance.probing.clocks import check_apart, check_ring, check_selectors, ring
from aesmith.assurance.probing.structure import check_core
from aesmith.assurance.proof.netlist import Gate, Netlist, NetlistOp, Register
from aesmith.circuits.circuit import Wire
from aesmith.cores.specification import build_design, parse_specification
from aesmith.errors import CheckError
from aesmith.masking.gadgets import AND, GF4, GF16, Bilinear, Scheme, dom, masked_product, paired
from aesmith.masking.sbox import CLOCKS, masked_sbox
from aesmith.masking.sharing import ShareBuilder

SECURE, LEAKS, NOT_SHOWN = ProbingVerdict


@pytest.mark.thorough
@pytest.mark.parametrize("clocks", CLOCKS)
def test_no_probe_of_the_s_box_as_a_ring_tells_anything_in_two_clocks(clocks: int) -> None:
    result = check_ring(masked_sbox(1, clocks))
    assert result.verdict is SECURE
    assert result.examined == 2 * (clocks + 1) * {3: 50, 4: 54}[clocks]


def test_rings_that_are_not_sound_are_not_shown_to_be() -> None:
    assert check_ring(masked_sbox(1, gadget=dom)).verdict is LEAKS
    masked = masked_sbox(1)
    bus = {bit: masked.origins[bit].bit for bit, origin in enumerate(masked.origins) if origin.is_fresh}
    around = replace(ring(masked), bus=bus)
    assert check_ring(masked, around).verdict is NOT_SHOWN


def test_a_ring_of_a_single_rank_leaks() -> None:
    """y = y·b + key with b held: `ring` is of circuits with one operand, so the loop is written out."""
    masked = masked_product(Scheme.HPC3, AND, 1)
    around = Surroundings(held=True, loop={0: 0, 1: 1}, keyed=True)
    assert check_ring(masked, around).verdict is LEAKS


@pytest.mark.parametrize("clocks", CLOCKS)
def test_a_clock_enable_of_the_s_box_shows_one_share_index(clocks: int) -> None:
    masked = masked_sbox(1, clocks)
    result = check_selectors(masked, old_words=False)
    assert result.verdict is SECURE
    assert result.examined == {3: 136, 4: 140}[clocks]
    # With the word of fresh bits before still there one-time pads alone do not show it of the whole S-box.
    assert check_selectors(masked, old_words=True).verdict is NOT_SHOWN


@pytest.mark.parametrize("product", [GF16, GF4, paired(GF4), paired(GF16)], ids=lambda product: product.name)
def test_a_clock_enable_of_a_product_shows_one_share_index_beside_old_fresh_bits(product: Bilinear) -> None:
    assert check_selectors(masked_product(Scheme.HPC3, product, 1), old_words=True).verdict is SECURE
    refused = check_selectors(masked_product(Scheme.DOM, product, 1), old_words=False)
    assert refused.verdict is NOT_SHOWN
    assert len(refused.probed) == 1
    assert len(refused.read) >= 3


def test_clock_enables_without_fresh_bits_show_both_shares() -> None:
    class Tied(ShareBuilder):
        def fresh(self, stage: int) -> Wire:
            return self.zero() if stage >= 0 else super().fresh(stage)

    assert check_selectors(masked_sbox(1, builder=Tied), old_words=False).verdict is NOT_SHOWN


def test_a_wire_that_reads_a_fresh_bit_and_its_register_is_named() -> None:
    """a_q takes r and a; b_q takes a_q, and in the wrong netlist r beside it."""
    r, a, a_q, b_q, first, second = range(2, 8)
    registers = (Register("a_q", first, a_q, None), Register("b_q", second, b_q, None))
    gates = (Gate(NetlistOp.XOR, (r, a), first), Gate(NetlistOp.AND, (a_q, a), second))
    netlist = Netlist("toy", {"random_i": (r,), "a_i": (a,)}, {"b_o": (b_q,)}, gates, registers, {})
    assert check_apart(netlist, "random_i") == 3
    wrong = replace(netlist, gates=(gates[0], Gate(NetlistOp.AND, (a_q, r), second)))
    with pytest.raises(CheckError, match=r"R2: what b_q takes reads random_i\[0\] and a_q, which takes it"):
        check_apart(wrong, "random_i")


@pytest.mark.thorough(but=("clock enables",))
@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ({}, {"S-box is PINI", "S-box in a ring, two clocks"}),
        (
            {"clock_gates": False},
            {"S-box is PINI", "S-box with its clock enables"}
            | {f"{each.name} with its clock enables" for each in (GF16, GF4, paired(GF4), paired(GF16))},
        ),
    ],
    ids=["clock gates", "clock enables"],
)
def test_what_is_shown_of_a_core(fields: dict[str, object], parts: set[str], tmp_path: Path) -> None:
    specification = parse_specification({"preset": "masked-round-gated-enc", **fields})
    found = check_core(build_design(specification, "core", "masked-round-gated-enc"), tmp_path)
    assert found.shown
    assert set(found.parts) == parts


@pytest.mark.thorough
def test_clock_enables_at_order_2_are_refused(tmp_path: Path) -> None:
    specification = parse_specification({"preset": "masked-round-enc", "order": 2})
    with pytest.raises(CheckError, match="R6: clock_gates: must be true, not false, with 3 shares"):
        check_core(build_design(specification, "core", "masked-round-enc"), tmp_path)
