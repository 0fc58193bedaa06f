"""A netlist taken apart for symbolic runs: what is control, what only moves data, and what computes on it.

Control is all that key and block do not reach through any number of clocks. A gate *steers* if it moves or inverts one
data bit under control, and *mixes* if it computes on data. Mixing gates that feed each other, with no steering between,
are a *cluster*: a column of a round, a stage of an S-box. What a cluster makes of its inputs is found out once.

Time does not depend on key or data if no path leads, through however many registers, from payload to handshakes.

A *pipeline*, as the slot proof sees it, is found by structure too: all its registers move together, under one net, the
*move* net. What moves with it are blocks, each with what is known of it (whether there is one, its direction, its
pass); the rest of control decides when to move, when to take a block and when a key.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from aesmith.assurance.proof.interface import HANDSHAKES, PAYLOADS
from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp, Register


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
    if gate.op is NetlistOp.MUX:
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


@dataclass(frozen=True)
class Independence:
    """The cone of the handshake outputs: its registers by index, and a path from payload into it.

    The path is empty if there is none; it lists registers from the payload input to the output.
    """

    registers: tuple[int, ...]
    path: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the cone has no payload in it."""
        return not self.path


def timing_independence(netlist: Netlist) -> Independence:
    """The closed cone of all handshake outputs, backwards through logic and registers, on the netlist's structure."""
    driver = {gate.output: gate.inputs for gate in netlist.gates}
    register = {r.q: i for i, r in enumerate(netlist.registers)}
    payload = {bit: f"{name}[{i}]" for name in PAYLOADS for i, bit in enumerate(netlist.inputs[name])}
    came_from: dict[int, int] = {}
    queue = deque(netlist.outputs[name][0] for name in HANDSHAKES)
    seen = set(queue)
    reached: list[int] = []
    while queue:
        net = queue.popleft()
        if net in payload:
            return Independence(tuple(sorted(reached)), _path(net, payload[net], came_from, netlist))
        if net in register:
            reached.append(register[net])
        for before in driver.get(net, ()) or ((netlist.registers[register[net]].d,) if net in register else ()):
            if before not in seen:
                seen.add(before)
                came_from[before] = net
                queue.append(before)
    return Independence(tuple(sorted(reached)), ())


def _path(net: int, start: str, came_from: dict[int, int], netlist: Netlist) -> tuple[str, ...]:
    names = {r.q: r.name for r in netlist.registers}
    names.update((netlist.outputs[name][0], name) for name in HANDSHAKES)
    steps = [start]
    while net in came_from:
        net = came_from[net]
        if net in names:
            steps.append(names[net])
    return tuple(steps)


_CONSTANTS = (FALSE, TRUE)

WIDTH = 128
"""Registers that must move together: the bits of a block."""


@dataclass(frozen=True)
class Pipeline:
    """`move` is the net and `moving` its level in clocks in which the pipeline moves.

    `travelling` are the registers of control that move with it, `deciding` those of the others that the handshakes or
    the move net read within a clock. `leaving` are the registers that follow from nothing but each other, what
    leaves the pipeline, and `block_ready_i`: those of a queue of results. All by index.
    """

    move: int
    moving: int
    travelling: frozenset[int]
    deciding: frozenset[int]
    leaving: frozenset[int]


def find_pipeline(netlist: Netlist) -> Pipeline | None:
    """The pipeline that a netlist is, if registers for at least a block move together; the most that do are it."""
    driver = {gate.output: gate for gate in netlist.gates}
    holds: dict[int, tuple[int, int]] = {}
    for i, register in enumerate(netlist.registers):
        gate = driver.get(register.d)
        if gate is not None and gate.op is NetlistOp.MUX and register.q in gate.inputs[1:]:
            holds[i] = (gate.inputs[0], int(gate.inputs[1] == register.q))
    if not holds:
        return None
    (move, moving), count = Counter(holds.values()).most_common(1)[0]
    data = payload_nets(netlist)
    if count < WIDTH or move in data:
        return None
    travelling = frozenset(
        i for i, register in enumerate(netlist.registers) if register.q not in data and holds.get(i) == (move, moving)
    )
    shown = {*(netlist.outputs[name][0] for name in HANDSHAKES), move}
    read = shown | {net for gate in netlist.cone(shown) for net in gate.inputs}
    deciding = frozenset(
        i
        for i, register in enumerate(netlist.registers)
        if register.q in read and register.q not in data and i not in travelling
    )
    at_exit = {netlist.outputs["block_valid_o"][0], move}
    at_exit |= {net for gate in netlist.cone(at_exit) for net in gate.inputs}
    still = {
        i: register
        for i, register in enumerate(netlist.registers)
        if register.q not in data and i not in travelling and register.reset is not None
    }
    known = {netlist.registers[i].q for i in travelling} & at_exit
    known |= {*netlist.inputs["block_ready_i"], *_CONSTANTS}
    return Pipeline(move, moving, travelling, deciding, _following(still, driver, known))


def _following(registers: Mapping[int, Register], driver: Mapping[int, Gate], known: Set[int]) -> frozenset[int]:
    """The most of `registers` that depend within a clock on nothing but each other and what is `known`."""
    found = dict(registers)
    while True:
        own = {register.q for register in found.values()}
        kept = {i: register for i, register in found.items() if _depends(register.d, driver, known | own)}
        if len(kept) == len(found):
            return frozenset(found)
        found = kept


def _depends(net: int, driver: Mapping[int, Gate], leaves: Set[int]) -> bool:
    """Whether a net depends on nothing but `leaves`."""
    waiting, seen = [net], {net}
    while waiting:
        net = waiting.pop()
        if net in leaves:
            continue
        if net not in driver:
            return False
        new = set(driver[net].inputs) - seen
        seen |= new
        waiting += new
    return True
