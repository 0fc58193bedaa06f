"""Masked circuits: every value stands as shares, XORed together the value; registers stand where glitches must stop.

A masked circuit is a staged circuit, so that its ranks of registers, their order and the clocks in which inputs come
are those of any pipeline of this project. Beside it stands what each input bit is: a share of an operand, or a fresh
bit: uniform, independent of all others, used once.

Ports: share i of operand x is the port `x_i` (`x_0`, `x_1`, …), share 0 first; the fresh bits of stage k, counted from
1, are the port `random_k`. Bit 0 of every port is the least significant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from aesmith.circuits.circuit import Circuit, CircuitBuilder, CircuitGate, Op, Port, Wire, transposed
from aesmith.circuits.linear.program import LinearProgram
from aesmith.circuits.pipeline import Arrival, StagedCircuit, from_stages
from aesmith.errors import RequestError

Sharing = list[list[Wire]]
"""The wires of a shared word: `sharing[i][k]` is bit k of share i."""

MOST_SHARES = 6
_FRESH = 1 << 40


@dataclass(frozen=True)
class Origin:
    """What an input bit of a masked circuit is: bit `bit` of share `share` of operand `operand`, or a fresh bit.

    A fresh bit has no share; its operand is its port.
    """

    operand: str
    bit: int
    share: int | None

    @property
    def is_fresh(self) -> bool:
        """Whether it is a fresh bit."""
        return self.share is None


@dataclass(frozen=True)
class MaskedCircuit:
    """A staged circuit on shares.

    `origins` says what each input bit is, in flat order. Operands and results are ports of unshared words; share i of
    result y is the output port `y_i`. `sharings` are the bits that gadgets multiply, each as the nodes of its shares.
    """

    staged: StagedCircuit
    shares: int
    origins: tuple[Origin, ...]
    operands: tuple[Port, ...]
    results: tuple[Port, ...]
    sharings: tuple[tuple[int, ...], ...] = ()

    @property
    def order(self) -> int:
        """The order of protection: one less than shares."""
        return self.shares - 1

    @property
    def fresh_bits(self) -> int:
        """Fresh bits an execution takes."""
        return sum(origin.is_fresh for origin in self.origins)

    @property
    def latency(self) -> int:
        """Clocks from the first stage to the last."""
        return self.staged.latency

    def output_wires(self, share: int) -> list[int]:
        """The nodes of all result bits of one share, port after port."""
        nodes: list[int] = []
        position = 0
        for port in self.staged.circuit.outputs:
            if port.name.rpartition("_")[2] == str(share):
                nodes += self.staged.circuit.output_nodes[position : position + port.width]
            position += port.width
        return nodes

    def unmasked(self, cases: Sequence[int], shares: Sequence[Sequence[int]], fresh: Sequence[int]) -> list[int]:
        """The results, shares XORed together, of each case: result ports one above the other, first one lowest.

        A case is the operands as one integer, first one lowest. `shares[i]` are the values of share i, from 1 on; share
        0 is what they leave of the case. `fresh` has the fresh bits of each case as one integer, in flat input order.
        """
        first = list(cases)
        for share in shares:
            first = [a ^ b for a, b in zip(first, share, strict=True)]
        width = sum(port.width for port in self.operands)
        by_share = [transposed(values, width) for values in (first, *shares)]
        start, width = {}, 0
        for port in self.operands:
            start[port.name] = width
            width += port.width
        random = iter(transposed(fresh, self.fresh_bits))
        words = [
            next(random) if origin.share is None else by_share[origin.share][start[origin.operand] + origin.bit]
            for origin in self.origins
        ]
        ports = self.staged.circuit.evaluate_words(words, len(cases))
        total: dict[tuple[str, int], int] = {}
        position = 0
        for port in self.staged.circuit.outputs:
            for bit in range(port.width):
                key = port.name.rpartition("_")[0], bit
                total[key] = total.get(key, 0) ^ ports[position + bit]
            position += port.width
        rows = [total[port.name, bit] for port in self.results for bit in range(port.width)]
        return transposed(rows, len(cases))


@dataclass
class ShareBuilder(CircuitBuilder):
    """Builds a masked circuit gate by gate.

    A gate stands in the latest stage of its inputs, or in that of `stage()` if that is later; a wire that a later stage
    reads is registered at every cut between. Equal gates of one stage are made once. `shares` is 2 to 6.
    """

    shares: int = 2
    _stage_of: dict[Wire, int] = field(default_factory=dict)
    _made: dict[tuple[int, Op, tuple[Wire, ...]], Wire] = field(default_factory=dict)
    _operands: list[tuple[Port, int]] = field(default_factory=list)
    _results: list[Port] = field(default_factory=list)
    _random: list[int] = field(default_factory=list)
    _sharings: list[tuple[Wire, ...]] = field(default_factory=list)
    _least: int = 0

    def __post_init__(self) -> None:
        if not 2 <= self.shares <= MOST_SHARES:
            raise RequestError(f"shares: must be 2 to {MOST_SHARES}, one more than the order, not {self.shares}")

    def operand(self, name: str, width: int, stage: int = 0) -> Sharing:
        """Declare a shared operand whose shares arrive in a stage (0 is the first); before the first gate."""
        self._operands.append((Port(name, width), stage))
        sharing = [self.input(f"{name}_{share}", width) for share in range(self.shares)]
        self._stage_of |= {wire: stage for share in sharing for wire in share}
        return sharing

    def fresh(self, stage: int) -> Wire:
        """A fresh bit that arrives in a stage."""
        wire = _FRESH + len(self._random)
        self._random.append(stage)
        self._stage_of[wire] = stage
        return wire

    def multiplies(self, *sharings: Sharing) -> None:
        """Note what the shares of a gadget's operands are."""
        self._sharings += [bit for sharing in sharings for bit in zip(*sharing, strict=True)]

    def stage_of(self, *wires: Wire) -> int:
        """The first stage in which all of these wires are there."""
        return max(self._stage_of[wire] for wire in wires)

    @property
    def least_stage(self) -> int:
        """The stage in which gates stand that could stand earlier."""
        return self._least

    @contextmanager
    def stage(self, least: int) -> Iterator[None]:
        """Gates made inside the `with` stand in this stage or a later one."""
        before, self._least = self._least, least
        try:
            yield
        finally:
            self._least = before

    def gate(self, op: Op, *args: Wire) -> Wire:
        """Add a gate, or return the one of the same stage that computes the same from the same wires."""
        stage = max([self._least, *(self._stage_of[arg] for arg in args)])
        key = (stage, op, args if op is Op.MUX else tuple(sorted(args)))
        if key not in self._made:
            wire = self._width + len(self._gates)
            self._gates.append(CircuitGate(op, args, self._block))
            self._made[key] = wire
            self._stage_of[wire] = stage
        return self._made[key]

    def xor_words(self, a: Sequence[Wire], b: Sequence[Wire]) -> list[Wire]:
        """The XOR of two words, bit by bit."""
        return [self.xor(x, y) for x, y in zip(a, b, strict=True)]

    def linear(self, program: LinearProgram, sharing: Sharing, constant: int = 0) -> Sharing:
        """An affine map, share by share; its constant is added to share 0 alone."""
        return [program.place(self, share, constant if i == 0 else 0) for i, share in enumerate(sharing)]

    def result(self, name: str, sharing: Sharing) -> None:
        """Declare a shared result. All results leave in the stage of the latest."""
        self._results.append(Port(name, len(sharing[0])))
        for i, share in enumerate(sharing):
            self.output(f"{name}_{i}", share)

    def masked(self) -> MaskedCircuit:
        """The finished masked circuit, without gates that drive nothing and fresh bits that nothing reads."""
        live = set(self._output_nodes)
        for i in reversed(range(len(self._gates))):
            if self._width + i in live:
                live.update(self._gates[i].args)
        random = sorted((at, _FRESH + i) for i, at in enumerate(self._random) if _FRESH + i in live)
        made = [self._width + i for i in range(len(self._gates)) if self._width + i in live]
        order = [*range(self._width), *(wire for _, wire in random), *made]
        number = {wire: node for node, wire in enumerate(order)}
        by_stage: dict[int, int] = {}
        origins = [
            Origin(port.name, bit, share)
            for port, _ in self._operands
            for share in range(self.shares)
            for bit in range(port.width)
        ]
        for at, _ in random:
            origins.append(Origin(f"random_{at + 1}", by_stage.get(at, 0), None))
            by_stage[at] = by_stage.get(at, 0) + 1
        gates = (self._gates[wire - self._width] for wire in made)
        circuit = Circuit(
            self.name,
            (*self._inputs, *(Port(f"random_{at + 1}", width) for at, width in by_stage.items())),
            tuple(self._outputs),
            tuple(CircuitGate(gate.op, tuple(number[a] for a in gate.args), gate.block) for gate in gates),
            tuple(number[wire] for wire in self._output_nodes),
            tuple(self._blocks),
        )
        stages = [self._stage_of[wire] for wire in order]
        arrival = [Arrival(stage) for stage in stages[: len(origins)]]
        last = max(self._stage_of[wire] for wire in self._output_nodes)
        staged = from_stages(circuit, stages, last + 1, arrival)
        operands = tuple(port for port, _ in self._operands)
        sharings = (bit for bit in dict.fromkeys(self._sharings) if live.issuperset(bit))
        nodes = tuple(tuple(number[wire] for wire in bit) for bit in sharings)
        return MaskedCircuit(staged, self.shares, tuple(origins), operands, tuple(self._results), nodes)
