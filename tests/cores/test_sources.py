"""Packaged SystemVerilog under a build's names: renamed on tokens, set by parameters, complete."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.narrow import with_block, with_key_kept
from aesmith.cores.ports import Channel, Line, Meaning, Payload, PortDirection, Ports, Reset, block_interface
from aesmith.cores.sources import (
    PREFIX,
    PackagedCore,
    cleared_sources,
    end_of_statement,
    module_names,
    packaged_modules,
    packaged_rtl,
    packaged_sources,
    renamed,
    with_clear,
    with_output_register,
    with_quiet_output,
)
from aesmith.cores.specification import build_design, parse_specification, presets
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


def test_a_quiet_output_has_a_gate_a_bit_and_nothing_else_changes() -> None:
    for preset, width in (("ueno2020-enc", 128), ("serial-small-enc", 8), ("zhang2004-r3-enc", 128)):
        bare = presets()[preset].design("core", preset)
        quiet = with_quiet_output(bare)
        assert (quiet.ports.quiet, bare.ports.quiet) == (True, False)
        assert [s for s in quiet.sources if s.name != "core.sv"] == [s for s in bare.sources if s.name != "core.sv"]
        added = [line for line in lines_of(quiet) if line not in lines_of(bare)]
        assert [line.strip().rstrip(",") for line in added] == [
            f"logic [{width - 1}:0] bare_block;",
            ".block_o(bare_block)",
            f"assign block_o = {{{width}{{block_valid_o}}}} & bare_block;",
        ]
        assert with_quiet_output(quiet) == quiet


def test_a_quiet_output_is_given_to_any_top_module_with_an_offer() -> None:
    """Written by hand, valid active low, the output read inside and connected by name."""
    text = "module own (\n  output logic none_o,\n  output logic [3:0] x_o\n);\n  sub u (.x_o, .y(x_o), .z(x_o[0]));\n"
    sources = (SourceFile("own.sv", f"{text}endmodule\n"),)
    channel = Channel("x", PortDirection.OUTPUT, (Payload("x_o", 4, Meaning.VALUE),), Line("none_o", 0))
    core = replace(presets()["ueno2020-enc"].design("own", ""), sources=sources, ports=Ports("clk", None, (channel,)))
    made = with_quiet_output(core).sources[0].text
    assert "  sub u (.x_o(bare_x), .y(bare_x), .z(bare_x[0]));\n" in made
    assert "  assign x_o = {4{!none_o}} & bare_x;\nendmodule\n" in made
    with pytest.raises(RequestError, match="no module other"):
        with_quiet_output(replace(core, name="other"))
    clash = (SourceFile("own.sv", text.replace("sub u", "sub bare_x") + "endmodule\n"),)
    with pytest.raises(RequestError, match="already has a net bare_x"):
        with_quiet_output(replace(core, sources=clash))


def test_a_registered_output_is_a_module_behind_the_core_and_a_clock_more() -> None:
    for preset, width in (("ueno2020-enc", 128), ("serial-small-enc", 8), ("lutz2002-encdec", 128)):
        quiet, design = (
            build_design(parse_specification({"preset": preset, "output": output}), "core", preset)
            for output in ("quiet", "registered")
        )
        *inner, register, _ = design.sources
        assert inner == list(quiet.sources[:-1])
        assert register.name == "core_output_register.sv"
        assert (design.ports, design.ports.quiet) == (quiet.ports, True)
        assert (design.cycles_per_block, design.latency_cycles) == (quiet.cycles_per_block, quiet.latency_cycles + 1)
        assert not design.published, "what is published is not of this core"
        added = [line for line in lines_of(design) if line not in lines_of(quiet)]
        assert [line for line in added if "logic" in line] == [
            "  logic inner_block_valid;",
            "  logic inner_block_ready;",
            f"  logic [{width - 1}:0] inner_block;",
        ]
        assert f"    .Width({width})" in added


def test_a_register_is_given_to_any_output_with_a_handshake() -> None:
    """Written by hand: other names, other levels, two payloads, and a channel that cannot wait."""
    text = "module own (\n  output logic x_o\n);\n  sub u (.x_o, .y_o, .none_o(none_o), .busy_i, .done_o);\n"
    sources = (SourceFile("own.sv", f"{text}endmodule\n"),)
    payloads = (Payload("x_o", 4, Meaning.VALUE), Payload("y_o", 2, Meaning.VALUE))
    ends = (
        Channel("x", PortDirection.OUTPUT, payloads, Line("none_o", 0), Line("busy_i", 0)),
        Channel("done", PortDirection.OUTPUT, (), Line("done_o")),
    )
    ports = Ports("clk", Reset("rst_n"), ends)
    core = replace(presets()["ueno2020-enc"].design("own", ""), sources=sources, ports=ports)
    register, top = with_output_register(core).sources
    assert register.text.count("module own_output_register") == 1
    assert "  sub u (.x_o(inner_x), .y_o(inner_y), .none_o(inner_none), .busy_i(inner_busy), .done_o);\n" in top.text
    for pin in (
        ".clk_i  (clk)",
        ".rst_ni (rst_n)",
        ".valid_i(!inner_none)",
        ".data_i ({inner_x, inner_y})",
        ".ready_i(!busy_i)",
        ".data_o ({x_o, y_o})",
    ):
        assert pin in top.text
    assert "  assign none_o = !u_x_register_valid_o;" in top.text
    assert "  assign inner_busy = !u_x_register_ready_o;" in top.text
    with pytest.raises(RequestError, match="already has a net inner_none"):
        with_output_register(replace(core, sources=(replace(top, text=top.text.replace("u_x_register", "u")),)))
    with pytest.raises(RequestError, match="without clock and reset"):
        with_output_register(replace(core, ports=Ports("clk", None, ends)))


def test_a_pipeline_with_a_buffer_at_its_output_has_no_register_there() -> None:
    with pytest.raises(RequestError, match="output: must be 'quiet' or 'bare', not 'registered'"):
        parse_specification({"preset": "zhang2004-r3-enc", "output": "registered"})


def lines_of(design: CoreDesign) -> list[str]:
    """The top module's."""
    return design.sources[-1].text.splitlines()


CLEARED = (
    {"preset": "ueno2020-encdec-p2"},
    {"preset": "wang2010-s4-enc", "clock_gates": True},
    {"preset": "serial-encdec"},
    {"architecture": "subpipelined", "stages": 3, "rounds_in_loop": 2, "skid_entries": 3},
    {"architecture": "subpipelined", "stages": 3, "sbox": "table", "sbox_form": "luts"},
    {"architecture": "subpipelined", "stages": 2, "key_agile": True},
)


@pytest.mark.parametrize("fields", CLEARED)
def test_a_clear_is_said_at_every_register(fields: dict[str, object]) -> None:
    design = build_design(parse_specification({**fields, "clear": True}), "core", "core")
    for source in design.sources:
        blocks = re.split(r"\balways_ff\b", source.text)[1:]
        assert all("if (clear_i)" in block for block in blocks), source.name
    assert design.ports == design.block_interface
    assert design.ports.clearable


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("endmodule", "endmodule\nmodule more; endmodule", "must have one module, not 2"),
        ("clk_i", "clock_i", "must have a port clk_i"),
        ("if (!rst_ni)", "if (rst_ni == 1'b0)", "is not reset as"),
    ],
)
def test_a_clear_is_refused_where_registers_are_written_otherwise(old: str, new: str, reason: str) -> None:
    bare = presets()["boyar2010-enc"].design("core", "core")
    sources = [
        replace(source, text=source.text.replace(old, new)) if source.name == "core_round_sequencer.sv" else source
        for source in bare.sources
    ]
    with pytest.raises(RequestError, match=reason):
        with_clear(replace(bare, sources=tuple(sources)))


def test_a_clear_takes_registers_that_are_assigned_together_to_0_too() -> None:
    text = """module core (
  input  logic clk_i,
  input  logic rst_ni,
  output logic y_o
);
  logic       x_q, y_q;
  logic [1:0] z_q;
  always_ff @(posedge clk_i) begin
    if (rst_ni) {x_q, z_q[1]} <= 2'b01;
    else begin
      {y_q} <= x_q;
      z_q[0] <= ({x_q, y_q} == 2'd1);
    end
  end
  assign y_o = y_q;
endmodule
"""
    [cleared] = cleared_sources([SourceFile("core.sv", text)])
    wiped = re.findall(r"(\S+) <= '0;", cleared.text)
    assert sorted(wiped) == ["x_q", "y_q", "z_q[0]", "z_q[1]"]


@pytest.mark.parametrize(
    "statement",
    [
        "a <= b;",
        "for (int i = 0; i < 4; i++) a[i] <= b;",
        "if (a) b <= c; // else nothing; end\n else if (d) begin b <= e; end else b <= f;",
        "begin : outer if (a) begin b <= c; end end",
        "unique case (a) 1'b0: begin b <= c; end default: ; endcase",
    ],
)
def test_a_statement_ends_with_all_that_belongs_to_it(statement: str) -> None:
    text = f"always_ff @(posedge clk_i) {statement} assign x = y; end"
    start = text.index(statement)
    assert text[start : end_of_statement(text, start)] == statement
    assert end_of_statement("begin a <= b;", 0) == len("begin a <= b;")


@pytest.mark.parametrize("preset", ["serial-shared-keyed-enc", "serial-shared16-keyed-gated-enc"])
def test_a_key_with_each_block_is_kept_beside_the_core_for_what_knows_the_block_interface_only(preset: str) -> None:
    core = build_design(parse_specification({"preset": preset}), "core", "")
    assert core.ports != core.block_interface
    assert core.ports.channel("block").data.meaning is Meaning.BLOCK
    kept = with_key_kept(core)
    assert (kept.top, kept.ports) == ("core_with_key_kept", core.block_interface)
    assert tuple(kept.sources[: len(core.sources)]) == tuple(core.sources)
    assert with_key_kept(kept) is kept
    cleared = build_design(parse_specification({"preset": preset, "clear": True}), "core", "")
    with pytest.raises(RequestError, match=r"clear: a core to which a key comes with each block"):
        with_key_kept(cleared)


def test_a_store_of_keys_for_other_beats_than_bytes_and_pairs_is_not_made_up() -> None:
    core = build_design(parse_specification({"preset": "column-beat32-enc"}), "core", "")
    keyed = replace(core, ports=with_block(core.ports, 32))
    with pytest.raises(RequestError, match=r"block_width: .* with 8 or 16-bit beats"):
        with_key_kept(keyed)
