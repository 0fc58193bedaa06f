"""A flat gate-level netlist: ports, nets and instances of library cells, by number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CONSTANT_0 = 0
"""Number of the net that is always 0."""
CONSTANT_1 = 1
"""Number of the net that is always 1."""


@dataclass(frozen=True)
class NetlistPort:
    """A port. `nets[i]` is the net of bit i (bit 0 = index `lsb` of the declaration); `output` tells its direction."""

    name: str
    output: bool
    nets: tuple[int, ...]
    lsb: int = 0
    vector: bool = False

    def bit_name(self, bit: int) -> str:
        """How a Verilog tool names this bit."""
        return f"{self.name}[{bit + self.lsb}]" if self.vector else self.name


@dataclass(frozen=True)
class Instance:
    """An instance of a library cell. `pins` maps its connected pins to net numbers."""

    name: str
    cell: str
    pins: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Netlist:
    """A module of cell instances.

    `nets[n]` is the name of net n; nets 0 and 1 are the constants. Aliases (`assign a = b`) are one net, named after
    a port if it has one.
    """

    name: str
    ports: Mapping[str, NetlistPort]
    nets: tuple[str, ...]
    instances: tuple[Instance, ...]

    @property
    def inputs(self) -> tuple[NetlistPort, ...]:
        """The input ports in order."""
        return tuple(port for port in self.ports.values() if not port.output)

    @property
    def outputs(self) -> tuple[NetlistPort, ...]:
        """The output ports in order."""
        return tuple(port for port in self.ports.values() if port.output)
