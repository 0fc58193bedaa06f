"""Ports that no name tells are tried on the gates: what gives AES is right, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from aesmith.api import core
from aesmith.errors import CheckError, RequestError
from aesmith.foreign.description import ForeignDescription, ForeignSource, RtlSettings
from aesmith.foreign.given import given_design, likely
from aesmith.foreign.reading import read_sources

from .standins import write_standin

SETTINGS = {"parameters": {"ROUNDS": 10}, "language": "verilog-2005"}
HELD = (
    ("done <= #`TD round == ROUNDS;", "done <= #`TD ld && round == ROUNDS;\n      if (!ld) round <= 4'd0; else"),
    ("if (ld) begin", "if (round == 4'd0 && !done) begin"),
)


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


def _standin(folder: Path, *edits: tuple[str, str]) -> ForeignSource:
    path = write_standin(folder, *edits)
    settings = RtlSettings(include=(path.parent / "include",), **SETTINGS)  # type: ignore[arg-type]
    return ForeignSource((path.with_name("strobe.v"),), "strobe", settings)


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
@pytest.mark.parametrize(("edits", "held"), [((), False), (HELD, True)], ids=["pulse", "held"])
def test_a_start_may_be_held_until_the_result(edits: Sequence[tuple[str, str]], held: bool, tmp_path: Path) -> None:
    best = likely(_standin(tmp_path / "core", *edits), tmp_path / "ways")[0]
    assert best.ports.block.held is held
    assert best.ports.block.start == "ld"


@pytest.mark.thorough
def test_a_held_start_is_verified_through_the_adapter(tmp_path: Path) -> None:
    assert given_design(_standin(tmp_path / "core", *HELD), "core", tmp_path / "tried").inner is not None


@pytest.mark.thorough
def test_a_core_that_is_not_aes_is_told_with_its_ports(tmp_path: Path) -> None:
    source = _standin(tmp_path / "core", ("constant  <= #1.5 8'h01", "constant  <= #1.5 8'h03"))
    with pytest.raises(CheckError, match=r"strobe: is not AES in any of the ways .* input key\[128\]"):
        likely(source, tmp_path / "ways")
