"""What the slot proof needs to know of a pipeline's netlist, found in its structure.

All registers of such a pipeline move together, under one net: the *move* net. What moves with it are blocks, each with
what is known of it (whether there is one, its direction, its pass); the rest of control decides when to move, when to
take a block and when a key.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from aesmith.assurance.proof.netlist import Netlist, Op
from aesmith.assurance.proof.partition import payload_nets
from aesmith.assurance.proof.ports import HANDSHAKES

WIDTH = 128
"""Registers that must move together: the bits of a block."""


@dataclass(frozen=True)
class Pipeline:
    """`move` is the net and `moving` its level in clocks in which the pipeline moves.

    `travelling` names the registers of control that move with it, `deciding` those of the others that the handshakes or
    the move net read within a clock.
    """

    move: int
    moving: int
    travelling: frozenset[str]
    deciding: frozenset[str]


def find_pipeline(netlist: Netlist) -> Pipeline | None:
    """The pipeline that a netlist is, if registers for at least a block move together; the most that do are it."""
    driver = {gate.output: gate for gate in netlist.gates}
    holds: dict[str, tuple[int, int]] = {}
    for register in netlist.registers:
        gate = driver.get(register.d)
        if gate is not None and gate.op is Op.MUX and register.q in gate.inputs[1:]:
            holds[register.name] = (gate.inputs[0], int(gate.inputs[1] == register.q))
    if not holds:
        return None
    (move, moving), count = Counter(holds.values()).most_common(1)[0]
    data = payload_nets(netlist)
    if count < WIDTH or move in data:
        return None
    travelling = frozenset(
        register.name
        for register in netlist.registers
        if register.q not in data and holds.get(register.name) == (move, moving)
    )
    shown = {*(netlist.outputs[name][0] for name in HANDSHAKES), move}
    read = shown | {net for gate in netlist.cone(shown) for net in gate.inputs}
    deciding = frozenset(
        register.name
        for register in netlist.registers
        if register.q in read and register.q not in data and register.name not in travelling
    )
    return Pipeline(move, moving, travelling, deciding)
