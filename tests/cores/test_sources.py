"""Packaged SystemVerilog under a build's names: renamed on tokens, set by parameters, complete."""

from __future__ import annotations

import pytest

from aesmith.cores.ports import Meaning, block_interface
from aesmith.cores.sources import (
    PREFIX,
    PackagedCore,
    module_names,
    packaged_modules,
    packaged_rtl,
    packaged_sources,
    renamed,
)
from aesmith.errors import RequestError

NAMES = {"aesmith_box": "chip_box"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aesmith_box u_box (.x_i(x));", "chip_box u_box (.x_i(x));"),
        ("  aesmith_box#(.Width(8))u_box();", "  chip_box#(.Width(8))u_box();"),
        ("// see aesmith_box, (aesmith_box)", "// see chip_box, (chip_box)"),
        ("/* as\n aesmith_box */ aesmith_box b();", "/* as\n chip_box */ chip_box b();"),
        ("// https://x // aesmith_box's", "// https://x // chip_box's"),
        *(
            (text, text)
            for text in ("aesmith_box2", "my_aesmith_box", "aesmith_box$x", "// aesmith_boxes, aesmith, x_aesmith_box")
        ),
        ('$error("aesmith_box \\" aesmith_box");', '$error("aesmith_box \\" aesmith_box");'),
        ('"//" + aesmith_box', '"//" + chip_box'),
        ("\\aesmith_box +x ", "\\aesmith_box +x "),
        ("`aesmith_box $aesmith_box", "`aesmith_box $aesmith_box"),
        ("16'haesmith_box", "16'haesmith_box"),
        ("4'b0 + aesmith_box", "4'b0 + chip_box"),
        ("'0;aesmith_box", "'0;chip_box"),
    ],
)
def test_only_whole_identifiers_and_words_of_comments_are_renamed(text: str, expected: str) -> None:
    assert renamed(text, NAMES) == expected


def test_names_of_modules_are_the_identifiers_with_the_prefix_and_not_words_of_comments() -> None:
    text = '// aesmith_a\nmodule aesmith_b;\n aesmith_c u_c();\n initial $display("aesmith_d");\nendmodule'
    assert module_names(text) == {"aesmith_b", "aesmith_c"}


@pytest.mark.parametrize("module", sorted(packaged_modules()))
def test_a_packaged_file_has_one_module_of_its_name(module: str) -> None:
    words = renamed(packaged_rtl(module), {}).split()
    assert [words[i + 1] for i, word in enumerate(words) if word == "module"][-1:] == [PREFIX + module]
    assert words.count("endmodule") == 1


def test_a_module_in_a_role_has_that_name_and_is_known_by_it() -> None:
    path, mixed = packaged_sources("chip", ("liu2009_data_path", "both_sub_bytes"), {"liu2009_data_path": "data_path"})
    assert (path.name, mixed.name) == ("chip_data_path.sv", "chip_both_sub_bytes.sv")
    assert "module chip_data_path (" in path.text
    assert "  chip_both_mix_columns u_both_mix_columns (" in path.text
    assert "aesmith" not in path.text + mixed.text


def test_an_unknown_module_is_refused() -> None:
    with pytest.raises(RequestError, match=r"there is no aesmith_nothing\.sv"):
        packaged_sources("chip", ("nothing",))


def test_the_top_module_sets_parameters_and_ties_what_it_has_no_port_for() -> None:
    ports = block_interface((128,), ("encrypt",))
    core = PackagedCore("core", {"Rounds": 9, "Overlap": False}, {Meaning.DIRECTION: "1'b0"})
    text = core.top("chip", ports, "One core.").text
    assert text.startswith("// One core.\nmodule chip (\n  input  logic clk_i,\n  input  logic rst_ni,\n\n")
    assert "  chip_core #(\n    .Rounds (9),\n    .Overlap(1'b0)\n  ) u_core (\n    .clk_i,\n" in text
    assert "    .decrypt_i(1'b0),\n" in text


def test_a_port_that_the_build_has_is_not_tied() -> None:
    ports = block_interface((128,), ("encrypt", "decrypt"))
    text = PackagedCore("core", {}, {Meaning.DIRECTION: "1'b0"}).top("chip", ports, "One core.").text
    assert "  chip_core u_core (\n" in text
    assert "    .decrypt_i,\n" in text
