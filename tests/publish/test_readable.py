"""The one-file Verilog of a package can be read, and is the sources still."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aesmith.api import core, engine
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.errors import CheckError
from aesmith.flow.equality import prove_equal
from aesmith.flow.verilog2005 import verilog2005
from aesmith.publish.readable import WIDTH, readable

TEXT = """\
module box_2 (
  input [1:0] b_i,
  input a_i,
  output y_o
);
  wire _1_;
  wire _0_;

  assign y_o = ~ _0_;
  assign _0_ = a_i & _1_;
  assign _1_ = b_i == 2'h1;
endmodule

module top (
  input clk_i,
  input [3:0] x_i,
  output reg [3:0] y_q
);
  wire [3:0] _07_;
  wire one;

  assign _07_ = { one, one, one, x_i[0] } & x_i;
  always @(posedge clk_i)
    y_q <= _07_;
  box_2 u_box (
    .a_i(x_i[0]),
    .b_i(x_i[2:1]),
    .y_o(one)
  );
endmodule
"""
SOURCES = (
    SourceFile("box.sv", "// A box.\n//\n// More of it.\nmodule box (input a_i);\nendmodule\n"),
    SourceFile("top.sv", "// synthesis translate_off\nmodule top ();\nendmodule\n"),
)
READ = """\
// A box.
// Here with other parameters than in box.
module box_2 (
  input [1:0] b_i,
  input a_i,
  output y_o
);
  wire y_1;

  assign y_1 = b_i == 2'h1;
  assign y_o = ~ (a_i & y_1);
endmodule

module top (
  input clk_i,
  input [3:0] x_i,
  output reg [3:0] y_q
);
  wire [3:0] y_next;
  wire one;

  assign y_next = { {3{one}}, x_i[0] } & x_i;
  always @(posedge clk_i)
    y_q <= y_next;
  box_2 u_box (
    .b_i(x_i[2:1]),
    .a_i(x_i[0]),
    .y_o(one)
  );
endmodule
"""


def test_heads_names_pins_and_replications() -> None:
    """And no comment that tools obey."""
    assert readable(TEXT, SOURCES) == READ


def test_vectors_that_are_made_and_read_by_bits_are_wires() -> None:
    """And no others: not one that is read whole, nor one of which a bit is not made."""
    text = """\
module top (
  input [1:0] x_i,
  output [1:0] y_o
);
  wire [1:0] sum;
  wire [1:0] whole;
  wire [1:0] part;
  wire sum_1;

  assign sum[0] = x_i[0] ^ x_i[1];
  assign sum[1] = sum[0] & x_i[0];
  assign whole[0] = sum[1];
  assign whole[1] = x_i[1];
  assign part[0] = sum[0];
  assign sum_1 = part[0];
  assign y_o = { 2{sum_1} } & whole;
endmodule
"""
    read = readable(text, ())
    assert "  wire sum_0, sum_1, sum_1_;" in read
    assert "  assign sum_1_ = sum_0 & x_i[0];" in read
    assert "  wire [1:0] part, whole;" in read
    assert "  assign part[0] = sum_0;" in read


def _text(preset: str, folder: Path) -> tuple[CoreDesign, str]:
    design = core(preset).design
    raw = verilog2005(design, f"{preset}: {'a long head ' * 20}", folder / "raw")
    return design, readable(raw, design.sources)


def test_a_package_s_text_is_of_lines_that_fit_and_equal_to_the_sources(tmp_path: Path) -> None:
    design, text = _text("serial-shared-small-enc", tmp_path)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert not re.search(r"\b_\d+_\b", text)
    assert "// Model of an integrated clock gate, to be replaced by the technology's cell" in text
    assert re.search(
        r"(?m)^module serial_shared_small_enc \(\n  input clk_i,\n  input rst_ni,\n  input key_valid_i,", text
    )
    prove_equal(design, text, tmp_path / "proof")
    wrong = text.replace(" & ", " | ", 1)
    assert wrong != text
    with pytest.raises(CheckError):
        prove_equal(design, wrong, tmp_path / "wrong")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "preset", ["boyar2010-enc", "column-beat32-encdec", "masked-round-gated-enc", "zhang2004-r3-enc"]
)
def test_texts_of_families(preset: str, tmp_path: Path) -> None:
    design, text = _text(preset, tmp_path)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert not re.search(r"\b_\d+_\b", text)
    prove_equal(design, text, tmp_path / "proof")


@pytest.mark.thorough
def test_the_text_of_an_engine(tmp_path: Path) -> None:
    design = engine("gcm-compact").design
    text = readable(verilog2005(design, "", tmp_path / "raw"), design.sources)
    assert max(map(len, text.splitlines())) <= WIDTH
    prove_equal(design, text, tmp_path / "proof")
