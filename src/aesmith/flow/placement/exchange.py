"""A placed netlist for other tools: Verilog, DEF and SPEF that go together.

Inner nets are called by their numbers, instances as in the netlist, ports by their own names: what Yosys calls nets
inside is no name that every tool reads alike.
"""

from __future__ import annotations

from aesmith.flow.placement.modules import modules_of
from aesmith.flow.placement.place import PER_MICROMETRE, CellPlacement
from aesmith.flow.placement.wires import Route
from aesmith.timing.binding import BoundNetlist
from aesmith.timing.netlist import CONSTANT_0, CONSTANT_1, CellNetlist, NetlistPort

_LEAST_OHM = 1e-6
_SPEF_HEAD = """\
*SPEF "IEEE 1481-1998"
*DESIGN "{design}"
*DATE "-"
*VENDOR "aesmith"
*PROGRAM "aesmith"
*VERSION "{version}"
*DESIGN_FLOW "PLACED, NOT ROUTED"
*DIVIDER /
*DELIMITER :
*BUS_DELIMITER []
*T_UNIT 1 NS
*C_UNIT 1 FF
*R_UNIT 1 OHM
*L_UNIT 1 HENRY
"""


def net_names(netlist: CellNetlist) -> tuple[str, ...]:
    """What each net is called in the files: after the bit of a port where it is one's, else by its number."""
    names = [f"n{number}" for number in range(len(netlist.nets))]
    names[CONSTANT_0], names[CONSTANT_1] = "1'b0", "1'b1"
    for port in (*netlist.outputs, *netlist.inputs):
        for net, bit in zip(port.nets, port.bits, strict=True):
            if net not in {CONSTANT_0, CONSTANT_1}:
                names[net] = bit
    return tuple(names)


def verilog(netlist: CellNetlist) -> str:
    """The netlist, as it was before it was bound, as structural Verilog: `spef` and `design_exchange` go with it."""
    names = net_names(netlist)
    ports = [f"  {_declared(port)}" for port in netlist.ports.values()]
    lines = [f"module {netlist.name} (", ",\n".join(ports), ");"]
    inner = sorted({net for instance in netlist.instances for net in instance.pins.values()})
    lines += [f"  wire {names[net]};" for net in inner if names[net] == f"n{net}"]
    lines += [
        f"  assign {bit} = {names[net]};"
        for port in netlist.outputs
        for net, bit in zip(port.nets, port.bits, strict=True)
        if names[net] != bit
    ]
    for instance in netlist.instances:
        pins = ", ".join(f".{pin}({names[net]})" for pin, net in instance.pins.items())
        lines.append(f"  {instance.cell} {_identifier(instance.name)}({pins});")
    return "\n".join([*lines, "endmodule", ""])


def _declared(port: NetlistPort) -> str:
    direction = "output" if port.output else "input"
    if len(port.bits) == 1 and port.bits[0] == port.name:
        return f"{direction} {port.name}"
    first, last = (bit[len(port.name) + 1 : -1] for bit in (port.bits[-1], port.bits[0]))
    return f"{direction} [{first}:{last}] {port.name}"


def _identifier(name: str) -> str:
    plain = name.isidentifier() and name.isascii()
    return f"{name} " if plain else f"\\{name} "


def _escaped(name: str) -> str:
    """A name as DEF and SPEF have it: a backslash before what is neither letter, digit nor underscore; none before the
    index of a bit."""
    body, bracket, index = name.rpartition("[")
    if not (bracket and index.endswith("]") and index[:-1].isdecimal()):
        body, bracket, index = name, "", ""
    return "".join(c if c.isalnum() or c == "_" else f"\\{c}" for c in body) + bracket + index


def spef(bound: BoundNetlist, placement: CellPlacement, laid: tuple[Route, ...], version: str) -> str:
    """The wires as SPEF: capacitance at the points of the trees (fF), resistance along their edges (ohm)."""
    netlist, names = bound.netlist, net_names(bound.netlist)
    lines = [_SPEF_HEAD.format(design=netlist.name, version=version), "*PORTS"]
    lines += [f"{_escaped(bit)} {'O' if port.output else 'I'}" for port in netlist.ports.values() for bit in port.bits]
    for route in laid:
        lines += _parasitics(bound, placement, route, _escaped(names[route.net]))
    return "\n".join(lines) + "\n"


def _parasitics(bound: BoundNetlist, placement: CellPlacement, route: Route, name: str) -> list[str]:
    technology, tree = placement.technology, route.tree
    pins = (route.driver, *route.sinks)
    nodes = [_escaped(pin) if i < 0 else f"{_escaped(bound.netlist.instances[i].name)}:{pin}" for i, pin in pins]
    nodes += [f"{name}:{k}" for k in range(1, len(tree.points) - len(pins) + 1)]
    edges = [k for k in tree.order if tree.before[k] >= 0]
    capacitance = [0.0] * len(tree.points)
    for k in edges:
        for end in (k, tree.before[k]):
            capacitance[end] += technology.capacitance_ff_per_um * tree.edge(k) / 2
    lines = ["", f"*D_NET {name} {sum(capacitance):.9g}", "*CONN"]
    for k, (i, _) in enumerate(pins):
        # To the net a port is the other way round than to the world.
        lines.append(f"{'*P' if i < 0 else '*I'} {nodes[k]} {'O' if (k == 0) == (i >= 0) else 'I'}")
    lines.append("*CAP")
    held = [(node, value) for node, value in zip(nodes, capacitance, strict=True) if value > 0]
    lines += [f"{number} {node} {value:.9g}" for number, (node, value) in enumerate(held, 1)]
    lines.append("*RES")
    for number, k in enumerate(edges, 1):
        resistance = max(technology.resistance_ohm_per_um * tree.edge(k), _LEAST_OHM)
        lines.append(f"{number} {nodes[tree.before[k]]} {nodes[k]} {resistance:.9g}")
    return [*lines, "*END"]


def design_exchange(bound: BoundNetlist, placement: CellPlacement) -> str:
    """The placement as DEF (version 5.8, in nanometres): core area, rows, components and pins; no routing.

    The property `module` of a component is where it comes from, as `modules_of` has it.
    """
    technology, netlist, names = placement.technology, bound.netlist, net_names(bound.netlist)
    across, up, height, site = map(
        _nanometres,
        (placement.core_width_um, placement.core_height_um, technology.row_height_um, technology.site_um),
    )
    lines = ["VERSION 5.8 ;", 'DIVIDERCHAR "/" ;', 'BUSBITCHARS "[]" ;', f"DESIGN {netlist.name} ;"]
    lines.append(f"UNITS DISTANCE MICRONS {PER_MICROMETRE} ;")
    lines += ["PROPERTYDEFINITIONS", "COMPONENT module STRING ;", "END PROPERTYDEFINITIONS"]
    lines += [f"DIEAREA ( 0 0 ) ( {across} {up} ) ;"]
    lines += [
        f"ROW ROW_{row} {technology.name} 0 {row * height} {_turned(row)} DO {across // site} BY 1 STEP {site} 0 ;"
        for row in range(up // height)
    ]
    lines.append(f"COMPONENTS {len(bound.cells)} ;")
    modules = modules_of(bound)
    for i, (instance, cell) in enumerate(zip(netlist.instances, bound.cells, strict=True)):
        x, y = _nanometres(float(placement.left[i])), _nanometres(float(placement.bottom[i]))
        origin = f' + PROPERTY module "{modules[i]}"' if modules[i] else ""
        lines.append(f"- {_escaped(instance.name)} {cell.name} + PLACED ( {x} {y} ) {_turned(y // height)}{origin} ;")
    lines += ["END COMPONENTS", f"PINS {sum(len(port.bits) for port in netlist.ports.values())} ;"]
    for port in netlist.ports.values():
        direction = "OUTPUT" if port.output else "INPUT"
        for index, (net, bit) in enumerate(zip(port.nets, port.bits, strict=True)):
            x, y = map(_nanometres, placement.ports[port.name, index])
            name = _escaped(names[net])
            lines.append(f"- {_escaped(bit)} + NET {name} + DIRECTION {direction} + PLACED ( {x} {y} ) N ;")
    return "\n".join([*lines, "END PINS", "END DESIGN", ""])


def _turned(row: int) -> str:
    """Every other row is upside down, so that rows share their rails."""
    return "FS" if row % 2 else "N"


def _nanometres(micrometres: float) -> int:
    return round(PER_MICROMETRE * micrometres)
