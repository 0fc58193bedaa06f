"""The leaf circuits and sources of ueno2020-enc."""

from __future__ import annotations

import re

import pytest

from aesmith.circuits.cost import UNIT, depth
from aesmith.cores.ueno2020_enc import Ueno2020Enc
from aesmith.fields import aes
from aesmith.fields.tower import NormalTower
from aesmith.sboxes import ueno2015

CORE = Ueno2020Enc(0x09, 0x50, 0x69)


@pytest.mark.parametrize("core", [CORE, Ueno2020Enc(0x4B, 0xED, 0x67), Ueno2020Enc(0x1C, 0xB0, 1)])
def test_the_leaf_circuits_together_are_the_s_box_and_mix_columns_in_the_tower(core: Ueno2020Enc) -> None:
    into, out = core.pre_round_map().table(), core.post_round_map().table()
    inverter, affine = ueno2015.inverter().table(), core.affine().table()
    unified = core.unified_affine()
    for x in range(256):
        inverted = inverter[into[x]]
        maps = unified(f=inverted)
        assert maps["phi"] == affine[inverted]
        assert out[maps["phi"]] == aes.SBOX[x]
        linear = aes.SBOX[x] ^ aes.AFFINE_CONSTANT
        assert out[maps["omega1"]] == aes.FIELD.multiply(3, linear)


def test_the_preset_needs_two_xor_levels_for_both_maps() -> None:
    assert depth(CORE.unified_affine(), UNIT) == 2
    assert CORE.unified_affine().count().total() == 24


def test_round_constants_follow_the_round_counter() -> None:
    out, constants = CORE.post_round_map().table(), CORE.round_constants().table()
    rcon = [aes.round_constant(step) for step in range(1, 11)]
    assert [out[c] for c in constants[:11]] == [*rcon, rcon[0]]


def test_every_module_has_the_builds_prefix_and_stands_before_its_users() -> None:
    design = CORE.design("chip_a", "ueno2020-enc")
    seen: set[str] = set()
    for source in design.sources:
        (module,) = re.findall(r"^module (\w+)", source.text, re.MULTILINE)
        assert module == "chip_a" or module.startswith("chip_a_")
        assert source.name == f"{module}.sv"
        assert "aesmith" not in source.text
        for used in re.findall(r"^\s+(chip_a_\w+)\s(?:#\(|u_)", source.text, re.MULTILINE):
            assert used in seen
        seen.add(module)
    assert design.sources[-1].name == "chip_a.sv"


def test_the_same_parameters_give_the_same_text_and_others_do_not() -> None:
    again = Ueno2020Enc(0x09, 0x50, 0x69).design("a", "ueno2020-enc")
    assert again.source_hash == CORE.design("a", "ueno2020-enc").source_hash
    assert again.source_hash != Ueno2020Enc(0x09, 0x50, 0x61).design("a", "ueno2020-enc").source_hash


def test_the_published_claim_about_the_offset_holds() -> None:
    """Section 4.1: without an offset no tower of the inverter has a Φ of two XOR levels; with one, a few have."""
    least = {
        gamma: min(max(Ueno2020Enc(tower.alpha, tower.beta, gamma).maps.phi.row_weights) for tower in ueno2015.towers())
        for gamma in (1, 0x69)
    }
    assert least[1] > 4
    assert least[0x69] <= 4
    assert NormalTower(0x09, 0x50) in ueno2015.towers()
