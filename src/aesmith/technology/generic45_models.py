"""The cells of the embedded library `generic45`, as figures of its model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GateModel:
    """A logic function at drive 1: area in sites and sites more for each further unit of drive; parasitic delay;
    resistance of a rising and of a falling output (in those of the smallest inverter); input capacitance by pin, in
    that of the smallest inverter. In a cell of two stages only the second grows with the full drive."""

    name: str
    function: str
    sites: int
    sites_per_drive: int
    parasitic: float
    rise: float
    fall: float
    pins: tuple[tuple[str, float], ...]
    drives: tuple[int, ...] = (1, 2, 4)
    two_stages: bool = False


@dataclass(frozen=True)
class FlipFlopModel:
    """A rising-edge D flip-flop, with asynchronous active-low reset or without. Setup and hold in ns at the fastest
    transitions; energies in fJ an edge."""

    name: str
    reset: bool
    sites: int
    sites_per_drive: int
    parasitic: float
    setup_rise: float
    setup_fall: float
    hold: float
    data_pin: float = 1.0
    clock_pin: float = 0.9
    reset_pin: float = 1.2
    clock_energy: float = 2.0
    data_energy: float = 1.5
    output_energy: float = 3.0
    drives: tuple[int, ...] = (1, 2, 4)


@dataclass(frozen=True)
class ClockGateModel:
    """An integrated clock gate: a latch that is open while the clock is low, and an AND of two stages behind it.

    The latch takes half of a flip-flop's sites, and its energies. The clock drives the latch and the AND; the enable
    has to be through the latch when the clock rises. Setup and hold in ns at the fastest transitions, energies in fJ an
    edge.
    """

    name: str
    latch_sites: int
    setup_rise: float
    setup_fall: float
    hold: float
    data_pin: float = 1.0
    clock_pin: float = 0.9
    clock_energy: float = 2.0
    data_energy: float = 1.5
    drives: tuple[int, ...] = (1, 2, 4, 8)


def _pins(names: str, capacitance: float) -> tuple[tuple[str, float], ...]:
    return tuple((name, capacitance) for name in names.split())


GATES = (
    GateModel("INV", "!A", 2, 1, 1.0, 1.1, 0.9, _pins("A", 1.0), (1, 2, 4, 8)),
    GateModel("BUF", "A", 3, 1, 2.0, 1.1, 0.9, _pins("A", 0.8), (1, 2, 4, 8), two_stages=True),
    GateModel("NAND2", "!(A & B)", 3, 2, 1.5, 1.1, 1.25, _pins("A B", 1.05)),
    GateModel("NAND3", "!(A & B & C)", 4, 3, 2.3, 1.1, 1.5, _pins("A B C", 1.1)),
    GateModel("NAND4", "!(A & B & C & D)", 5, 4, 3.1, 1.15, 1.8, _pins("A B C D", 1.1)),
    GateModel("NOR2", "!(A | B)", 3, 2, 1.8, 1.6, 0.95, _pins("A B", 1.05)),
    GateModel("NOR3", "!(A | B | C)", 4, 3, 3.0, 2.3, 1.0, _pins("A B C", 1.1)),
    GateModel("NOR4", "!(A | B | C | D)", 5, 4, 4.4, 3.0, 1.0, _pins("A B C D", 1.1)),
    GateModel("AND2", "A & B", 4, 1, 3.0, 1.1, 0.9, _pins("A B", 0.9), two_stages=True),
    GateModel("OR2", "A | B", 4, 1, 3.8, 1.1, 0.9, _pins("A B", 0.9), two_stages=True),
    GateModel("XOR2", "A ^ B", 6, 4, 4.5, 1.6, 1.3, _pins("A B", 1.8)),
    GateModel("XNOR2", "!(A ^ B)", 6, 4, 4.5, 1.5, 1.35, _pins("A B", 1.8)),
    GateModel("AOI21", "!((A & B) | C)", 4, 3, 2.3, 1.7, 1.25, _pins("A B C", 1.1)),
    GateModel("AOI22", "!((A & B) | (C & D))", 5, 4, 3.0, 1.8, 1.3, _pins("A B C D", 1.1)),
    GateModel("OAI21", "!((A | B) & C)", 4, 3, 2.2, 1.6, 1.3, _pins("A B C", 1.1)),
    GateModel("OAI22", "!((A | B) & (C | D))", 5, 4, 3.0, 1.75, 1.35, _pins("A B C D", 1.1)),
    GateModel("MUX2", "(S & B) | (!S & A)", 7, 1, 5.0, 1.1, 0.9, (*_pins("A B", 1.0), ("S", 1.8)), two_stages=True),
)
TIES = (("TIEHI", "1"), ("TIELO", "0"))
TIE_SITES = 1
FLIP_FLOPS = (
    FlipFlopModel("DFF", False, 17, 2, 12.0, 0.028, 0.032, 0.004),
    FlipFlopModel("DFFR", True, 20, 2, 13.0, 0.030, 0.034, 0.004),
)
CLOCK_GATE = ClockGateModel("CLKGATE", 9, 0.040, 0.044, 0.002)
