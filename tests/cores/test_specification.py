"""Specifications are refused before any work starts, with the field, the rule and the value."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.cores.specification import build_design, default_name, load_specification, parse_specification, presets
from aesmith.errors import RequestError


def test_a_file_with_the_preset_alone_is_the_preset(tmp_path: Path) -> None:
    for name, specification in presets().items():
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
        ({"architecture": "round"}, "architecture: must be one of ueno2020-enc, .*not 'round'"),
        ({}, "architecture: must be one of"),
        ({"preset": "ueno2020-enc", "gama": 3}, "gama: there is no such field; the fields are alpha, architecture"),
        ({"preset": "ueno2020-enc", "key_bits": 64}, "key_bits: must be 128, 192 or 256, not 64"),
        ({"preset": "satoh2001-encdec", "key_bits": 192}, "key_bits: must be 128, not 192"),
        ({"preset": "ueno2020-enc", "directions": ["decrypt"]}, "directions: must be 'encrypt', not 'decrypt'"),
        ({"preset": "ueno2020-enc", "gamma": 0}, "gamma: must be greater than or equal to 1, not 0"),
        ({"preset": "ueno2020-enc", "gamma": "0x69"}, "gamma: must be a valid integer, not '0x69'"),
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
