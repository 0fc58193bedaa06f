"""Clock gates of a design in a library: the model, which has a latch, becomes the library's cell."""

from __future__ import annotations

from aesmith.cores.design import Design, SourceFile
from aesmith.errors import RequestError
from aesmith.technology.library import Library

_MODEL = "_clock_gate.sv"


def clock_gate_source(design: Design, library: Library) -> SourceFile | None:
    """The design's clock gate as a module around the library's cell, under its old name; None if it has none.

    The cell is the library's smallest: what it drives is the clock, which is ideal until there is a clock tree. Raises
    RequestError if the library has no integrated clock gate.
    """
    name = next((source.name for source in design.sources if source.name.endswith(_MODEL)), None)
    if name is None:
        return None
    gate = library.clock_gate
    if gate is None:
        raise RequestError(
            f"clock_gates: library {library.name} has no integrated clock gate without test pin; choose a library that "
            "has one, or clock_gates = false"
        )
    text = f"""// The clock gate of library {library.name}.
module {name.removesuffix(".sv")} (
  input  clk_i,
  input  enable_i,
  output clk_o
);
  {gate.cell.name} u_gate (
    .{gate.clock}(clk_i),
    .{gate.enable}(enable_i),
    .{gate.output}(clk_o)
  );
endmodule
"""
    return SourceFile(name, text)
