"""The ports of a simulated netlist by their roles: lines that say something, and payloads, 64 lanes in step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from aesmith.cores.ports import ByteOrder, PortDeclaration, Ports
from aesmith.errors import CheckError
from aesmith.technology.cell import input_capacitance, mean_delay
from aesmith.timing.power.arrays import ALL_LANES, Blocks, Words, everywhere, to_words
from aesmith.timing.power.figures import PowerPlan
from aesmith.timing.power.program import TICKS_PER_NS, PowerProgram
from aesmith.timing.power.simulator import Simulator
from aesmith.timing.static import FANOUT

_RESET = "reset"
_SETTLING_PERIODS = 2


@dataclass(frozen=True)
class Clocking:
    """Ticks of a clock period, and from its active edge to the change of the inputs, which come from registers too."""

    period: int
    input_delay: int


def clocking_of(program: PowerProgram, plan: PowerPlan) -> Clocking:
    """The clock of a plan for a netlist."""
    return Clocking(round(TICKS_PER_NS * 1000 / plan.clock_mhz), input_delay(program))


def input_delay(program: PowerProgram) -> int:
    """Ticks from the clock edge to the change of an input: it comes from a flip-flop that drives the usual load."""
    library = program.bound.library
    if not library.flip_flops:
        return 1
    load = FANOUT * input_capacitance(library.nand2)
    return max(1, round(TICKS_PER_NS * mean_delay(library.flip_flop, 0.0, load)))


class PortDriver:
    """Says and asks what stands at the ports of a design, and clocks it; `name` is what errors call it."""

    def __init__(self, simulator: Simulator, name: str, ports: Ports, clocking: Clocking) -> None:
        self.simulator = simulator
        self.clocking = clocking
        self.periods = 0
        self._name = name
        self._ports = {port.role: port for port in ports}

    def says(self, role: str) -> bool:
        """Whether the line with this role is active. Raises CheckError unless it is in all lanes, or in none."""
        port = self._ports[role]
        word = self.simulator.port(port.name)[0]
        if word not in (np.uint64(0), ALL_LANES):
            raise CheckError(
                f"power of {self._name}: {port.name} differs between stimuli at a clock period of "
                f"{self.clocking.period} ps; what a design does must not depend in time on key or data"
            )
        return bool(word) == bool(port.active)

    def line(self, role: str, active: bool) -> Words:
        """The words of a line that is active in all lanes, or in none."""
        return everywhere(active == bool(self._ports[role].active))

    def carried(self, role: str, content: Blocks) -> Words:
        """The words of a payload that carries these bytes, (64, n), first byte first."""
        return to_words(turned(content, self._ports[role]))

    def drive(self, role: str, words: Words) -> None:
        """Set the port with this role now."""
        self.simulator.drive(self._ports[role].name, words)

    def begin(self, lines: Mapping[str, bool], payloads: Mapping[str, Words]) -> None:
        """Reset the design. Of these lines and payloads those that it has stand there from the beginning."""
        words = {role: self.line(role, active) for role, active in lines.items() if role in self._ports}
        for role, content in (words | {_RESET: self.line(_RESET, True)}).items():
            self.drive(role, content)
        for role, content in payloads.items():
            self.drive(role, content)
        for _ in range(_SETTLING_PERIODS):
            self.period({})
        self.period({_RESET: self.line(_RESET, False)})

    def period(self, changes: Mapping[str, Words]) -> None:
        """One clock period, in which inputs change: the words of ports by their roles."""
        simulator, clocking = self.simulator, self.clocking
        simulator.begin_period()
        simulator.clock_edge(active=True)
        delay = 0 if simulator.zero_delay else min(clocking.input_delay, clocking.period // 2)
        if delay:
            simulator.advance(delay)
        for role, words in changes.items():
            self.drive(role, words)
        simulator.advance(clocking.period // 2 - delay)
        simulator.clock_edge(active=False)
        simulator.advance(clocking.period - clocking.period // 2)
        simulator.end_period()
        self.periods += 1


def turned(content: Blocks, port: PortDeclaration) -> Blocks:
    """Bytes in the order of the port, or back from it."""
    return content[:, ::-1] if port.byte_order is ByteOrder.FIRST_BYTE_LOW else content
