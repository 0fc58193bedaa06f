"""Compiled passes over a timing graph whose gates may change size: arrivals, required times, what a larger gate gains.

All arrays are those of `aesmith.flow.sizing`; a node is a net edge, an edge of the graph one timing arc for one pair of
signal edges, edges sorted by level and target as in `aesmith.timing.graph`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from aesmith.lazy import compiled, compiled_with_arrays

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@compiled
def _look_up(  # noqa: PLR0917 - compiled code takes no keyword arguments
    row_axes: Floats,
    column_axes: Floats,
    values: Floats,
    row_sizes: Indices,
    column_sizes: Indices,
    table: int,
    row: float,
    column: float,
) -> float:
    """The value of a table, bilinear and extended beyond its edges, as in `aesmith.timing.graph`."""
    i = 0
    while i < row_sizes[table] - 2 and row_axes[table, i + 1] <= row:
        i += 1
    j = 0
    while j < column_sizes[table] - 2 and column_axes[table, j + 1] <= column:
        j += 1
    x = (row - row_axes[table, i]) / (row_axes[table, i + 1] - row_axes[table, i])
    y = (column - column_axes[table, j]) / (column_axes[table, j + 1] - column_axes[table, j])
    low = values[table, i, j] * (1 - y) + values[table, i, j + 1] * y
    high = values[table, i + 1, j] * (1 - y) + values[table, i + 1, j + 1] * y
    return float(low * (1 - x) + high * x)


@compiled_with_arrays
def forward(  # noqa: PLR0917 - compiled code takes no keyword arguments
    row_axes: Floats,
    column_axes: Floats,
    values: Floats,
    row_sizes: Indices,
    column_sizes: Indices,
    source: Indices,
    target: Indices,
    delay_table: Indices,
    slew_table: Indices,
    load: Floats,
    wire: Floats,
    widening: Floats,
    start_slew: Floats,
    start_arrival: Floats,
    slew: Floats,
    arrival: Floats,
    delay: Floats,
    worst_in: Indices,
) -> None:
    """Slews, delays and latest arrivals; `worst_in[node]` becomes the edge that arrives last, -1 at a start.

    `wire` is the delay before each edge (ns), `widening` what the square of the transition grows by on that way.
    """
    slew[:] = start_slew
    arrival[:] = start_arrival
    worst_in[:] = -1
    for e in range(source.size):
        s, t = source[e], target[e]
        here = slew[s]
        if widening[e] > 0:
            here = math.sqrt(here * here + widening[e])
        delay[e] = _look_up(row_axes, column_axes, values, row_sizes, column_sizes, delay_table[e], here, load[t])
        out = _look_up(row_axes, column_axes, values, row_sizes, column_sizes, slew_table[e], here, load[t])
        slew[t] = max(slew[t], out)
        at = arrival[s] + delay[e] + wire[e]
        if at > arrival[t]:
            arrival[t] = at
            worst_in[t] = e


@compiled_with_arrays
def backward(  # noqa: PLR0917 - compiled code takes no keyword arguments
    source: Indices,
    target: Indices,
    delay: Floats,
    wire: Floats,
    end: Floats,
    required: Floats,
    worst_out: Indices,
) -> None:
    """Required times from those of the ends; `worst_out[node]` becomes the edge that needs it first, -1 at an end."""
    required[:] = end
    worst_out[:] = -1
    for e in range(source.size - 1, -1, -1):
        need = required[target[e]] - delay[e] - wire[e]
        if need < required[source[e]]:
            required[source[e]] = need
            worst_out[source[e]] = e


@compiled
def gains(  # noqa: PLR0917 - compiled code takes no keyword arguments
    row_axes: Floats,
    column_axes: Floats,
    values: Floats,
    row_sizes: Indices,
    column_sizes: Indices,
    source: Indices,
    target: Indices,
    slot: Indices,
    delay_table: Indices,
    slew_table: Indices,
    load: Floats,
    slew: Floats,
    arrival: Floats,
    delay: Floats,
    wire: Floats,
    required: Floats,
    worst_in: Indices,
    worst_out: Indices,
    window: float,
    first_edge: Indices,
    edges: Indices,
    variant: Indices,
    larger: Indices,
    table_base: Indices,
    delay_of: Indices,
    slew_of: Indices,
    first_pin: Indices,
    pin_net: Indices,
    capacitance_base: Indices,
    capacitance: Floats,
    areas: Floats,
    result: Floats,
    choice: Indices,
) -> None:
    """For each instance: the larger size that shortens its most critical path most for its area, and by how much (ns).

    `choice` is -1 where no larger size helps. The gate's own delay, the slew that the next gate sees, and the load that
    the gates before it see are each looked up at their new value; the sum is first order in the last two.
    """
    for i in range(variant.size):
        result[i] = 0.0
        choice[i] = -1
        worst, least = -1, window
        for k in range(first_edge[i], first_edge[i + 1]):
            e = edges[k]
            slack = required[target[e]] - delay[e] - wire[e] - arrival[source[e]]
            if slack < least:
                worst, least = e, slack
        if worst < 0:
            continue
        s, t = source[worst], target[worst]
        following = worst_out[t]
        old_slew = _look_up(row_axes, column_axes, values, row_sizes, column_sizes, slew_table[worst], slew[s], load[t])
        best = 0.0
        up = larger[variant[i]]
        while up >= 0:
            place = table_base[up] + slot[worst]
            gain = delay[worst] - _look_up(
                row_axes, column_axes, values, row_sizes, column_sizes, delay_of[place], slew[s], load[t]
            )
            if following >= 0:
                new_slew = _look_up(
                    row_axes, column_axes, values, row_sizes, column_sizes, slew_of[place], slew[s], load[t]
                )
                there = load[target[following]]
                table = delay_table[following]
                gain += _look_up(row_axes, column_axes, values, row_sizes, column_sizes, table, old_slew, there)
                gain -= _look_up(row_axes, column_axes, values, row_sizes, column_sizes, table, new_slew, there)
            for p in range(first_pin[i], first_pin[i + 1]):
                pin = p - first_pin[i]
                loss = 0.0
                for edge in range(2):
                    node = 2 * pin_net[p] + edge
                    before = worst_in[node]
                    if before < 0 or required[node] - arrival[node] >= window:
                        continue
                    more = (
                        capacitance[capacitance_base[up] + 2 * pin + edge]
                        - capacitance[capacitance_base[variant[i]] + 2 * pin + edge]
                    )
                    at = slew[source[before]]
                    table = delay_table[before]
                    now = _look_up(row_axes, column_axes, values, row_sizes, column_sizes, table, at, load[node])
                    then = _look_up(
                        row_axes, column_axes, values, row_sizes, column_sizes, table, at, load[node] + more
                    )
                    loss = max(loss, then - now)
                gain -= loss
            cost = max(areas[up] - areas[variant[i]], 1e-9)
            if gain > 0 and gain / cost > best:
                best = gain / cost
                result[i] = gain
                choice[i] = up
            up = larger[up]
