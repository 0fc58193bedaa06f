"""That a Verilog file is the design: each of its modules proved equal to the sources' module in its place.

The file is read by Yosys' own Verilog front end, the sources by slang: two readers that share no code. Both keep their
hierarchy, and the proof walks it from the top down in pairs of modules. In a pair, what an output, a pin of an instance
or a register's next state depends on within one clock is one Boolean function of inputs, registers and outputs of
instances; the functions of a pair must be equal, and an instance must stand in both, with equal modules inside.
Registers must be of one kind: the same edge of an equal clock, the same reset value under an equal reset. By induction
over clocks and over the hierarchy the two designs then do the same from any common state.

Names only propose which register or instance of one is which of the other: a wrong proposal fails, it cannot pass.
Functions are compared as graphs of AND, XOR and multiplexers in which equal nodes are one; what differs in structure is
decided by ABC.

An undefined value of the sources may be anything, in each place that reads it. The file must be one such reading: first
the likely one is tried (a multiplexer that would choose it gives its other input, and what is left is 0), then, where
that is another, whether the file's function is 1 only where the sources' can be 1, and 0 only where it can be 0. In the
file nothing may be undefined, no net
may have two drivers or none, and there may be no directive, attribute, pragma or initial value. Not checked: that
Yosys' passes keep the meaning of what they are given (`proc`, `simplemap`, `techmap`, and `pmuxtree`, which takes the
first arm that matches).

A module that is a memory stands in the file as it does in the sources, word for word, and nobody looks inside.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aesmith.cores.design import Design
from aesmith.errors import CheckError
from aesmith.flow.function_graph import ANYTHING, FALSE, TRUE, FunctionGraph, Range, abc_equal, inverse
from aesmith.flow.memories import memories_of, memory_text, same_text
from aesmith.flow.yosys import read_commands, run_script, write_sources
from aesmith.yosys_json import JsonDesign, Module, ModuleCell, read_json

# What simplemap does, techmap would do, too: ten times slower.
_TO_GATES = ("proc -noopt -norom", "check -assert", "pmuxtree", "simplemap", "techmap")
_GATES = {
    "$_NOT_": "A",
    "$_BUF_": "A",
    "$_AND_": "AB",
    "$_NAND_": "AB",
    "$_ANDNOT_": "AB",
    "$_OR_": "AB",
    "$_NOR_": "AB",
    "$_ORNOT_": "AB",
    "$_XOR_": "AB",
    "$_XNOR_": "AB",
    "$_MUX_": "ABS",
}
_STATE = re.compile(r"\$_(DFF|ALDFF|DLATCH)_([NP]{1,2})([01]?)_")
_CONTROLS = {"DFF": "CR", "ALDFF": "CL", "DLATCH": "E"}
_SEVERAL_MEANINGS = re.compile(r"[`$]|\(\*(?! *\))|(?:full|parallel)_case|translate_o(?:ff|n)|rtl_synthesis")
"""Directives, system functions, attributes and pragmas: what a simulator and a synthesiser may read differently."""
_IGNORED = ("$scopeinfo",)

Label = tuple[str, int]
"""A name in words, and an index."""


def refuse_several_meanings(name: str, verilog: str) -> None:
    """Raise CheckError, by the design's name, if the text of a one-file Verilog has what tools read differently."""
    if match := _SEVERAL_MEANINGS.search(verilog):
        raise CheckError(f"{name}: one-file Verilog: has {match[0]!r}, which tools read in different ways")


def prove_equal(
    design: Design, verilog: str, work_dir: Path, *, timeout_s: float = 600.0, cancel: threading.Event | None = None
) -> None:
    """Return if the text `verilog` is the design of the sources.

    Yosys' files stay in `work_dir`, which is made. Raises CheckError, naming module and signal, if it is not, or is not
    shown to be; ToolError if Yosys or ABC fails, as Yosys does for a text that is no Verilog-2005.
    """
    refuse_several_meanings(design.name, verilog)
    work_dir.mkdir(parents=True, exist_ok=True)
    (work_dir / "one_file.v").write_text(verilog)
    whole = f"hierarchy -check -top {design.top}"
    sources = read_commands(
        design, write_sources(design, work_dir), keep_hierarchy=True, keep_processes=True, boxed=True
    )
    for name, read in (("sources", sources), ("one_file", ["read_verilog one_file.v", whole])):
        script = [*read, *_TO_GATES, f"write_json {name}.json"]
        run_script(script, work_dir / f"{name}.log", timeout_s=timeout_s, cancel=cancel)
    ours, theirs = (read_json(work_dir / f"{name}.json") for name in ("sources", "one_file"))
    _Hierarchies(design, verilog, ours, theirs, work_dir, timeout_s).compare(design.top)


@dataclass
class _Hierarchies:
    design: Design
    text: str
    sources: JsonDesign
    one_file: JsonDesign
    folder: Path
    timeout_s: float

    @property
    def name(self) -> str:
        return self.design.name

    def compare(self, top: str) -> None:
        waiting, done = [(top, top)], set[tuple[str, str]]()
        while waiting:
            pair = waiting.pop()
            if pair not in done:
                done.add(pair)
                waiting += self._equal_modules(*pair)

    def _equal_memories(self, cell: ModuleCell, written: str) -> None:
        """The module of an instance of the sources that is a memory, and that of the file, which must be its text."""
        text = memory_text(self.design, cell.type, {name: cell.number(name) for name in cell.parameters})
        found = re.search(rf"\bmodule {re.escape(written)}\b.*?\bendmodule\b", self.text, re.DOTALL)
        if written != cell.type or found is None or not same_text(text, found[0]):
            raise CheckError(
                f"{self.name}: one-file Verilog: module {written} is not the text of the memory {cell.type}"
            )

    def _equal_modules(self, source: str, written: str) -> list[tuple[str, str]]:
        """Pairs of modules inside, once all else of the two is equal."""
        graph, memories = FunctionGraph(), memories_of(self.design)
        try:
            ours = _Cones(self.sources.module(source), graph, self.sources.modules, memories, free=True)
            theirs = _Cones(self.one_file.module(written), graph, self.one_file.modules, memories, free=False)
            inside, claims = _obligations(ours, theirs)
            for cell, module in [pair for pair in inside if pair[0].type in memories]:
                self._equal_memories(cell, module)
        except _Different as difference:
            raise CheckError(f"{self.name}: one-file Verilog: module {written}: {difference}") from difference
        open_claims = {label: claim for label, claim in claims.items() if claim.ours != claim.theirs}
        if open_claims and not self._hold(graph, ours, open_claims.values()):
            labels = ", ".join(list(open_claims)[:3])
            raise CheckError(f"{self.name}: one-file Verilog: module {written} is not the sources': {labels}")
        return [(cell.type, module) for cell, module in inside if cell.type not in memories]

    def _hold(self, graph: FunctionGraph, ours: _Cones, claims: Collection[_Claim]) -> bool:
        """Whether ABC proves the functions equal, or the file's to be one reading of the sources'."""
        if abc_equal(graph, [(claim.ours, claim.theirs) for claim in claims], self.folder, self.timeout_s):
            return True
        if any(claim.net is None for claim in claims):
            return False
        ranges = [(ours.range(claim.net), claim.theirs) for claim in claims if claim.net is not None]
        impossible = [graph.both(inverse(can_1), theirs) for (_, can_1), theirs in ranges]
        impossible += [graph.both(inverse(can_0), inverse(theirs)) for (can_0, _), theirs in ranges]
        return abc_equal(graph, [(literal, FALSE) for literal in impossible], self.folder, self.timeout_s)


@dataclass(frozen=True)
class _Claim:
    """That a function of the sources is one of the file: literals, and the net of the sources where it is one as is."""

    ours: int
    theirs: int
    net: int | None = None


class _Different(Exception):  # noqa: N818 - an answer, which becomes an error with the module's name
    """What tells the two modules apart, in words."""


@dataclass
class _Cones:
    """A module as functions of one clock, by net; what its registers and instances give are leaves of the graph."""

    module: Module
    graph: FunctionGraph
    modules: Mapping[str, Module]
    memories: Collection[str]
    free: bool
    """Whether undefined values are free; where not, they are refused."""
    literals: dict[int, int] = field(default_factory=dict)
    ranges: dict[int, Range] = field(default_factory=dict)
    gates: dict[int, ModuleCell] = field(default_factory=dict)
    registers: dict[int, ModuleCell] = field(default_factory=dict)
    instances: dict[str, ModuleCell] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.literals |= {0: FALSE, 1: TRUE}
        self.module.drivers()
        if initial := next((name for name, net in self.module.names.items() if "init" in net.attributes), None):
            raise _Different(f"{initial} has an initial value")
        for cell in self.module.cells.values():
            if cell.type in _GATES:
                self.gates[cell.pins["Y"][0]] = cell
            elif _STATE.fullmatch(cell.type):
                self.registers[cell.pins["Q"][0]] = cell
            elif cell.type in self.modules or cell.type in self.memories:
                name = _word(cell.name)
                if name in self.instances:
                    raise _Different(f"two instances would be called {name}")
                self.instances[name] = cell
            elif cell.type not in _IGNORED:
                raise _Different(f"has a cell {cell.type}, which is neither a gate nor a register nor a module")

    def labels(self) -> dict[int, list[Label]]:
        """The names, in words, of each register's output."""
        found: dict[int, list[Label]] = {net: [] for net in self.registers}
        for name in self.module.names.values():
            if not name.hidden:
                for bit, net in enumerate(name.nets, name.lsb):
                    if net in found:
                        found[net].append((_word(name.name), bit))
        return found

    def literal(self, net: int) -> int:
        """The function of a net. Raises _Different for a combinational loop, and for what must not be undefined."""
        waiting, begun = [net], set[int]()
        while waiting:
            at = waiting[-1]
            if at in self.literals:
                waiting.pop()
                continue
            if at not in self.gates:
                if not self.free:
                    raise _Different(f"{self.module.label(at)} is not driven, or undefined")
                self.literals[at] = ANYTHING
                continue
            cell = self.gates[at]
            sources = [cell.pins[pin][0] for pin in _GATES[cell.type]]
            missing = [source for source in sources if source not in self.literals]
            if not missing:
                self.literals[at] = self.graph.gate(cell.type, tuple(self.literals[source] for source in sources))
            elif at in begun:
                raise _Different(f"{self.module.label(at)} is in a combinational loop")
            else:
                begun.add(at)
                waiting += missing
        return self.literals[net]

    def range(self, net: int) -> Range:
        """Where a net can be 0 and 1; its function must have been asked for before, so that there is no loop."""
        waiting = [net]
        while waiting:
            at = waiting[-1]
            if at in self.ranges:
                waiting.pop()
            elif at not in self.gates:
                literal = self.literal(at)
                self.ranges[at] = (TRUE, TRUE) if literal == ANYTHING else (inverse(literal), literal)
            else:
                cell = self.gates[at]
                sources = [cell.pins[pin][0] for pin in _GATES[cell.type]]
                missing = [source for source in sources if source not in self.ranges]
                waiting += missing
                if not missing:
                    self.ranges[at] = self.graph.range(cell.type, tuple(self.ranges[source] for source in sources))
        return self.ranges[net]

    def state(self, register: ModuleCell) -> tuple[str, dict[str, int]]:
        """Kind of a register, and the functions of its inputs, all of them active high and on rising edges; the load of
        a constant is a reset."""
        match = _STATE.fullmatch(register.type)
        assert match is not None
        kind, polarities, value = match.groups()
        pins = {pin: self.literal(nets[0]) for pin, nets in register.pins.items() if pin != "Q"}
        for pin, polarity in zip(_CONTROLS[kind], polarities, strict=False):
            pins[pin] = pins[pin] if polarity == "P" else inverse(pins[pin])
        if kind == "ALDFF" and pins["AD"] in (FALSE, TRUE):
            kind, value = "DFF", str(pins.pop("AD"))
            pins["R"] = pins.pop("L")
        return f"{kind}{value}", pins


def _obligations(ours: _Cones, theirs: _Cones) -> tuple[list[tuple[ModuleCell, str]], dict[str, _Claim]]:
    """What must hold of a pair of modules: instances of the sources with the file's modules in their places, and of
    functions by what they feed."""
    ports = ours.module.ports
    if _interface(ours.module) != _interface(theirs.module):
        raise _Different("its ports are not those of the sources")
    labels = ours.labels()
    partner = _partners(labels, theirs)
    for name, port in ports.items():
        if port.direction == "input":
            for cones in (ours, theirs):
                for bit, net in enumerate(cones.module.ports[name].nets):
                    cones.literals[net] = cones.graph.leaf(("input", name, bit))
    for cones in (ours, theirs):
        for name, cell in cones.instances.items():
            for pin, nets in cell.pins.items():
                if cell.directions[pin] != "input":
                    for bit, net in enumerate(nets):
                        if net > 1:
                            cones.literals[net] = cones.graph.leaf((f"instance {name}", pin, bit))
    for net in ours.registers:
        ours.literals[net] = ours.graph.leaf(("register", "", net))
    for net, source in partner.items():
        theirs.literals[net] = ours.literals[source]
    claims = {
        f"{name}[{bit}]": _Claim(ours.literal(net), theirs.literal(theirs.module.ports[name].nets[bit]), net)
        for name, port in ports.items()
        if port.direction == "output"
        for bit, net in enumerate(port.nets)
    }
    for net, source in partner.items():
        kind, pins = ours.state(ours.registers[source])
        other_kind, other_pins = theirs.state(theirs.registers[net])
        label = "{}[{}]".format(*labels[source][0])
        if kind != other_kind or pins.keys() != other_pins.keys():
            raise _Different(f"register {label} is of kind {other_kind}, in the sources {kind}")
        data = ours.registers[source].pins["D"][0]
        claims |= {
            f"{pin} of {label}": _Claim(pins[pin], other_pins[pin], data if pin == "D" else None) for pin in pins
        }
    inside: list[tuple[ModuleCell, str]] = []
    for name, cell in theirs.instances.items():
        source_cell = ours.instances.get(name)
        if source_cell is None:
            raise _Different(f"instance {cell.name} is not in the sources")
        inside.append((source_cell, cell.type))
        for pin in {pin: None for each in (source_cell, cell) for pin in each.directions}:
            if "input" in (source_cell.directions.get(pin), cell.directions.get(pin)):
                nets, others = source_cell.pins.get(pin, ()), cell.pins.get(pin, ())
                if len(nets) != len(others):
                    raise _Different(f"pin {pin} of instance {cell.name} is not connected as in the sources")
                for bit, both in enumerate(zip(nets, others, strict=True)):
                    claims[f"{name}.{pin}[{bit}]"] = _Claim(ours.literal(both[0]), theirs.literal(both[1]), both[0])
    return inside, {label: claim for label, claim in claims.items() if claim.ours != ANYTHING}


def _interface(module: Module) -> list[tuple[str, str, int, int, bool]]:
    return sorted((port.name, port.direction, port.width, port.lsb, port.upto) for port in module.ports.values())


def _partners(sources: Mapping[int, list[Label]], theirs: _Cones) -> dict[int, int]:
    """The register of the sources for each of the file, as nets of their outputs: one each, found by name."""
    named: dict[Label, set[int]] = {}
    for net, labels in sources.items():
        for label in labels:
            named.setdefault(label, set()).add(net)
    partner: dict[int, int] = {}
    for net, labels in theirs.labels().items():
        found = {source for label in labels for source in named.get(label, ()) if len(named[label]) == 1}
        if len(found) != 1:
            raise _Different(
                f"register {theirs.module.label(net)} is {'no' if not found else 'more than one'} register"
            )
        partner[net] = found.pop()
    if len(set(partner.values())) != len(partner):
        raise _Different("two registers are one register of the sources")
    return partner


def _word(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_")
