"""What stands in a module and what is connected to what: the content of a block diagram, read from a netlist.

The netlist is a module of Yosys' JSON after `proc` and `opt_dff`, with the hierarchy kept. Instances of a module under
one name (an array of S-boxes) become one block, so do the flip-flops of one register. Word-wide XORs, multiplexers and
gates become symbols. What is left is glue, through which connections are traced bit by bit.

The same netlist gives the table of modules.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from aesmith.cores.design import CoreDesign, Design
from aesmith.cores.ports import Meaning
from aesmith.drawing.diagram import Block, Connection, Structure, Symbol
from aesmith.errors import CheckError
from aesmith.flow.yosys import read_commands, run_script, write_sources
from aesmith.modes.engine import StreamEngine
from aesmith.yosys_json import ONE, Module, Nets, read_json

DATA_WIDTH = 8
"""From this many bits on, a connection carries data and is drawn; anything narrower is control and only named."""

SYMBOLS = {"$xor": "⊕", "$xnor": "⊕", "$and": "&", "$or": "≥1", "$add": "+", "$sub": "−"}
MULTIPLEXERS = ("$mux", "$pmux", "$bmux")
BITWISE = ("$xor", "$xnor", "$and", "$or", "$not", "$pos", "$mux")
TIMING_PORTS = ("CLK", "ARST", "SRST")
CONTROL_PORTS = ("S", "EN", "SRST")


def read_structure(modules: Mapping[str, Module], top: str, timing: Iterable[str] = ("clk_i", "rst_ni")) -> Structure:
    """The structure of module `top` among `modules`, by name.

    A top that only wraps one instance is looked through. `timing` names the ports of clock and reset: left out.
    """
    name = top
    while (inner := _only_instance(modules, name)) is not None:
        name = inner
    return _StructureReader(modules, name, top, frozenset(timing)).read()


def read_parts(
    modules: Mapping[str, Module], top: str, timing: Iterable[str] = ("clk_i", "rst_ni"), control: Iterable[str] = ()
) -> Structure:
    """The registers and modules of `top` and which data reach which through gates and multiplexers: an engine's.

    Ports of `control` are named and not drawn, and registers that send no data are one block.
    """
    return _PartsReader(modules, top, top, frozenset(timing), frozenset(control)).read()


def plain_name(module: str, prefix: str = "") -> str:
    """A module's own name, without the suffix Yosys adds to make instances unique, and without the build's prefix."""
    bare = module.lstrip("\\").split("$", 1)[0]
    return bare.removeprefix(f"{prefix}_") if prefix else bare


def _only_instance(modules: Mapping[str, Module], name: str) -> str | None:
    cells = list(modules[name].cells.values())
    if len(cells) == 1 and cells[0].type in modules:
        return cells[0].type
    return None


def _is_bit(net: int) -> bool:
    """Whether it is a net and no constant."""
    return net > ONE


class _StructureReader:
    """Reads one module; each method answers one question about it and remembers the answer."""

    def __init__(
        self,
        modules: Mapping[str, Module],
        name: str,
        prefix: str,
        timing: frozenset[str],
        control: frozenset[str] = frozenset(),
    ) -> None:
        self.modules = modules
        self.control = control
        self.name = name
        self.prefix = prefix
        self.ports = modules[name].ports
        self.cells = modules[name].cells
        self.ignored = {bit for port in timing if port in self.ports for bit in self.ports[port].nets}
        self.owner: dict[str, str] = {cell: key for cell in sorted(self.cells) if (key := self._block_of(cell))}
        self._origins: dict[int, frozenset[tuple[str, int]]] = {}

    def read(self) -> Structure:
        self._merge()
        connections = tuple(
            Connection(source, target, width, self._outlet(source, target))
            for (source, target), width in sorted(self._edges_cached.items())
            if width >= DATA_WIDTH
        )
        busy = {end for connection in connections for end in (connection.source, connection.target)}
        sources = {connection.source for connection in connections}
        blocks = []
        for key in sorted(set(self.owner.values())):
            block = self._describe(key)
            if key not in sources and block.kind in (Symbol.INSTANCE, Symbol.REGISTER):
                block = Block(key, Symbol.CONTROL, block.label, block.detail, block.count, block.width)
            if key in busy or block.kind is Symbol.CONTROL:
                blocks.append(block)
        control_keys = {block.key for block in blocks if block.kind is Symbol.CONTROL}
        connections = tuple(c for c in connections if not control_keys & {c.source, c.target})
        ports = []
        for kind, direction in ((Symbol.INPUT, "input"), (Symbol.OUTPUT, "output")):
            for port, facts in self.ports.items():
                key = f"{direction}:{port}"
                if facts.direction == direction and any(key in (c.source, c.target) for c in connections):
                    ports.append(Block(key, kind, port, width=len(facts.nets)))
        return Structure(
            plain_name(self.name),
            (*ports, *blocks),
            connections,
            tuple(self._narrow_ports("input", ports)),
            tuple(self._narrow_ports("output", ports)),
        )

    def _narrow_ports(self, direction: str, drawn: list[Block]) -> Iterator[str]:
        labels = {block.label for block in drawn}
        for port, facts in self.ports.items():
            if facts.direction == direction and port not in labels and not self.ignored & set(facts.nets):
                yield port

    def _block_of(self, cell: str) -> str | None:
        facts = self.cells[cell]
        kind = facts.type
        if kind in self.modules:
            return f"instance:{_without_index(cell)}:{plain_name(kind)}"
        if "Q" in facts.pins and "dff" in kind:
            return f"register:{self._register_name(facts.pins['Q'])}"
        width = len(facts.pins.get("Y", ()))
        if width < DATA_WIDTH:
            return None
        if kind in MULTIPLEXERS:
            return f"multiplexer:{cell}"
        if kind in SYMBOLS and all(any(map(_is_bit, facts.pins[port])) for port in "AB"):
            return f"gate:{SYMBOLS[kind]}:{cell}"
        return None

    def _register_name(self, bits: Nets) -> str:
        wanted = set(bits)
        nets = self.modules[self.name].names
        names = [name for name, net in nets.items() if not net.hidden and wanted & set(net.nets)]
        ranked = sorted(names, key=lambda name: (not name.endswith("_q"), name in self.ports, len(name), name))
        return _without_index(ranked[0]) if ranked else "register"

    @cached_property
    def net_names(self) -> dict[int, str]:
        """Bit -> its public name, what the module's text calls it; the shortest if there are several."""
        names: dict[int, str] = {}
        nets = self.modules[self.name].names
        for name in sorted((n for n in nets if not nets[n].hidden and "." not in n), key=lambda n: (len(n), n)):
            for bit in nets[name].nets:
                if _is_bit(bit):
                    names.setdefault(bit, name)
        return names

    @cached_property
    def drivers(self) -> dict[int, tuple[str, str, int]]:
        """Bit -> (cell, port, position) that drives it."""
        found = {}
        for cell, facts in self.cells.items():
            for port, bits in facts.pins.items():
                if facts.directions[port] == "output":
                    found.update({bit: (cell, port, place) for place, bit in enumerate(bits) if _is_bit(bit)})
        return found

    @cached_property
    def port_bits(self) -> dict[int, str]:
        return {
            bit: f"input:{port}"
            for port, facts in self.ports.items()
            if facts.direction == "input"
            for bit in facts.nets
        }

    def origins(self, bit: int) -> frozenset[tuple[str, int]]:
        """The (block, bit) pairs that a bit comes from, looking back through glue."""
        if bit in self._origins:
            return self._origins[bit]
        found: frozenset[tuple[str, int]] = frozenset()
        if bit in self.ignored:
            pass
        elif bit in self.port_bits:
            found = frozenset({(self.port_bits[bit], bit)})
        elif bit in self.drivers:
            cell = self.drivers[bit][0]
            if cell in self.owner:
                found = frozenset({(self.owner[cell], bit)})
            else:
                self._origins[bit] = found
                found = frozenset().union(*(self.origins(source) for source in self._glue_inputs(bit)))
        self._origins[bit] = found
        return found

    def _glue_inputs(self, bit: int) -> list[int]:
        cell, _, place = self.drivers[bit]
        facts = self.cells[cell]
        width = len(facts.pins.get("Y", ()))
        inputs = []
        for port, bits in facts.pins.items():
            if facts.directions[port] != "input" or port in TIMING_PORTS:
                continue
            picked = [bits[place]] if facts.type in BITWISE and len(bits) == width else bits
            inputs += [source for source in picked if _is_bit(source)]
        return inputs

    def _inputs(self, key: str, *, control: bool) -> Iterator[int]:
        """Input bits of a block: of its data ports, or of the ports that can only be control."""
        if key.startswith("output:"):
            if not control:
                yield from (bit for bit in self.ports[key.removeprefix("output:")].nets if _is_bit(bit))
            return
        for cell, owner in self.owner.items():
            facts = self.cells[cell]
            if owner != key:
                continue
            primitive = facts.type not in self.modules
            for port, bits in facts.pins.items():
                if facts.directions[port] != "input" or (primitive and port in ("CLK", "ARST")):
                    continue
                if (primitive and port in CONTROL_PORTS) == control:
                    yield from (bit for bit in bits if _is_bit(bit))

    def _outlet(self, source: str, target: str) -> int:
        """Which of the source's groups of bits goes to the target; groups that share a bit are one."""
        groups: list[set[int]] = []
        for (other, sink), width in sorted(self._edges_cached.items()):
            if other == source and width >= DATA_WIDTH:
                bits = self._bits_between(source, sink)
                touching = [group for group in groups if group & bits]
                groups = [group for group in groups if not group & bits] + [bits.union(*touching)]
        wanted = self._bits_between(source, target)
        return next(index for index, group in enumerate(sorted(groups, key=min)) if group & wanted)

    def _bits_between(self, source: str, target: str) -> set[int]:
        inputs = self._inputs(target, control=False)
        return {origin for bit in inputs for block, origin in self.origins(bit) if block == source}

    def _edges(self) -> dict[tuple[str, str], int]:
        edges = {}
        outputs = [f"output:{port}" for port, facts in self.ports.items() if facts.direction == "output"]
        for target in [*sorted(set(self.owner.values())), *outputs]:
            sources, sinks = defaultdict(set), defaultdict(set)
            for bit in self._inputs(target, control=False):
                for source, origin in self.origins(bit):
                    sources[source].add(origin)
                    sinks[source].add(bit)
            for source in sources:
                if source != target and not self.control & {end.partition(":")[2] for end in (source, target)}:
                    edges[source, target] = min(len(sources[source]), len(sinks[source]))
        return edges

    def _merge(self) -> None:
        """Joins symbols side by side (same kind, same neighbours) or in a chain (a 4-input XOR, a 4:1 multiplexer)."""
        while True:
            edges = [pair for pair, width in self._edges().items() if width >= DATA_WIDTH]
            before, after = defaultdict(set), defaultdict(set)
            for source, target in edges:
                before[target].add(source)
                after[source].add(target)
            alike: dict[object, list[str]] = defaultdict(list)
            for key in sorted(set(self.owner.values())):
                if (sort := _sort(key)) is not None:
                    alike[sort, frozenset(before[key]), frozenset(after[key])].append(key)
            renamed = {other: group[0] for group in alike.values() for other in group[1:]}
            if not renamed:
                chains = [
                    (key, next(iter(after[key])))
                    for key in sorted(set(self.owner.values()))
                    if _sort(key) is not None and len(after[key]) == 1 and _sort(key) == _sort(next(iter(after[key])))
                ]
                renamed = dict(chains[:1])
            if not renamed:
                return
            self.owner = {cell: renamed.get(key, key) for cell, key in self.owner.items()}
            self._origins.clear()

    def _describe(self, key: str) -> Block:
        kind, _, rest = key.partition(":")
        cells = [cell for cell, owner in self.owner.items() if owner == key]
        controls = self._control_names(key)
        if kind == "instance":
            name, module = rest.rsplit(":", 1)
            return Block(key, Symbol.INSTANCE, _words(name), plain_name(module, self.prefix), len(cells), 0, controls)
        if kind == "register":
            width = sum(len(self.cells[cell].pins["Q"]) for cell in cells)
            return Block(key, Symbol.REGISTER, _words(rest), f"{width} bit", 1, width, controls)
        if kind == "multiplexer":
            return Block(key, Symbol.MULTIPLEXER, "", controls=controls)
        return Block(key, Symbol.GATE, rest.split(":")[0], controls=controls)

    def _control_names(self, key: str) -> tuple[str, ...]:
        bits = set(self._inputs(key, control=True))
        narrow = {
            source for (source, target), width in self._edges_cached.items() if target == key and width < DATA_WIDTH
        }
        bits |= {
            bit for bit in self._inputs(key, control=False) if any(source in narrow for source, _ in self.origins(bit))
        }
        wide = {
            source for (source, target), width in self._edges_cached.items() if target == key and width >= DATA_WIDTH
        }
        names = set()
        for bit in bits:
            origins = {source for source, _ in self.origins(bit)}
            if origins and not origins <= wide:
                names |= set(self._names_behind(bit, narrow | origins - wide))
        return tuple(sorted({_without_index(name) for name in names}))

    @cached_property
    def _edges_cached(self) -> dict[tuple[str, str], int]:
        return self._edges()

    def _names_behind(self, bit: int, wanted: set[str]) -> Iterator[str]:
        """The public names that a control bit goes by, or that the glue before it takes."""
        if not any(source in wanted for source, _ in self.origins(bit)):
            return
        if bit in self.net_names:
            yield self.net_names[bit]
        elif bit in self.drivers and self.drivers[bit][0] not in self.owner:
            for source in self._glue_inputs(bit):
                yield from self._names_behind(source, wanted)


class _PartsReader(_StructureReader):
    """Reads the registers and instances of a module; gates and multiplexers of all widths are glue."""

    def _block_of(self, cell: str) -> str | None:
        key = super()._block_of(cell)
        return key if key is not None and key.startswith(("instance:", "register:")) else None

    def _control_names(self, _key: str) -> tuple[str, ...]:
        return ()

    def read(self) -> Structure:
        """The structure, with one block for all registers that send no data."""
        whole = super().read()
        held = [block for block in whole.blocks if block.kind is Symbol.CONTROL and block.width]
        if not held:
            return whole
        bits = sum(block.width for block in held)
        control = Block("register:control", Symbol.CONTROL, "control", f"{bits} bit", 1, bits)
        return replace(whole, blocks=(*(block for block in whole.blocks if block not in held), control))


def _sort(key: str) -> str | None:
    """What may merge with what: the kind and operator of a symbol; None for blocks that stand alone."""
    kind, _, rest = key.partition(":")
    if kind == "multiplexer":
        return kind
    return f"{kind}:{rest.split(':')[0]}" if kind == "gate" else None


def _without_index(name: str) -> str:
    return re.sub(r"\[\d+\]", "", name)


def _words(name: str) -> str:
    """`gen_byte.u_sub_bytes` -> `sub bytes`, `state_q` -> `state`."""
    last = name.rsplit(".", 1)[-1]
    return re.sub(r"_+", " ", re.sub(r"^u_", "", re.sub(r"_[dq]$", "", last))).strip()


@dataclass(frozen=True)
class Elaborated:
    """The modules of an elaborated design by name; every instance has a module of its own.

    In `opened`, what an instance `u_engine` holds stands in the place of the instance.
    """

    top: str
    modules: Mapping[str, Module]
    opened: Mapping[str, Module]


@dataclass(frozen=True)
class ModuleUse:
    """A module in the hierarchy: how often the core has it, and the flip-flops that one of them holds itself."""

    name: str
    depth: int
    instances: int
    flip_flops: int


def elaborate(design: Design, work_dir: Path) -> Elaborated:
    """Elaborates `design` in `work_dir`, which is made. Raises ToolError if Yosys is missing or refuses the sources."""
    work_dir.mkdir(parents=True, exist_ok=True)
    commands = read_commands(design, write_sources(design, work_dir), keep_hierarchy=True, keep_processes=True)
    cleaning = ["proc -noopt", "opt_expr", "opt_clean", "opt_merge", "opt_dff", "opt_clean"]
    opening = ["setattr -mod -set keep_hierarchy 1 *", "setattr -mod -unset keep_hierarchy *.u_engine"]
    opening += [f"flatten {design.top}", "opt_clean", "write_json opened.json"]
    run_script([*commands, *cleaning, "write_json netlist.json", *opening], work_dir / "netlist.log")
    whole, opened = (read_json(work_dir / f"{name}.json").modules for name in ("netlist", "opened"))
    return Elaborated(design.top, whole, opened)


def structure(design: CoreDesign | StreamEngine, netlist: Elaborated) -> Structure:
    """What the block diagram of a core or an engine shows."""
    timing = [port.name for port in design.ports if port.role in ("clock", "reset")]
    if isinstance(design, CoreDesign):
        return read_structure(netlist.modules, netlist.top, timing)
    keeps = [payload.port for payload in design.ports.payloads if payload.meaning is Meaning.KEEP]
    return read_parts(netlist.opened, netlist.top, timing, keeps)


def check_ports(design: Design, netlist: Elaborated) -> None:
    """Raises CheckError unless the top module has the ports that `design` states, and no others."""
    found = {port.name: (port.direction, port.width) for port in netlist.modules[netlist.top].ports.values()}
    stated = {port.name: (port.direction.value, port.bits) for port in design.ports}
    for name in sorted(found.keys() | stated.keys()):
        if found.get(name) != stated.get(name):
            has, says = (" of ".join(map(str, side[name])) if name in side else "missing" for side in (found, stated))
            raise CheckError(f"{design.name}: port {name} is stated as {says}, but is {has} in the sources")


def module_uses(netlist: Elaborated) -> tuple[ModuleUse, ...]:
    """The hierarchy from the top down: each module under the one that first uses it."""
    counts = Counter(name for name, _ in _walk(netlist, netlist.top, 0))
    uses: dict[str, ModuleUse] = {}
    for name, (module, depth) in ((name, found) for name, found in _walk(netlist, netlist.top, 0)):
        if name not in uses:
            uses[name] = ModuleUse(name, depth, counts[name], _flip_flops(netlist.modules[module]))
    return tuple(uses.values())


def _walk(netlist: Elaborated, module: str, depth: int) -> Iterator[tuple[str, tuple[str, int]]]:
    yield plain_name(module), (module, depth)
    cells = netlist.modules[module].cells
    for cell in sorted(cells):
        if cells[cell].type in netlist.modules:
            yield from _walk(netlist, cells[cell].type, depth + 1)


def _flip_flops(module: Module) -> int:
    return sum(len(cell.pins["Q"]) for cell in module.cells.values() if "dff" in cell.type and "Q" in cell.pins)
