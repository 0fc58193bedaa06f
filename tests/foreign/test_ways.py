"""Ports that no name tells are tried on the gates: what gives AES is right, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aesmith.api import core
from aesmith.errors import CheckError, RequestError
from aesmith.flow.yosys import read_commands, run_script, write_sources
from aesmith.foreign.description import ForeignDescription, ForeignSource, read_description
from aesmith.foreign.design import foreign_design
from aesmith.foreign.given import given_design, likely, proposed
from aesmith.foreign.reading import read_sources

AROUND = """\
module around (
  input logic clk, input logic rst_n, input logic go, input logic [127:0] key, input logic [127:0] text,
  output logic done, output logic [127:0] cipher
);
  logic keyed_q, sent_q, key_ready, block_ready;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {{keyed_q, sent_q}} <= 2'b00;
    else if ({stops}) {{keyed_q, sent_q}} <= 2'b00;
    else begin
      if ({starts} & key_ready) keyed_q <= 1'b1;
      if (keyed_q & block_ready) sent_q <= 1'b1;
    end
  boyar2010_enc u (
    .clk_i(clk), .rst_ni({reset}), .key_valid_i({starts} & ~keyed_q), .key_ready_o(key_ready), .key_i(key),
    .block_valid_i(keyed_q & ~sent_q), .block_ready_o(block_ready), .block_i(text),
    .block_valid_o(done), .block_ready_i({taken}), .block_o(cipher)
  );
endmodule
"""
FORMS = {
    False: {"stops": "done", "starts": "go", "reset": "rst_n", "taken": "1'b1"},
    True: {"stops": "!go", "starts": "go", "reset": "rst_n & go", "taken": "1'b0"},
}


def _sources(preset: str, folder: Path) -> ForeignSource:
    """The sources of a core of this project."""
    design = core(preset).design
    for source in design.sources:
        (folder / source.name).write_text(source.text)
    return ForeignSource(tuple(folder / source.name for source in design.sources), design.top)


def _without_names(source: ForeignSource, preset: str, folder: Path) -> ForeignSource:
    """The same under a top module whose ports are called p0, p1, ..."""
    ports = [(port.name, port.direction, port.width) for port in core(preset).design.ports]
    declared = ", ".join(f"{way} [{width - 1}:0] p{number}" for number, (_, way, width) in enumerate(ports))
    connected = ", ".join(f".{name}(p{number})" for number, (name, _, _) in enumerate(ports))
    (folder / "around.sv").write_text(f"module around ({declared});\n  {source.top} u ({connected});\nendmodule\n")
    return ForeignSource((*source.files, folder / "around.sv"), "around")


def _unnamed(folder: Path) -> ForeignSource:
    """A core of this project whose ports no name tells."""
    return _without_names(_sources("boyar2010-enc", folder), "boyar2010-enc", folder)


def _started(folder: Path, held: bool) -> ForeignSource:
    """A core that a line starts, which counts only while that is high if it is `held`."""
    source = _sources("boyar2010-enc", folder)
    (folder / "around.sv").write_text(AROUND.format(**FORMS[held]))
    return ForeignSource((*source.files, folder / "around.sv"), "around")


def _lines(description: ForeignDescription) -> dict[str, Any]:
    return {what: ("" if line.active else "!") + line.port for what, line in description.ports.lines.items()}


def test_sources_of_this_project_are_taken_by_their_names(tmp_path: Path) -> None:
    best = likely(_sources("serial-small-enc", tmp_path), tmp_path / "ways")[0]
    assert _lines(best) == {
        "reset": "!rst_ni",
        "key.valid": "key_valid_i",
        "key.ready": "key_ready_o",
        "block.valid": "block_valid_i",
        "block.ready": "block_ready_o",
        "result.valid": "block_valid_o",
        "result.ready": "block_ready_i",
    }
    assert (best.ports.key.data, best.ports.block.data, best.ports.result.data) == ("key_i", "block_i", "block_o")


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "preset", ["boyar2010-enc", "serial-shared-small-enc", "column-beat32-encdec", "ueno2020-encdec-selectable"]
)
def test_ports_without_names_are_found_by_trying(preset: str, tmp_path: Path) -> None:
    design = core(preset).design
    named = likely(_sources(preset, tmp_path), tmp_path / "ways")[0]
    found = likely(_without_names(_sources(preset, tmp_path), preset, tmp_path), tmp_path / "again")[0]
    numbers = {port.name: f"p{number}" for number, port in enumerate(design.ports)}
    for best in (named, found):
        assert best.key_sizes == design.key_bits
        assert best.directions == [direction.value for direction in design.directions]
    assert {what: name.removeprefix("!") for what, name in _lines(found).items()} == {
        what: numbers[name.removeprefix("!")] for what, name in _lines(named).items()
    }


@pytest.mark.thorough(but=("bytes",))
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("made", "latency"),
    [
        pytest.param(lambda folder: _started(folder, False), 12, id="started"),
        pytest.param(lambda folder: _started(folder, True), 12, id="held"),
        pytest.param(
            lambda folder: _without_names(_sources("boyar2010-enc", folder), "boyar2010-enc", folder), 11, id="unnamed"
        ),
        pytest.param(lambda folder: _sources("serial-shared-small-enc", folder), 232, id="bytes"),
    ],
)
def test_what_is_proposed_is_what_was_tried(
    made: Callable[[Path], ForeignSource], latency: int, tmp_path: Path
) -> None:
    """The file is read again as the likeliest way, and its latency is what the gates showed."""
    source = made(tmp_path)
    text, tried = proposed(source, tmp_path / "ports")
    assert tried
    assert text.count("FIXME") == 1, "whose it is"
    (tmp_path / "theirs.toml").write_text(text)
    read, best = read_description(tmp_path / "theirs.toml"), likely(source, tmp_path / "ways")[0]
    assert (read.ports, read.choices, read.latency_cycles) == (best.ports, best.choices, latency)


@pytest.mark.thorough
def test_what_is_no_aes_is_proposed_by_its_names(tmp_path: Path) -> None:
    source = _started(tmp_path, False)
    (tmp_path / "around.sv").write_text(
        (tmp_path / "around.sv").read_text().replace(".block_i(text)", ".block_i(~text)")
    )
    text, tried = proposed(source, tmp_path / "ports")
    assert not tried
    assert 'data = "key"' in text
    assert "FIXME: from the clock of the start" in text


def test_registers_behind_clock_gates_have_the_clock_of_the_gate(tmp_path: Path) -> None:
    source = _sources("serial-bit-enc", tmp_path)
    read = read_sources(source.files, source.top, tmp_path / "read", clock="clk_i")
    assert (read.clock, dict(read.resets)) == ("clk_i", {"rst_ni": 0})


def test_a_latch_that_is_no_clock_gate_is_refused_still(tmp_path: Path) -> None:
    (tmp_path / "m.v").write_text(
        "module m (input clk, input en, input d, output reg q);\n  reg held;\n"
        "  always @* if (!clk) held = en;\n  wire gated = clk | held;\n"
        "  always @(posedge gated) q <= d;\nendmodule\n"
    )
    with pytest.raises(RequestError, match="held is a latch"):
        read_sources((tmp_path / "m.v",), "m", tmp_path / "read")


def test_a_gate_of_another_clock_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.v").write_text(
        "module m (input clk, input other, input en, input d, output reg q);\n  reg held;\n"
        "  always @* if (!other) held = en;\n  wire gated = other & held;\n"
        "  always @(posedge gated) q <= d;\nendmodule\n"
    )
    with pytest.raises(RequestError, match="register q has the clock"):
        read_sources((tmp_path / "m.v",), "m", tmp_path / "read", clock="clk")


@pytest.mark.thorough
@pytest.mark.parametrize("held", [False, True])
def test_a_start_may_be_held_until_the_result(held: bool, tmp_path: Path) -> None:
    best = likely(_started(tmp_path, held), tmp_path / "ways")[0]
    assert best.ports.block.held is held
    assert (best.ports.block.start, best.ports.result.done) == ("go", "done")


@pytest.mark.thorough
def test_a_held_start_is_verified_through_the_adapter(tmp_path: Path) -> None:
    assert given_design(_started(tmp_path, held=True), "core", tmp_path / "tried").inner is not None


@pytest.mark.thorough
def test_a_core_that_is_not_aes_is_told_with_its_ports(tmp_path: Path) -> None:
    source = _started(tmp_path, held=False)
    around = tmp_path / "around.sv"
    around.write_text(around.read_text().replace(".block_i(text)", ".block_i({text[126:0], text[127]})"))
    with pytest.raises(CheckError, match=r"around: is not AES in any of the ways .* input key\[128\]"):
        likely(source, tmp_path / "ways")


TYPES = "typedef enum logic {Idle, Go} op_e;\ntypedef struct packed {logic [63:0] high; logic [63:0] low;} word_t;\n"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("head", "prefix"), [(f"package p;\n{TYPES}endpackage : p\n", "p::"), (TYPES, "")], ids=["package", "beside"]
)
def test_ports_of_enumerations_and_structs_are_taken(head: str, prefix: str, tmp_path: Path) -> None:
    """What is verified and what is measured is both read by the front end of synthesis."""
    source = _started(tmp_path, held=False)
    around = tmp_path / "around.sv"
    text = around.read_text().replace("input logic go", f"input {prefix}op_e go")
    text = text.replace("input logic [127:0]", f"input {prefix}word_t").replace("({starts}", "(go")
    text = text.replace("output logic [127:0]", f"output {prefix}word_t").replace("endmodule", "endmodule : around")
    around.write_text(head + text)
    design = foreign_design(likely(source, tmp_path / "ways")[0], "core")
    assert design.inner is not None
    for number, each in enumerate((design, design.inner)):
        folder = tmp_path / str(number)
        folder.mkdir()
        run_script([*read_commands(each, write_sources(each, folder), keep_hierarchy=False), "check"], folder / "log")
