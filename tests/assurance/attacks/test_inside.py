"""Wrong in the middle of a byte-serial core, where bytes of one block come in many clocks: refuted, each by a run.

The cores themselves are the right twins, which every proof of a preset shows; and those with all the memories, of which
each turns nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import load_specification

LIMITS = Limits(states=20_000, seconds=120)

OUTPUTS = {
    "serial-small-enc": ("core_serial_small_core.sv", (("assign block_o = result_q;", "assign plain = result_q;"),)),
    "wang2010-s4-enc": ("core_serial_wang2010_core.sv", (("    .block_o\n", "    .block_o(plain)\n"),)),
}
"""The file of a core's inner module, and how `plain` is driven there in place of its output."""

MEMORIES = {
    "a counter of results goes off": (7, "hit_q + 7'(block_valid_o & block_ready_i)", "hit_q == 7'd20"),
    "a second key is remembered": (6, "hit_q + 6'(key_valid_i & key_ready_o & ~hit_q[5])", "hit_q > 6'd16"),
    "a result that waits for three clocks": (
        2,
        "(hit_q == 2'd3) ? 2'd3 : (block_valid_o & ~block_ready_i) ? hit_q + 2'd1 : 2'd0",
        "hit_q == 2'd3",
    ),
    "a key byte on an idle channel": (1, "hit_q | (~key_valid_i & key_i[1:0] == 2'd2)", "hit_q"),
}
"""A register of so many bits, what it becomes, and when the lowest bit of a result is flipped."""

SWAPPED = {
    "serial-small-enc": ("core_serial_small_core.sv", ("column_d[3:1]}", "column_d[3], column_d[1], column_d[2]}")),
    "wang2010-s4-enc": ("core_serial_wang2010_core.sv", ("(key[0])", "(key[1])")),
}
"""A byte lane that is another's."""


@cache
def core(preset: str) -> CoreDesign:
    return load_specification(preset).design("core", preset)


def edited(preset: str, file: str, *changes: tuple[str, str]) -> CoreDesign:
    design = core(preset)
    (text,) = (source.text for source in design.sources if source.name == file)
    for old, new in changes:
        assert text.count(old) == 1, text
        text = text.replace(old, new)
    sources = (replace(source, text=text) if source.name == file else source for source in design.sources)
    return replace(design, sources=tuple(sources))


def with_memories(preset: str, *names: str, right: bool = False) -> CoreDesign:
    """The core with memories, each in a block of its own; of a `right` one no memory ever turns a bit."""
    file, output = OUTPUTS[preset]
    first = "  output logic [7:0] block_o\n);\n"
    text = f"  logic [7:0] plain;\n  logic [{len(names) - 1}:0] flips, ever_q;\n"
    for number, name in enumerate(names):
        bits, following, flips = MEMORIES[name]
        text += f"""  if (1) begin : gen_{number}
    logic [{bits - 1}:0] hit_q;
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) hit_q <= '0;
      else hit_q <= {following};
    assign flips[{number}] = {flips};
  end
"""
    text += """  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) ever_q <= '0;
    else ever_q <= ever_q & flips;
"""
    text += f"  assign block_o = plain ^ {{7'd0, |{'(flips & ever_q)' if right else 'flips'}}};\n"
    return edited(preset, file, (first, first + text), *output)


@pytest.mark.thorough(but=3)
@pytest.mark.parametrize("preset", OUTPUTS)
@pytest.mark.parametrize("name", [*MEMORIES, "a byte lane is another's"])
def test_a_core_that_is_wrong_inside_is_refuted(preset: str, name: str, tmp_path: Path) -> None:
    design = with_memories(preset, name) if name in MEMORIES else edited(preset, *SWAPPED[preset])
    report = prove(design, tmp_path, LIMITS)
    assert report.verdict is Verdict.REFUTED, [part.detail for part in report.parts]
    assert report.counterexample is not None


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("preset", OUTPUTS)
def test_its_right_twin_is_not_called_wrong(preset: str, tmp_path: Path) -> None:
    # All runs are tried; the states are too many for a test, and some of them must do.
    report = prove(with_memories(preset, *MEMORIES, right=True), tmp_path, Limits(states=500, seconds=60))
    assert report.verdict is Verdict.OPEN, [part.detail for part in report.parts]
    assert report.counterexample is None
    assert "500 states" in str([part.detail for part in report.failing])
