"""Any circuit on shares, gate by gate: each AND is an HPC3 product of bits, all else goes share by share.

HPC3 products and maps of single shares are PINI and compose (docs/masking.md), so whatever the circuit is, it keeps its
secrets. A product takes a clock. When each one begins is chosen so that the circuit takes as few clocks as there are
products on its longest path, and of all such schedules the one with the fewest register bits between gates: the
pipeliner's linear program with edges of a fixed distance, all differences of two stages, so that it is exact. Registers
inside of products are as many whenever they begin.

OR, NAND and NOR are ANDs of complements, a multiplexer is a product and two sums, gates of three inputs are two.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from aesmith.circuits.circuit import Circuit, Op
from aesmith.circuits.pipeline.retiming import least_lifetimes
from aesmith.errors import RequestError
from aesmith.masking.gadgets import AND, Gadget, hpc3
from aesmith.masking.sharing import MaskedCircuit, ShareBuilder, Sharing

_ZERO, _ONE = -1, -2
"""Constants among values."""

_INVERTING = (Op.NAND, Op.NOR, Op.NAND3, Op.NOR3)
_OF_COMPLEMENTS = (Op.OR, Op.NOR, Op.OR3, Op.NOR3)


@dataclass
class _Steps:
    """A circuit as sums, products and complements. Value 0 to n - 1 are the inputs; each step makes the next one."""

    inputs: int
    steps: list[tuple[Op, int, int]] = field(default_factory=list)
    _made: dict[tuple[Op, int, int], int] = field(default_factory=dict)

    def add(self, op: Op, a: int, b: int) -> int:
        """The value of a step, made once."""
        key = (op, min(a, b), max(a, b))
        if key not in self._made:
            self.steps.append(key)
            self._made[key] = self.inputs + len(self.steps) - 1
        return self._made[key]

    def complement(self, a: int) -> int:
        """NOT a; the complement of a complement is the value itself."""
        if a in (_ZERO, _ONE):
            return _ONE if a == _ZERO else _ZERO
        inner = self._complemented(a)
        return self.add(Op.NOT, a, a) if inner is None else inner

    def sum(self, a: int, b: int) -> int:
        """a + b; a complement of one is one of the sum."""
        for one, other in ((a, b), (b, a)):
            if one in (_ZERO, _ONE):
                return other if one == _ZERO else self.complement(other)
            inner = self._complemented(one)
            if inner is not None:
                return self.complement(self.sum(inner, other))
        return _ZERO if a == b else self.add(Op.XOR, a, b)

    def product(self, a: int, b: int) -> int:
        """a·b."""
        for one, other in ((a, b), (b, a)):
            if one in (_ZERO, _ONE):
                return _ZERO if one == _ZERO else other
            if self._complemented(one) == other:
                return _ZERO
        return a if a == b else self.add(Op.AND, a, b)

    def _complemented(self, a: int) -> int | None:
        """The value of which this one is the complement, if it is one."""
        op, inner, _ = self.steps[a - self.inputs] if a >= self.inputs else (Op.ZERO, a, a)
        return inner if op is Op.NOT else None

    def gate(self, op: Op, args: list[int]) -> int:
        """What a gate makes of values."""
        if op in (Op.ZERO, Op.ONE):
            return _ZERO if op is Op.ZERO else _ONE
        if op is Op.NOT:
            return self.complement(args[0])
        if op is Op.MUX:
            return self.sum(args[1], self.product(args[0], self.sum(args[1], args[2])))
        if op in (Op.XOR, Op.XNOR, Op.XOR3):
            total = _ONE if op is Op.XNOR else _ZERO
            for arg in args:
                total = self.sum(total, arg)
            return total
        total = _ONE
        for arg in args:
            total = self.product(total, self.complement(arg) if op in _OF_COMPLEMENTS else arg)
        return self.complement(total) if (op in _INVERTING) != (op in _OF_COMPLEMENTS) else total


def masked_circuit(
    circuit: Circuit, order: int, *, gadget: Gadget = hpc3, builder: type[ShareBuilder] = ShareBuilder
) -> MaskedCircuit:
    """A circuit on `order` + 1 shares; operands and results have the circuit's ports and bit order.

    Fresh bits: two for each AND and pair of shares. `gadget` is what masks each AND: another one than HPC3 is for
    experiments, such as showing that it leaks. Raises RequestError for an order out of range and for a circuit with an
    output that is constant.
    """
    if order < 1:
        raise RequestError(f"order: must be 1 or more, not {order}")
    steps, outputs = _steps(circuit)
    if constant := [value for value in outputs if value < 0]:
        raise RequestError(f"{circuit.name}: an output is always {constant[0] == _ONE:d}, and there is nothing to mask")
    stages = _schedule(steps, outputs, circuit.name)
    net = builder(f"masked_{circuit.name}_order_{order}", shares=order + 1)
    values: list[Sharing] = []
    for port in circuit.inputs:
        word = net.operand(port.name, port.width)
        values += [[[share[bit]] for share in word] for bit in range(port.width)]
    for (op, a, b), stage in zip(steps.steps, stages[steps.inputs :], strict=True):
        with net.stage(stage - (op is Op.AND)):
            values.append(_placed(net, op, values[a], values[b], gadget))
    position = 0
    for port in circuit.outputs:
        bits = [values[value] for value in outputs[position : position + port.width]]
        net.result(port.name, [[bit[share][0] for bit in bits] for share in range(net.shares)])
        position += port.width
    return net.masked()


def _steps(circuit: Circuit) -> tuple[_Steps, list[int]]:
    """A circuit as steps without those that no output depends on, and the values of its outputs."""
    all_steps = _Steps(circuit.input_width)
    values = list(range(circuit.input_width))
    for gate in circuit.gates:
        values.append(all_steps.gate(gate.op, [values[arg] for arg in gate.args]))
    wanted = [values[node] for node in circuit.output_nodes]
    live = set(wanted)
    for number in reversed(range(len(all_steps.steps))):
        if all_steps.inputs + number in live:
            live.update(all_steps.steps[number][1:])
    steps = _Steps(circuit.input_width)
    now = {value: value for value in (_ZERO, _ONE, *range(circuit.input_width))}
    for number, (op, a, b) in enumerate(all_steps.steps):
        if all_steps.inputs + number in live:
            now[all_steps.inputs + number] = steps.add(op, now[a], now[b])
    return steps, [now[value] for value in wanted]


def _schedule(steps: _Steps, outputs: list[int], name: str) -> tuple[int, ...]:
    """The stage in which each value is there: of a product that behind the one in which it begins."""
    first = [0] * steps.inputs
    for op, a, b in steps.steps:
        first.append(max(first[a], first[b]) + (op is Op.AND))
    last = max(first[value] for value in outputs)
    distances: dict[tuple[int, int], int] = {}
    uses = []
    for number, (op, a, b) in enumerate(steps.steps, start=steps.inputs):
        apart = int(op is Op.AND)
        distances |= {(a, number): apart, (b, number): apart}
        # An HPC3 product reads its first operand in the next stage, too; the second one is kept inside, with a mask.
        uses += [(a, number, 0), (b, number, -apart)]
    ranges = [(0, 0) if value < steps.inputs else (stage, last) for value, stage in enumerate(first)]
    last_use = [last if value in outputs else 0 for value in range(len(first))]
    return least_lifetimes(distances, uses, ranges, last_use, stages=last + 1, name=name)


def _placed(net: ShareBuilder, op: Op, a: Sharing, b: Sharing, gadget: Gadget) -> Sharing:
    """A step on shares."""
    if op is Op.AND:
        return gadget(net, a, b, AND)
    if op is Op.NOT:
        return [[net.not_(a[0][0])], *a[1:]]
    return [net.xor_words(x, y) for x, y in zip(a, b, strict=True)]
