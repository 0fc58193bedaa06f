"""The leaf circuits of Ueno et al. and the sources made of them."""

from __future__ import annotations

import re

import pytest

from aesmith.circuits.circuit import Circuit, Op
from aesmith.circuits.cost import UNIT, XOR_LEVELS, depth
from aesmith.cores.design import CoreDesign
from aesmith.cores.round_based.ueno import UenoTower
from aesmith.cores.specification import build_design, parse_specification, presets
from aesmith.fields import aes
from aesmith.fields.tower import NormalTower
from aesmith.sboxes import ueno2015

CORE = UenoTower(0x09, 0x50, 0x69)


def leaf(core: UenoTower, module: str) -> Circuit:
    return next(leaf.circuit for leaf in core.encryption_parts(128).leaves if leaf.module == module)


def design(name: str, gamma: int = CORE.gamma, *, clock_gates: bool = False) -> CoreDesign:
    fields = {"preset": "ueno2020-enc", "gamma": gamma, "clock_gates": clock_gates}
    return build_design(parse_specification(fields), name, "ueno2020-enc")


@pytest.mark.parametrize("core", [CORE, UenoTower(0x4B, 0xED, 0x67), UenoTower(0x1C, 0xB0, 1)])
def test_the_leaf_circuits_together_are_the_s_box_and_mix_columns_in_the_tower(core: UenoTower) -> None:
    into, out = leaf(core, "pre_round_map").table(), leaf(core, "post_round_map").table()
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
    out, constants = leaf(CORE, "post_round_map").table(), leaf(CORE, "round_constants").table()
    rcon = [aes.round_constant(step) for step in range(1, 11)]
    assert [out[c] for c in constants[:11]] == [*rcon, rcon[0]]


@pytest.mark.parametrize("gated", [False, True])
def test_every_module_has_the_builds_prefix_and_stands_before_its_users(gated: bool) -> None:
    sources = design("chip_a", clock_gates=gated).sources
    # Without clock gates it stands in what no parameter asks for.
    seen = set() if gated else {"chip_a_clock_gate"}
    for source in sources:
        (module,) = re.findall(r"^module (\w+)", source.text, re.MULTILINE)
        assert module == "chip_a" or module.startswith("chip_a_")
        assert source.name == f"{module}.sv"
        assert "aesmith" not in source.text
        for used in re.findall(r"^\s+(chip_a_\w+)\s(?:#\(|u_)", source.text, re.MULTILINE):
            assert used in seen
        seen.add(module)
    assert sources[-1].name == "chip_a.sv"


def test_the_same_parameters_give_the_same_text_and_others_do_not() -> None:
    assert design("a").source_hash == design("a").source_hash
    assert design("a").source_hash != design("a", gamma=0x61).source_hash


def test_the_published_claim_about_the_offset_holds() -> None:
    """Section 4.1: without an offset no tower of the inverter has a Φ of two XOR levels; with one, a few have."""
    least = {
        gamma: min(max(UenoTower(tower.alpha, tower.beta, gamma).maps.phi.row_weights) for tower in ueno2015.towers())
        for gamma in (1, 0x69)
    }
    assert least[1] > 4
    assert least[0x69] <= 4
    assert NormalTower(0x09, 0x50) in ueno2015.towers()


def test_the_offset_takes_gates_out_of_the_maps_and_no_level() -> None:
    """As the page of the paper counts: the two maps of a byte, the S-box of SubWord, and the map of a ciphertext."""
    both = {"ueno2016-encdec": (79, 20, 15), "ueno2020-encdec": (68, 15, 11)}
    for preset, gates in both.items():
        fields = presets()[preset].model_dump()
        tower = UenoTower(fields["alpha"], fields["beta"], fields["gamma"])
        maps = (tower.unified_affine(), tower.unified_inverse_affine(), tower.affine(), tower.decryption_load_map())
        xors = [sum(gate.op in (Op.XOR, Op.XNOR) for gate in circuit.gates) for circuit in maps]
        assert (xors[0] + xors[1], *xors[2:]) == gates
        assert [depth(circuit, XOR_LEVELS) for circuit in maps] == [3, 3, 3, 3]
