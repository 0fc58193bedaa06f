"""A flat netlist of library cells: ports, nets and instances, by number; read from what Yosys writes as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aesmith.errors import RequestError
from aesmith.yosys_json import ONE, ZERO, Module, ModulePort, read_json

CONSTANT_0 = 0
"""Number of the net that is always 0."""
CONSTANT_1 = 1
"""Number of the net that is always 1."""


@dataclass(frozen=True)
class NetlistPort:
    """A port. `nets[i]` is the net of bit i, which Verilog tools call `bits[i]`; `output` tells its direction."""

    name: str
    output: bool
    nets: tuple[int, ...]
    bits: tuple[str, ...]


@dataclass(frozen=True)
class Instance:
    """An instance of a library cell. `pins` maps its connected pins to net numbers."""

    name: str
    cell: str
    pins: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class CellNetlist:
    """A module of cell instances.

    `nets[n]` is the name of net n; nets 0 and 1 are the constants. What an assignment joins is one net, named after a
    port if it has one. `origins[n]` is where net n comes from in the sources, for those that still have a name there:
    instances from below the top downwards, then the name itself.
    """

    name: str
    ports: Mapping[str, NetlistPort]
    nets: tuple[str, ...]
    instances: tuple[Instance, ...]
    origins: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def inputs(self) -> tuple[NetlistPort, ...]:
        """The input ports in order."""
        return tuple(port for port in self.ports.values() if not port.output)

    @property
    def outputs(self) -> tuple[NetlistPort, ...]:
        """The output ports in order."""
        return tuple(port for port in self.ports.values() if port.output)


def read_netlist(path: Path, top: str | None = None) -> CellNetlist:
    """Read a flat netlist that Yosys wrote as JSON; `top` names the module where the file has several.

    Raises RequestError if the file cannot be read, holds no such module, or is no netlist of cells with one bit a pin;
    ToolError if it is no JSON of Yosys.
    """
    design = read_json(path)
    if top is None and len(design.modules) != 1:
        raise RequestError(f"netlist: {path} holds the modules {', '.join(design.modules)}: flatten it, or name one")
    return cell_netlist(design.module(top or next(iter(design.modules))))


def cell_netlist(module: Module) -> CellNetlist:
    """The netlist in a module of Yosys' JSON. Raises RequestError if it is none."""
    numbers, names = {ZERO: CONSTANT_0, ONE: CONSTANT_1}, ["1'b0", "1'b1"]

    def number(net: int, name: str) -> int:
        # An undefined output is a net that nothing drives.
        if net < 0 or net not in numbers:
            names.append(name)
            if net < 0:
                return len(names) - 1
            numbers[net] = len(names) - 1
        return numbers[net]

    ports = {}
    for port in module.ports.values():
        if port.direction == "inout":
            raise RequestError(f"netlist: {module.name}: port {port.name} is inout; ports must be input or output")
        bits = _bit_names(port)
        nets = tuple(number(net, bit) for net, bit in zip(port.nets, bits, strict=True))
        ports[port.name] = NetlistPort(port.name, port.direction == "output", nets, bits)
    for name in module.names.values():
        for bit, net in enumerate(name.nets, name.lsb):
            if net > ONE:
                number(net, f"{name.name}[{bit}]" if len(name.nets) > 1 else name.name)
    instances = []
    for cell in module.cells.values():
        where = f"netlist: {module.name}: {cell.name} ({cell.type})"
        if cell.type.startswith("$"):
            raise RequestError(f"{where} is no cell of a library: the netlist is not mapped")
        pins = {}
        for pin, connected in cell.pins.items():
            if not connected:
                continue
            if len(connected) != 1:
                raise RequestError(f"{where}: pin {pin} is tied to {len(connected)} bits, not 1")
            if connected[0] < 0:
                raise RequestError(f"{where}: pin {pin} is tied to an undefined value")
            pins[pin] = number(connected[0], f"{cell.name}.{pin}")
        instances.append(Instance(cell.name, cell.type, pins))
    origins = {
        numbers[net]: tuple(str(name.attributes["hdlname"]).split())
        for name in module.names.values()
        if "hdlname" in name.attributes
        for net in name.nets
        if net > ONE
    }
    return CellNetlist(module.name, ports, tuple(names), tuple(instances), origins)


def _bit_names(port: ModulePort) -> tuple[str, ...]:
    if port.width == 1:
        return (port.name,)
    indices = range(port.lsb, port.lsb + port.width)
    return tuple(f"{port.name}[{index}]" for index in (reversed(indices) if port.upto else indices))
