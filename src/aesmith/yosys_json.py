"""What Yosys' `write_json` writes, as values: the one reader of it, below all rooms that look at netlists.

    design = read_json(folder / "netlist.json")
    module = design.module("my_core")       # refused by name if there is none
    drivers = module.drivers()              # net -> what drives it; a second driver is refused by name

A net is a number. Yosys numbers nets from 2 and writes constants as texts; here a constant 0 is net `ZERO` and 1 is
`ONE`, and the two levels that are none are negative: `UNDEFINED` (x) and `FLOATING` (z). Two names for one number are
one net. All vectors stand bit 0 first.

A cell's pins have directions only if Yosys knew its module when it wrote the file: its own cells (`$...`), modules of
the design, and library cells that `read_liberty -lib` brought in before. `read_json` refuses what it did not know.

Yosys itself settles some conflicts before anything is written: a net with a constant and another driver becomes the
constant in `opt_clean`. Who must know of every driver in the sources runs `check -assert` after `proc` and after
`flatten`, before any `opt`, and calls `drivers` on what comes out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from aesmith.errors import CheckError, RequestError, ToolError

ZERO, ONE = 0, 1
"""The nets that are always 0, and always 1."""
UNDEFINED, FLOATING = -1, -2
"""What stands for x, and for z, where a net is expected. Nothing drives them."""

_LEVELS = {"0": ZERO, "1": ONE, "x": UNDEFINED, "z": FLOATING}

Nets = tuple[int, ...]
PinDirection = Literal["input", "output", "inout"]


class ModulePort(NamedTuple):
    """A port. Bit i of it is `nets[i]`, and index `lsb` + i of the declaration (`lsb` + width - 1 - i if `upto`)."""

    name: str
    direction: PinDirection
    nets: Nets
    lsb: int = 0
    upto: bool = False

    @property
    def width(self) -> int:
        """Number of bits."""
        return len(self.nets)


class ModuleCell(NamedTuple):
    """A cell: one of Yosys' own (`$and`, `$_DFF_P_`), an instance of a library's cell or of a module.

    `pins` maps pins to the nets on them, `directions` to the way they point. Parameters and attributes are texts or
    numbers as Yosys writes them; `number` reads one.
    """

    name: str
    type: str
    pins: Mapping[str, Nets]
    directions: Mapping[str, PinDirection]
    parameters: Mapping[str, str | int]
    attributes: Mapping[str, str | int]

    def number(self, parameter: str) -> int:
        """The value of a parameter as an unsigned number; undefined bits count as 0."""
        value = self.parameters[parameter]
        return value if isinstance(value, int) else int(value.replace("x", "0").replace("z", "0") or "0", 2)

    def nets(self, direction: PinDirection) -> Nets:
        """The nets on all pins of one direction."""
        return tuple(net for pin, nets in self.pins.items() if self.directions[pin] == direction for net in nets)


class NetName(NamedTuple):
    """A name that nets have in the sources, or, if `hidden`, one that Yosys made up."""

    name: str
    nets: Nets
    hidden: bool
    lsb: int
    attributes: Mapping[str, str | int]


class Driver(NamedTuple):
    """What drives a net: bit `bit` of an output pin of a cell, or of an input port of the module (`cell` None)."""

    cell: str | None
    pin: str
    bit: int

    def __str__(self) -> str:
        return f"input {self.pin}[{self.bit}]" if self.cell is None else f"{self.cell}.{self.pin}[{self.bit}]"


@dataclass(frozen=True, eq=False)
class Module:
    """A module: its ports, cells and names of nets, in Yosys' order."""

    name: str
    ports: Mapping[str, ModulePort]
    cells: Mapping[str, ModuleCell]
    names: Mapping[str, NetName]
    attributes: Mapping[str, str | int]

    def drivers(self) -> dict[int, Driver]:
        """What drives each net; `ZERO` and `ONE` have no entry, nor has what nothing drives.

        Raises CheckError for a net with two drivers, and for a constant that a cell or an input drives; inout pins
        count as drivers.
        """
        found: dict[int, Driver] = {}
        for driver, net in self._driven():
            if net < 0:
                continue
            if net in (ZERO, ONE) or net in found:
                other = f"the constant {net}" if net in (ZERO, ONE) else found[net]
                raise CheckError(f"{self.name}: {self.label(net, driver)} has two drivers, {other} and {driver}")
            found[net] = driver
        return found

    def _driven(self) -> Iterable[tuple[Driver, int]]:
        for port in self.ports.values():
            if port.direction != "output":
                for bit, net in enumerate(port.nets):
                    yield Driver(None, port.name, bit), net
        for cell in self.cells.values():
            for pin, nets in cell.pins.items():
                if cell.directions[pin] != "input":
                    for bit, net in enumerate(nets):
                        yield Driver(cell.name, pin, bit), net

    def label(self, net: int, driver: Driver | None = None) -> str:
        """A name of the sources for a net, with its index in brackets; for what has none, `driver` or a number."""
        for name in sorted(self.names.values(), key=lambda name: name.hidden):
            if net in name.nets and net > ONE:
                return name.name if len(name.nets) == 1 else f"{name.name}[{name.nets.index(net) + name.lsb}]"
        return f"net {net}" if driver is None else f"what {driver} drives"


@dataclass(frozen=True, eq=False)
class JsonDesign:
    """The modules of a file by name. `source` is the file, for messages."""

    modules: Mapping[str, Module]
    source: str

    def module(self, name: str) -> Module:
        """The module of that name. Raises RequestError if there is none."""
        if name not in self.modules:
            raise RequestError(f"netlist: {self.source} holds no module {name}, only {', '.join(self.modules)}")
        return self.modules[name]


def read_json(path: Path) -> JsonDesign:
    """The modules in a file of Yosys' JSON, library cells (black boxes) left out.

    Raises RequestError if the file cannot be read or instantiates what it does not describe, ToolError if it is no JSON
    of Yosys or one name stands in it twice.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"netlist: {path} cannot be read ({error})") from error
    return parse_json(text, str(path))


def parse_json(text: str, source: str = "netlist") -> JsonDesign:
    """The same for the text of a file; `source` names it in messages."""
    try:
        modules = json.loads(text, object_pairs_hook=_unique)["modules"]
        read = {
            name: _module(name, content)
            for name, content in modules.items()
            if not _is_set(content.get("attributes", {}).get("blackbox", 0))
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ToolError(f"netlist: {source} is no JSON of Yosys ({type(error).__name__}: {error})") from error
    return JsonDesign(read, source)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)} appears twice")
    return found


def _is_set(value: str | int) -> bool:
    return "1" in value if isinstance(value, str) else bool(value)


def _module(name: str, content: Mapping[str, Any]) -> Module:
    ports = {
        port: ModulePort(
            port, facts["direction"], _nets(facts["bits"]), int(facts.get("offset", 0)), bool(facts.get("upto", 0))
        )
        for port, facts in content["ports"].items()
    }
    names = {
        net: NetName(
            net, _nets(facts["bits"]), bool(facts["hide_name"]), int(facts.get("offset", 0)), facts["attributes"]
        )
        for net, facts in content["netnames"].items()
    }
    cells = {cell: _cell(name, cell, facts) for cell, facts in content["cells"].items()}
    return Module(name, ports, cells, names, content["attributes"])


def _cell(module: str, name: str, facts: Mapping[str, Any]) -> ModuleCell:
    pins = {pin: _nets(bits) for pin, bits in facts["connections"].items()}
    directions = facts.get("port_directions", {})
    if not pins.keys() <= directions.keys():
        unknown = next(pin for pin in pins if pin not in directions)
        raise RequestError(
            f"netlist: {module}: {name} is an instance of {facts['type']}, which is neither a module of the design nor "
            f"a cell of the library (its pin {unknown} has no direction)"
        )
    return ModuleCell(name, facts["type"], pins, directions, facts["parameters"], facts["attributes"])


def _nets(bits: list[int | str]) -> Nets:
    return tuple([_LEVELS[bit] if isinstance(bit, str) else bit for bit in bits])
