"""Compiled moves on a mapped netlist, none of which changes a function, and their annealing.

*Size*: another cell of the family. *Window*: up to three gates with up to four leaves become another structure of the
same function, or of its inverse where all readers can take that; *wide window*: up to four gates with five or six
leaves become one or two cells. *Reader*: a pin moves to a net that is the same one or
its inverse behind buffers, inverters or the other output of a register. *Buffer*, *clone*: some readers of a net get a
buffer or a copy of its gate. *Bypass*: a buffer or inverter goes. *Merge*: of two gates with the same inputs one goes.

A move that costs more than it wins is taken back, but for a little noise. Which nets are worth speed is known from
their weights, which the last `refresh` gave; where none is, nothing larger is tried.
"""

from __future__ import annotations

import math

import numpy as np

from aesmith.flow.rewiring.cell_arrays import PINS, CellArrays, Floats
from aesmith.flow.rewiring.edit_kernel import (
    AREA,
    BROKEN,
    EDITS,
    FANIN,
    FIXED,
    FREE,
    HEAD,
    INPUT,
    KIND,
    LOGIC,
    NEXT,
    NOTHING,
    PENALTY,
    READERS,
    REGISTER,
    VARIANT,
    WEIGHT,
    NetlistArrays,
    attach,
    begin,
    below,
    commit,
    draw,
    exchange,
    family_of,
    is_gate,
    make,
    move,
    overloaded,
    small_variant,
    sweep,
    takes_inverse,
    undo,
    want_inverse,
)
from aesmith.flow.rewiring.structures import StructureArrays, WideArrays
from aesmith.flow.rewiring.timing_kernel import propagate
from aesmith.flow.rewiring.windows import try_wide_window, try_window
from aesmith.lazy import compiled, compiled_with_arrays

WIDE = "wide window"
MOVES = ("size", "window", WIDE, "reader", "buffer", "clone", "bypass", "merge")
_SIZE, _WINDOW, _WIDE, _READER, _BUFFER, _CLONE, _BYPASS, _MERGE = range(len(MOVES))
SHARES = dict(zip(MOVES, (27, 45, 20, 12, 5, 3, 5, 3), strict=True))
"""How often each is drawn, beside those that are drawn with it."""
_LEAST_FREE = 32


@compiled
def _try_size(cells: CellArrays, net: NetlistArrays, slot: int) -> bool:
    if net.slots[slot, KIND] not in (LOGIC, REGISTER) or net.slots[slot, FIXED]:
        return False
    family = family_of(cells, net, slot)
    first, count = cells.member_first[family], cells.member_first[family + 1] - cells.member_first[family]
    variant = cells.members[first + below(net, count)]
    if variant == net.slots[slot, VARIANT]:
        return False
    grows = cells.areas[variant] > cells.areas[net.slots[slot, VARIANT]]
    if grows and net.waves[2 * slot, WEIGHT] + net.waves[2 * slot + 1, WEIGHT] == 0.0:
        return False
    exchange(cells, net, slot, variant)
    return True


@compiled_with_arrays
def _try_reader(cells: CellArrays, net: NetlistArrays, slot: int) -> bool:
    p = below(net, PINS) if net.slots[slot, KIND] == REGISTER else below(net, 3)
    pin, wire = slot * PINS + p, net.slots[slot, FANIN + p]
    if wire < 0 or net.slots[slot, KIND] == NOTHING:
        return False
    root, parity = wire, 0
    for _ in range(8):
        driver = root >> 1
        family = family_of(cells, net, driver)
        if is_gate(net, driver) and family in (cells.buffer, cells.inverter):
            parity ^= family == cells.inverter
            root = net.slots[driver, FANIN]
    found, inverse = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    found[0], inverse[0], count, at = root, 0, 1, 0
    if net.slots[root >> 1, KIND] == REGISTER and cells.variants[net.slots[root >> 1, VARIANT], 3]:
        found[1], inverse[1], count = root ^ 1, 1, 2
    while at < count:
        reader = net.nets[found[at], HEAD]
        while reader >= 0 and count < 64:
            gate = reader // PINS
            family = family_of(cells, net, gate)
            if is_gate(net, gate) and family in (cells.buffer, cells.inverter) and gate != slot:
                found[count], inverse[count] = 2 * gate, inverse[at] ^ (family == cells.inverter)
                count += 1
            reader = net.pins[reader, NEXT]
        at += 1
    k = below(net, count)
    if found[k] == wire:
        return False
    if inverse[k] != parity:
        if not takes_inverse(cells, net, pin):
            return False
        # The pin may be another one afterwards: the net is moved first.
        move(cells, net, pin, found[k])
        want_inverse(cells, net, pin)
    else:
        move(cells, net, pin, found[k])
    sweep(cells, net, wire >> 1)
    return True


@compiled
def _try_split(cells: CellArrays, net: NetlistArrays, wire: int, clone: bool) -> bool:
    slot = wire >> 1
    if net.nets[wire, READERS] < 2 or net.waves[wire, WEIGHT] == 0.0:
        return False
    if clone:
        if not is_gate(net, slot) or cells.variants[net.slots[slot, VARIANT], 2] != 1:
            return False
        gate = make(cells, net, net.slots[slot, VARIANT])
        for p in range(cells.variants[net.slots[slot, VARIANT], 1]):
            attach(cells, net, gate * PINS + p, net.slots[slot, FANIN + p])
    elif net.slots[slot, KIND] in (LOGIC, REGISTER, INPUT):
        gate = make(cells, net, small_variant(cells, net, cells.buffer))
    else:
        return False
    net.waves[2 * gate, WEIGHT] = net.waves[wire, WEIGHT]
    share, moved = draw(net), 0
    pin = net.nets[wire, HEAD]
    while pin >= 0:
        after = net.pins[pin, NEXT]
        if draw(net) < share and net.nets[wire, READERS] > clone:
            move(cells, net, pin, 2 * gate)
            moved += 1
        pin = after
    if not clone:
        attach(cells, net, gate * PINS, wire)
    return moved > 0


@compiled
def _try_bypass(cells: CellArrays, net: NetlistArrays, slot: int) -> bool:
    family = family_of(cells, net, slot)
    if not is_gate(net, slot) or family not in (cells.buffer, cells.inverter):
        return False
    source, pin = net.slots[slot, FANIN], net.nets[2 * slot, HEAD]
    while pin >= 0:
        after = net.pins[pin, NEXT]
        if family == cells.inverter:
            if not takes_inverse(cells, net, pin):
                return False
            move(cells, net, pin, source)
            want_inverse(cells, net, pin)
        else:
            move(cells, net, pin, source)
        pin = after
    sweep(cells, net, slot)
    return True


@compiled
def _try_merge(cells: CellArrays, net: NetlistArrays, slot: int) -> bool:
    if not is_gate(net, slot):
        return False
    family = family_of(cells, net, slot)
    width = cells.variants[net.slots[slot, VARIANT], 1]
    pin = net.nets[net.slots[slot, FANIN], HEAD]
    while pin >= 0:
        other = pin // PINS
        if other != slot and is_gate(net, other) and family_of(cells, net, other) == family:
            same = True
            for p in range(width):
                same = same and net.slots[other, FANIN + p] == net.slots[slot, FANIN + p]
            crossed = width == 2 and cells.alike[family, 1] == 0
            crossed = crossed and net.slots[other, FANIN] == net.slots[slot, FANIN + 1]
            if same or (crossed and net.slots[other, FANIN + 1] == net.slots[slot, FANIN]):
                for o in range(2):
                    while net.nets[2 * other + o, HEAD] >= 0:
                        move(cells, net, net.nets[2 * other + o, HEAD], 2 * slot + o)
                sweep(cells, net, other)
                return True
        pin = net.pins[pin, NEXT]
    return False


@compiled
def anneal(  # noqa: PLR0917 - compiled code takes no keyword arguments
    cells: CellArrays,
    table: StructureArrays,
    wide: WideArrays,
    net: NetlistArrays,
    moves: int,
    start: float,
    end: float,
    step: float,
    factor: float,
    shares: Floats,
    tally: Floats,
) -> None:
    """Try moves, the noise falling from `start` to `end` (GE); `tally[move]` counts those tried, those that won, and
    what these won (GE). Changes of less than `step` ns are not followed; no load becomes more than `factor` times its
    limit. `shares[move]` is the part of moves that are of this kind or one before it."""
    used = net.slots.shape[0]
    tried = 0
    while tried < moves:
        slot = below(net, used)
        kind = net.slots[slot, KIND]
        if kind == NOTHING or net.counts[FREE] < _LEAST_FREE:
            tried += net.counts[FREE] < _LEAST_FREE
            continue
        noise = start * (end / start) ** (tried / moves)
        tried += 1
        begin(net)
        area, penalty = net.sums[AREA], net.sums[PENALTY]
        dice = draw(net)
        if dice < shares[_SIZE]:
            what, done = _SIZE, _try_size(cells, net, slot)
        elif dice < shares[_WINDOW]:
            what, done = _WINDOW, try_window(cells, table, net, slot, noise)
        elif dice < shares[_WIDE]:
            what, done = _WIDE, try_wide_window(cells, wide, net, slot, noise)
        elif dice < shares[_READER]:
            what, done = _READER, _try_reader(cells, net, slot)
        elif dice < shares[_BUFFER]:
            side = kind == REGISTER and draw(net) < 0.5
            what, done = _BUFFER, _try_split(cells, net, 2 * slot + side, False)
        elif dice < shares[_CLONE]:
            what, done = _CLONE, _try_split(cells, net, 2 * slot, True)
        elif dice < shares[_BYPASS]:
            what, done = _BYPASS, _try_bypass(cells, net, slot)
        else:
            what, done = _MERGE, _try_merge(cells, net, slot)
        tally[what, 0] += 1
        if net.counts[EDITS] == 0:
            continue
        if done and net.counts[BROKEN] == 0 and not overloaded(cells, net, factor):
            propagate(cells, net, step)
            worse = net.sums[AREA] + net.sums[PENALTY] - area - penalty
            if worse <= 0 or draw(net) < math.exp(-worse / noise):
                if worse < -1e-9:
                    tally[what, 1] += 1
                    tally[what, 2] -= worse
                commit(net)
                continue
        undo(cells, net, area, penalty)


@compiled
def recover(cells: CellArrays, net: NetlistArrays, factor: float) -> float:
    """Give every gate and register in turn the smallest cell that does not cost more than it saves; the GE saved."""
    before = net.sums[AREA]
    for slot in range(net.slots.shape[0]):
        if net.slots[slot, KIND] not in (LOGIC, REGISTER) or net.slots[slot, FIXED]:
            continue
        for k in range(cells.member_first[family_of(cells, net, slot)], net.slots.shape[0]):
            variant = cells.members[k]
            if cells.areas[variant] >= cells.areas[net.slots[slot, VARIANT]]:
                break
            begin(net)
            area, penalty = net.sums[AREA], net.sums[PENALTY]
            exchange(cells, net, slot, variant)
            if not overloaded(cells, net, factor):
                propagate(cells, net, 0.0)
                if net.sums[AREA] + net.sums[PENALTY] < area + penalty - 1e-9:
                    commit(net)
                    break
            undo(cells, net, area, penalty)
    return float(before - net.sums[AREA])
