"""Resubstitution: what is there already is shared, wherever it is, and nothing that only looks equal is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aesmith.errors import CheckError
from aesmith.flow.function_graph import prove_same_function
from aesmith.flow.rewiring import resubstitution, timing_kernel
from aesmith.flow.rewiring.edit_kernel import AREA, FANIN, LEVEL
from aesmith.flow.rewiring.rewire import RESUBSTITUTION, EditableNetlist, RewiringPlan, as_json, read_arrays, rewire
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.binding import bind
from aesmith.timing.netlist import CellNetlist, cell_netlist
from aesmith.timing.static import default_conditions
from aesmith.yosys_json import parse_json

INPUTS = 20
FIRST = 10
"""The net of input 0."""


class Builder:
    """A netlist of gates on `INPUTS` inputs, in Yosys' JSON; nets are numbers."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.cells: dict[str, Any] = {}
        self.next = FIRST + INPUTS

    def gate(self, function: str, *sources: int) -> int:
        cell = self.library.smallest(function)
        assert cell is not None
        connections = {pin: [net] for pin, net in zip(cell.inputs, sources, strict=True)}
        directions = dict.fromkeys(cell.inputs, "input") | {cell.outputs[0]: "output"}
        self.cells[f"g{self.next}"] = {
            "type": cell.name,
            "parameters": {},
            "attributes": {},
            "port_directions": directions,
            "connections": connections | {cell.outputs[0]: [self.next]},
        }
        self.next += 1
        return self.next - 1

    def chain(self, function: str, sources: list[int]) -> int:
        net = sources[0]
        for source in sources[1:]:
            net = self.gate(function, net, source)
        return net

    def text(self, *outputs: int) -> str:
        ports = {
            "x": {"direction": "input", "bits": [*range(FIRST, FIRST + INPUTS)]},
            "y": {"direction": "output", "bits": [*outputs]},
        }
        module = {"attributes": {}, "ports": ports, "cells": self.cells, "netnames": {}}
        return json.dumps({"modules": {"top": module}})


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture
def builder(library: Library) -> Builder:
    return Builder(library)


def netlist_of(text: str) -> CellNetlist:
    return cell_netlist(parse_json(text).module("top"))


def arrays_of(text: str, library: Library) -> EditableNetlist:
    edited = read_arrays(bind(netlist_of(text), library), library, default_conditions(library), 1)
    timing_kernel.refresh(edited.numbers.arrays, edited.net)
    return edited


def wire_of(edited: EditableNetlist, net: int) -> int:
    """The number that a net of the builder has among the arrays' nets."""
    if net < FIRST + INPUTS:
        (port,) = edited.bound.netlist.inputs
        return edited.wires[port.nets[net - FIRST]]
    return 2 * next(slot for slot, instance in edited.instances.items() if instance.name == f"g{net}")


def resubstituted(edited: EditableNetlist) -> tuple[float, float, float]:
    tried, won, gained = resubstitution.resubstitute(edited.numbers.arrays, edited.net, 0.0, 1e9)
    return float(tried), float(won), float(gained)


def sums_apart(builder: Builder, *, alien: int | None = None, last: str = "a^b") -> tuple[str, int]:
    """x0 + x1, x1 + x2 and x2 + x3 are there, and (x0 + x4) + (x4 + x3) by itself, its `last` gate XOR or XNOR, which
    is the sum of all three; with `alien` that net is taken for the second x4, so that it is not."""
    x = [*range(FIRST, FIRST + INPUTS)]
    neighbours = [builder.gate("a^b", x[k], x[k + 1]) for k in range(3)]
    outer = builder.gate("a^b", neighbours[0], neighbours[1])
    left = builder.gate("a^b", x[0], x[4])
    right = builder.gate("a^b", x[4] if alien is None else alien, x[3])
    apart = builder.gate(last, left, right)
    return builder.text(*neighbours, outer, apart), apart


@pytest.mark.parametrize("last", ["a^b", "!(a^b)"])
def test_a_sum_of_nets_that_are_far_away_is_shared(
    last: str, builder: Builder, library: Library, tmp_path: Path
) -> None:
    text, apart = sums_apart(builder, last=last)
    edited = arrays_of(text, library)
    before = float(edited.net.sums[AREA])
    _, won, gained = resubstituted(edited)
    assert won == 1
    two_sums = 2 * edited.numbers.arrays.areas[resubstitution._sum_cells(edited.numbers.arrays)[0]]
    assert gained == pytest.approx(two_sums)
    assert before - edited.net.sums[AREA] == pytest.approx(two_sums)
    read = {int(wire) for wire in edited.net.slots[wire_of(edited, apart) >> 1, FANIN : FANIN + 2]}
    there = [*range(FIRST, FIRST + INPUTS + 4)]
    assert read <= {wire_of(edited, net) for net in there}
    after = netlist_of(as_json(edited, text, "top"))
    assert prove_same_function(netlist_of(text), after, library, tmp_path) == 5


def test_a_sum_that_is_none_is_left_alone(builder: Builder, library: Library) -> None:
    text, _ = sums_apart(builder, alien=FIRST + 5)
    assert resubstituted(arrays_of(text, library))[1:] == (0, 0)


def test_a_gate_that_another_equals_goes(builder: Builder, library: Library, tmp_path: Path) -> None:
    x = [*range(FIRST, FIRST + INPUTS)]
    one = builder.chain("!(a&b)", [*x[:3]])
    # The same by De Morgan's rules, from other gates.
    inner = builder.gate("!(a&b)", x[0], x[1])
    other = builder.gate("a|b", builder.gate("!a", inner), builder.gate("!a", x[2]))
    text = builder.text(one, other)
    edited = arrays_of(text, library)
    before = float(edited.net.sums[AREA])
    assert resubstituted(edited)[1] == 1
    # The second one's OR and both inverters are gone, and of two equal NAND gates at least none is new.
    assert float(edited.net.sums[AREA]) < before - 2
    after = netlist_of(as_json(edited, text, "top"))
    assert prove_same_function(netlist_of(text), after, library, tmp_path) == 2


@pytest.mark.parametrize("width", [2, 16])
def test_nets_that_only_look_like_a_sum_are_told(builder: Builder, library: Library, width: int) -> None:
    """An AND of sixteen inputs is hardly ever 1: no signature tells a sum with it from that without; of two it does."""
    x = [*range(FIRST, FIRST + INPUTS)]
    rare = builder.chain("a&b", x[:width])
    total = builder.gate("a^b", x[18], x[19])
    nearly = builder.gate("a^b", total, rare)
    edited = arrays_of(builder.text(total, nearly), library)
    cells, net = edited.numbers.arrays, edited.net
    words = resubstitution.signatures(cells, net, np.argsort(net.slots[:, LEVEL], kind="stable"))
    three = np.array([wire_of(edited, each) for each in (nearly, total, rare)])
    assert bool((words[three[0]] == words[three[1]]).all()) == (width == 16)
    assert not resubstitution.shown(cells, net, three[:2], False)
    assert resubstitution.shown(cells, net, three, False)
    assert not resubstitution.shown(cells, net, three, True), "nor is it the inverse"
    assert resubstituted(edited)[1:] == (0, 0)


def test_what_is_shown_wrongly_would_be_caught(builder: Builder, library: Library, tmp_path: Path) -> None:
    """A gate taken for one of two others that it is not: the proof of the whole netlist tells."""
    text, apart = sums_apart(builder, alien=FIRST + 5)
    edited = arrays_of(text, library)
    cells, net = edited.numbers.arrays, edited.net
    variant = resubstitution._sum_cells(cells)[0]
    slot, first, second = (wire_of(edited, each) for each in (apart, FIRST + INPUTS, FIRST + INPUTS + 1))
    resubstitution._edited(cells, net, slot >> 1, first, second, variant)
    after = netlist_of(as_json(edited, text, "top"))
    with pytest.raises(CheckError, match=r"rewired, output y\[4\] has another function"):
        prove_same_function(netlist_of(text), after, library, tmp_path)


def test_it_is_part_of_rewiring_and_can_be_left_out(builder: Builder, library: Library, tmp_path: Path) -> None:
    text, _ = sums_apart(builder)
    (tmp_path / "netlist.json").write_text(text)
    tried = {}
    for without in (frozenset[str](), frozenset({RESUBSTITUTION})):
        plan = RewiringPlan(moves_a_gate=20, faster=False, without=without)
        tried[RESUBSTITUTION in without] = rewire(tmp_path / "netlist.json", library, tmp_path, plan=plan).tally
    assert tried[False][RESUBSTITUTION][0] > 0
    assert tried[True][RESUBSTITUTION] == (0, 0, 0.0)
