"""A netlist as Python functions on numbered forms: control apart from data, and each cluster run once for its inputs.

The functions are one statement a gate, compiled once. Clusters that are alike, as the columns of a round or the stages
of a pipeline are, share one function and what was found out with it, also from netlist to netlist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from aesmith.assurance.proof.algebra import UNKNOWN_NUMBER, Algebra, FormNumbers
from aesmith.assurance.proof.interface import HANDSHAKES, PAYLOADS
from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp
from aesmith.assurance.proof.partition import Cluster, partition

Numbers = tuple[int, ...]
ClusterFunction = Callable[..., Numbers]

_CONSTANTS = {FALSE: "0", TRUE: "1"}

# Where an operand is a constant the gate is decided here: control is constant, and most selects are control.
_FORMS = {
    NetlistOp.NOT: "{0} ^ 1",
    NetlistOp.AND: "{1} if {0} == 1 else {0} and ({0} if {1} == 1 else {1} and A({0}, {1}))",
    NetlistOp.OR: "{1} if {0} == 0 else 1 if {0} == 1 else {0} if {1} == 0 else 1 if {1} == 1 "
    "else A({0} ^ 1, {1} ^ 1) ^ 1",
    NetlistOp.XOR: "{0} ^ {1}",
    NetlistOp.MUX: "{2} if {0} == 1 else {1} if {0} == 0 else S({0}, {1}, {2})",
}

_CONTROL = {
    NetlistOp.NOT: "{0} ^ 1",
    NetlistOp.AND: "{0} and {1} and (1 if {0} == 1 == {1} else -1)",
    NetlistOp.OR: "1 if {0} == 1 or {1} == 1 else 0 if {0} == 0 == {1} else -1",
    NetlistOp.XOR: "{0} ^ {1} if {0} >= 0 <= {1} else -1",
    NetlistOp.MUX: "{2} if {0} == 1 else {1} if {0} == 0 else {1} if {1} == {2} >= 0 else -1",
}

# Operand 0 is the one of control.
_STEERING = {
    NetlistOp.NOT: "{0} ^ 1",
    NetlistOp.AND: "{1} if {0} == 1 else 0 if {0} == 0 or {1} == 0 else -1",
    NetlistOp.OR: "{1} if {0} == 0 else 1 if {0} == 1 or {1} == 1 else -1",
    NetlistOp.XOR: "{1} ^ {0} if {0} >= 0 else -1",
    NetlistOp.MUX: "{2} if {0} == 1 else {1} if {0} == 0 else {1} if {1} == {2} else -1",
}


class ClusterLibrary:
    """Cluster functions by what they compute, with all that they have computed."""

    def __init__(self, algebra: Algebra, numbers: FormNumbers) -> None:
        self._algebra, self._numbers = algebra, numbers
        self._functions: dict[str, ClusterFunction] = {}

    def function(self, cluster: Cluster) -> ClusterFunction:
        """From the numbers of a cluster's inputs to those of its outputs."""
        names = {net: f"a{i}" for i, net in enumerate(cluster.inputs)}
        lines = [f"def cluster({', '.join(names.values())}):"]
        for i, gate in enumerate(cluster.gates):
            operands = [_CONSTANTS.get(net) or names[net] for net in gate.inputs]
            lines.append(f" g{i} = {_FORMS[gate.op].format(*operands)}")
            names[gate.output] = f"g{i}"
        lines.append(f" return ({''.join(names[net] + ',' for net in cluster.outputs)})")
        text = "\n".join(lines)
        if text not in self._functions:
            self._functions[text] = self._remembering(text)
        return self._functions[text]

    def _remembering(self, text: str) -> ClusterFunction:
        scope: dict[str, Any] = {"A": self._algebra.conjunction, "S": self._algebra.select}
        exec(compile(text, "<cluster>", "exec"), scope)
        function, numbers = scope["cluster"], self._numbers
        known: dict[Numbers, Numbers] = {}

        def remembered(*inputs: int) -> Numbers:
            outputs = known.get(inputs)
            if outputs is None:
                outputs = known[inputs] = numbers.numbers(function(*(numbers.form(n) for n in inputs)))
            return outputs

        return remembered


class SymbolicNetlist:
    """One clock of a netlist on numbers.

    `control_registers` and `data_registers` index the netlist's registers; states of them stand in that order.
    """

    def __init__(self, netlist: Netlist, clusters: ClusterLibrary) -> None:
        parts = partition(netlist)
        control = parts.control_nets
        self.control_registers = tuple(i for i, r in enumerate(netlist.registers) if r.q in control)
        self.data_registers = tuple(i for i, r in enumerate(netlist.registers) if r.q not in control)
        self.partition = parts
        levels = [netlist.outputs[name][0] for name in HANDSHAKES]
        self.levels_are_control = all(net in control or net <= TRUE for net in levels)
        inputs = [bit for name, bits in netlist.inputs.items() if name not in PAYLOADS for bit in bits]
        payload = [bit for name in PAYLOADS for bit in netlist.inputs[name]]
        own = [netlist.registers[i] for i in self.control_registers]
        data = [netlist.registers[i] for i in self.data_registers]
        lines = _header("I, R", ("I", inputs), ("R", [r.q for r in own]))
        lines += [f" n{net} = {UNKNOWN_NUMBER}" for net in netlist.free]
        lines += map(_control, parts.control)
        shown = levels if self.levels_are_control else []
        results = [shown, parts.boundary, [r.d for r in own]]
        lines.append(f" return {', '.join(f'({_list(nets)})' for nets in results)}")
        self.control: Callable[[Sequence[int], Sequence[int]], tuple[Numbers, Numbers, Numbers]] = _load(lines, {})

        scope: dict[str, Any] = {}
        lines = _header("B, P, R", ("B", parts.boundary), ("P", payload), ("R", [r.q for r in data]))
        for i, part in enumerate(parts.data):
            if isinstance(part, Gate):
                lines.append(_steering(part, control))
                continue
            scope[f"C{i}"] = clusters.function(part)
            lines.append(f" {_list(part.outputs)} = C{i}({_list(part.inputs)})")
        outputs = list(netlist.outputs["block_o"]) + ([] if self.levels_are_control else levels)
        lines.append(f" return ({_list(outputs)}), ({_list(r.d for r in data)})")
        self.data: Callable[[Sequence[int], Sequence[int], Sequence[int]], tuple[Numbers, Numbers]] = _load(
            lines, scope
        )


def _control(gate: Gate) -> str:
    return f" n{gate.output} = {_CONTROL[gate.op].format(*map(_name, gate.inputs))}"


def _steering(gate: Gate, control: frozenset[int]) -> str:
    operands = list(gate.inputs)
    if gate.op in (NetlistOp.AND, NetlistOp.OR, NetlistOp.XOR):
        operands.sort(key=lambda net: net not in control and net > TRUE)
    return f" n{gate.output} = {_STEERING[gate.op].format(*map(_name, operands))}"


def _header(arguments: str, *sources: tuple[str, Sequence[int]]) -> list[str]:
    return [f"def step({arguments}):", *(f" {_list(nets)} = {source}" for source, nets in sources if nets)]


def _name(net: int) -> str:
    return _CONSTANTS.get(net) or f"n{net}"


def _list(nets: Iterable[int]) -> str:
    return "".join(f"{_name(net)}," for net in nets)


def _load(lines: list[str], scope: dict[str, Any]) -> Any:
    exec(compile("\n".join(lines), "<netlist>", "exec"), scope)
    return scope["step"]
