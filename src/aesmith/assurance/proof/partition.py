"""A netlist taken apart for symbolic runs: what is control, what only moves data, and what computes on it.

Control is all that key and block do not reach through any number of clocks. A gate *steers* if it moves or inverts one
data bit under control, and *mixes* if it computes on data. Mixing gates that feed each other, with no steering between,
are a *cluster*: a column of a round, a stage of an S-box. What a cluster makes of its inputs is found out once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from aesmith.assurance.proof.netlist import TRUE, Gate, Netlist, Op
from aesmith.assurance.proof.ports import HANDSHAKES, PAYLOADS


@dataclass(frozen=True)
class Cluster:
    """Mixing gates in order of evaluation. Inputs and outputs are nets, each in order of first appearance."""

    gates: tuple[Gate, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class Partition:
    """`control` are the gates of control; `data` steering gates and clusters, in an order in which they can run.

    `boundary` are the nets of control that data gates, data registers and `block_o` read; where data reaches a
    handshake, the other handshakes too.
    """

    control_nets: frozenset[int]
    control: tuple[Gate, ...]
    data: tuple[Gate | Cluster, ...]
    boundary: tuple[int, ...]


def payload_nets(netlist: Netlist) -> set[int]:
    """All nets that payload reaches, through any number of clocks."""
    readers: dict[int, list[int]] = defaultdict(list)
    for gate in netlist.gates:
        for net in gate.inputs:
            readers[net].append(gate.output)
    for register in netlist.registers:
        readers[register.d].append(register.q)
    reached = {bit for name in PAYLOADS for bit in netlist.inputs[name]}
    waiting = list(reached)
    while waiting:
        for net in readers[waiting.pop()]:
            if net not in reached:
                reached.add(net)
                waiting.append(net)
    return reached


def partition(netlist: Netlist) -> Partition:
    """The parts of a netlist."""
    data = payload_nets(netlist)
    control = tuple(gate for gate in netlist.gates if gate.output not in data)
    layers: dict[int, int] = {}
    mixing: dict[int, int] = {}
    for gate in netlist.gates:
        if gate.output not in data:
            continue
        operands = [net for net in gate.inputs if net in data]
        if _steers(gate, data):
            layers[gate.output] = max(layers.get(net, 0) for net in operands)
        else:
            layer = max(layers.get(net, 0) + (net not in mixing) for net in operands)
            layers[gate.output] = mixing[gate.output] = layer
    used = [bit for bits in netlist.outputs.values() for bit in bits] + [r.d for r in netlist.registers]
    gates = [gate for gate in netlist.gates if gate.output in data]
    clusters = _clusters(gates, mixing, set(used))
    placed: dict[int, list[Gate | Cluster]] = defaultdict(list)
    for cluster in clusters:
        placed[2 * layers[cluster.outputs[0]]].append(cluster)
    for gate in gates:
        if gate.output not in mixing:
            placed[2 * layers[gate.output] + 1].append(gate)
    read = {net for gate in gates for net in gate.inputs} | set(netlist.outputs["block_o"])
    read |= {register.d for register in netlist.registers if register.q in data}
    handshakes = {netlist.outputs[name][0] for name in HANDSHAKES}
    if handshakes & data:  # then the data side gives all three
        read |= handshakes
    boundary = tuple(sorted(net for net in read if net not in data and net > TRUE))
    nets = {gate.output for gate in control} | {register.q for register in netlist.registers if register.q not in data}
    nets |= {bit for name, bits in netlist.inputs.items() if name not in PAYLOADS for bit in bits} | netlist.free.keys()
    return Partition(
        frozenset(nets), control, tuple(part for level in sorted(placed) for part in placed[level]), boundary
    )


def _steers(gate: Gate, data: set[int]) -> bool:
    if gate.op is Op.MUX:
        return gate.inputs[0] not in data
    return sum(net in data for net in gate.inputs) == 1


def _clusters(gates: list[Gate], mixing: dict[int, int], used: set[int]) -> list[Cluster]:
    above = {net: net for net in mixing}

    def root(net: int) -> int:
        while above[net] != net:
            above[net] = above[above[net]]
            net = above[net]
        return net

    for gate in gates:
        if gate.output in mixing:
            for net in gate.inputs:
                if mixing.get(net) == mixing[gate.output]:
                    above[root(net)] = root(gate.output)
    members: dict[int, list[Gate]] = defaultdict(list)
    readers: dict[int, set[int]] = defaultdict(set)
    for gate in gates:
        own = root(gate.output) if gate.output in mixing else -1
        if own >= 0:
            members[own].append(gate)
        for net in gate.inputs:
            readers[net].add(own)
    found = []
    for own, inside in members.items():
        made = {gate.output for gate in inside}
        inputs = _in_order(net for gate in inside for net in gate.inputs if net not in made and net > TRUE)
        outputs = tuple(gate.output for gate in inside if gate.output in used or readers[gate.output] - {own})
        if outputs:
            found.append(Cluster(tuple(inside), inputs, outputs))
    return found


def _in_order(nets: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(nets))
