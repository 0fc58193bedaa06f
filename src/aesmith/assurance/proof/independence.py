"""That time does not depend on key or data: no path, through however many registers, from payload to handshakes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.ports import HANDSHAKES, PAYLOADS


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
