"""Clock gates for tests: one as short as can be, and generic45 without its own."""

import re

from aesmith.technology.liberty import read_text
from aesmith.technology.registry import embedded_path

GATE = """
  cell (CLKGATE_X1) {
    area : 4;
    clock_gating_integrated_cell : "latch_posedge";
    statetable ("CK E", "IQ") { table : "L L : - : L, L H : - : H, H - : - : N"; }
    pin (IQ) { direction : internal; internal_node : "IQ"; }
    pin (CK) { direction : input; clock : true; clock_gate_clock_pin : true; capacitance : 0.001; }
    pin (E) {
      direction : input; clock_gate_enable_pin : true; capacitance : 0.001;
      timing () { related_pin : "CK"; timing_type : setup_rising; }
    }
    pin (GCK) {
      direction : output; clock_gate_out_pin : true; state_function : "IQ & CK";
      timing () { related_pin : "CK"; timing_sense : positive_unate; }
    }
  }
"""


def with_gates(*gates: str) -> str:
    """generic45 as text, with these clock gates in the place of its own."""
    text = re.sub(r"^  cell \(CLKGATE.*?^  \}\n", "", read_text(embedded_path()), flags=re.DOTALL | re.MULTILINE)
    return "".join([text.rstrip().removesuffix("}"), *gates, "}\n"])
