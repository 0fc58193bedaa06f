"""The arrays that the compiled simulation works on: a netlist's program, and the state of a run.

What the simulation needs of one gate lies together: it spends its time waiting for memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Shorts = NDArray[np.int32]
Longs = NDArray[np.uint32]
Halves = NDArray[np.uint16]
Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]

OUT, VARIABLES, TABLE, DELAYS, FIRST_FOLLOWER, LAST_FOLLOWER = range(6)
OUTPUT_CLASSES, COUNTS, INPUT_CLASSES, INPUT_COUNTS, WEIGHT = range(6, 11)
NETS, LITERALS, LAST_LITERAL, KIND = range(11, 15)
GATE_COLUMNS = 16
"""Columns of `Program.gate`, see there; one is spare, for rows of 64 bytes."""
PARITY, INVERTED = 1, 2
"""Flags in the column KIND."""

OUTPUT, TARGET = 1 << 8, 1 << 9
"""Bits of `Run.state` above those of the variables."""
EVALUATED = 1 << 8
"""Bit of `Program.follower`: the gate is to be evaluated, not only to know."""
NO_EVENT = 0xFFFFFFFF
"""The event that follows the last one."""

TIME, PENDING, FREE, DIRTY, CHANGED, LANE, LANE_TIME = range(7)
"""Indices in `Run.numbers`: the time in ticks, number of events under way, first free event, lengths of two lists;
where an advance was interrupted, the lane, and its time (-1: not begun)."""
ALL_LANES = np.uint64(0xFFFFFFFFFFFFFFFF)
LANES = 64


class Program(NamedTuple):
    """A netlist as flat arrays. A *gate* computes one net from the variables of one cell (see `cell_model`).

    `gate[g]` has OUT, the net it drives (-1: none), and VARIABLES, how many it has. Its value in a state is
    table[TABLE + state]. A transition to edge e caused by variable k comes after delay[DELAYS + e * VARIABLES + k]
    ticks. follower[FIRST_FOLLOWER:LAST_FOLLOWER] are those of OUT: gate << 9 | EVALUATED | mask of its variables.
    Transitions of OUT are counted at COUNTS + output_class[OUTPUT_CLASSES + transition]; changes of the variables,
    unless INPUT_CLASSES is negative, at INPUT_COUNTS + input_class[INPUT_CLASSES + transition]. A transition of OUT
    adds WEIGHT to its lane in `Run.lane_weights`.

    For 64 lanes at a time: code[NETS:NETS+VARIABLES] are the nets of the variables, code[LITERALS:LAST_LITERAL] its
    literals, net << 2 | inverted << 1 | last of its product. The value is the OR of the products, or (PARITY in KIND)
    the XOR of the literals; then inverted if INVERTED.

    `net_follower[n]` is the range of `follower` for net n. Flip-flop f: gate `register[f]` has its state as OUT and
    computes what clear and preset leave of it; gate `next_state[f]` computes the state after a clock edge. The
    variables of instance i are `instance_net[instance_base[i]:instance_base[i+1]]`, and its states are counted from
    `state_base[i]`. `sweep` lists the gates in an order in which all settles at once.
    """

    gate: Shorts
    code: Shorts
    table: Bytes
    delay: Shorts
    net_follower: Shorts
    follower: Shorts
    output_class: Shorts
    input_class: Shorts
    register: Shorts
    next_state: Shorts
    instance_base: Shorts
    instance_net: Shorts
    state_base: Shorts
    sweep: Shorts


class Run(NamedTuple):
    """State of a simulation. Bit l of a word belongs to lane l.

    Of net n, `value[n]` is what it is, `change[n]` the lanes that have been driven to change now, `before[n]` the value
    at the start of the clock period; `changed` lists the nets with a change, `dirty` the gates to be evaluated.
    `state[l, g]` are, in lane l, the variables of gate g with its OUTPUT and its TARGET, where the output is going; it
    is in use while there are delays. `head[l, t & mask]` is the first event of lane l at time t; an event is
    gate << 36 | variable that caused it << 32 | next event; `lane_pending[l]` counts those of a lane.
    `moved[g]` are the variables that have changed of a gate to be evaluated.
    `counts`, `input_counts`, `net_counts` (nets that no gate drives), `functional` (per gate, net change over a clock
    period), `states` and `lane_weights` count what happened in counted lanes.
    """

    value: Words
    change: Words
    before: Words
    state: Halves
    head: Longs
    event: Words
    lane_pending: Ints
    dirty: Shorts
    is_dirty: Flags
    changed: Shorts
    moved: Bytes
    counts: Longs
    input_counts: Longs
    net_counts: Ints
    functional: Ints
    states: Ints
    lane_weights: Ints
    numbers: Ints


@dataclass(frozen=True, eq=False)
class Drive:
    """Input nets set to words (a lane a bit) at a time in ticks."""

    time: int
    nets: Ints
    words: Words


Blocks = NDArray[np.uint8]


def to_words(blocks: Blocks) -> Words:
    """Words for the bits of a port, bit 0 first, from bytes (64, n): row l for lane l, most significant byte first."""
    bits = np.unpackbits(np.ascontiguousarray(blocks), axis=1)[:, ::-1]
    return np.packbits(bits.T, axis=1, bitorder="little").view("<u8").ravel().astype(np.uint64)


def to_blocks(words: Words) -> Blocks:
    """The inverse of `to_words`."""
    bits = np.unpackbits(words.astype("<u8").reshape(-1, 1).view(np.uint8), axis=1, bitorder="little")
    return np.packbits(bits.T[:, ::-1], axis=1)


def everywhere(level: bool) -> Words:
    """The word of a one-bit port that has the same level in all lanes."""
    return np.array([ALL_LANES if level else 0], dtype=np.uint64)


def lane_mask(lanes: NDArray[np.bool_]) -> np.uint64:
    """The word with a 1 for each of the 64 lanes that is true."""
    return np.uint64(sum(1 << lane for lane in range(LANES) if lanes[lane]))
