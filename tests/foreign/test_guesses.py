"""What no name tells is tried, or said in one line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from aesmith.errors import RequestError
from aesmith.foreign.description import ForeignSource, RtlSettings
from aesmith.foreign.given import either_payload, given_design, guessed
from aesmith.foreign.proposal import propose

from .standins import write_standin

GATES = "module comb (input [127:0] in, input [127:0] key, output [127:0] out);\n  assign out = in ^ key;\nendmodule\n"
TWO = """\
module two (
  input clk, input rst, input start, input [127:0] {0}, input [127:0] {1}, output reg done, output reg [127:0] y
);
  always @(posedge clk) if (rst) done <= 1'b0; else begin done <= start; y <= {0} ^ {1}; end
endmodule
"""


def test_a_core_of_gates_alone_is_not_taken_and_told_so(tmp_path: Path) -> None:
    (tmp_path / "comb.v").write_text(GATES)
    with pytest.raises(
        RequestError, match=r"comb has no register: a core of gates alone, without a clock, is not taken"
    ):
        propose((tmp_path / "comb.v",), "comb")


@pytest.mark.parametrize(
    ("name", "said"),
    [("rst", "rst"), ("rst_i", "rst_i"), ("rst_ni", "!rst_ni"), ("resetn", "!resetn"), ("nrst", "!nrst")],
)
def test_a_reset_is_active_low_if_its_name_says_so(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "two.v").write_text(TWO.format("key", "text").replace("rst", name))
    assert tomllib.loads(propose((tmp_path / "two.v",), "two"))["ports"]["reset"] == said


def test_a_key_that_no_name_tells_is_the_second_or_the_first(tmp_path: Path) -> None:
    (tmp_path / "two.v").write_text(TWO.format("data", "ky"))
    description = guessed(ForeignSource((tmp_path / "two.v",), "two"))
    pairs = [(each.ports.key.data, each.ports.block.data) for each in either_payload(description)]
    assert pairs == [("ky", "data"), ("data", "ky")]


def test_a_key_that_has_its_name_is_no_block(tmp_path: Path) -> None:
    (tmp_path / "two.v").write_text(TWO.format("key", "text"))
    description = guessed(ForeignSource((tmp_path / "two.v",), "two"))
    assert [(each.ports.key.data, each.ports.block.data) for each in either_payload(description)] == [("key", "text")]


@pytest.mark.thorough
def test_the_vectors_tell_key_from_block(tmp_path: Path) -> None:
    ports = ("input  [127:0] key, do;", "input  [127:0] ky, plain; wire [127:0] key = ky, do = plain;")
    path = write_standin(tmp_path / "core", ports, ("ld, done, key, do,", "ld, done, ky, plain,"))
    file = path.with_name("strobe.v")
    settings = RtlSettings(include=(path.parent / "include",), parameters={"ROUNDS": 10}, language="verilog-2005")
    design = given_design(ForeignSource((file,), "strobe", settings), "core", tmp_path / "tried")
    assert design.latency_cycles


def test_a_name_that_is_a_word_of_systemverilog_is_told_with_the_option(tmp_path: Path) -> None:
    (tmp_path / "two.v").write_text(TWO.format("do", "key"))
    with pytest.raises(RequestError, match=r"if do is a name there, say --verilog-2005"):
        propose((tmp_path / "two.v",), "two")
    assert "do" in propose((tmp_path / "two.v",), "two", language="verilog-2005")
