"""Which nets of control are never 1 at once: by their gates alone, or else by a walk over what control can hold, from
reset on, with three levels.

Unknown are registers that reset leaves alone, at first, and levels that the sources leave undefined. Inputs have any
levels in each clock. So the states that are seen stand for all there are, and for some more perhaps.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from aesmith.assurance.proof.netlist import FALSE, TRUE, Netlist, Register
from aesmith.assurance.proof.pace import UNKNOWN, evaluate

MOST_STATES, MOST_LINES = 4096, 10


def exclusive(netlist: Netlist, pairs: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those of the pairs of nets that are shown never to be 1 in the same clock.

    Those whose gates read more than 10 registers and inputs are told apart by the walk; none of them, where that takes
    more than 4,096 states or depends on more than 10 inputs.
    """
    pairs = set(pairs)
    shown = {pair for pair in pairs if _by_gates(netlist, pair)}
    return shown | _by_walk(netlist, pairs - shown)


def _by_gates(netlist: Netlist, pair: tuple[int, int]) -> bool:
    """Whether two nets are never both 1, whatever registers and inputs hold."""
    cone = netlist.cone(pair)
    made = {gate.output for gate in cone}
    read = sorted({*pair, *(net for gate in cone for net in gate.inputs)} - made - {FALSE, TRUE})
    if len(read) > MOST_LINES:
        return False
    levels = [UNKNOWN] * netlist.net_count
    levels[FALSE], levels[TRUE] = 0, 1
    for values in product((0, 1), repeat=len(read)):
        for net, level in zip(read, values, strict=True):
            levels[net] = level
        evaluate(cone, levels)
        if 0 not in (levels[pair[0]], levels[pair[1]]):
            return False
    return True


def _by_walk(netlist: Netlist, left: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those of the pairs of nets that are never both 1 in a state that is reached."""
    if not left:
        return left
    nets = {net for pair in left for net in pair}
    cone = netlist.cone(nets)
    registers: list[Register] = []
    while True:
        read = nets | {net for gate in cone for net in gate.inputs}
        found = [register for register in netlist.registers if register.q in read]
        if len(found) == len(registers):
            break
        registers = found
        nets |= {register.d for register in registers}
        cone = netlist.cone(nets)
    lines = [net for bits in netlist.inputs.values() for net in bits if net in read]
    if len(lines) > MOST_LINES:
        return set()
    levels = [UNKNOWN] * netlist.net_count
    levels[FALSE], levels[TRUE] = 0, 1
    first = tuple(UNKNOWN if register.reset is None else register.reset for register in registers)
    seen, waiting = {first}, [first]
    while waiting and left:
        state = waiting.pop()
        for inputs in product((0, 1), repeat=len(lines)):
            for net, level in zip(lines, inputs, strict=True):
                levels[net] = level
            for register, level in zip(registers, state, strict=True):
                levels[register.q] = level
            evaluate(cone, levels)
            left = {(a, b) for a, b in left if 0 in (levels[a], levels[b])}
            after = tuple(levels[register.d] for register in registers)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
        if len(seen) > MOST_STATES:
            return set()
    return left
