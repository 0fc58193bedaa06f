"""Windows of a netlist that become other structures: a gate with some of those that drive it.

A window of up to three gates on at most four nets becomes one of up to three cells; a wide one, of up to four gates on
five or six nets, one of one or two cells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aesmith.flow.rewiring.cell_arrays import PINS, CellArrays, Floats, Indices
from aesmith.flow.rewiring.edit_kernel import (
    FANIN,
    HEAD,
    NEXT,
    READERS,
    VARIANT,
    WEIGHT,
    NetlistArrays,
    Words,
    attach,
    below,
    detach,
    draw,
    exchange,
    family_of,
    is_gate,
    make,
    move,
    small_variant,
    sweep,
    takes_inverse,
    variant_alike,
    want_inverse,
)
from aesmith.flow.rewiring.signatures import LEVELS_OF_LEAVES, evaluated, known
from aesmith.flow.rewiring.structures import (
    FEWEST_WIDE_LEAVES,
    LEAVES,
    MOST_CELLS,
    WIDE_LEAVES,
    StructureArrays,
    WideArrays,
)
from aesmith.lazy import compiled, compiled_with_arrays

_MOST_WIDE_GATES = 4
_ALL, _ALL_WIDE = 0xFFFF, np.uint64(0xFFFFFFFFFFFFFFFF)
_WORTH_NS = 0.15
"""What a window may win at most on a path, for all that is known before it is tried."""


@compiled_with_arrays
def _flip_readers(cells: CellArrays, net: NetlistArrays, wire: int) -> None:
    """The net has become its inverse: all its readers follow, those that cannot behind an inverter."""
    count = net.nets[wire, READERS]
    readers = np.empty(count, dtype=np.int64)
    pin = net.nets[wire, HEAD]
    for k in range(count):
        readers[k] = pin
        pin = net.pins[pin, NEXT]
    inverter = -1
    for k in range(count):
        pin, slot = readers[k], readers[k] // PINS
        if is_gate(net, slot) and family_of(cells, net, slot) == cells.inverter:
            while net.nets[2 * slot, HEAD] >= 0:
                move(cells, net, net.nets[2 * slot, HEAD], wire)
            sweep(cells, net, slot)
        elif takes_inverse(cells, net, pin):
            want_inverse(cells, net, pin)
        else:
            if inverter < 0:
                inverter = make(cells, net, small_variant(cells, net, cells.inverter))
                net.waves[2 * inverter, WEIGHT] = net.waves[wire, WEIGHT]
            move(cells, net, pin, 2 * inverter)
    if inverter >= 0:
        attach(cells, net, inverter * PINS, wire)


@compiled
def _may_flip(cells: CellArrays, net: NetlistArrays, wire: int) -> bool:
    """Whether most readers of a net can take its inverse."""
    pin, stuck = net.nets[wire, HEAD], 0
    while pin >= 0:
        stuck += not takes_inverse(cells, net, pin)
        pin = net.pins[pin, NEXT]
    return stuck == 0 or (2 * stuck <= net.nets[wire, READERS] and draw(net) < 0.1)


@compiled
def leaves_of(net: NetlistArrays, window: Indices, count: int, leaves: Indices) -> int:
    """The nets that a window reads from outside, and how many; one more than there is room for if there are more."""
    found = 0
    for i in range(count):
        for p in range(PINS):
            wire = net.slots[window[i], FANIN + p]
            if wire < 0:
                break
            there = False
            for k in range(1, count):
                there = there or wire == 2 * window[k]
            for k in range(found):
                there = there or wire == leaves[k]
            if not there:
                if found == leaves.size:
                    return found + 1
                leaves[found] = wire
                found += 1
    return found


@compiled_with_arrays
def _function_of(  # noqa: PLR0917 - compiled code takes no keyword arguments
    cells: CellArrays, net: NetlistArrays, window: Indices, count: int, leaves: Indices, leaf_count: int
) -> np.uint64:
    """The truth table of a window's root on six leaves, the first ones its own; 0 if its gates are in a ring."""
    tables, done = np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.bool_)
    inputs = np.zeros(PINS, dtype=np.uint64)
    for _ in range(count):
        for i in range(count):
            ready = not done[i]
            width = cells.variants[net.slots[window[i], VARIANT], 1]
            for p in range(width):
                wire = net.slots[window[i], FANIN + p]
                found = False
                for k in range(1, count):
                    if wire == 2 * window[k]:
                        found, inputs[p] = bool(done[k]), tables[k]
                for k in range(leaf_count):
                    if wire == leaves[k]:
                        found, inputs[p] = True, LEVELS_OF_LEAVES[k]
                ready = ready and found
            if ready:
                tables[i] = evaluated(cells.function[family_of(cells, net, window[i])], inputs, width)
                done[i] = True
    return np.uint64(tables[0])


@compiled
def _freed(cells: CellArrays, net: NetlistArrays, window: Indices, count: int) -> float:
    """What goes with a window's root: it, and what only it and the others of the window read."""
    area = cells.areas[net.slots[window[0], VARIANT]]
    for i in range(1, count):
        pin, inside = net.nets[2 * window[i], HEAD], True
        while pin >= 0:
            reader = False
            for k in range(count):
                reader = reader or pin // PINS == window[k]
            inside = inside and reader
            pin = net.pins[pin, NEXT]
        if inside:
            area += cells.areas[net.slots[window[i], VARIANT]]
    return float(area)


@compiled
def _in_window(cells: CellArrays, net: NetlistArrays, slot: int, leaves: int) -> bool:
    """Whether a gate may be in a window of that many leaves: one known output, no more inputs, no buffer."""
    narrow = cells.variants[net.slots[slot, VARIANT], 1] <= leaves
    return bool(narrow and known(cells, net, slot) and family_of(cells, net, slot) != cells.buffer)


@compiled
def _gathered(cells: CellArrays, net: NetlistArrays, window: Indices, leaves: Indices, tries: int) -> tuple[int, int]:
    """Gates that drive the first one of a window, directly or not, drawn so many times, as far as there is room for
    them and for their leaves: how many gates and leaves there are."""
    count = 1
    for _ in range(tries):
        at = window[below(net, count)]
        wire = net.slots[at, FANIN + below(net, cells.variants[net.slots[at, VARIANT], 1])]
        taken = not _in_window(cells, net, wire >> 1, leaves.size)
        for k in range(count):
            taken = taken or wire >> 1 == window[k]
        if not taken and count < window.size:
            window[count] = wire >> 1
            if leaves_of(net, window, count + 1, leaves) <= leaves.size:
                count += 1
    return count, leaves_of(net, window, count, leaves)


@compiled_with_arrays
def try_window(cells: CellArrays, table: StructureArrays, net: NetlistArrays, slot: int, noise: float) -> bool:
    """Make a gate, with up to two of those that drive it, another structure; whether one was made."""
    if not _in_window(cells, net, slot, LEAVES):
        return False
    window, leaves = np.empty(MOST_CELLS, dtype=np.int64), np.empty(LEAVES, dtype=np.int64)
    window[0] = slot
    count, leaf_count = _gathered(cells, net, window, leaves, below(net, 4))
    if leaf_count > LEAVES:
        return False
    function = int(_function_of(cells, net, window, count, leaves, leaf_count)) & _ALL
    if function == 0:
        return False
    flip = draw(net) < 0.25 and _may_flip(cells, net, 2 * slot)
    if flip:
        function ^= _ALL
    return _become(cells, table, net, function, window[:count], leaves, leaf_count, noise, flip)


@compiled_with_arrays
def _become(  # noqa: PLR0917 - compiled code takes no keyword arguments
    cells: CellArrays,
    table: StructureArrays,
    net: NetlistArrays,
    function: int,
    window: Indices,
    leaves: Indices,
    leaf_count: int,
    noise: float,
    flip: bool,
) -> bool:
    """Make a window one of the structures of a function of the table, if one may win; with `flip` it becomes the
    inverse of what it was, and its readers follow. Whether it was made."""
    limit = _most_area(cells, net, window, noise, flip)
    chosen = _chosen_within(net, table.areas, table.first[function], table.first[function + 1], limit)
    if chosen < 0 or table.leaves[chosen] >= 1 << leaf_count:
        return False
    _rebuild(cells, net, window[0], table.rows[chosen], leaves)
    if flip:
        _flip_readers(cells, net, 2 * window[0])
    return True


@compiled
def _most_area(cells: CellArrays, net: NetlistArrays, window: Indices, noise: float, flip: bool) -> float:
    """The most area that what takes the place of a window may have, for all that is known before it is tried (GE)."""
    worth = min(2.0, _WORTH_NS * net.waves[2 * window[0], WEIGHT])
    return float(_freed(cells, net, window, window.size) + 4 * noise + worth + (1.0 if flip else 0.0))


@compiled
def _chosen_within(net: NetlistArrays, areas: Floats, first: int, last: int, limit: float) -> int:
    """One of the places from `first` to below `last` whose areas, which ascend, are at most the limit; -1: none is."""
    if first == last or areas[first] > limit:
        return -1
    low, high = first, last
    while high - low > 1:
        middle = (low + high) // 2
        if areas[middle] > limit:
            high = middle
        else:
            low = middle
    return int(first + below(net, high - first))


@compiled_with_arrays
def _rebuild(cells: CellArrays, net: NetlistArrays, slot: int, row: NDArray[np.int16], leaves: Indices) -> None:
    """Put the structure of a row in the place of a gate, and remove what is no longer read."""
    old = np.full(PINS, -1, dtype=np.int64)
    for p in range(cells.variants[net.slots[slot, VARIANT], 1]):
        old[p] = net.slots[slot, FANIN + p]
        detach(cells, net, slot * PINS + p)
    columns = 1 + leaves.size
    cell_count = 0
    while cell_count < row.size // columns and row[columns * cell_count] >= 0:
        cell_count += 1
    made = np.empty(cell_count, dtype=np.int64)
    for i in range(cell_count):
        family = int(row[columns * i])
        if i < cell_count - 1:
            made[i] = make(cells, net, small_variant(cells, net, family))
            net.waves[2 * made[i], WEIGHT] = net.waves[2 * slot, WEIGHT]
        else:
            made[i] = slot
            same = draw(net) < 0.5
            exchange(
                cells, net, slot, variant_alike(cells, net, slot, family) if same else small_variant(cells, net, family)
            )
        width = cells.variants[net.slots[made[i], VARIANT], 1]
        # Pins that may be exchanged are, half the time: they are not equally fast.
        p, q = below(net, width), 0
        q = cells.alike[family, p]
        swap = q != p and draw(net) < 0.5
        for k in range(width):
            source = int(row[columns * i + 1 + (q if swap and k == p else p if swap and k == q else k)])
            wire = leaves[source] if source < leaves.size else 2 * made[source - leaves.size]
            attach(cells, net, made[i] * PINS + k, wire)
    for p in range(PINS):
        if old[p] >= 0:
            sweep(cells, net, old[p] >> 1)


@compiled
def _place_of(functions: Words, function: np.uint64) -> int:
    """Where a function is among those that ascend; -1 if it is not."""
    low, high = 0, functions.size
    while low < high:
        middle = (low + high) // 2
        if functions[middle] < function:
            low = middle + 1
        else:
            high = middle
    return low if low < functions.size and functions[low] == function else -1


@compiled_with_arrays
def try_wide_window(cells: CellArrays, table: WideArrays, net: NetlistArrays, slot: int, noise: float) -> bool:
    """Make a gate, with up to three of those that drive it, one or two cells on five or six leaves; whether it was."""
    if not _in_window(cells, net, slot, WIDE_LEAVES):
        return False
    window, leaves = np.empty(_MOST_WIDE_GATES, dtype=np.int64), np.empty(WIDE_LEAVES, dtype=np.int64)
    window[0] = slot
    count, leaf_count = _gathered(cells, net, window, leaves, 2 * _MOST_WIDE_GATES)
    if leaf_count < FEWEST_WIDE_LEAVES or leaf_count > WIDE_LEAVES:
        return False
    function = _function_of(cells, net, window, count, leaves, leaf_count)
    flip = draw(net) < 0.25 and _may_flip(cells, net, 2 * slot)
    place = _place_of(table.functions, function ^ _ALL_WIDE if flip else function)
    if place < 0:
        return False
    return _become(cells, table.structures, net, place, window[:count], leaves, leaf_count, noise, flip)
