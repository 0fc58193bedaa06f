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
    LOGIC,
    NOTHING,
    OUTPUT,
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
    is_gate,
    move,
    next_word,
    overloaded,
    sweep,
    undo,
)
from aesmith.flow.rewiring.timing_kernel import propagate
from aesmith.lazy import compiled, compiled_with_arrays

WORDS = 64
"""Words of 64 states in a signature."""
_LEAVES = 12
_MOST_LEAVES = 34
_MOST_GATES = 96
_FIRSTS = 256
"""Nets that are tried as the first of two in one call, at most; from another one on in each."""
_WORTH_NS, _MOST_WORTH_GE = 0.15, 2.0
"""What a gate may win at most on a path, for all that is known before it is tried."""
_MOST_ALIKE = 64
"""Places of the table that are looked at for one first net."""
_LEAST_GAIN_GE = 1e-9
_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
_LEAF = np.array(
    [
        0xAAAAAAAAAAAAAAAA,
        0xCCCCCCCCCCCCCCCC,
        0xF0F0F0F0F0F0F0F0,
        0xFF00FF00FF00FF00,
        0xFFFF0000FFFF0000,
        0xFFFFFFFF00000000,
    ],
    dtype=np.uint64,
)
_XOR, _XNOR = np.uint64(0b0110), np.uint64(0b1001)


@compiled
def _known(cells: CellArrays, net: NetlistArrays, slot: int) -> bool:
    """Whether the function of a slot's only output is known."""
    variant = net.slots[slot, VARIANT]
    return bool(
        is_gate(net, slot)
        and cells.variants[variant, OUTPUT_COUNT] == 1
        and cells.variants[variant, INPUT_COUNT] <= 6
        and cells.function[cells.variants[variant, FAMILY]] != 0
    )


@compiled
def _evaluated(table: np.uint64, inputs: Words, count: int) -> np.uint64:
    """64 values of a function at once; `table` is its truth table, `inputs` its inputs' values."""
    found = np.uint64(0)
    for row in range(1 << count):
        if (table >> np.uint64(row)) & np.uint64(1):
            term = _ONES
            for p in range(count):
                term &= inputs[p] if (row >> p) & 1 else ~inputs[p]
            found |= term
    return found


@compiled_with_arrays
def signatures(cells: CellArrays, net: NetlistArrays, order: Indices) -> Words:
    """For each net its levels in random states; `order` has the slots by their levels, lowest first."""
    words = np.zeros((2 * net.slots.shape[0], WORDS), dtype=np.uint64)
    state = net.random.copy()
    inputs = np.empty(6, dtype=np.uint64)
    for k in range(order.size):
        slot = order[k]
        kind = net.slots[slot, KIND]
        if kind in (NOTHING, OUTPUT):
            continue
        if kind == LOGIC and _known(cells, net, slot):
            variant = net.slots[slot, VARIANT]
            count, table = cells.variants[variant, INPUT_COUNT], cells.function[cells.variants[variant, FAMILY]]
            for w in range(WORDS):
                for p in range(count):
                    inputs[p] = words[net.slots[slot, FANIN + p], w]
                words[2 * slot, w] = _evaluated(table, inputs, count)
            continue
        mirrored = kind == REGISTER and cells.variants[net.slots[slot, VARIANT], COMPLEMENTARY] == 1
        for w in range(WORDS):
            words[2 * slot, w] = next_word(state)
            words[2 * slot + 1, w] = ~words[2 * slot, w] if mirrored else next_word(state)
    return words


@compiled_with_arrays
def _digests(words: Words) -> Words:
    """A word for each signature, the sum of all its words turned by their number: that of a sum is the sum of both, and
    that of the inverse is the same, since they are even in number."""
    found = words[:, 0].copy()
    for wire in range(words.shape[0]):
        for w in range(1, WORDS):
            found[wire] ^= (words[wire, w] << np.uint64(w)) | (words[wire, w] >> np.uint64(64 - w))
    return found


@compiled
def _place(digest: np.uint64, mask: int) -> int:
    """Where the search for a signature begins."""
    key = (digest ^ (digest >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    return int(key >> np.uint64(40)) & mask


@compiled_with_arrays
def _index(net: NetlistArrays, digests: Words, order: Indices) -> Indices:
    """A table of all nets that are driven and read, by their signatures: -1 where there is none."""
    size = 1 << 10
    while size < 6 * order.size:
        size *= 2
    table = np.full(size, -1, dtype=np.int64)
    for k in range(order.size):
        for o in range(2):
            wire = 2 * order[k] + o
            if not _readable(net, wire):
                continue
            at = _place(digests[wire], size - 1)
            while table[at] >= 0:
                at = (at + 1) & (size - 1)
            table[at] = wire
    return table


@compiled
def _second(  # noqa: PLR0917 - compiled code takes no keyword arguments
    net: NetlistArrays, words: Words, digests: Words, table: Indices, slot: int, first: int
) -> tuple[int, bool]:
    """The earliest net that is the slot's net, XOR the first one if that is not negative, and whether it is the inverse
    of it; -1 if there is none below the slot."""
    wire = 2 * slot
    mask = table.size - 1
    digest = digests[wire] ^ (digests[first] if first >= 0 else np.uint64(0))
    word = words[wire, 0] ^ (words[first, 0] if first >= 0 else np.uint64(0))
    at, best, inverse, earliest = _place(digest, mask), -1, False, 0.0
    for _ in range(_MOST_ALIKE):
        other = table[at]
        if other < 0:
            break
        at = (at + 1) & mask
        if digests[other] != digest:
            continue
        if not _readable(net, other) or other == first or net.slots[other >> 1, LEVEL] >= net.slots[slot, LEVEL]:
            continue
        difference = words[other, 0] ^ word
        if difference not in (np.uint64(0), _ONES):
            continue
        same = True
        for w in range(1, WORDS):
            found = words[other, w] ^ words[wire, w] ^ (words[first, w] if first >= 0 else np.uint64(0))
            if found != difference:
                same = False
                break
        if same:
            arrival = max(net.waves[other, ARRIVAL], net.waves[other, ARRIVAL + 1])
            if best < 0 or arrival < earliest:
                best, inverse, earliest = other, difference != np.uint64(0), arrival
    return best, inverse


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
            values[opened[g], w] = _evaluated(table, inputs, width)


@compiled_with_arrays
def shown(cells: CellArrays, net: NetlistArrays, wires: Indices, inverse: bool) -> bool:
    """Whether the XOR of these nets is 0, with `inverse` 1, for all levels of some cut of at most twelve nets.

    The cut begins at the nets themselves; of its gates the one of the highest level is opened each time, until the sum
    is shown, or there are too many nets.
    """
    nets = np.full(_MOST_LEAVES + _MOST_GATES + 8, -1, dtype=np.int64)
    is_gate_of_it = np.zeros(nets.size, dtype=np.bool_)
    opened = np.empty(_MOST_GATES, dtype=np.int64)
    values = np.empty((nets.size, 1 << (_LEAVES - 6)), dtype=np.uint64)
    places, flips = np.empty(wires.size, dtype=np.int64), np.empty(wires.size, dtype=np.bool_)
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
                        values[k, w] = _LEAF[leaf] if leaf < 6 else far
                    leaf += 1
            _evaluate(cells, net, nets, opened, gate_count, values, words)
            holds = True
            for w in range(words):
                total = _ONES if inverse else np.uint64(0)
                for i in range(wires.size):
                    total ^= ~values[places[i], w] if flips[i] else values[places[i], w]
                holds = holds and total == np.uint64(0)
            if holds:
                return True
        highest = -1
        for k in range(count):
            may_open = not is_gate_of_it[k] and nets[k] & 1 == 0 and _known(cells, net, nets[k] >> 1)
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
def _become_sum(  # noqa: PLR0917 - compiled code takes no keyword arguments
    cells: CellArrays, net: NetlistArrays, slot: int, variant: int, first: int, second: int
) -> None:
    """Make a gate one of two other nets, and remove what is no longer read."""
    old = np.full(6, -1, dtype=np.int64)
    for p in range(cells.variants[net.slots[slot, VARIANT], INPUT_COUNT]):
        old[p] = net.slots[slot, FANIN + p]
        detach(cells, net, slot * PINS + p)
    exchange(cells, net, slot, variant)
    attach(cells, net, slot * PINS, first)
    attach(cells, net, slot * PINS + 1, second)
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
def _edited(  # noqa: PLR0917 - compiled code takes no keyword arguments
    cells: CellArrays, net: NetlistArrays, slot: int, first: int, second: int, variant: int
) -> None:
    """Make a gate the sum of two nets, or, without a first one, let the second be read instead of it."""
    begin(net)
    if first >= 0:
        _become_sum(cells, net, slot, variant, first, second)
    else:
        _move_readers(cells, net, slot, second)


@compiled_with_arrays
def resubstitute(cells: CellArrays, net: NetlistArrays, step: float, factor: float) -> Floats:
    """Make gates those of two other nets where that costs less: how many were tried, how many won, and how much (GE).

    Figures are to be those of `refresh`, and are afterwards those of `propagate` with this `step`. No load becomes more
    than `factor` times its limit.
    """
    order = np.argsort(net.slots[:, LEVEL], kind="mergesort")
    words = signatures(cells, net, order)
    digests = _digests(words)
    table = _index(net, digests, order)
    # What nobody reads now nobody will: only nets that are read become operands.
    of_first = digests[2 * order]
    firsts = np.array([_readable(net, 2 * slot) for slot in order])
    sums = _sum_cells(cells)
    smallest = min(cells.areas[sums[0]] if sums[0] >= 0 else np.inf, cells.areas[sums[1]] if sums[1] >= 0 else np.inf)
    tally = np.zeros(3)
    wires = np.empty(3, dtype=np.int64)
    for at in range(order.size):
        slot = order[at]
        wire, weight = 2 * slot, net.waves[2 * slot, WEIGHT]
        if not _known(cells, net, slot) or net.nets[wire, READERS] == 0 or net.counts[FREE] < PINS:
            continue
        if family_of(cells, net, slot) in (cells.buffer, cells.inverter):
            continue
        worth = _freed(cells, net, slot) + min(_MOST_WORTH_GE, _WORTH_NS * weight)
        latest = max(net.waves[wire, ARRIVAL], net.waves[wire, ARRIVAL + 1])
        start = below(net, max(at, 1))
        for k in range(-1, min(at, _FIRSTS)):
            first = -1
            if k >= 0:
                if worth < smallest:
                    break
                place = (start + k) % at
                if not firsts[place] or table[_place(digests[wire] ^ of_first[place], table.size - 1)] < 0:
                    continue
                first = 2 * order[place]
                if not _readable(net, first) or net.slots[first >> 1, LEVEL] >= net.slots[slot, LEVEL]:
                    continue
                if weight > 0.0 and max(net.waves[first, ARRIVAL], net.waves[first, ARRIVAL + 1]) >= latest:
                    continue
            second, inverse = _second(net, words, digests, table, slot, first)
            variant = sums[int(inverse)]
            if second < 0 or (inverse if first < 0 else variant < 0 or _is_sum_of(cells, net, slot, first, second)):
                continue
            tally[0] += 1
            area, penalty = net.sums[AREA], net.sums[PENALTY]
            _edited(cells, net, slot, first, second, variant)
            better = False
            if net.counts[BROKEN] == 0 and not overloaded(cells, net, factor):
                propagate(cells, net, step)
                better = net.sums[AREA] + net.sums[PENALTY] < area + penalty - _LEAST_GAIN_GE
            # What is shown is shown of the netlist as it was, with the gate and all that it reads.
            undo(cells, net, area, penalty)
            wires[0], wires[1], wires[2] = wire, second, first
            if better and shown(cells, net, wires[: 2 + (first >= 0)], inverse):
                _edited(cells, net, slot, first, second, variant)
                propagate(cells, net, step)
                tally[1] += 1
                tally[2] += area + penalty - net.sums[AREA] - net.sums[PENALTY]
                commit(net)
                break
    return tally


@compiled
def _readable(net: NetlistArrays, wire: int) -> bool:
    """Whether a net is driven, and read by somebody."""
    return bool(net.slots[wire >> 1, KIND] not in (NOTHING, OUTPUT) and net.nets[wire, READERS] > 0)


@compiled
def _is_sum_of(cells: CellArrays, net: NetlistArrays, slot: int, first: int, second: int) -> bool:
    """Whether a gate reads just these two nets already."""
    if cells.variants[net.slots[slot, VARIANT], INPUT_COUNT] != 2:
        return False
    a, b = net.slots[slot, FANIN], net.slots[slot, FANIN + 1]
    return bool((a == first and b == second) or (a == second and b == first))
