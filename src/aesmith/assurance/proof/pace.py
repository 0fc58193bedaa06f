"""How many clocks a core takes for a block, settled by one run of its control with three levels.

Handshakes do not depend on key or block (constant time), so the clocks of one course of offers are those of all keys
and blocks. Its control runs from reset with 0, 1 and *unknown*: unknown is every bit of payload, every level that the
sources leave undefined, and what a register without reset holds at first. Where the handshakes are known all the same,
they are those of every run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from aesmith.assurance.proof.interface import HANDSHAKES, PAYLOADS, BlockPorts, Stimulus
from aesmith.assurance.proof.netlist import FALSE, TRUE, Gate, Netlist, NetlistOp
from aesmith.assurance.proof.partition import timing_independence
from aesmith.assurance.proof.report import Part, Verdict
from aesmith.cores.design import CoreDesign, Direction

UNKNOWN = 2
"""The third level: 0 or 1, it is not known which."""


@dataclass(frozen=True)
class Pace:
    """Clocks of a core: `latency` from the first beat of a block that comes alone to the last of its result, both
    counted; `per_block` where blocks are offered without end, none waits for a receiver and no key comes."""

    latency: int
    per_block: Fraction


class UnknownPaceError(Exception):
    """Why the clocks of a core are not settled."""


PACE = (
    "After a key, with one block alone and then with blocks back to back, a receiver that is always ready and no "
    "further key, the clocks of a block are those that the design states, for all keys and blocks."
)


def pace_part(netlist: Netlist, ports: BlockPorts, design: CoreDesign) -> Part:
    """Whether the clocks that a design states are those of its netlist, for each key size and direction.

    For a core that gives every result and whose time does not depend on data.
    """
    began = time.monotonic()
    patience = 16 * design.latency_cycles + 512
    verdict, found = Verdict.PROVED, []
    try:
        for key_bits in ports.shape.key_bits:
            for direction in design.directions:
                decrypt = direction is Direction.DECRYPT
                clocks = pace(netlist, ports, key_bits=key_bits, decrypt=decrypt, patience=patience)
                size = f" with keys of {key_bits} bits" if len(ports.shape.key_bits) > 1 else ""
                found.append(f"{direction}{size}: {float(clocks.per_block):g} a block, {clocks.latency} to its result")
                stated = design.clocks(key_bits, direction)
                if clocks != Pace(stated.first, Fraction(stated.per_block)):
                    verdict = Verdict.REFUTED
                    found[-1] += f", where the design says {stated.per_block} and {stated.first}"
    except UnknownPaceError as error:
        verdict, found = Verdict.OPEN, [str(error)]
    return Part("clocks", PACE, "run with unknown levels", verdict, time.monotonic() - began, "; ".join(found))


def pace(netlist: Netlist, ports: BlockPorts, *, key_bits: int, decrypt: bool, patience: int) -> Pace:
    """The clocks of blocks under a key of `key_bits`, in one direction, after reset.

    Raises UnknownPaceError if a handshake depends on data, on an undefined level or on one from before reset, and if
    nothing happens for `patience` clocks.
    """
    control = _Control(netlist, ports)
    idle = Stimulus(False, False, True, decrypt, key_bits)
    beats = ports.shape.block_beats

    def until(stimulus: Stimulus, count: int, of: int) -> int:
        """Clocks until the handshake `of` has moved `count` beats."""
        for clock in range(1, patience + 1):
            count -= control.clock(stimulus)[of]
            if not count:
                return clock
        raise UnknownPaceError(f"no {HANDSHAKES[of]} for {patience} clocks")

    until(Stimulus(True, False, True, decrypt, key_bits), ports.shape.key_beats(key_bits), of=0)
    for _ in range(patience // 4):
        control.clock(idle)
    offering = Stimulus(False, True, True, decrypt, key_bits)
    while not control.clock(offering)[1]:
        if control.clocks > 4 * patience:
            raise UnknownPaceError(f"no {HANDSHAKES[1]} for {patience} clocks")
    alone = 1 + (until(offering, beats - 1, of=1) if beats > 1 else 0)
    latency = alone + until(idle, beats, of=2)

    taken, seen = 0, dict[tuple[int, ...], tuple[int, int]]()
    for clock in range(8 * patience):
        here = (*control.registers, taken % beats)
        if here in seen and taken > seen[here][1]:
            before, blocks = seen[here]
            return Pace(latency, Fraction((clock - before) * beats, taken - blocks))
        seen[here] = (clock, taken)
        taken += control.clock(offering)[1]
    raise UnknownPaceError(f"blocks do not come in turns within {8 * patience} clocks")


class _Control:
    """The cone of the handshakes, clock by clock."""

    def __init__(self, netlist: Netlist, ports: BlockPorts) -> None:
        independence = timing_independence(netlist)
        if not independence.holds:
            raise UnknownPaceError("time depends on data")
        self._ports = ports
        self._registers = [netlist.registers[i] for i in independence.registers]
        self._handshakes = [netlist.outputs[name][0] for name in HANDSHAKES]
        self._gates = netlist.cone([*self._handshakes, *(register.d for register in self._registers)])
        self._lines = [bit for name, bits in netlist.inputs.items() if name not in PAYLOADS for bit in bits]
        self._levels = [UNKNOWN] * netlist.net_count
        self._levels[FALSE], self._levels[TRUE] = 0, 1
        self.registers = tuple(UNKNOWN if r.reset is None else r.reset for r in self._registers)
        self.clocks = 0

    def clock(self, stimulus: Stimulus) -> tuple[int, int, int]:
        """One clock; whether a beat of a key, of a block, of a result moved in it."""
        levels = self._levels
        for net, level in zip(self._lines, self._ports.levels(stimulus), strict=True):
            levels[net] = level
        for register, level in zip(self._registers, self.registers, strict=True):
            levels[register.q] = level
        evaluate(self._gates, levels)
        ready_key, ready_block, valid = (levels[net] for net in self._handshakes)
        if UNKNOWN in (ready_key, ready_block, valid):
            raise UnknownPaceError(
                f"in clock {self.clocks} a handshake depends on a level that is undefined, or stood there before reset"
            )
        self.registers = tuple(levels[register.d] for register in self._registers)
        self.clocks += 1
        return ready_key & stimulus.key_valid, ready_block & stimulus.block_valid, valid & stimulus.block_ready


def evaluate(gates: Sequence[Gate], levels: list[int]) -> None:
    """Set the level of each gate's output, 0, 1 or UNKNOWN, from those of its inputs."""
    for gate in gates:
        place = 0
        for net in gate.inputs:
            place = 3 * place + levels[net]
        levels[gate.output] = _TABLES[gate.op][place]


def _table(op: NetlistOp) -> tuple[int, ...]:
    """What a gate makes of each choice of levels: known where every choice of the unknown ones gives the same."""
    exact = _EXACT[op]
    choices: list[set[int]] = [{0}]
    for _ in range(len(exact).bit_length() - 1):
        choices = [
            {2 * place + bit for place in places for bit in ((0, 1) if level == UNKNOWN else (level,))}
            for places in choices
            for level in (0, 1, UNKNOWN)
        ]
    outcomes = [{exact[place] for place in places} for places in choices]
    return tuple(outcome.pop() if len(outcome) == 1 else UNKNOWN for outcome in outcomes)


_EXACT = {
    NetlistOp.NOT: (1, 0),
    NetlistOp.AND: (0, 0, 0, 1),
    NetlistOp.OR: (0, 1, 1, 1),
    NetlistOp.XOR: (0, 1, 1, 0),
    NetlistOp.MUX: (0, 0, 1, 1, 0, 1, 0, 1),
}
"""What a gate makes of known levels, the first input the most significant bit of the place."""

_TABLES = {op: _table(op) for op in NetlistOp}
