"""Compiled edits of a netlist: pins attached and detached, cells exchanged, made and removed, and all of it undone.

Every edit is written down, and so is every figure that changes with it, until `commit` or `undo`. A gate's level is
above those of all that drive it, with gaps, so that a new gate seldom moves others. What an edit may make later or
earlier is put in a queue by level; `aesmith.flow.rewiring.timing_kernel` works it off.

A *slot* is a place for a gate, register, port bit or constant; its outputs are the nets 2·slot and 2·slot + 1, its pins
PINS·slot + p. Times are in ns, loads in fF.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aesmith.flow.rewiring.cell_arrays import PINS, CellArrays
from aesmith.lazy import compiled, compiled_with_arrays

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Words = NDArray[np.uint64]

NOTHING, LOGIC, REGISTER, OUTPUT, INPUT, CONSTANT = range(6)
"""Kinds of slots. A register is any cell that ends paths; what is NOTHING is free."""

KIND, VARIANT, LEVEL, QUEUE_NEXT, QUEUED, WAVE_STAMP, END_STAMP, FIXED, FANIN = range(9)
"""Columns of `slots`; the nets on the pins follow from FANIN on. FIXED slots keep their cell."""
HEAD, READERS = range(2)
"""Columns of `nets`: the first pin that reads it, and how many do."""
NEXT, PREVIOUS = range(2)
"""Columns of `pins`: a list for each net."""
ARRIVAL, SLEW, LOAD, WEIGHT = 0, 2, 4, 6
"""Columns of `waves`, all but the last with one for a rising and one for a falling edge; a weight is what a ns less is
worth (GE)."""
FREE, EDITS, WAVES, ENDS, STAMP, TOP, BROKEN, SPAN = range(8)
"""Places of `counts`."""
AREA, PENALTY, TARGET, PRICE = range(4)
"""Places of `sums`: GE, GE, ns, and GE for each ns and end."""

ATTACHED, DETACHED, EXCHANGED, MADE, REMOVED, RAISED = range(6)
"""Kinds of edits."""

NEVER = -1e9
_GAP = 4
_ARRIVAL_STEP = 2e-5
_STEEP = 10.0


class NetlistArrays(NamedTuple):
    """A netlist whose cells may be exchanged; figures are those of the last `propagate` or `refresh`.

    `ends[slot]` is the delay to a port, or to a register with its setup time; `queue[level]` the first slot to
    be timed.
    """

    slots: Indices
    nets: Indices
    pins: Indices
    waves: Floats
    ends: Floats
    queue: Indices
    counts: Indices
    sums: Floats
    free: Indices
    edits: Indices
    old_waves: Floats
    old_wave_slots: Indices
    old_ends: Floats
    old_end_slots: Indices
    random: Words


@compiled
def next_word(random: Words) -> np.uint64:
    """64 random bits, by the state in `random[0]`, which goes on (SplitMix64: Steele, Lea and Flood, OOPSLA 2014)."""
    state = random[0] + np.uint64(0x9E3779B97F4A7C15)
    random[0] = state
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.uint64(z ^ (z >> np.uint64(31)))


@compiled
def draw(net: NetlistArrays) -> float:
    """A number from 0 to 1, below 1."""
    return float((next_word(net.random) >> np.uint64(11)) * (1.0 / 9007199254740992.0))


@compiled
def below(net: NetlistArrays, count: int) -> int:
    """A whole number from 0 to count - 1."""
    return int(draw(net) * count)


@compiled
def push(net: NetlistArrays, slot: int) -> None:
    """The slot's outputs are to be timed."""
    if net.slots[slot, QUEUED] == 0:
        level = net.slots[slot, LEVEL]
        net.slots[slot, QUEUED] = 1
        net.slots[slot, QUEUE_NEXT] = net.queue[level]
        net.queue[level] = slot
        net.counts[TOP] = max(net.counts[TOP], level)


@compiled
def push_driver(net: NetlistArrays, wire: int) -> None:
    """The driver of a net is to be timed, since its load changed."""
    kind = net.slots[wire >> 1, KIND]
    if kind in (LOGIC, REGISTER):
        push(net, wire >> 1)


@compiled
def _write(net: NetlistArrays, what: int, place: int, value: int) -> None:
    k = net.counts[EDITS]
    if k >= net.edits.shape[0] - 1:
        net.counts[BROKEN] = 1
    else:
        net.edits[k, 0], net.edits[k, 1], net.edits[k, 2] = what, place, value
        net.counts[EDITS] = k + 1


@compiled_with_arrays
def _raise(net: NetlistArrays, slot: int, level: int, source: int) -> None:
    """Put a gate at least on a level, and its readers above it; BROKEN if it comes by `source`, which drives it."""
    pending = np.empty(256, dtype=np.int64)
    levels = np.empty(256, dtype=np.int64)
    pending[0], levels[0], count = slot, level, 1
    while count > 0:
        count -= 1
        at, least = pending[count], levels[count]
        if net.slots[at, KIND] != LOGIC or net.slots[at, LEVEL] >= least:
            continue
        if at == source or least >= net.queue.size:
            net.counts[BROKEN] = 1
            return
        _write(net, RAISED, at, net.slots[at, LEVEL])
        if net.counts[BROKEN]:
            return
        net.slots[at, LEVEL] = least
        for o in range(2):
            pin = net.nets[2 * at + o, HEAD]
            while pin >= 0:
                if count >= 250:
                    net.counts[BROKEN] = 1
                    return
                pending[count], levels[count] = pin // PINS, least + 1
                count += 1
                pin = net.pins[pin, NEXT]


@compiled
def _join(cells: CellArrays, net: NetlistArrays, pin: int, wire: int) -> None:
    slot, p = pin // PINS, pin % PINS
    net.slots[slot, FANIN + p] = wire
    head = net.nets[wire, HEAD]
    net.pins[pin, NEXT], net.pins[pin, PREVIOUS] = head, -1
    if head >= 0:
        net.pins[head, PREVIOUS] = pin
    net.nets[wire, HEAD] = pin
    net.nets[wire, READERS] += 1
    variant = net.slots[slot, VARIANT]
    net.waves[wire, LOAD] += cells.capacitance[variant, 2 * p]
    net.waves[wire, LOAD + 1] += cells.capacitance[variant, 2 * p + 1]


@compiled
def _part(cells: CellArrays, net: NetlistArrays, pin: int) -> None:
    slot, p = pin // PINS, pin % PINS
    wire = net.slots[slot, FANIN + p]
    before, after = net.pins[pin, PREVIOUS], net.pins[pin, NEXT]
    if before >= 0:
        net.pins[before, NEXT] = after
    else:
        net.nets[wire, HEAD] = after
    if after >= 0:
        net.pins[after, PREVIOUS] = before
    net.nets[wire, READERS] -= 1
    net.slots[slot, FANIN + p] = -1
    variant = net.slots[slot, VARIANT]
    net.waves[wire, LOAD] -= cells.capacitance[variant, 2 * p]
    net.waves[wire, LOAD + 1] -= cells.capacitance[variant, 2 * p + 1]


@compiled
def attach(cells: CellArrays, net: NetlistArrays, pin: int, wire: int) -> None:
    """Put a pin that is on no net on one. BROKEN if that would make a loop."""
    _join(cells, net, pin, wire)
    _write(net, ATTACHED, pin, wire)
    slot = pin // PINS
    push_driver(net, wire)
    if net.slots[slot, KIND] == LOGIC:
        if net.slots[wire >> 1, KIND] == LOGIC and net.slots[wire >> 1, LEVEL] >= net.slots[slot, LEVEL]:
            _raise(net, slot, net.slots[wire >> 1, LEVEL] + 1, wire >> 1)
        push(net, slot)


@compiled
def detach(cells: CellArrays, net: NetlistArrays, pin: int) -> None:
    """Take a pin off its net."""
    wire = net.slots[pin // PINS, FANIN + pin % PINS]
    _part(cells, net, pin)
    _write(net, DETACHED, pin, wire)
    push_driver(net, wire)


@compiled
def move(cells: CellArrays, net: NetlistArrays, pin: int, wire: int) -> None:
    """Take a pin from its net to another."""
    detach(cells, net, pin)
    attach(cells, net, pin, wire)


@compiled
def _become(cells: CellArrays, net: NetlistArrays, slot: int, variant: int) -> None:
    old = net.slots[slot, VARIANT]
    for p in range(PINS):
        wire = net.slots[slot, FANIN + p]
        if wire >= 0:
            for edge in range(2):
                net.waves[wire, LOAD + edge] += (
                    cells.capacitance[variant, 2 * p + edge] - cells.capacitance[old, 2 * p + edge]
                )
    net.sums[AREA] += cells.areas[variant] - cells.areas[old]
    net.slots[slot, VARIANT] = variant


@compiled
def exchange(cells: CellArrays, net: NetlistArrays, slot: int, variant: int) -> None:
    """Give a gate or register another cell; its pins keep their nets."""
    _write(net, EXCHANGED, slot, net.slots[slot, VARIANT])
    for p in range(PINS):
        if net.slots[slot, FANIN + p] >= 0:
            push_driver(net, net.slots[slot, FANIN + p])
    _become(cells, net, slot, variant)
    push(net, slot)


@compiled
def make(cells: CellArrays, net: NetlistArrays, variant: int) -> int:
    """A new gate, its pins on no nets. There must be room: `counts[FREE]`."""
    net.counts[FREE] -= 1
    slot = int(net.free[net.counts[FREE]])
    net.slots[slot, KIND], net.slots[slot, VARIANT], net.slots[slot, LEVEL] = LOGIC, variant, 1
    net.sums[AREA] += cells.areas[variant]
    for o in range(2):
        for edge in range(2):
            net.waves[2 * slot + o, ARRIVAL + edge] = NEVER
            net.waves[2 * slot + o, SLEW + edge] = 0.0
            net.waves[2 * slot + o, LOAD + edge] = 0.0
    _write(net, MADE, slot, 0)
    push(net, slot)
    return slot


@compiled_with_arrays
def sweep(cells: CellArrays, net: NetlistArrays, slot: int) -> None:
    """Remove a gate that nobody reads, and then what only it read."""
    pending = np.empty(64, dtype=np.int64)
    pending[0], count = slot, 1
    while count > 0:
        count -= 1
        at = pending[count]
        unread = net.nets[2 * at, READERS] == 0 and net.nets[2 * at + 1, READERS] == 0
        if net.slots[at, KIND] != LOGIC or net.slots[at, FIXED] or not unread:
            continue
        for p in range(PINS):
            wire = net.slots[at, FANIN + p]
            if wire >= 0:
                detach(cells, net, at * PINS + p)
                if count < 60:
                    pending[count] = wire >> 1
                    count += 1
        net.slots[at, KIND] = NOTHING
        net.sums[AREA] -= cells.areas[net.slots[at, VARIANT]]
        _write(net, REMOVED, at, 0)


@compiled
def empty_queue(net: NetlistArrays) -> None:
    """Nothing is to be timed."""
    for level in range(net.counts[TOP] + 1):
        while net.queue[level] >= 0:
            slot = net.queue[level]
            net.queue[level] = net.slots[slot, QUEUE_NEXT]
            net.slots[slot, QUEUED] = 0
    net.counts[TOP] = 0


@compiled
def begin(net: NetlistArrays) -> None:
    """Edits from here on may be undone."""
    net.counts[EDITS] = net.counts[WAVES] = net.counts[ENDS] = net.counts[BROKEN] = 0
    net.counts[STAMP] += 1


@compiled
def commit(net: NetlistArrays) -> None:
    """Keep the edits since `begin`."""
    for k in range(net.counts[EDITS]):
        if net.edits[k, 0] == REMOVED and net.slots[net.edits[k, 1], KIND] == NOTHING:
            net.free[net.counts[FREE]] = net.edits[k, 1]
            net.counts[FREE] += 1


@compiled
def undo(cells: CellArrays, net: NetlistArrays, area: float, penalty: float) -> None:
    """Take back the edits since `begin`, when these were the sums."""
    empty_queue(net)
    for k in range(net.counts[EDITS] - 1, -1, -1):
        what, place, value = net.edits[k, 0], net.edits[k, 1], net.edits[k, 2]
        if what == DETACHED:
            _join(cells, net, place, value)
        elif what == ATTACHED:
            _part(cells, net, place)
        elif what == EXCHANGED:
            _become(cells, net, place, value)
        elif what == MADE:
            net.slots[place, KIND] = NOTHING
            net.free[net.counts[FREE]] = place
            net.counts[FREE] += 1
        elif what == REMOVED:
            net.slots[place, KIND] = LOGIC
        else:
            net.slots[place, LEVEL] = value
    for k in range(net.counts[WAVES] - 1, -1, -1):
        slot = net.old_wave_slots[k]
        for c in range(4):
            net.waves[2 * slot, c], net.waves[2 * slot + 1, c] = net.old_waves[k, c], net.old_waves[k, 4 + c]
    for k in range(net.counts[ENDS]):
        net.ends[net.old_end_slots[k]] = net.old_ends[k]
    net.sums[AREA], net.sums[PENALTY] = area, penalty


@compiled
def family_of(cells: CellArrays, net: NetlistArrays, slot: int) -> int:
    return int(cells.variants[net.slots[slot, VARIANT], 0])


@compiled
def is_gate(net: NetlistArrays, slot: int) -> bool:
    return bool(net.slots[slot, KIND] == LOGIC and net.slots[slot, FIXED] == 0)


@compiled
def overloaded(cells: CellArrays, net: NetlistArrays, factor: float) -> bool:
    """Whether an edit left a cell with more load than `factor` times its limit."""
    for k in range(net.counts[EDITS]):
        what, place = net.edits[k, 0], net.edits[k, 1]
        if what in (EXCHANGED, ATTACHED):
            slot = place if what == EXCHANGED else net.edits[k, 2] >> 1
            if net.slots[slot, KIND] in (LOGIC, REGISTER):
                for o in range(2):
                    load = max(net.waves[2 * slot + o, LOAD], net.waves[2 * slot + o, LOAD + 1])
                    if load > factor * cells.limit[net.slots[slot, VARIANT], o]:
                        return True
    return False


@compiled
def variant_alike(cells: CellArrays, net: NetlistArrays, slot: int, family: int) -> int:
    """The variant of a family that stands where the slot's cell stands in its own."""
    own = cells.variants[net.slots[slot, VARIANT], 0]
    place = 0
    while cells.members[cells.member_first[own] + place] != net.slots[slot, VARIANT]:
        place += 1
    last = cells.member_first[family + 1] - cells.member_first[family] - 1
    return int(cells.members[cells.member_first[family] + min(place, last)])


@compiled
def small_variant(cells: CellArrays, net: NetlistArrays, family: int) -> int:
    """The smallest variant of a family; now and then the next larger one."""
    first = cells.member_first[family]
    more = cells.member_first[family + 1] - first > 1 and draw(net) < 0.15
    return int(cells.members[first + more])


@compiled
def _reads_twice(net: NetlistArrays, slot: int, wire: int) -> bool:
    found = 0
    for p in range(PINS):
        found += net.slots[slot, FANIN + p] == wire
    return found > 1


@compiled
def takes_inverse(cells: CellArrays, net: NetlistArrays, pin: int) -> bool:
    """Whether the reader at a pin can become one that wants the pin's inverse."""
    slot = pin // PINS
    if not is_gate(net, slot) or _reads_twice(net, slot, net.slots[slot, FANIN + pin % PINS]):
        return False
    return bool(cells.twin[family_of(cells, net, slot), 1 + pin % PINS] >= 0)


@compiled_with_arrays
def want_inverse(cells: CellArrays, net: NetlistArrays, pin: int) -> None:
    """Make the reader at a pin one that wants the pin's inverse; the nets stay where they are."""
    slot, family = pin // PINS, family_of(cells, net, pin // PINS)
    twin, order = cells.twin[family, 1 + pin % PINS], cells.twin_pins[family, 1 + pin % PINS]
    count = cells.variants[net.slots[slot, VARIANT], 1]
    variant = variant_alike(cells, net, slot, twin)
    wires = np.empty(PINS, dtype=np.int64)
    same = True
    for p in range(count):
        wires[p] = net.slots[slot, FANIN + p]
        same = same and order[p] == p
    if not same:
        for p in range(count):
            detach(cells, net, slot * PINS + p)
    exchange(cells, net, slot, variant)
    if not same:
        for p in range(count):
            attach(cells, net, slot * PINS + p, wires[order[p]])
