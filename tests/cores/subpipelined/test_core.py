"""Parameters of a sub-pipelined core, what is refused, and what a build of one consists of."""

from __future__ import annotations

import re

import pytest

from aesmith.cores.specification import parse_specification, presets
from aesmith.cores.subpipelined.family import FAMILY, SubpipelinedSpecification
from aesmith.cores.wrapper import with_one_key_size
from aesmith.errors import RequestError

SELECTABLE = {"key_bits": [128, 192, 256]}


@pytest.mark.parametrize(
    ("preset", "latency"),
    [
        ("zhang2004-r3-enc", 31),
        ("zhang2004-r7-enc", 71),
        ("zhang2004-r7-encdec", 71),
        ("zhang2004-r7-enc-192", 85),
        ("zhang2004-r7-enc-256", 99),
        ("lin2023-r9-encdec", 91),
        ("zhang2004-r3-enc-selectable", 43),
    ],
)
def test_presets_take_a_block_a_clock_and_give_it_back_after_the_publications_clocks(preset: str, latency: int) -> None:
    specification = presets()[preset]
    assert isinstance(specification, SubpipelinedSpecification)
    core = specification.core()
    assert (core.passes, core.latency_cycles) == (1, latency)


def test_a_loop_takes_as_many_blocks_as_it_has_stages() -> None:
    core = SubpipelinedSpecification(stages=4, rounds_in_loop=5).core()
    design = core.design("loop", "loop")
    assert (design.cycles_per_block, design.latency_cycles) == (2, 41)
    assert design.parameters["rounds_in_loop"] == 5


def test_encryption_starts_while_the_key_is_expanded_and_decryption_after_it() -> None:
    encryption = SubpipelinedSpecification(stages=3).core()
    decryption = SubpipelinedSpecification(stages=3, directions=("decrypt",)).core()
    assert encryption.key_clocks == 3
    assert decryption.key_clocks == 32


def test_where_the_key_size_is_chosen_a_block_takes_as_many_clocks_under_every_key() -> None:
    design = presets()["zhang2004-r3-enc-selectable"].design("core", "selectable")
    assert design.key_bits == (128, 192, 256)
    assert design.title.startswith("AES-128/192/256, encryption, all rounds unrolled")
    for key_bits in design.key_bits:
        one = with_one_key_size(design, key_bits)
        assert (one.key_bits, one.cycles_per_block, one.latency_cycles) == ((key_bits,), 1, 43)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rounds_in_loop": 3}, r"rounds_in_loop: must divide the 10 rounds of a 128-bit key \(1, 2, 5, 10\), not 3"),
        ({"rounds_in_loop": 10, "key_bits": 192}, r"rounds_in_loop: .*12 rounds of a 192-bit key"),
        (
            {**SELECTABLE, "directions": ["decrypt"]},
            "key_bits: all sizes need encryption .* not decrypt with 14 rounds",
        ),
        ({**SELECTABLE, "rounds_in_loop": 2}, "key_bits: all sizes need .*, not encrypt with 2 rounds"),
        ({**SELECTABLE, "cuts": "luts"}, "key_bits: all sizes need .* cuts luts"),
        ({**SELECTABLE, "key_agile": True}, "key_bits: all sizes need .* key_agile true"),
        ({"key_bits": [128, 256]}, r"key_bits: must be 128, 192 or 256 or \[128, 192, 256\], not \[128, 256\]"),
        ({"stages": 0}, "stages: must be a whole number from 1 to 10, not 0"),
        ({"stages": 11}, "stages: must be a whole number from 1 to 10, not 11"),
        ({"sbox": "ueno2015"}, r"sbox: must be an S-box with a forward function \(table, .*\), not ueno2015"),
        ({"sbox": "nobody"}, "sbox: must be one of table, .*, not 'nobody'"),
        ({"cuts": "paper", "stages": 4}, "cuts: paper has stages 3 or 7 .* not 4 stages"),
        ({"cuts": "paper", "stages": 7, "sbox": "boyar2012-derived"}, "cuts: paper has .* S-box zhang2004"),
        (
            {"cuts": "paper", "stages": 7, "sbox": "lin2023", "directions": ["encrypt", "decrypt"]},
            "cuts: paper has stages 8 or 9 or 10 for these directions and S-box lin2023, not 7 stages",
        ),
        ({"cuts": "paper", "directions": ["decrypt"]}, "none for decryption alone"),
        (
            {"cuts": "paper", "stages": 3, "directions": ["encrypt", "decrypt"]},
            "cuts: paper has stages 4 or 7 for these",
        ),
        (
            {"cuts": "luts", "stages": 9, "sbox": "boyar2012-derived"},
            "stages: must be 1 to . with S-box boyar2012-derived cut by LUTs",
        ),
        ({"sbox_form": "luts"}, "sbox_form: luts needs S-box table, .* not S-box zhang2004"),
        (
            {"sbox_form": "block-memory", "sbox": "table", "stages": 1, "directions": ["encrypt", "decrypt"]},
            "sbox_form: block-memory needs .* not both directions and 1 stage",
        ),
        ({"sbox_form": "wood"}, "sbox_form: "),
        ({"key_agile": True, "directions": ["decrypt"]}, "key_agile: must be encryption with all rounds in the loop"),
        ({"key_agile": True, "rounds_in_loop": 5}, "key_agile: .*not encrypt with 5 of 10 rounds"),
        ({"directions": []}, "directions: must"),
        ({"stagecount": 3}, "stagecount: there is no such field"),
    ],
)
def test_what_no_core_has_is_refused_by_name_and_rule(fields: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        parse_specification({"architecture": "subpipelined"} | fields)


@pytest.mark.parametrize("agile", [False, True])
def test_every_module_has_the_builds_prefix_and_stands_before_its_users(agile: bool) -> None:
    design = SubpipelinedSpecification(stages=2, key_agile=agile).design("chip_a", "x")
    seen: set[str] = set()
    # Branches of other parameters name modules that this build does not have.
    others = {"chip_a_first_column"} if agile else {"chip_a_mix_round_key"}
    for source in design.sources:
        (module,) = re.findall(r"^module (\w+)", source.text, re.MULTILINE)
        assert module == "chip_a" or module.startswith("chip_a_")
        assert source.name == f"{module}.sv"
        assert "aesmith" not in source.text
        for used in re.findall(r"^\s+(chip_a_\w+)\s(?:#\(|u_)", source.text, re.MULTILINE):
            assert used in seen | others
        seen.add(module)
    assert design.sources[-1].name == "chip_a.sv"


def test_the_same_specification_gives_the_same_text() -> None:
    specification = FAMILY.presets["zhang2004-r3-enc"]
    assert specification.design("a", "x").source_hash == specification.design("a", "x").source_hash
