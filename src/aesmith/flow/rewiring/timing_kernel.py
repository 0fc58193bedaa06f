"""Compiled timing of a netlist that is edited: arrivals follow every edit, only as far as it reaches.

What edits put in the queue is timed level by level, each level before the next; what does not change is not followed.
`refresh` times everything anew. The method is that of `aesmith.timing.static`, and so are the figures.
"""

from __future__ import annotations

import numpy as np

from aesmith.flow.rewiring.cell_arrays import PINS, CellArrays, Indices
from aesmith.flow.rewiring.edit_kernel import (
    AREA,
    ARRIVAL,
    ATTACHED,
    EDITS,
    END_STAMP,
    ENDS,
    EXCHANGED,
    FANIN,
    HEAD,
    KIND,
    LEVEL,
    LOAD,
    LOGIC,
    NEVER,
    NEXT,
    NOTHING,
    OUTPUT,
    PENALTY,
    PRICE,
    QUEUE_NEXT,
    QUEUED,
    READERS,
    REGISTER,
    SLEW,
    STAMP,
    TARGET,
    TOP,
    VARIANT,
    WAVE_STAMP,
    WAVES,
    WEIGHT,
    NetlistArrays,
    begin,
    empty_queue,
    push,
)
from aesmith.lazy import compiled, compiled_with_arrays

_GAP = 4
_STEEP = 10.0
_ALIKE_NS = 0.02
"""Inputs of a gate that come with so little between them are both taken for the last."""


@compiled
def _place(cells: CellArrays, axis: int, at: float) -> tuple[int, float]:
    """The cell of an axis, and how far into it, as in `aesmith.timing.graph`."""
    i, last = 0, cells.axis_sizes[axis] - 2
    while i < last and cells.axes[axis, i + 1] <= at:
        i += 1
    left = cells.axes[axis, i]
    return i, (at - left) / (cells.axes[axis, i + 1] - left)


@compiled
def _end_delay(cells: CellArrays, net: NetlistArrays, slot: int) -> float:
    """The latest arrival at a port, or at a register with its setup time."""
    latest = NEVER
    register = net.slots[slot, KIND] == REGISTER
    variant = net.slots[slot, VARIANT]
    for p in range(PINS if register else 1):
        wire = net.slots[slot, FANIN + p]
        if wire < 0:
            continue
        for edge in range(2):
            arrival = net.waves[wire, ARRIVAL + edge]
            if arrival <= 0.5 * NEVER:
                continue
            if not register:
                latest = max(latest, arrival)
                continue
            place = 2 * (PINS * variant + p) + edge
            for k in range(cells.check_first[place], cells.check_first[place + 1]):
                j, y = _place(cells, cells.checks[k, 0], net.waves[wire, SLEW + edge])
                table = cells.checks[k, 1]
                latest = max(latest, arrival + cells.tables[table, 0, j] * (1 - y) + cells.tables[table, 0, j + 1] * y)
    return latest


@compiled
def _cost(net: NetlistArrays, delay: float) -> float:
    excess = delay - net.sums[TARGET]
    return float(net.sums[PRICE] * (excess + _STEEP * excess * excess)) if excess > 0 else 0.0


@compiled
def touch_end(cells: CellArrays, net: NetlistArrays, slot: int) -> None:
    """Time an end of paths anew."""
    if net.slots[slot, END_STAMP] != net.counts[STAMP]:
        net.slots[slot, END_STAMP] = net.counts[STAMP]
        k = net.counts[ENDS]
        net.old_end_slots[k], net.old_ends[k] = slot, net.ends[slot]
        net.counts[ENDS] = k + 1
    delay = _end_delay(cells, net, slot)
    net.sums[PENALTY] += _cost(net, delay) - _cost(net, net.ends[slot])
    net.ends[slot] = delay


@compiled
def _touch_readers(cells: CellArrays, net: NetlistArrays, wire: int) -> None:
    pin = net.nets[wire, HEAD]
    while pin >= 0:
        slot = pin // PINS
        if net.slots[slot, KIND] == LOGIC:
            push(net, slot)
        else:
            touch_end(cells, net, slot)
        pin = net.pins[pin, NEXT]


@compiled
def _time_slot(cells: CellArrays, net: NetlistArrays, slot: int, step: float) -> None:
    """Arrivals and slews of a cell's outputs; readers of what changes by more than `step` are to be timed, too."""
    variant = net.slots[slot, VARIANT]
    for o in range(cells.variants[variant, 2]):
        wire = 2 * slot + o
        if net.nets[wire, READERS] == 0:
            continue
        arrival0, arrival1, slew0, slew1 = NEVER, NEVER, 0.0, 0.0
        for edge in range(2):
            load = net.waves[wire, LOAD + edge]
            rows, columns, from_pin, from_edge = -1, -1, -2, -1
            i, x, j, y = 0, 0.0, 0, 0.0
            latest, slowest = NEVER, 0.0
            arrival, slew = 0.0, 0.0
            first = 4 * variant + 2 * o + edge
            for k in range(cells.arc_first[first], cells.arc_first[first + 1]):
                arc = cells.arcs[k]
                if arc[0] != from_pin or arc[1] != from_edge:
                    from_pin, from_edge, rows = arc[0], arc[1], -1
                    arrival, slew = 0.0, 0.0
                    if from_pin >= 0:
                        source = net.slots[slot, FANIN + from_pin]
                        arrival, slew = net.waves[source, ARRIVAL + from_edge], net.waves[source, SLEW + from_edge]
                if arc[4] != rows:
                    rows = arc[4]
                    i, x = _place(cells, rows, slew)
                if arc[5] != columns:
                    columns = arc[5]
                    j, y = _place(cells, columns, load)
                if arc[2] >= 0:
                    t = cells.tables[arc[2]]
                    low = t[i, j] * (1 - y) + t[i, j + 1] * y
                    high = t[i + 1, j] * (1 - y) + t[i + 1, j + 1] * y
                    latest = max(latest, arrival + low * (1 - x) + high * x)
                if arc[3] >= 0:
                    t = cells.tables[arc[3]]
                    low = t[i, j] * (1 - y) + t[i, j + 1] * y
                    high = t[i + 1, j] * (1 - y) + t[i + 1, j + 1] * y
                    slowest = max(slowest, low * (1 - x) + high * x)
            if edge == 0:
                arrival0, slew0 = latest, slowest
            else:
                arrival1, slew1 = latest, slowest
        wave = net.waves[wire]
        change = max(abs(arrival0 - wave[0]), abs(arrival1 - wave[1]), abs(slew0 - wave[2]), abs(slew1 - wave[3]))
        if change > step:
            if net.slots[slot, WAVE_STAMP] != net.counts[STAMP]:
                net.slots[slot, WAVE_STAMP] = net.counts[STAMP]
                k = net.counts[WAVES]
                net.old_wave_slots[k] = slot
                for c in range(4):
                    net.old_waves[k, c], net.old_waves[k, 4 + c] = net.waves[2 * slot, c], net.waves[2 * slot + 1, c]
                net.counts[WAVES] = k + 1
            wave[0], wave[1], wave[2], wave[3] = arrival0, arrival1, slew0, slew1
            _touch_readers(cells, net, wire)


@compiled
def propagate(cells: CellArrays, net: NetlistArrays, step: float) -> None:
    """Time all that the edits reach, level by level."""
    level = 0
    while level <= net.counts[TOP]:
        while net.queue[level] >= 0:
            slot = net.queue[level]
            net.queue[level] = net.slots[slot, QUEUE_NEXT]
            net.slots[slot, QUEUED] = 0
            if net.slots[slot, LEVEL] > level:
                push(net, slot)
            elif net.slots[slot, KIND] in (LOGIC, REGISTER):
                _time_slot(cells, net, slot, step)
        level += 1
    net.counts[TOP] = 0
    for k in range(net.counts[EDITS]):
        slot = net.edits[k, 1] // PINS if net.edits[k, 0] == ATTACHED else net.edits[k, 1]
        if net.edits[k, 0] in (ATTACHED, EXCHANGED) and net.slots[slot, KIND] in (REGISTER, OUTPUT):
            touch_end(cells, net, slot)


@compiled_with_arrays
def refresh(cells: CellArrays, net: NetlistArrays) -> float:
    """Levels, loads, arrivals and sums anew; the longest of all paths."""
    begin(net)
    count = net.slots.shape[0]
    waiting = np.zeros(count, dtype=np.int64)
    order = np.empty(count, dtype=np.int64)
    found = 0
    net.waves[:, LOAD : LOAD + 2] = 0.0
    net.sums[AREA] = net.sums[PENALTY] = 0.0
    for slot in range(count):
        kind = net.slots[slot, KIND]
        if kind != NOTHING:
            net.sums[AREA] += cells.areas[net.slots[slot, VARIANT]] if kind in (LOGIC, REGISTER) else 0.0
            for p in range(PINS):
                wire = net.slots[slot, FANIN + p]
                if wire >= 0:
                    net.waves[wire, LOAD] += cells.capacitance[net.slots[slot, VARIANT], 2 * p]
                    net.waves[wire, LOAD + 1] += cells.capacitance[net.slots[slot, VARIANT], 2 * p + 1]
                    waiting[slot] += net.slots[wire >> 1, KIND] == LOGIC
            if kind != LOGIC or waiting[slot] == 0:
                order[found] = slot
                found += 1
    k = 0
    while k < found:
        slot = order[k]
        k += 1
        if net.slots[slot, KIND] == LOGIC:
            level = 0
            for p in range(PINS):
                wire = net.slots[slot, FANIN + p]
                level = max(level, net.slots[wire >> 1, LEVEL] if wire >= 0 else 0)
            net.slots[slot, LEVEL] = level + _GAP
            for o in range(2):
                pin = net.nets[2 * slot + o, HEAD]
                while pin >= 0:
                    reader = pin // PINS
                    waiting[reader] -= 1
                    if waiting[reader] == 0 and net.slots[reader, KIND] == LOGIC:
                        order[found] = reader
                        found += 1
                    pin = net.pins[pin, NEXT]
    for kind in (REGISTER, LOGIC):
        for k in range(found):
            if net.slots[order[k], KIND] == kind:
                _time_slot(cells, net, order[k], -1.0)
                net.counts[WAVES] = net.counts[ENDS] = 0
                net.counts[STAMP] += 1
    longest = 0.0
    for slot in range(count):
        if net.slots[slot, KIND] in (REGISTER, OUTPUT):
            net.ends[slot] = _end_delay(cells, net, slot)
            net.sums[PENALTY] += _cost(net, net.ends[slot])
            longest = max(longest, net.ends[slot])
    empty_queue(net)
    begin(net)
    _weigh(net, order, found)
    return longest


@compiled
def _weigh(net: NetlistArrays, order: Indices, count: int) -> None:
    """Weights of nets: what is lost at late ends, carried back to what makes them late."""
    net.waves[:, WEIGHT] = 0.0
    for ends in (True, False):
        for k in range(count - 1, -1, -1):
            slot = order[k]
            kind = net.slots[slot, KIND]
            if ends != (kind in (REGISTER, OUTPUT)) or kind not in (LOGIC, REGISTER, OUTPUT):
                continue
            weight = net.waves[2 * slot, WEIGHT] + net.waves[2 * slot + 1, WEIGHT]
            if ends:
                excess = net.ends[slot] - net.sums[TARGET]
                weight = net.sums[PRICE] * (1 + 2 * _STEEP * excess) if excess > 0 else 0.0
            latest = NEVER
            for p in range(PINS if weight > 0 else 0):
                wire = net.slots[slot, FANIN + p]
                if wire >= 0:
                    latest = max(latest, net.waves[wire, ARRIVAL], net.waves[wire, ARRIVAL + 1])
            for p in range(PINS if weight > 0 else 0):
                wire = net.slots[slot, FANIN + p]
                if wire >= 0 and max(net.waves[wire, ARRIVAL], net.waves[wire, ARRIVAL + 1]) > latest - _ALIKE_NS:
                    net.waves[wire, WEIGHT] += weight
