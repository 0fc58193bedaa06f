"""What the slot proof needs to know of a pipeline's netlist, found in its structure.

All registers of such a pipeline move together, under one net: the *move* net. What moves with it are blocks, each with
what is known of it (whether there is one, its direction, its pass); the rest of control decides when to move, when to
take a block and when a key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass

from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, Op, Register
from aesmith.assurance.proof.partition import payload_nets
from aesmith.assurance.proof.ports import HANDSHAKES

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
        if gate is not None and gate.op is Op.MUX and register.q in gate.inputs[1:]:
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
