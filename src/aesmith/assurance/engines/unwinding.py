"""That the control of an engine is the same in any two runs that differ in data alone: where data and what control needs
share registers, no path through the netlist shows it.

Two copies of a clock have all registers in common but those of data, and all inputs but those of data. In each all
claims and lemmas hold, which have been proved. If no line of control and no register but those of data can differ in
what follows, then in no clock of two runs that begin with the same levels in all registers does a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from aesmith.assurance.engines.aiger import AndGraph, first_asserted
from aesmith.assurance.engines.induction import ASSUMED, CLAIM, DUTY, LEMMA
from aesmith.assurance.proof.netlist import Netlist


@dataclass(frozen=True)
class DataOf:
    """What is data in a netlist: nets of inputs and of registers; and nets of both that are data only in clocks in which
    the net that they are listed with is 0."""

    nets: Set[int]
    unless: Mapping[int, Sequence[int]]
    spared: Set[int] = frozenset()
    """Registers that are the same before, and may differ afterwards: what they say is all that lines may depend on."""


def data_in_control(
    netlist: Netlist, lines: Mapping[str, Iterable[int]], data: DataOf, folder: Path, timeout_s: float
) -> str:
    """The first of some lines, or of the registers that are no data, that may differ, by name; empty if none does.

    Raises GaveUp without an answer in time.
    """
    graph = AndGraph()
    shared = dict[int, int]()
    odd = {net: unless for unless, nets in data.unless.items() for net in nets}

    def copy() -> Mapping[int, int]:
        own = dict[int, int]()

        def level(net: int) -> int:
            of = own if net in data.nets or net in odd else shared
            if net not in of:
                of[net] = graph.variable()
            return of[net]

        held = {register.q: level(register.q) for register in netlist.registers}
        return graph.clock(netlist, held, level)

    one, other = copy(), copy()

    def differ(nets: Iterable[int]) -> list[int]:
        return [graph.choice(one[net], other[net], other[net] ^ 1) for net in nets]

    named = [name for name in netlist.outputs if name.startswith((CLAIM, DUTY, LEMMA))]
    given = [level[net] for level in (one, other) for name in (ASSUMED, *named) for net in netlist.outputs[name]]
    # What is no data in some clocks only is the same in these.
    given += [
        graph.conjunction(one[unless], graph.choice(one[net], other[net], other[net] ^ 1)) ^ 1
        for net, unless in odd.items()
    ]
    asked = [(name, bit) for name, nets in lines.items() for bit in differ(nets)]
    followed: dict[int, int] = {register.q: register.d for register in netlist.registers}
    for register in netlist.registers:
        if register.q in odd:
            unless = one[followed[odd[register.q]]]
            asked.append((register.name, graph.conjunction(unless, differ([register.d])[0])))
        elif register.q not in data.nets and register.q not in data.spared:
            asked.append((register.name, differ([register.d])[0]))
    kept = graph.every(given)
    outputs = [graph.conjunction(kept, bit) for _, bit in asked]
    run = first_asserted(graph, outputs, {}, folder / "timing", clocks=1, timeout_s=timeout_s)
    if run is None:
        return ""
    return next(name for (name, _), level in zip(asked, graph.levels(run[0], outputs), strict=True) if level)


def named_nets(netlist: Netlist, is_named: Callable[[str], bool]) -> set[int]:
    """The nets whose names are such, of inputs and others."""
    return {net for name, nets in {**netlist.names, **netlist.inputs}.items() if is_named(name) for net in nets}
