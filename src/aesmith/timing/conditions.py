"""What surrounds a netlist when it is timed."""

from __future__ import annotations

from dataclasses import dataclass

from aesmith.errors import RequestError
from aesmith.technology.cell import input_capacitance, mean_transition
from aesmith.technology.library import Library

FANOUT = 4
"""Loads of one NAND2 input that the default conditions put on each output and before each input."""


@dataclass(frozen=True)
class TimingConditions:
    """Transition of every input (ns, as the library measures it) and load on every output (fF).

    Wires have no resistance and no capacitance; the clock is ideal (edges at once everywhere, no transition time).
    """

    input_slew_ns: float
    output_load_ff: float

    def __post_init__(self) -> None:
        for name, value in (("input_slew_ns", self.input_slew_ns), ("output_load_ff", self.output_load_ff)):
            if not 0 <= value < float("inf"):
                raise RequestError(f"{name}: must be a number of at least 0, not {value}")


def default_conditions(library: Library) -> TimingConditions:
    """The surroundings of a core among its like: inputs come from the library's flip-flop of choice driving four
    NAND2 inputs, and outputs drive four NAND2 inputs."""
    load = FANOUT * input_capacitance(library.nand2)
    return TimingConditions(mean_transition(library.flip_flop, 0.0, load), load)
