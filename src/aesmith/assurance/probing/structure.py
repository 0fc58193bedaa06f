"""Whether a whole masked core is a composition of PINI parts and of logic that goes share by share.

The core is elaborated with its masked S-boxes as black boxes. An S-box is one if its module is, letter by letter, what
this project emits for a masked circuit, of S or of its inversion alone; of that circuit
`aesmith.assurance.probing.check` shows what it can. Everything else is walked: each net has the indices of the shares
that it can ever depend on.

  R1 isolation   no gate or register outside S-boxes sees two share indices, and port i of an S-box or of the core
                 sees index i alone
  R2 two ranks   an S-box has two ranks of registers or more, so that no loop through a gadget has the gadget's only;
                 and no wire reads a fresh bit and a register that takes it (`clocks.py`)
  R3 fresh bits  each bit of the core's randomness is at one random pin of one S-box, each random pin has such a bit,
                 and S-boxes move in no clock but those in which a word is taken: each bit serves once
  R4 gating      each bit of a shared result is an AND with the valid of its channel, which comes from a register; what
                 enters S-boxes is of the block in work, or constant: nothing that an old block left (`idle.py`)
  R5 control     no share and no fresh bit reaches a handshake, a clock, a reset or a gate of a clock
  R6 holding     registers of S-boxes are held by gates of their clock, or at order 1 by clock enables, whose selectors
                 also read what the register had before: then that is a part of the check (`clocks.py`)

With PINI S-boxes that is security at their order in presence of glitches (Cassiers and Standaert, TIFS 2020; Cassiers,
Grégoire, Levi, Standaert, IEEE TC 2021).
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from aesmith.assurance.probing.check import ProbingResult, ProbingVerdict, check_pini
from aesmith.assurance.probing.clocks import check_apart, check_ring, check_selectors
from aesmith.assurance.probing.idle import check_idle_slots
from aesmith.assurance.probing.mapped import MappedProbing, check_mapped
from aesmith.assurance.proof.elaborate import elaborate, lowering, run_passes
from aesmith.assurance.proof.prove import Mapped
from aesmith.assurance.proof.shares.core import moves_without_fresh, the_masked_sbox, with_ranks
from aesmith.assurance.proof.shares.generator import GeneratorReport, check_generator
from aesmith.assurance.proof.shares.plain_ports import PlainPorts, check_plain_ports
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import Meaning, PayloadKind, PortDirection
from aesmith.errors import CheckError, RequestError
from aesmith.flow.yosys import write_sources
from aesmith.masking.gadgets import GF4, GF16, Scheme, masked_product, paired
from aesmith.masking.sharing import MaskedCircuit
from aesmith.yosys_json import ONE, ZERO, Module, ModuleCell, read_json

_READ = "read_slang -U SYNTHESIS --no-default-translate-off-format --no-implicit-memories"
_REGISTERS = {"$_DFF_P_", "$_DFF_PN0_", "$_DFF_PN1_"}
_LATCH = "$_DLATCH_N_"
_TIMING = {"C", "R", "E"}
"""Pins of registers and latches that say when."""


@dataclass(frozen=True)
class StructureReport:
    """What was walked: share indices, instances of masked S-boxes, random bits of a word, gates and registers outside
    S-boxes, and states in which what enters S-boxes was looked at. `sbox` is the circuit they all are; `enabled` says
    whether clock enables hold its registers; `generator` is what was looked at of what makes fresh bits inside, `ports`
    of ports of values."""

    sbox: MaskedCircuit
    shares: int
    instances: int
    random_bits: int
    cells: int
    enabled: bool = False
    idle_states: int = 0
    generator: GeneratorReport | None = None
    ports: PlainPorts | None = None

    def __str__(self) -> str:
        beside = "" if self.generator is None else f"; with {self.generator}"
        beside += "" if self.ports is None else f"; around them {self.ports}"
        return (
            f"{self.instances} S-boxes of {self.shares} shares, {self.cells:,} gates and registers around them, "
            f"{self.random_bits} fresh bits per cycle, {self.idle_states:,} slot states: rules R1 to R6 hold{beside}"
        )


def check_structure(design: CoreDesign, work_dir: Path, *, registered: bool = False) -> StructureReport:
    """Walk a masked core, of one that makes its fresh bits, or has ports of values, the core inside and what is around
    it; Yosys' files stay in `work_dir`, which is made. With `registered` shares of results must come from registers.

    Raises CheckError, naming rule and net, for a core that breaks a rule, and for one without shares, without a masked
    S-box of this project, or with S-boxes of several kinds.
    """
    if design.opened is None and not design.in_shares:
        raise CheckError(f"{design.name}: is not masked: no port has shares")
    if design.opened is not None and design.ports.find(Meaning.SEED) is None:
        ports = check_plain_ports(design, work_dir / "ports")
        return replace(check_structure(design.opened, work_dir, registered=True), ports=ports)
    if design.opened is not None:
        generator = check_generator(design, work_dir / "generator")
        return replace(check_structure(design.opened, work_dir), generator=generator)
    boxes = dict([the_masked_sbox(design)])
    work_dir.mkdir(parents=True, exist_ok=True)
    files = " ".join(write_sources(design, work_dir))
    commands = [
        f"{_READ} {' '.join(f'--blackboxed-module {name}' for name in boxes)} --top {design.top} {files}",
        f"hierarchy -check -top {design.top}",
        *(command for command in lowering(design) if command != "write_verilog -noattr netlist.v"),
    ]
    run_passes(commands, work_dir, design.name, 600.0)
    module = read_json(work_dir / "netlist.json").module(design.top)
    report = _Walk(design, module, boxes, registered=registered).report()
    ranks = with_ranks(design, work_dir / "ranks")
    if odd := moves_without_fresh(ranks):
        raise CheckError(f"R3: {odd}")
    if not report.enabled:
        check_apart(elaborate(design, work_dir / "flat"), design.ports.payload(Meaning.RANDOM).port)
    return replace(report, idle_states=check_idle_slots(design, ranks).states)


@dataclass(frozen=True)
class CoreProbing:
    """What was shown of a masked core: its structure, and at the order asked for each part that it is composed of; of a
    netlist of it that its probes read no more."""

    order: int
    structure: StructureReport
    parts: Mapping[str, ProbingResult]
    mapped: MappedProbing | None = None

    @property
    def shown(self) -> bool:
        """Whether every part is."""
        return all(part.verdict is ProbingVerdict.SECURE for part in self.parts.values())


def check_core(
    design: CoreDesign, work_dir: Path, order: int | None = None, mapped: Mapped | None = None
) -> CoreProbing:
    """Whether a masked core is a composition of parts that are PINI at an order (default: one less than its shares),
    and whether the netlist `mapped` shows probes no more than its sources do.

    At order 1 the part is the whole S-box, and it is also checked as a ring in two clocks, or with its clock enables;
    above it, each kind of product in it. Raises RequestError for an order that the shares do not allow, and CheckError
    for a structure that breaks a rule, and as `check_mapped`.
    """
    structure = check_structure(design, work_dir)
    highest = structure.sbox.order
    order = highest if order is None else order
    if not 1 <= order <= highest:
        raise RequestError(f"order: must be 1 to {highest} with {structure.shares} shares, not {order}")
    products = _PRODUCTS[structure.sbox.latency]
    if structure.enabled and highest > 1:
        raise CheckError(
            f"R6: clock_gates: must be true, not false, with {structure.shares} shares; clock enables of S-boxes read "
            "what registers had before, too, and that is checked at order 1 alone"
        )
    if order == 1:
        parts = {"S-box is PINI": check_pini(structure.sbox, order)}
        if highest == 1 and not structure.enabled:
            parts["S-box in a ring, two clocks"] = check_ring(structure.sbox)
        if structure.enabled:
            parts["S-box with its clock enables"] = check_selectors(structure.sbox, old_words=False)
            for each in products:
                alone = masked_product(Scheme.HPC3, each, highest)
                parts[f"{each.name} with its clock enables"] = check_selectors(alone, old_words=True)
    else:
        parts = {
            f"{each.name} is PINI": check_pini(masked_product(Scheme.HPC3, each, highest), order) for each in products
        }
    found = None
    if mapped is not None and all(part.verdict is ProbingVerdict.SECURE for part in parts.values()):
        found = check_mapped(design, mapped.library, mapped.netlist, work_dir / "netlist")
    return CoreProbing(order, structure, parts, found)


_PRODUCTS = {3: (GF16, paired(GF16)), 4: (GF16, GF4, paired(GF4), paired(GF16))}
"""The products of an S-box, by its clocks."""


@dataclass
class _Walk:
    design: CoreDesign
    module: Module
    boxes: Mapping[str, MaskedCircuit]
    registered: bool = False
    labels: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def report(self) -> StructureReport:
        cells = self.module.cells.values()
        instances = [cell for cell in cells if self._box(cell) is not None]
        if not instances:
            raise CheckError(f"{self.design.name}: has no instance of a masked S-box")
        masked = next(iter(self.boxes.values()))
        if masked.latency < 2:
            raise CheckError(f"R2: the S-box has {masked.latency} rank, and must have two or more")
        others = [cell for cell in cells if self._box(cell) is None]
        self._label(others, instances)
        self._check_pins(others, instances)
        self._check_outputs()
        random = self._check_fresh(instances)
        enabled = any("enable_i" in cell.pins for cell in instances)
        gates = sum(cell.type != "$scopeinfo" for cell in others)
        return StructureReport(masked, masked.shares, len(instances), random, gates, enabled=enabled)

    def _box(self, cell: ModuleCell) -> MaskedCircuit | None:
        return self.boxes.get(cell.type.partition("$")[0])

    def _sources(self) -> Iterator[tuple[int, int]]:
        """Nets at which shares come in, with their index."""
        for payload in self.design.ports.payloads:
            port = self.module.ports[payload.port]
            if payload.shares > 1 and port.direction == "input":
                for bit, net in enumerate(port.nets):
                    yield net, bit // payload.width

    def _label(self, others: list[ModuleCell], instances: list[ModuleCell]) -> None:
        """Which share indices each net can depend on, through any number of clocks."""
        readers: dict[int, list[ModuleCell]] = defaultdict(list)
        for cell in others:
            for net in cell.nets("input"):
                readers[net].append(cell)
        waiting: deque[int] = deque()

        def add(net: int, label: int) -> None:
            if label & ~self.labels[net]:
                self.labels[net] |= label
                waiting.append(net)

        for net, index in self._sources():
            add(net, 1 << index)
        for cell in instances:
            for pin, nets in cell.pins.items():
                if found := re.fullmatch(r"y_(\d+)_o", pin):
                    for net in nets:
                        add(net, 1 << int(found[1]))
        while waiting:
            for cell in readers[waiting.popleft()]:
                label = 0
                for net in cell.nets("input"):
                    label |= self.labels[net]
                if label & (label - 1):
                    out = cell.nets("output")[0]
                    raise CheckError(f"R1: {self.module.label(out)} depends on {self._indices(label)}")
                for net in cell.nets("output"):
                    add(net, label)

    def _indices(self, label: int) -> str:
        return " and ".join(f"share {index}" for index in range(label.bit_length()) if label >> index & 1)

    def _check_pins(self, others: list[ModuleCell], instances: list[ModuleCell]) -> None:
        for cell in others:
            for pin in _TIMING & cell.pins.keys() if cell.type in {*_REGISTERS, _LATCH} else ():
                for net in cell.pins[pin]:
                    self._refuse_shares("R5", net, 0, f"says when {cell.name} takes its value, and")
            if cell.type == _LATCH:
                for net in cell.pins["D"]:
                    self._refuse_shares("R5", net, 0, "opens the gate of a clock, and")
        for cell in instances:
            for pin, nets in cell.pins.items():
                found = re.fullmatch(r"x_(\d+)_i", pin)
                allowed = 1 << int(found[1]) if found else 0
                for net in nets if cell.directions[pin] == "input" and not pin.startswith("random_") else ():
                    self._refuse_shares("R1" if found else "R5", net, allowed, f"at {pin} of {cell.name}")

    def _check_outputs(self) -> None:
        shared = {payload.port: payload for payload in self.design.ports.payloads if payload.shares > 1}
        for port in self.module.ports.values():
            if port.direction == "output":
                for bit, net in enumerate(port.nets):
                    payload = shared.get(port.name)
                    allowed = 0 if payload is None else 1 << bit // payload.width
                    rule = "R5" if payload is None else "R1"
                    self._refuse_shares(rule, net, allowed, f"at output {port.name}[{bit}]")
        drivers = self.module.drivers()
        for channel in self.design.ports.channels:
            results = [load for load in channel.payloads if load.port in shared]
            if channel.direction is PortDirection.INPUT or not results:
                continue
            valid = None if channel.valid is None else self.module.ports[channel.valid.port].nets[0]
            said = None if valid is None else drivers.get(valid)
            if valid is None or said is None or said.cell is None or not self._is_register(said.cell):
                raise CheckError(f"R4: the valid of channel {channel.name} does not come from a register")
            for load in results:
                for bit, net in enumerate(self.module.ports[load.port].nets):
                    gate = drivers[net].cell if net in drivers else None
                    if (
                        gate is None
                        or self.module.cells[gate].type != "$_AND_"
                        or (valid not in self.module.cells[gate].nets("input"))
                    ):
                        raise CheckError(f"R4: {load.port}[{bit}] is not gated by the valid of channel {channel.name}")
                    data = next(other for other in self.module.cells[gate].nets("input") if other != valid)
                    source = drivers[data].cell if self.registered and data in drivers else None
                    if self.registered and (source is None or not self._is_register(source)):
                        raise CheckError(f"R4: {load.port}[{bit}] is summed and does not come from a register")

    def _is_register(self, cell: str) -> bool:
        return self.module.cells[cell].type in _REGISTERS

    def _refuse_shares(self, rule: str, net: int, allowed: int, where: str) -> None:
        wrong = self.labels[net] & ~allowed
        if wrong:
            raise CheckError(f"{rule}: {self.module.label(net)}, {where} depends on {self._indices(wrong)}")

    def _check_fresh(self, instances: list[ModuleCell]) -> int:
        """R3; the number of fresh bits of a word."""
        readers: dict[int, list[tuple[ModuleCell, str, int]]] = defaultdict(list)
        for cell in self.module.cells.values():
            for pin, nets in cell.pins.items():
                if cell.directions[pin] == "input":
                    for bit, net in enumerate(nets):
                        readers[net].append((cell, pin, bit))
        outputs = {
            net: port.name for port in self.module.ports.values() if port.direction == "output" for net in port.nets
        }
        random = [p for p in self.design.ports.payloads if p.kind is PayloadKind.RANDOM and p.meaning is Meaning.RANDOM]
        bits = [(p.port, bit, net) for p in random for bit, net in enumerate(self.module.ports[p.port].nets)]
        served: dict[tuple[str, str, int], str] = {}
        for port, bit, net in bits:
            name = f"{port}[{bit}]"
            ends: list[tuple[str, str, int]] = []
            if net in outputs:
                raise CheckError(f"R3: {name} reaches output {outputs[net]}")
            for cell, pin, at in readers[net]:
                if self._box(cell) is None or not pin.startswith("random_"):
                    raise CheckError(f"R3: {name} is read by {self.module.label(cell.nets('output')[0])}, no S-box")
                ends.append((cell.name, pin, at))
            if len(ends) > 1:
                first, second = (f"{pin}[{at}] of {cell}" for cell, pin, at in ends[:2])
                raise CheckError(f"R3: {name} serves twice, {first} and {second}")
            served |= dict.fromkeys(ends, name)
        for cell in instances:
            for pin, nets in cell.pins.items():
                for at, net in enumerate(nets if pin.startswith("random_") else ()):
                    if (cell.name, pin, at) not in served:
                        what = "is tied to a constant" if net in (ZERO, ONE) else "has no fresh bit"
                        raise CheckError(f"R3: {pin}[{at}] of {cell.name} {what}")
        return len(bits)
