"""Endings of a built core's top module that were called proved while Icarus computed other blocks: refused by name."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from aesmith.assurance.proof.scan import refuse_ambiguous
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import load_specification
from aesmith.errors import CheckError

MASK = "assign block_o = {{128{{block_valid_o}}}} & bare_block{0};"
ENDINGS = {
    "process order": (
        "logic [127:0] t, y; always_comb begin y = t; t = bare_block; end assign block_o = {128{block_valid_o}} & y;",
        "'t' .*not every path",
    ),
    "never starts": ("logic z; always @* z = 1'b1; " + MASK.format(" & {128{z}}"), "reads nothing"),
    "function sees out": (
        "if (1) begin : g logic [127:0] x; assign x = bare_block; end function automatic logic [127:0] "
        "f(input logic a); return {128{a}} & g.x; endfunction assign block_o = f(block_valid_o);",
        r"'g\.x'",
    ),
    "declared later": (
        "logic sel, y; assign sel = 1'b1; if (1) begin : g assign y = sel; logic sel; assign sel = 1'b0; end "
        + MASK.format(" & {128{y}}"),
        "'sel' .*declared later",
    ),
    "clock by <=": (
        "logic g, q, r; always_comb g <= clk_i; always_ff @(posedge clk_i) q <= key_valid_i; "
        "always_ff @(posedge g) r <= q; " + MASK.format(" ^ {127'd0, r & ~r}"),
        "'g <=' .*comes later",
    ),
    "race by ports": (
        "logic t; always_ff @(posedge clk_i) t = block_valid_i; uut_round_core u_more (.*); " + MASK.format(""),
        r"'\.\*'|'t'",
    ),
    "race in brackets": (
        "logic t, v_q; always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) v_q <= 1'b0; "
        "else if ((t = block_valid_i)) v_q <= 1'b1; " + MASK.format(" ^ {127'd0, t & ~t}"),
        "within an expression",
    ),
    "unique if": (
        "logic z; always_comb begin z = 1'b0; unique if (key_valid_i) z = 1'b0; else if (block_valid_i) z = 1'b1; end "
        + MASK.format(" ^ {127'd0, z & ~z}"),
        "'unique if'",
    ),
}


@pytest.fixture(scope="module")
def core() -> CoreDesign:
    return load_specification("boyar2010-enc").design("uut", "boyar2010-enc")


def ending_with(core: CoreDesign, ending: str) -> CoreDesign:
    def changed(text: str) -> str:
        text = text.replace("    .block_o\n", "    .block_o(bare_block)\n").replace(
            "  uut_round_core #(", "  logic [127:0] bare_block;\n  uut_round_core #("
        )
        return re.sub(r"endmodule\s*$", f"  {ending}\nendmodule\n", text)

    sources = (replace(s, text=changed(s.text)) if s.name == "uut.sv" else s for s in core.sources)
    return replace(core, sources=tuple(sources))


def test_the_core_itself_passes(core: CoreDesign) -> None:
    refuse_ambiguous(ending_with(core, MASK.format("")).sources)


@pytest.mark.parametrize("name", ENDINGS)
def test_each_ending_is_refused_by_name(name: str, core: CoreDesign) -> None:
    ending, says = ENDINGS[name]
    with pytest.raises(CheckError, match=rf"^uut\.sv, line \d+: .*{says}|^uut\.sv.*(?:{says})"):
        refuse_ambiguous(ending_with(core, ending).sources)
