"""Resubstitution: a gate becomes one of two nets that are there already, wherever they are.

Moves of a few gates tear apart what was shared, and none shares again. This looks at the whole netlist: every net has a
signature, its levels in 4,096 random states of inputs and registers. Where a net is the XOR of two others, its
signature is that of theirs, so for each first net a table tells the second one, if there is any. What signatures
suggest is done if it lowers the cost, and only once it is shown for all levels of a cut of at most twelve nets.

Resubstitution that simulation suggests and a proof confirms is that of Lee, Riener, Mishchenko, Brayton and De Micheli,
"Simulation-guided Boolean resubstitution", IWLS 2020 (arXiv 2007.02579), there for AND gates, by a SAT solver. Circuits
of AES consist of XOR gates, of nets that are far from each other.
"""

from __future__ import annotations

import numpy as np

from aesmith.flow.rewiring.cell_arrays import (
    COMPLEMENTARY,
    FAMILY,
    INPUT_COUNT,
    OUTPUT_COUNT,
    PINS,
    CellArrays,
    Floats,
    Indices,
)
from aesmith.flow.rewiring.edit_kernel import (
    AREA,
    ARRIVAL,
    BROKEN,
    FANIN,
    FREE,
    HEAD,
    KIND,
    LEVEL,
    PENALTY,
    READERS,
    REGISTER,
    VARIANT,
    WEIGHT,
    NetlistArrays,
    Words,
    attach,
    begin,
    below,
    commit,
    detach,
    exchange,
    family_of,
    move,
    overloaded,
    sweep,
    undo,
)
from aesmith.flow.rewiring.signatures import (
    LEVELS_OF_LEAVES,
    digests_of,
    evaluated,
    indexed,
    known,
    place_of,
    readable,
    second_of,
    signatures,
)
from aesmith.flow.rewiring.timing_kernel import propagate
from aesmith.lazy import compiled, compiled_with_arrays

_LEAVES = 12
_MOST_LEAVES = 34
_MOST_GATES = 96
_FIRSTS = 256
"""Nets that are tried as the first of two in one call, at most; from another one on in each."""
_WORTH_NS, _MOST_WORTH_GE = 0.15, 2.0
"""What a gate may win at most on a path, for all that is known before it is tried."""
_LEAST_GAIN_GE = 1e-9
_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_XOR, _XNOR, _SAME = 0b0110, 0b1001, 0b10


@compiled
def _root(cells: CellArrays, net: NetlistArrays, wire: int) -> tuple[int, bool]:
    """The net that stands for one of two inverse outputs of a register, and whether it is the inverse of it."""
    slot = wire >> 1
    register = net.slots[slot, KIND] == REGISTER and cells.variants[net.slots[slot, VARIANT], COMPLEMENTARY] == 1
    return (2 * slot, True) if register and wire & 1 else (wire, False)


@compiled
def _entered(nets: Indices, count: int, wire: int) -> int:
    """Where a net is among the first `count`; it is put behind them if it is not there."""
    for k in range(count):
        if nets[k] == wire:
            return k
    nets[count] = wire
    return count


@compiled_with_arrays
def _evaluate(  # noqa: PLR0917 - compiled code takes no keyword arguments
    cells: CellArrays, net: NetlistArrays, nets: Indices, opened: Indices, gate_count: int, values: Words, count: int
) -> None:
    """The first `count` words of the values of gates that were opened, in turn each after those that drive it."""
    inputs, sources, flips = np.empty(6, dtype=np.uint64), np.empty(6, dtype=np.int64), np.empty(6, dtype=np.bool_)
    for g in range(gate_count - 1, -1, -1):
        slot = nets[opened[g]] >> 1
        variant = net.slots[slot, VARIANT]
        width, table = cells.variants[variant, INPUT_COUNT], cells.function[cells.variants[variant, FAMILY]]
        for p in range(width):
            wire, flips[p] = _root(cells, net, net.slots[slot, FANIN + p])
            sources[p] = _entered(nets, nets.size - 1, wire)
        for w in range(count):
            for p in range(width):
                inputs[p] = ~values[sources[p], w] if flips[p] else values[sources[p], w]
            values[opened[g], w] = evaluated(table, inputs, width)


@compiled_with_arrays
def shown(cells: CellArrays, net: NetlistArrays, wires: Indices, function: int) -> bool:
    """Whether the first of these nets is a function of the others, `function` its truth table, for all levels of some
    cut of at most twelve nets.

    The cut begins at the nets themselves; of its gates the one of the highest level is opened each time, until that is
    shown, or there are too many nets.
    """
    nets = np.full(_MOST_LEAVES + _MOST_GATES + 8, -1, dtype=np.int64)
    is_gate_of_it = np.zeros(nets.size, dtype=np.bool_)
    opened = np.empty(_MOST_GATES, dtype=np.int64)
    values = np.empty((nets.size, 1 << (_LEAVES - 6)), dtype=np.uint64)
    places, flips = np.empty(wires.size, dtype=np.int64), np.empty(wires.size, dtype=np.bool_)
    levels = np.empty(wires.size, dtype=np.uint64)
    count = gate_count = 0
    for i in range(wires.size):
        wire, flips[i] = _root(cells, net, wires[i])
        places[i] = _entered(nets, count, wire)
        count = max(count, places[i] + 1)
    while True:
        leaves = count - gate_count
        if leaves <= _LEAVES:
            leaf, words = 0, 1 << max(leaves - 6, 0)
            for k in range(count):
                if not is_gate_of_it[k]:
                    for w in range(words):
                        far = _ONES if leaf >= 6 and (w >> (leaf - 6)) & 1 else np.uint64(0)
                        values[k, w] = LEVELS_OF_LEAVES[leaf] if leaf < 6 else far
                    leaf += 1
            _evaluate(cells, net, nets, opened, gate_count, values, words)
            holds = True
            for w in range(words):
                for i in range(wires.size):
                    levels[i] = ~values[places[i], w] if flips[i] else values[places[i], w]
                holds = holds and levels[0] == evaluated(np.uint64(function), levels[1:], wires.size - 1)
            if holds:
                return True
        highest = -1
        for k in range(count):
            may_open = not is_gate_of_it[k] and nets[k] & 1 == 0 and known(cells, net, nets[k] >> 1)
            if may_open and (highest < 0 or net.slots[nets[k] >> 1, LEVEL] > net.slots[nets[highest] >> 1, LEVEL]):
                highest = k
        if highest < 0 or gate_count == _MOST_GATES or leaves > _MOST_LEAVES:
            return False
        is_gate_of_it[highest] = True
        opened[gate_count] = highest
        gate_count += 1
        slot = nets[highest] >> 1
        for p in range(cells.variants[net.slots[slot, VARIANT], INPUT_COUNT]):
            wire, _ = _root(cells, net, net.slots[slot, FANIN + p])
            count = max(count, _entered(nets, count, wire) + 1)


@compiled
def _freed(cells: CellArrays, net: NetlistArrays, slot: int) -> float:
    """The area of a gate, and of what only it reads."""
    begin(net)
    area, penalty = net.sums[AREA], net.sums[PENALTY]
    for p in range(cells.variants[net.slots[slot, VARIANT], INPUT_COUNT]):
        wire = net.slots[slot, FANIN + p]
        detach(cells, net, slot * PINS + p)
        sweep(cells, net, wire >> 1)
    freed = area - net.sums[AREA] + cells.areas[net.slots[slot, VARIANT]]
    undo(cells, net, area, penalty)
    return float(freed)


@compiled_with_arrays
def _become(cells: CellArrays, net: NetlistArrays, slot: int, variant: int, operands: Indices) -> None:
    """Make a gate another cell on other nets, and remove what is no longer read."""
    old = np.full(6, -1, dtype=np.int64)
    for p in range(cells.variants[net.slots[slot, VARIANT], INPUT_COUNT]):
        old[p] = net.slots[slot, FANIN + p]
        detach(cells, net, slot * PINS + p)
    exchange(cells, net, slot, variant)
    for p in range(operands.size):
        attach(cells, net, slot * PINS + p, operands[p])
    for p in range(6):
        if old[p] >= 0:
            sweep(cells, net, old[p] >> 1)


@compiled
def _move_readers(cells: CellArrays, net: NetlistArrays, slot: int, wire: int) -> None:
    """Let another net be read instead of a gate's, and remove the gate."""
    while net.nets[2 * slot, HEAD] >= 0:
        move(cells, net, net.nets[2 * slot, HEAD], wire)
    sweep(cells, net, slot)


@compiled_with_arrays
def _sum_cells(cells: CellArrays) -> tuple[int, int]:
    """The smallest XOR and XNOR of two inputs; -1 where there is none."""
    found = np.full(2, -1, dtype=np.int64)
    for family in range(cells.member_first.size - 1):
        variant = cells.members[cells.member_first[family]]
        of_two = cells.variants[variant, INPUT_COUNT] == 2 and cells.variants[variant, OUTPUT_COUNT] == 1
        if of_two and cells.function[family] in (_XOR, _XNOR):
            found[int(cells.function[family] == _XNOR)] = variant
    return int(found[0]), int(found[1])


@compiled
def edit(cells: CellArrays, net: NetlistArrays, slot: int, variant: int, operands: Indices) -> None:
    """Make a gate another cell on these nets, or, if `variant` is negative, let the only one be read instead of it."""
    begin(net)
    if variant >= 0:
        _become(cells, net, slot, variant, operands)
    else:
        _move_readers(cells, net, slot, operands[0])


@compiled
def won(  # noqa: PLR0917 - compiled code takes no keyword arguments
    cells: CellArrays, net: NetlistArrays, wires: Indices, variant: int, step: float, factor: float, tally: Floats
) -> bool:
    """Edit the gate of the first net, the others its operands, if that costs less and is shown to be right."""
    slot = wires[0] >> 1
    tally[0] += 1
    area, penalty = net.sums[AREA], net.sums[PENALTY]
    edit(cells, net, slot, variant, wires[1:])
    better = False
    if net.counts[BROKEN] == 0 and not overloaded(cells, net, factor):
        propagate(cells, net, step)
        better = net.sums[AREA] + net.sums[PENALTY] < area + penalty - _LEAST_GAIN_GE
    # What is shown is shown of the netlist as it was, with the gate and all that it reads.
    undo(cells, net, area, penalty)
    function = int(cells.function[cells.variants[variant, FAMILY]]) if variant >= 0 else _SAME
    if not better or not shown(cells, net, wires, function):
        return False
    edit(cells, net, slot, variant, wires[1:])
    propagate(cells, net, step)
    tally[1] += 1
    tally[2] += area + penalty - net.sums[AREA] - net.sums[PENALTY]
    commit(net)
    return True


@compiled_with_arrays
def resubstitute(cells: CellArrays, net: NetlistArrays, step: float, factor: float) -> Floats:
    """Make gates the sums of two other nets where that costs less, or let an equal net be read instead: how many were
    tried, how many won, and how much (GE).

    Figures are to be those of `refresh`, and are afterwards those of `propagate` with this `step`. No load becomes more
    than `factor` times its limit.
    """
    order = np.argsort(net.slots[:, LEVEL], kind="mergesort")
    words = signatures(cells, net, order)
    digests = digests_of(words)
    table = indexed(net, digests, order)
    # What nobody reads now nobody will: only nets that are read become operands.
    of_first = digests[2 * order]
    firsts = np.array([readable(net, 2 * slot) for slot in order])
    sums = _sum_cells(cells)
    smallest = min(cells.areas[sums[0]] if sums[0] >= 0 else np.inf, cells.areas[sums[1]] if sums[1] >= 0 else np.inf)
    tally = np.zeros(3)
    wires = np.empty(3, dtype=np.int64)
    for at in range(order.size):
        slot = order[at]
        wire, weight = 2 * slot, net.waves[2 * slot, WEIGHT]
        if not may_be_another(cells, net, slot) or family_of(cells, net, slot) == cells.inverter:
            continue
        worth = most_gain(cells, net, slot)
        latest = max(net.waves[wire, ARRIVAL], net.waves[wire, ARRIVAL + 1])
        start = below(net, max(at, 1))
        for k in range(-1, min(at, _FIRSTS)):
            first = -1
            if k >= 0:
                if worth < smallest:
                    break
                place = (start + k) % at
                if not firsts[place] or table[place_of(digests[wire] ^ of_first[place], table.size - 1)] < 0:
                    continue
                first = 2 * order[place]
                if not readable(net, first) or net.slots[first >> 1, LEVEL] >= net.slots[slot, LEVEL]:
                    continue
                if weight > 0.0 and max(net.waves[first, ARRIVAL], net.waves[first, ARRIVAL + 1]) >= latest:
                    continue
            second, inverse = second_of(net, words, digests, table, slot, first)
            variant = sums[int(inverse)] if first >= 0 else -1
            if second < 0 or (inverse if first < 0 else variant < 0 or reads(cells, net, slot, first, second)):
                continue
            wires[0], wires[1], wires[2] = wire, second if first < 0 else first, second
            if won(cells, net, wires[: 2 + (first >= 0)], variant, step, factor, tally):
                break
    return tally


@compiled
def may_be_another(cells: CellArrays, net: NetlistArrays, slot: int) -> bool:
    """Whether a gate may become one of other nets: its function is known, it is read, no buffer, and there is room."""
    if not known(cells, net, slot) or net.nets[2 * slot, READERS] == 0 or net.counts[FREE] < PINS:
        return False
    return family_of(cells, net, slot) != cells.buffer


@compiled
def most_gain(cells: CellArrays, net: NetlistArrays, slot: int) -> float:
    """What a gate may win at most (GE) before the area of what takes its place, for all that is known before it is
    tried."""
    return float(_freed(cells, net, slot) + min(_MOST_WORTH_GE, _WORTH_NS * net.waves[2 * slot, WEIGHT]))


@compiled
def reads(cells: CellArrays, net: NetlistArrays, slot: int, first: int, second: int) -> bool:
    """Whether a gate reads just these two nets already."""
    if cells.variants[net.slots[slot, VARIANT], INPUT_COUNT] != 2:
        return False
    a, b = net.slots[slot, FANIN], net.slots[slot, FANIN + 1]
    return bool((a == first and b == second) or (a == second and b == first))
