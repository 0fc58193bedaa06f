"""Exact checks of masked circuits in the robust probing model.

A probe of a wire is *glitch-extended*: it reads what feeds the wire's logic in that clock, registers, inputs and fresh
bits, all of them. It is *transition-extended* if it reads them in two consecutive clocks. Only what registers take and
what leaves the circuit is looked at: every other wire's logic lies within one of these. A circuit is secure at order d
if the joint distribution of any d extended probes is the same for all values of the secrets.

Operands are shared uniformly, each by itself; fresh bits are uniform. `Surroundings` says what else there is around the
circuit in the next clock: operands held, results fed back, one bus of fresh bits for several stages.

PINI (Cassiers and Standaert, TIFS 2020): any t probes together with the results of an index set A, t + |A| ≤ d, depend
on operands' shares of A and of at most t further indices alone. PINI gadgets and maps of single shares compose; with
glitch-extended probes in the definition, in presence of glitches, too (Cassiers, Grégoire, Levi, Standaert, IEEE TC
2021).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, combinations

import numpy as np

from aesmith.assurance.probing.values import ProbeAlgebra, Value, varies
from aesmith.circuits.circuit import evaluate_gates
from aesmith.circuits.systemverilog import node_names
from aesmith.errors import RequestError
from aesmith.masking.sharing import MaskedCircuit

MOST_VARIABLES = 22
"""Enumeration goes over at most 2^22 assignments."""

Leaf = tuple[int, int]
"""What a probe reads: stage and node, which is a register of the rank before that stage or an input that arrives."""


class ProbingVerdict(StrEnum):
    """What a check found: no set of probes tells anything, one does, or for some it could not be said."""

    SECURE = "secure"
    LEAKS = "leaks"
    NOT_SHOWN = "not shown"


@dataclass(frozen=True)
class ProbingResult:
    """The verdict, how many sets of probes were examined, and for a leak, the wires probed and what they read."""

    verdict: ProbingVerdict
    examined: int
    probed: tuple[str, ...] = ()
    read: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.verdict}; {self.examined} sets of probes"
        return f"{text}; probes of {', '.join(self.probed)} read {', '.join(self.read)}" if self.probed else text


@dataclass(frozen=True)
class Surroundings:
    """What is around a masked circuit from clock to clock.

    `held`: operands keep their shares; else each clock brings new ones. `loop`: input bits that are wired to output
    bits (both in flat order), without a register between; `keyed`: to what comes back a key is added, share by share,
    the same shares of it in every clock. `bus`: fresh bits of several stages that are one wire: input bit to the bit of
    the bus.
    """

    held: bool = False
    loop: Mapping[int, int] = field(default_factory=dict)
    keyed: bool = False
    bus: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ExtendedProbe:
    """A wire, by its name in the emitted module, and all that its glitches can show."""

    wire: str
    leaves: frozenset[Leaf]


def extended_probes(masked: MaskedCircuit) -> list[ExtendedProbe]:
    """The glitch-extended probes of all that registers take and of the result, each share of it as one wire.

    So whatever logic follows share by share, all that it can show of a share is in one probe. Of probes that read the
    same there is one, and a probe that reads less than another one is left out.
    """
    staged = masked.staged
    circuit, width = staged.circuit, staged.circuit.input_width
    found: dict[frozenset[Leaf], str] = {}
    for stage in range(staged.stages):
        names = node_names(staged, stage)
        reads = {node: frozenset(((stage, node),)) for node in staged.available(stage)}
        for node in staged.gates[stage]:
            reads[node] = frozenset(chain.from_iterable(reads[arg] for arg in circuit.gates[node - width].args))
        for node in staged.registers[stage] if stage < staged.latency else ():
            found.setdefault(reads[node], names[node])
    for share in range(masked.shares):
        found.setdefault(_result_probe(masked, share), f"share {share} of the result")
    return [ExtendedProbe(name, reads) for reads, name in found.items() if not any(reads < other for other in found)]


def check_probing(
    masked: MaskedCircuit,
    order: int | None = None,
    *,
    transitions: bool = False,
    around: Surroundings | None = None,
    most_variables: int = MOST_VARIABLES,
) -> ProbingResult:
    """Whether any `order` glitch-extended probes (default: the circuit's own order) tell nothing of the operands.

    Without `transitions` all probes of a set read one execution, in whichever stages. With them each reads two
    consecutive clocks, and the clocks examined are as many as results need to come round twice. Not shown is the
    verdict where a set has too many variables to enumerate, and no other leaks. Raises RequestError for an order below
    1.
    """
    order = masked.order if order is None else order
    if order < 1:
        raise RequestError(f"order: must be 1 or more, not {order}")
    stream = _Stream(masked, around or Surroundings())
    stages = masked.staged.stages
    clocks = range(stages - 1, stages - 1 + (2 * stages if transitions else 1))
    probes = extended_probes(masked)
    first = [
        (probe.wire, clock, frozenset(chain.from_iterable(stream.read(probe, at) for at in seen)))
        for clock in clocks
        for probe in probes
        for seen in [(clock, clock + 1) if transitions else (clock,)]
    ]
    if not transitions:
        first = [(probe.wire, 0, stream.execution(probe, stages)) for probe in probes]
    known: dict[frozenset[Value], bool | None] = {}
    examined, open_ = 0, False
    for several in combinations(first, min(order, len(first))):
        examined += 1
        values = frozenset(chain.from_iterable(seen for _, _, seen in several))
        if values not in known:
            known[values] = stream.algebra.tells(values, most_variables)
        if known[values]:
            names = {probe.wire: probe for probe in probes}
            wires = tuple(sorted({wire for wire, _, _ in several}))
            read = {leaf for wire in wires for leaf in names[wire].leaves}
            return ProbingResult(ProbingVerdict.LEAKS, examined, wires, leaf_names(masked, read))
        open_ |= known[values] is None
    return ProbingResult(ProbingVerdict.NOT_SHOWN if open_ else ProbingVerdict.SECURE, examined)


def check_pini(masked: MaskedCircuit, order: int | None = None) -> ProbingResult:
    """Whether a masked circuit is PINI with glitch-extended probes, by enumeration of all inputs and fresh bits.

    Where there are more than 22 of them, by one-time pads alone: then not shown is the verdict where these leave more
    shares than are allowed.
    """
    order = masked.order if order is None else order
    origins = masked.origins
    if len(origins) > MOST_VARIABLES:
        return _pini_by_pads(masked, order)
    fresh = [bit for bit, origin in enumerate(origins) if origin.share is None]
    shared = [bit for bit, origin in enumerate(origins) if origin.share is not None]
    columns = _every_case(masked, [*fresh, *shared])
    probes = extended_probes(masked)
    results = [_result_probe(masked, share) for share in range(masked.shares)]
    examined = 0
    for wires, indices in _sets(probes, masked.shares, order):
        examined += 1
        leaves = set(chain.from_iterable([*(p.leaves for p in wires), *(results[i] for i in indices)]))
        table = [columns[node] for node in sorted({node for _, node in leaves})]
        for further in combinations(range(masked.shares), len(wires)):
            allowed = {*indices, *further}
            mask = sum(1 << place for place, bit in enumerate(shared) if origins[bit].share in allowed)
            if not varies(table, len(shared), range(1 << len(shared)), mask):
                break
        else:
            names = (*(probe.wire for probe in wires), *(f"share {i} of the result" for i in indices))
            return ProbingResult(ProbingVerdict.LEAKS, examined, names, leaf_names(masked, leaves))
    return ProbingResult(ProbingVerdict.SECURE, examined)


def leaf_names(masked: MaskedCircuit, leaves: set[Leaf]) -> tuple[str, ...]:
    """The registers and inputs that probes read, by their names in the emitted module."""
    names = {stage: node_names(masked.staged, stage) for stage, _ in leaves}
    return tuple(names[stage][node] for stage, node in sorted(leaves))


def _pini_by_pads(masked: MaskedCircuit, order: int) -> ProbingResult:
    """What is left of a tuple when one-time pads are gone has all that it tells of shares, whatever these are."""
    algebra, circuit = ProbeAlgebra(), masked.staged.circuit
    of_share = [0] * masked.shares
    values: list[Value] = []
    for bit, origin in enumerate(masked.origins):
        values.append(algebra.variable(bit, secret=origin.share is not None))
        if origin.share is not None:
            of_share[origin.share] |= algebra.support(values[-1])
    for gate in circuit.gates:
        values.append(algebra.gate(gate, [values[arg] for arg in gate.args]))
    probes = extended_probes(masked)
    results = [_result_probe(masked, share) for share in range(masked.shares)]
    examined = 0
    for wires, indices in _sets(probes, masked.shares, order):
        examined += 1
        leaves = set(chain.from_iterable([*(p.leaves for p in wires), *(results[i] for i in indices)]))
        mask = 0
        for value in algebra.simplified(values[node] for _, node in leaves):
            mask |= algebra.support(value)
        seen = {share for share, bits in enumerate(of_share) if mask & bits}
        if len(seen.difference(indices)) > len(wires):
            probed = (*(wire.wire for wire in wires), *(f"share {index} of the result" for index in indices))
            return ProbingResult(ProbingVerdict.NOT_SHOWN, examined, probed, leaf_names(masked, leaves))
    return ProbingResult(ProbingVerdict.SECURE, examined)


def _sets(
    probes: Sequence[ExtendedProbe], shares: int, order: int
) -> Iterator[tuple[tuple[ExtendedProbe, ...], tuple[int, ...]]]:
    """All sets of t probes and of result indices A with 0 < t + |A| ≤ order."""
    for count in range(order + 1):
        for wires in combinations(probes, count):
            for size in range(0 if count else 1, order - count + 1):
                for indices in combinations(range(shares), size):
                    yield wires, indices


def _result_probe(masked: MaskedCircuit, share: int) -> frozenset[Leaf]:
    """What glitches at all bits of a result's share can show."""
    staged, width = masked.staged, masked.staged.circuit.input_width
    last = staged.latency
    before, wanted = staged.available(last), set(masked.output_wires(share))
    leaves: set[Leaf] = set()
    for node in sorted(range(width + len(staged.circuit.gates)), reverse=True):
        if node in wanted and node in before:
            leaves.add((last, node))
        elif node in wanted:
            wanted.update(staged.circuit.gates[node - width].args)
    return frozenset(leaves)


def _every_case(masked: MaskedCircuit, order: Sequence[int]) -> dict[int, np.ndarray]:
    """Every node for every assignment of the input bits; bit k of an assignment is input bit `order[k]`."""
    circuit = masked.staged.circuit
    cases = 1 << len(order)
    values: dict[int, int] = {}
    for place, bit in enumerate(order):
        period = 1 << place + 1
        block = ((1 << (1 << place)) - 1) << (1 << place)
        values[bit] = block * (((1 << cases) - 1) // ((1 << period) - 1))
    evaluate_gates(enumerate(circuit.gates, start=circuit.input_width), values, (1 << cases) - 1)
    size = -(-cases // 8)
    return {
        node: np.unpackbits(
            np.frombuffer(word.to_bytes(size, "little"), dtype=np.uint8), count=cases, bitorder="little"
        ).astype(bool)
        for node, word in values.items()
    }


class _Stream:
    """The values of all nodes, execution by execution: execution e has its first stage in clock e."""

    def __init__(self, masked: MaskedCircuit, around: Surroundings) -> None:
        self.masked, self.around = masked, around
        self.algebra = ProbeAlgebra()
        self._values: dict[int, list[Value]] = {}
        if any(masked.origins[bit].is_fresh for bit in around.loop):
            raise RequestError("loop: a fresh bit cannot be fed back")

    def values(self, execution: int) -> list[Value]:
        """The value of each node."""
        if execution not in self._values:
            circuit = self.masked.staged.circuit
            values = [self._input(bit, execution) for bit in range(circuit.input_width)]
            for gate in circuit.gates:
                values.append(self.algebra.gate(gate, [values[arg] for arg in gate.args]))
            self._values[execution] = values
        return self._values[execution]

    def execution(self, probe: ExtendedProbe, execution: int) -> frozenset[Value]:
        """What a glitch-extended probe reads of one execution; of a looped input, what its output's logic reads."""
        if self.around.loop:
            return frozenset(self.read(probe, execution + min(stage for stage, _ in probe.leaves)))
        values = self.values(execution)
        return frozenset(values[node] for _, node in probe.leaves)

    def read(self, probe: ExtendedProbe, clock: int) -> set[Value]:
        """What a glitch-extended probe reads in a clock."""
        seen: set[Value] = set()
        latency = self.masked.latency
        for stage, node in probe.leaves:
            arrives = node in self.around.loop and stage == self.masked.staged.arrival[node].stage
            if arrives and clock - stage >= latency:
                wire = self.masked.staged.circuit.output_nodes[self.around.loop[node]]
                for at, leaf in self._output_leaves(wire):
                    seen.add(self.values(clock - at)[leaf])
                if self.around.keyed:
                    seen.add(self._shared(node, "key"))
            else:
                seen.add(self.values(clock - stage)[node])
        return seen

    def _output_leaves(self, wire: int) -> set[Leaf]:
        staged, last = self.masked.staged, self.masked.latency
        before, wanted = staged.available(last), {wire}
        leaves: set[Leaf] = set()
        for node in range(wire, -1, -1):
            if node in wanted and node in before:
                leaves.add((last, node))
            elif node in wanted:
                wanted.update(staged.circuit.gates[node - staged.circuit.input_width].args)
        return leaves

    def _input(self, bit: int, execution: int) -> Value:
        origin = self.masked.origins[bit]
        arrival = self.masked.staged.arrival[bit].stage
        if origin.share is None:
            return self.algebra.variable("fresh", self.around.bus.get(bit, (bit,)), execution + arrival)
        latency = self.masked.latency
        if bit in self.around.loop and execution >= latency:
            back = self.values(execution - latency)[self.masked.staged.circuit.output_nodes[self.around.loop[bit]]]
            return back ^ self._shared(bit, "key") if self.around.keyed else back
        return self._shared(bit, -1 if self.around.held and bit not in self.around.loop else execution)

    def _shared(self, bit: int, turn: int | str) -> Value:
        """The share that an input bit is of an operand: that of one execution, of all (-1), or of the key."""
        origin = self.masked.origins[bit]
        name = (origin.operand, origin.bit, turn)
        if origin.share:
            return self.algebra.variable(*name, origin.share)
        value = self.algebra.variable(*name, secret=True)
        for share in range(1, self.masked.shares):
            value ^= self.algebra.variable(*name, share)
        return value
