"""That a masked core with ports of values is the core in shares inside it, with what is shared and summed around it.

The sources are elaborated with the core inside as a black box, so that what is left is the boundary, and it must be:

  still     without registers
  shared    share 0 of a bit is the sum of the bit and of its masks, each other share a mask; each mask is a bit of the
            word of fresh bits that nothing else reads, and each fresh bit of the core is such a bit
  summed    each bit of the result is the sum of its shares
  once      what the core takes that is shared here, and each word of its own, is taken in a clock in which a word is
  control   no value, share or fresh bit reaches a handshake

The function of the whole is then that of the sums of the core inside, with the gates of the boundary at its handshakes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from aesmith.assurance.proof.elaborate import lowered, read_netlist
from aesmith.assurance.proof.interface import HANDSHAKES
from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp
from aesmith.assurance.proof.pace import evaluate
from aesmith.assurance.proof.report import Part, Verdict
from aesmith.assurance.proof.shares.core import SumCore
from aesmith.assurance.proof.shares.generator import outer_port, with_core_outside
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import Meaning, PayloadKind, PortDirection
from aesmith.errors import CheckError

STATEMENT = (
    "The boundary around the core in shares consists only of sums: each incoming value is the sum of the shares that "
    "the core gets, each result that of the shares it gives. All shares except share 0 are fresh bits of a word that "
    "is accepted in the same clock, and that nothing else reads. Handshakes are those of the core with the gates "
    "around it."
)
ENGINE = "sums of nets, all levels of control"
NOT_COVERED = "not covered: wires that read {}, which are values"


@dataclass(frozen=True)
class PlainPorts:
    """What was looked at: ports with values, and bits of masks in a word."""

    ports: tuple[str, ...]
    masks: int

    def __str__(self) -> str:
        return f"{self.masks} masks in a word; {NOT_COVERED.format(', '.join(self.ports))}"


def check_plain_ports(design: CoreDesign, work_dir: Path) -> PlainPorts:
    """Check the boundary of a core with ports of values; Yosys' files stay in `work_dir`, which is made.

    Raises CheckError, naming the port, for what is none of the above, and what `elaborate` raises.
    """
    return _boundary(design, work_dir).check()


def with_boundary(design: CoreDesign, sums: SumCore, work_dir: Path) -> SumCore:
    """The core of the sums with the handshakes of the whole, and a part more. Raises as `check_plain_ports`."""
    began = time.monotonic()
    boundary = _boundary(design, work_dir)
    detail = str(boundary.check())
    netlist = boundary.around(sums.netlist)
    part = Part("ports", STATEMENT, ENGINE, Verdict.PROVED, time.monotonic() - began, detail)
    ports = replace(sums.ports, handshake_nets=tuple(netlist.outputs[name][0] for name in HANDSHAKES))
    return SumCore(netlist, ports, (*sums.parts, part))


def _boundary(design: CoreDesign, work_dir: Path) -> _Boundary:
    opened = design.opened
    if opened is None:
        raise CheckError(f"{design.name}: has no core in shares inside")
    module = lowered(design, work_dir, boxes=[opened.top])
    return _Boundary(design, opened, read_netlist(with_core_outside(design, opened, module), design.top))


@dataclass
class _Boundary:
    design: CoreDesign
    opened: CoreDesign
    netlist: Netlist
    names: dict[int, str] = field(default_factory=dict)
    sums: dict[int, frozenset[int] | None] = field(default_factory=dict)
    """The inputs whose sum a net is; None if it is none."""

    def __post_init__(self) -> None:
        if self.netlist.registers:
            raise CheckError(f"{self.design.name}: {self.netlist.registers[0].name} is outside the core in shares")
        for name, nets in self.netlist.inputs.items():
            self.sums |= {net: frozenset([net]) for net in nets}
            self.names |= {net: f"{name}[{i}]" for i, net in enumerate(nets)}
        for gate in self.netlist.gates:
            left, right = self.sums.get(gate.inputs[0]), self.sums.get(gate.inputs[-1])
            summed = gate.op is NetlistOp.XOR and left is not None and right is not None
            self.sums[gate.output] = left ^ right if summed and left is not None and right is not None else None

    def check(self) -> PlainPorts:
        """Raises CheckError unless all of it holds."""
        word = self.netlist.inputs[self.opened.ports.payload(Meaning.RANDOM).port]
        masks: Counter[int] = Counter()
        own: list[int] = []
        plain = []
        for load in self.opened.ports.payloads:
            outside = self.design.ports.payload(load.meaning)
            if load.kind is PayloadKind.RANDOM:
                own += self.netlist.outputs[outer_port(load.port)]
            elif outside.shares == load.shares:
                self._straight(load.port)
            elif load.port in self.netlist.inputs:
                plain.append(load.port)
                masks.update(self._shared(load.port, load.width, set(word)))
            else:
                plain.append(load.port)
                self._summed(load.port, load.width)
        readers = Counter(self._read())
        for net in own:
            if net not in word:
                raise CheckError(f"R3: {self._name(net)} is at a fresh bit of the core inside, and no fresh bit")
            if readers[net] > 1:
                raise CheckError(
                    f"R3: {self._name(net)}, a fresh bit of the core inside, is read by something else, too"
                )
        for net, times in masks.items():
            if times > 1:
                raise CheckError(f"R3: {self._name(net)} serves twice")
        self._control()
        return PlainPorts(tuple(plain), len(masks))

    def _name(self, net: int) -> str:
        return self.names.get(net, "what logic makes" if net > TRUE else "a constant")

    def _straight(self, port: str) -> None:
        """A port that both have is one."""
        ends = (self.netlist.inputs, self.netlist.outputs)
        outside, inside = ends if port in self.netlist.inputs else reversed(ends)
        if outside[port] != inside[outer_port(port)]:
            raise CheckError(f"{self.design.name}: {port} of the core inside is not its own")

    def _shared(self, port: str, width: int, word: set[int]) -> Iterator[int]:
        """The masks of an input."""
        pins, readers = self.netlist.outputs[outer_port(port)], Counter(self._read())
        for bit, value in enumerate(self.netlist.inputs[port]):
            mine = pins[bit + width :: width]
            for share, net in enumerate(mine, 1):
                if net not in word:
                    raise CheckError(f"R3: share {share} of {port}[{bit}] is {self._name(net)}, no fresh bit")
            if self.sums.get(pins[bit]) != frozenset([value, *mine]) or len(set(mine)) < len(mine):
                raise CheckError(f"R1: share 0 of {port}[{bit}] is not the sum of it and of its masks")
            # A mask is read by the core, and by the sum that is share 0.
            inside = {pins[bit], *self._inside(pins[bit])}
            for net in mine:
                if readers[net] != 1 + sum(net in gate.inputs for gate in self.netlist.gates if gate.output in inside):
                    raise CheckError(f"R3: {self._name(net)}, a mask of {port}[{bit}], is read by something else, too")
            yield from mine

    def _inside(self, net: int) -> set[int]:
        return {gate.output for gate in self.netlist.cone([net])}

    def _read(self) -> Iterator[int]:
        for gate in self.netlist.gates:
            yield from gate.inputs
        for nets in self.netlist.outputs.values():
            yield from nets

    def _summed(self, port: str, width: int) -> None:
        pins = self.netlist.inputs[outer_port(port)]
        for bit, net in enumerate(self.netlist.outputs[port]):
            if self.sums.get(net) != frozenset(pins[bit::width]):
                raise CheckError(f"R4: {port}[{bit}] is not the sum of its shares")

    def _control(self) -> None:
        """At all levels of the lines: what is taken inside is taken outside, and a word with it."""
        lines = [(port.name, port.direction) for port in self.opened.ports if port.role.endswith((".valid", ".ready"))]
        given = [name if way is PortDirection.INPUT else outer_port(name) for name, way in lines]
        driven = [outer_port(name) if way is PortDirection.INPUT else name for name, way in lines]
        outputs = [self.netlist.outputs[name][0] for name in driven]
        cone = self.netlist.cone(outputs)
        known = {self.netlist.inputs[name][0] for name in given} | {FALSE, TRUE} | {gate.output for gate in cone}
        for net in (*outputs, *(net for gate in cone for net in gate.inputs)):
            if net not in known:
                raise CheckError(f"R5: {self._name(net)} reaches a handshake")
        random = next(channel for channel in self.opened.ports.channels if channel.find(Meaning.RANDOM)).name
        for choice in product((FALSE, TRUE), repeat=len(given)):
            levels = [FALSE, TRUE, *(FALSE for _ in range(2, self.netlist.net_count))]
            for name, level in zip(given, choice, strict=True):
                levels[self.netlist.inputs[name][0]] = level
            evaluate(cone, levels)
            self._taken(levels, random)

    def _taken(self, levels: Sequence[int], random: str) -> None:
        def moves(channel: str, *, inside: bool) -> bool:
            both = {**self.netlist.inputs, **self.netlist.outputs}
            names = [self.opened.ports.role(f"{channel}.{line}").name for line in ("valid", "ready")]
            return all(levels[both[outer_port(name) if inside else name][0]] for name in names)

        word = moves(random, inside=False)
        for channel in self.opened.ports.channels:
            within, without = (moves(channel.name, inside=inside) for inside in (True, False))
            if channel.name == random:
                if within and not word:
                    raise CheckError("R3: the core inside may take a word of fresh bits that is not taken")
                continue
            if within != without:
                raise CheckError(
                    f"{self.design.name}: channel {channel.name} may move on one side of the boundary only"
                )
            shared = any(self.design.ports.payload(load.meaning).shares < load.shares for load in channel.payloads)
            if shared and channel.direction is PortDirection.INPUT and within and not word:
                raise CheckError(f"R3: channel {channel.name} may move in a clock in which no word is taken")

    def around(self, sums: Netlist) -> Netlist:
        """The netlist of sums with the boundary's gates at its handshakes."""
        offset = sums.net_count
        lines = {name for name in (*sums.inputs, *sums.outputs) if outer_port(name) in self._both}
        lines = {name for name in lines if len(self._both[outer_port(name)]) == 1}
        same: dict[int, int] = {FALSE: FALSE, TRUE: TRUE}
        for name in lines:
            if name in sums.outputs:
                same[self.netlist.inputs[outer_port(name)][0]] = sums.outputs[name][0]

        def moved(net: int) -> int:
            return same.get(net, net + offset)

        wires = {sums.inputs[name][0]: moved(self._both[outer_port(name)][0]) for name in lines if name in sums.inputs}

        def now(nets: Sequence[int]) -> tuple[int, ...]:
            return tuple(wires.get(net, net) for net in nets)

        cone = self.netlist.cone(self._both[outer_port(name) if name in sums.inputs else name][0] for name in lines)
        gates = [Gate(gate.op, tuple(map(moved, gate.inputs)), moved(gate.output)) for gate in cone]
        gates += [replace(gate, inputs=now(gate.inputs)) for gate in sums.gates]
        return replace(
            sums,
            inputs={n: (moved(self.netlist.inputs[n][0]),) if n in lines else bits for n, bits in sums.inputs.items()},
            outputs={
                n: (moved(self.netlist.outputs[n][0]),) if n in lines else now(bits) for n, bits in sums.outputs.items()
            },
            registers=tuple(replace(r, d=now([r.d])[0]) for r in sums.registers),
            names={name: now(bits) for name, bits in sums.names.items() if name not in lines},
        ).with_gates(gates)

    @property
    def _both(self) -> Mapping[str, tuple[int, ...]]:
        return {**self.netlist.inputs, **self.netlist.outputs}
