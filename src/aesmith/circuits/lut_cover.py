"""Covering a circuit with look-up tables of few inputs, no deeper than it must be, by enumeration of cuts.

A table (LUT) with k inputs is any function of them. Each node is given the LUT whose inputs are the least deep, of
several such the one with the least area flow (Cong and Ding, 1994; Mishchenko et al., 2007).
"""

from __future__ import annotations

from collections.abc import Mapping

from aesmith.circuits.circuit import Circuit, Op

_KEPT = 16
"""Cuts kept for each node: the best by depth, then by area flow."""


def lut_cover(circuit: Circuit, inputs: int = 4) -> Mapping[int, tuple[int, ...]]:
    """The nodes that are outputs of LUTs, ascending, each with the nodes that its LUT reads (constants left out)."""
    leaves = _best_cuts(circuit, inputs)
    wanted = [node for node in circuit.output_nodes if node >= circuit.input_width]
    cover: dict[int, tuple[int, ...]] = {}
    while wanted:
        node = wanted.pop()
        if node in cover or _is_constant(circuit, node):
            continue
        cover[node] = leaves[node]
        wanted += [leaf for leaf in leaves[node] if leaf >= circuit.input_width]
    return dict(sorted(cover.items()))


def lut_depth(circuit: Circuit, inputs: int = 4) -> int:
    """LUTs on the longest path of the cover."""
    depth: dict[int, int] = {}
    for node, leaves in lut_cover(circuit, inputs).items():
        depth[node] = 1 + max((depth.get(leaf, 0) for leaf in leaves), default=0)
    return max(depth.values(), default=0)


def _best_cuts(circuit: Circuit, inputs: int) -> list[tuple[int, ...]]:
    width = circuit.input_width
    depth, flow = [0] * width, [0.0] * width
    cuts = [[frozenset([node])] for node in range(width)]
    best: list[tuple[int, ...]] = [()] * width
    uses = circuit.fanout()
    for node, gate in enumerate(circuit.gates, width):
        if gate.op in (Op.ZERO, Op.ONE):
            found = [frozenset[int]()]
        else:
            merged = {frozenset[int]()}
            for argument in gate.args:
                merged = {one | other for one in merged for other in cuts[argument] if len(one | other) <= inputs}
            found = [cut for cut in merged if not any(other < cut for other in merged)]
        cost = {cut: (max((depth[n] for n in cut), default=-1), sum(flow[n] for n in cut), len(cut)) for cut in found}
        found.sort(key=lambda cut: (cost[cut], sorted(cut)))
        depth.append(cost[found[0]][0] + 1)
        flow.append((1 + cost[found[0]][1]) / max(1, uses[node]) if found[0] else 0.0)
        best.append(tuple(sorted(found[0])))
        cuts.append([*found[:_KEPT], *([frozenset([node])] if found[0] else [])])
    return best


def _is_constant(circuit: Circuit, node: int) -> bool:
    return circuit.gates[node - circuit.input_width].op in (Op.ZERO, Op.ONE)
