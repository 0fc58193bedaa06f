"""A family's object: what it claims of presets, what its cores are in words, and how they are named."""

from __future__ import annotations

import pytest

from aesmith.cores.design import PublishedFigures
from aesmith.cores.specification import build_design, families, family_of, parse_specification, presets
from aesmith.explore.outline import design_name
from aesmith.tables.catalogue import TABLES


def published(preset: str, **changes: object) -> tuple[PublishedFigures, ...]:
    specification = parse_specification({"preset": preset, **changes})
    return build_design(specification, "core", preset).published


def test_every_preset_and_architecture_is_of_one_family() -> None:
    for name, specification in presets().items():
        family = family_of(specification.architecture)
        assert family.presets[name] == specification
        assert isinstance(specification, family.architectures[specification.architecture])
    assert sum(len(family.presets) for family in families().values()) == len(presets())


def test_what_is_published_of_a_preset_is_said_of_no_variant_of_it() -> None:
    assert len(published("ueno2020-enc")) == 2
    assert not published("ueno2020-enc", gamma=0x61)
    assert len(published("hamalainen2006-enc")) == 1
    assert not published("hamalainen2006-enc", sbox="boyar2012-derived")


def test_a_longest_path_is_claimed_of_a_preset_and_of_no_variant_of_it() -> None:
    derived = {"sbox": "boyar2012-derived"}
    for preset, changes, claimed in (("boyar2010-enc", {}, True), ("boyar2010-enc", derived, False)):
        design = build_design(parse_specification({"preset": preset, **changes}), "core", preset)
        assert any("Longest path between registers" in remark for remark in design.remarks) == claimed


def test_a_misprint_is_put_right_and_named() -> None:
    area, area_speed, slides = published("liu2009-encdec")
    assert area_speed.fmax_mhz == 370.37
    assert "Ueno et al., 2020, table 2, row “Liu et al.”; fmax is printed as 380.37, a slip" in area_speed.source
    assert "slip" not in area.source
    assert "Ueno et al., 2016, slides" in slides.source
    assert "without overlap" in slides.conditions


@pytest.mark.parametrize("preset", [name for family in families().values() for name in family.published])
def test_a_datasheet_and_the_tables_state_the_same(preset: str) -> None:
    """A table that looks at a core from another side has the figures of the table that it refers to once more."""
    rows = [row for table in TABLES.values() for row in table.rows if row.name == preset and row.published]
    assert rows
    first = {tuple(sorted(row.published.items())): row for row in reversed(rows)}
    for figures, row in zip(published(preset), reversed(first.values()), strict=True):
        assert (figures.area_ge, figures.fmax_mhz) == (row.stated("area"), row.stated("fmax"))
        if row.stated("latency") is not None:
            assert (figures.latency_ns, figures.efficiency_kbps_per_ge) == (
                row.stated("latency"),
                row.stated("efficiency"),
            )


@pytest.mark.parametrize(
    ("family", "stages", "rounds", "words"),
    [
        ("round-based", 1, 1, ()),
        ("round-based", 2, 1, ("2 stages a round",)),
        ("round-based", 1, 2, ("2 rounds in hardware",)),
        ("byte-serial", 4, None, ("4 stages of the S-box",)),
        ("sub-pipelined", 3, 5, ("5 rounds in hardware", "3 stages a round")),
        ("sub-pipelined", 1, 1, ("1 round in hardware",)),
    ],
)
def test_a_core_is_told_in_the_words_of_its_family(
    family: str, stages: int, rounds: int | None, words: tuple[str, ...]
) -> None:
    assert families()[family].structure(stages, rounds) == words


@pytest.mark.thorough(but=6)
@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"preset": "ueno2016-encdec"}, "ueno2016-encdec"),
        ({"preset": "ueno2020-enc", "gamma": 0x61, "key_bits": 192}, "ueno2020-enc-192-gamma61"),
        ({"architecture": "standard-enc", "mix_columns_levels": None, "sbox": "table"}, "standard-enc-table-mx"),
        ({"architecture": "ueno2020-encdec", "demultiplexer": False}, "ueno2020-encdec-demultiplexerFalse"),
        ({"architecture": "wang2010-enc", "clock_gates": True}, "wang2010-enc-r4-gated"),
        ({"architecture": "subpipelined", "key_agile": True, "stages": 7}, "subpipelined-r7-uall-agile"),
        ({"architecture": "column-encdec", "key_bits": (128, 192, 256)}, "column-encdec-128-192-256"),
        (
            {"architecture": "subpipelined", "directions": ("encrypt", "decrypt"), "rounds_in_loop": 2, "cuts": "luts"},
            "subpipelined-encdec-r3-u2-luts",
        ),
    ],
)
def test_a_core_that_is_no_preset_is_named_by_what_is_not_default(fields: dict[str, object], name: str) -> None:
    assert design_name(parse_specification(fields)) == name
