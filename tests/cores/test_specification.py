"""Specifications are refused before any work starts, with the field, the rule and the value."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from aesmith.cores.design import SourceFile, Sources
from aesmith.cores.specification import build_design, default_name, families, load_specification, parse_specification
from aesmith.errors import RequestError


def test_a_file_with_the_preset_alone_is_the_preset(tmp_path: Path) -> None:
    for name, specification in (next(iter(family.presets.items())) for family in families().values()):
        path = tmp_path / "core.toml"
        path.write_text(f'preset = "{name}"\n')
        assert load_specification(str(path)) == load_specification(name) == specification


def test_a_file_may_change_fields_of_a_preset(tmp_path: Path) -> None:
    path = tmp_path / "other.toml"
    path.write_text('preset = "ueno2020-enc"\ngamma = 0x61\n')
    assert load_specification(str(path)).model_dump()["gamma"] == 0x61
    assert default_name(str(path)) == "other"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"preset": "ueno"}, "preset: must be one of ueno2020-enc, .*not 'ueno'"),
        ({"architecture": "round"}, "architecture: must be one of column-enc, .*not 'round'"),
        ({}, "architecture: must be one of"),
        ({"preset": "ueno2020-enc", "gama": 3}, "gama: there is no such field; the fields are alpha, architecture"),
        (
            {"preset": "ueno2020-enc", "alpha": 10},
            r"alpha, beta: must be a tower of the ueno2015 inverter, one of \(0x09",
        ),
        ({"preset": "ueno2020-enc", "beta": 2}, "β must be an element of order 5, not 0x02"),
    ],
)
def test_what_is_wrong_is_named(fields: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        parse_specification(fields)


UENO, LOOP, STANDARD = ({"preset": name} for name in ("ueno2020-enc", "zhang2004-r3-enc", "boyar2010-enc"))


@pytest.mark.parametrize(
    ("preset", "field", "value", "rule"),
    [
        (UENO, "key_bits", 64, "128, 192 or 256"),
        (UENO, "key_bits", "128", "128, 192 or 256"),
        (UENO, "gamma", 0, "a whole number from 1 to 255"),
        (UENO, "gamma", 256, "a whole number from 1 to 255"),
        (UENO, "gamma", "0x69", "a whole number from 1 to 255"),
        (UENO, "gamma", 1.5, "a whole number from 1 to 255"),
        (UENO, "gamma", True, "a whole number from 1 to 255"),
        (UENO, "directions", ["decrypt"], "['encrypt']"),
        (UENO, "directions", [], "['encrypt']"),
        (UENO, "directions", "encrypt", "['encrypt']"),
        (UENO, "directions", ["encrypt", "decrypt"], "['encrypt']"),
        ({"preset": "ueno2020-encdec"}, "demultiplexer", 1, "true or false"),
        ({"preset": "ueno2020-encdec-selectable"}, "key_bits", 128, "[128, 192, 256]"),
        ({"preset": "ueno2020-encdec-selectable"}, "key_bits", [128], "[128, 192, 256]"),
        (LOOP, "directions", [], "a list of 1 to 2 values, each 'encrypt' or 'decrypt'"),
        (LOOP, "directions", ["sideways"], "a list of 1 to 2 values, each 'encrypt' or 'decrypt'"),
        (LOOP, "rounds_in_loop", 0, "a whole number of at least 1 or none"),
        (LOOP, "rounds_in_loop", "all", "a whole number of at least 1 or none"),
        (LOOP, "sbox_form", "memory", "'gates', 'luts' or 'block-memory'"),
        (LOOP, "cuts", 3, "'pipeliner', 'luts' or 'paper'"),
        (STANDARD, "sbox", 3, "a text"),
        (STANDARD, "sbox", None, "a text"),
        (STANDARD, "mix_columns_levels", 2, "a whole number of at least 3 or none"),
    ],
)
def test_an_error_says_field_rule_and_value_in_our_own_words(
    preset: dict[str, object], field: str, value: object, rule: str
) -> None:
    with pytest.raises(RequestError) as caught:
        parse_specification({**preset, field: value})
    assert str(caught.value) == f"specification: {field}: must be {rule}, not {value!r}"


def test_every_wrong_field_is_named_at_once() -> None:
    with pytest.raises(RequestError) as caught:
        parse_specification({"preset": "ueno2020-enc", "key_bits": 64, "gamma": 999})
    assert "key_bits" in str(caught.value)
    assert "gamma" in str(caught.value)


def test_a_name_close_to_a_preset_is_suggested() -> None:
    with pytest.raises(RequestError, match="did you mean ueno2020-enc"):
        load_specification("ueno2020-end")


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot be read"):
        load_specification(str(tmp_path / "absent.toml"))
    broken = tmp_path / "broken.toml"
    broken.write_text("key_bits = = 3")
    with pytest.raises(RequestError, match="is not TOML"):
        load_specification(str(broken))


@pytest.mark.parametrize("name", ["", "2fast", "a-b", "aesmith_x", "a b"])
def test_a_build_name_must_be_a_module_name(name: str) -> None:
    with pytest.raises(RequestError, match="name: must be letters, digits and _"):
        build_design(load_specification("ueno2020-enc"), name, "ueno2020-enc")


def test_a_reserved_word_is_no_build_name() -> None:
    with pytest.raises(RequestError, match="must not be a reserved word of SystemVerilog, as small is"):
        build_design(load_specification("ueno2020-enc"), "small", "ueno2020-enc")


def test_sources_are_made_when_they_are_read_and_once() -> None:
    made = []

    def make() -> tuple[SourceFile, ...]:
        made.append(1)
        return (SourceFile("a.sv", "a"), SourceFile("b.sv", "b"))

    sources = Sources(make)
    assert not made
    assert sources == make()
    assert [source.name for source in sources] == ["a.sv", "b.sv"]
    assert (sources[-1].text, sources[:1], len(sources)) == ("b", (SourceFile("a.sv", "a"),), 2)
    assert sources == Sources(make) == pickle.loads(pickle.dumps(sources))
    assert sources != Sources(lambda: ())
    assert len(made) == 3


def test_a_core_that_there_is_not_is_refused_before_anybody_asks_for_its_sources() -> None:
    fields = {"preset": "serial-small-enc", "sbox": "nothing"}
    with pytest.raises(RequestError, match="nothing"):
        parse_specification(fields)
    with pytest.raises(RequestError, match="nothing"):
        build_design(load_specification("serial-small-enc").model_copy(update={"sbox": "nothing"}), "core", "")
