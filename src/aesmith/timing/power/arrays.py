"""The arrays that the compiled simulation works on: a netlist's program, and the state of a run.

What the simulation needs of one gate, or of one net, lies together: it spends its time waiting for memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Shorts = NDArray[np.int32]
Flags = NDArray[np.bool_]

VALUE, CHANGE, TARGET, BEFORE = range(4)
"""Columns of `Run.word`: the lanes of a net now; those that have changed in this tick; what its gate has it going to;
what it was at the start of the clock period."""

OUT, CODE, VARIABLES, LITERALS, KIND, FIRST_FOLLOWER, LAST_FOLLOWER = range(7)
OUTPUT_CLASSES, COUNTS, INPUT_CLASSES, INPUT_COUNTS, WEIGHT = range(7, 12)
GATE_COLUMNS = 12
"""Columns of `Program.gate`, see there."""
PARITY, INVERTED, BY_STATE = 1, 2, 4
"""Flags in the column KIND."""

TIME, PENDING, FREE, DIRTY, CHANGED = range(5)
"""Indices in `Run.numbers`: the time in ticks, number of events under way, first free event, lengths of two lists."""
ALL_LANES = np.uint64(0xFFFFFFFFFFFFFFFF)
LANES = 64


class Program(NamedTuple):
    """A netlist as flat arrays. A *gate* computes one net from the variables of one cell (see `cell_model`).

    `gate[g]`: OUT the net it drives (-1: none); CODE where its part of `code` begins, VARIABLES and LITERALS how many
    it has; KIND; the range of `follower` with the gates to be evaluated when OUT changes. Transitions of OUT are
    counted at COUNTS + output_class[OUTPUT_CLASSES + transition]; changes of its variables, unless INPUT_CLASSES is
    negative, at INPUT_COUNTS + input_class[INPUT_CLASSES + transition]. WEIGHT is what a transition of OUT adds to its
    lane in `Run.lane_weights`.

    `code` holds, gate by gate: the nets of its variables; delay << 4 | variable for rising outputs, shortest delay
    first (in ticks); the same for falling ones; and its literals: net << 2 | inverted << 1 | last of its product. The
    output is the OR of the products, or (PARITY) the XOR of the literals; then inverted if INVERTED.

    `net_follower[n]` is the range of `follower` for net n. Flip-flop f: gate `register[f]` has its state as OUT and
    computes what clear and preset leave of it; gate `next_state[f]` computes the state after a clock edge. The
    variables of instance i are `instance_net[instance_base[i]:instance_base[i+1]]`, and its states are counted from
    `state_base[i]`. `sweep` lists the gates in an order in which all settles at once.
    """

    gate: Shorts
    code: Shorts
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

    `word[n]` are the words of net n (VALUE, ...). `head[t & mask]` is the first event at time t; an event is lanes
    (`event_lanes`) of a gate and the variable that caused it (`event_source` = gate << 4 | variable) and the next event
    (`event_next`). `dirty` lists gates to be evaluated, `changed` nets with a CHANGE.
    `counts`, `input_counts`, `net_counts` (nets that no gate drives), `functional` (per gate, net change over a clock
    period) and `states` count what happened in counted lanes. `lane_weights` has, lane by lane, the sum of the weights
    of the transitions: bit l of word b is bit b of the sum of lane l.
    """

    word: Words
    head: Shorts
    event_source: Shorts
    event_next: Shorts
    event_lanes: Words
    dirty: Shorts
    is_dirty: Flags
    changed: Shorts
    counts: Ints
    input_counts: Ints
    net_counts: Ints
    functional: Ints
    states: Ints
    lane_weights: Words
    numbers: Ints


@dataclass(frozen=True, eq=False)
class Drive:
    """Input nets set to words (a lane a bit) at a time in ticks."""

    time: int
    nets: Ints
    words: Words
