"""Two netlists side by side under the same inputs: what a comparison of the sources with a mapped netlist is made of.

A level that the sources leave undefined may be anything in the netlist (in three-valued logic, as in the proof of the
sources): such a net has two rails, one that it is 1 and one that it is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp, compile_words


@dataclass(frozen=True)
class StateBit:
    """A register of either side. `one` is the net of its next level, or the rail that it is 1; `zero` is the other rail
    where the sources may leave that level undefined. Nets are those of the product."""

    name: str
    q: int
    one: int
    zero: int | None
    reset: int | None
    of_sources: bool


class Product:
    """Sources and a mapped netlist under the same inputs: gates and registers that outputs depend on, of both.

    `bits` are the registers, those of the netlist first. `outputs` are (name, the sources' rails as in `StateBit`, the
    netlist's net). `registers` finds a register of the sources by its own net. Nets of the netlist keep their numbers.
    """

    def __init__(self, sources: Netlist, mapped: Netlist) -> None:
        self.sources, self.mapped = sources, mapped
        needed = [side.reached for side in (sources, mapped)]
        self._nets = mapped.net_count
        self._gates: list[Gate] = [gate for gate in mapped.gates if gate.output in needed[1]]
        self._rails: dict[int, tuple[int, int]] = {}
        self._level: dict[int, int] = {FALSE: FALSE, TRUE: TRUE}
        self._complements: dict[int, int] = {}
        for name, bits in sources.inputs.items():
            self._level |= dict(zip(bits, mapped.inputs[name], strict=True))
        own = [register for register in sources.registers if register.q in needed[0]]
        self._level |= {register.q: self._new() for register in own}
        for net in sources.free:
            self._rails[net] = (FALSE, FALSE)
        for gate in sources.gates:
            if gate.output in needed[0]:
                self._add(gate)
        theirs = [register for register in mapped.registers if register.q in needed[1]]
        self.bits = [StateBit(r.name, r.q, r.d, None, r.reset, of_sources=False) for r in theirs]
        self.bits += [StateBit(r.name, self._level[r.q], *self._next(r.d), r.reset, of_sources=True) for r in own]
        self.outputs = [
            (f"{name}[{i}]", *self._next(bit), mapped.outputs[name][i])
            for name, bits in sources.outputs.items()
            for i, bit in enumerate(bits)
        ]
        self.registers = {register.q: len(theirs) + i for i, register in enumerate(own)}
        self.inputs = [bit for bits in mapped.inputs.values() for bit in bits]
        self.gates = tuple(self._gates)

    def _new(self) -> int:
        self._nets += 1
        return self._nets - 1

    def _gate(self, op: NetlistOp, *inputs: int) -> int:
        self._gates.append(Gate(op, inputs, self._new()))
        return self._gates[-1].output

    def _complement(self, net: int) -> int:
        if net in (FALSE, TRUE):
            return FALSE + TRUE - net
        if net not in self._complements:
            self._complements[net] = self._gate(NetlistOp.NOT, net)
        return self._complements[net]

    def _next(self, net: int) -> tuple[int, int | None]:
        """A net of the sources in the product: its level alone, or its two rails."""
        return self._rails.get(net) or (self._level[net], None)

    def _pair(self, net: int) -> tuple[int, int]:
        return self._rails.get(net) or (self._level[net], self._complement(self._level[net]))

    def _add(self, gate: Gate) -> None:
        if self._rails.keys().isdisjoint(gate.inputs):
            self._level[gate.output] = self._gate(gate.op, *(self._level[net] for net in gate.inputs))
            return
        both, either = NetlistOp.AND, NetlistOp.OR
        pairs = [self._pair(net) for net in gate.inputs]
        match gate.op, pairs:
            case NetlistOp.NOT, [(one, zero)]:
                rails = zero, one
            case NetlistOp.AND, [(a1, a0), (b1, b0)]:
                rails = self._gate(both, a1, b1), self._gate(either, a0, b0)
            case NetlistOp.OR, [(a1, a0), (b1, b0)]:
                rails = self._gate(either, a1, b1), self._gate(both, a0, b0)
            case NetlistOp.XOR, [(a1, a0), (b1, b0)]:
                rails = self._either_of((a1, b0), (a0, b1)), self._either_of((a1, b1), (a0, b0))
            case _, [(s1, s0), (a1, a0), (b1, b0)]:
                rails = (
                    self._either_of((s0, a1), (s1, b1), (a1, b1)),
                    self._either_of((s0, a0), (s1, b0), (a0, b0)),
                )
            case _:
                raise AssertionError(gate)
        self._rails[gate.output] = rails

    def _either_of(self, *pairs: tuple[int, int]) -> int:
        found = self._gate(NetlistOp.AND, *pairs[0])
        for pair in pairs[1:]:
            found = self._gate(NetlistOp.OR, found, self._gate(NetlistOp.AND, *pair))
        return found

    def step(self, mask: int) -> Callable[[Sequence[int]], list[int]]:
        """Words of inputs and of `bits` to words of `one` and `zero` of each of `bits` and then of each output, where
        an output has the netlist's level as a third."""
        order = [*self.inputs, *(bit.q for bit in self.bits)]
        nets = [net for bit in self.bits for net in (bit.one, bit.one if bit.zero is None else bit.zero)]
        nets += [net for _, one, zero, its in self.outputs for net in (one, one if zero is None else zero, its)]
        whole = Netlist("product", {"given": tuple(order)}, {"found": tuple(nets)}, self.gates, (), {})
        compiled = compile_words(whole, mask)
        return lambda words: list(compiled(words, ())[0])
