"""Resubstitution: what is there already is shared, wherever it is, and nothing that only looks equal is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aesmith.errors import CheckError
from aesmith.flow.function_graph import prove_same_function
from aesmith.flow.rewiring import products, resubstitution, timing_kernel
from aesmith.flow.rewiring import rewire as rewiring
from aesmith.flow.rewiring.edit_kernel import AREA, FANIN, KIND, LEVEL, LOGIC, VARIANT
from aesmith.flow.rewiring.rewire import (
    PRODUCTS,
    SUMS,
    EditableNetlist,
    RewiringPlan,
    as_json,
    read_arrays,
)
from aesmith.flow.rewiring.signatures import signatures
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.binding import bind
from aesmith.timing.netlist import CellNetlist, cell_netlist
from aesmith.timing.static import default_conditions
from aesmith.yosys_json import parse_json

INPUTS = 20
FIRST = 10
"""The net of input 0."""
SAME, XOR, XNOR = 0b10, 0b0110, 0b1001


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


@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.parametrize("width", [2, 16])
def test_nets_that_only_look_like_a_sum_are_told(builder: Builder, library: Library, width: int) -> None:
    """An AND of sixteen inputs is hardly ever 1: no signature tells a sum with it from that without; of two it does."""
    x = [*range(FIRST, FIRST + INPUTS)]
    rare = builder.chain("a&b", x[:width])
    total = builder.gate("a^b", x[18], x[19])
    nearly = builder.gate("a^b", total, rare)
    edited = arrays_of(builder.text(total, nearly), library)
    cells, net = edited.numbers.arrays, edited.net
    words = signatures(cells, net, np.argsort(net.slots[:, LEVEL], kind="stable"))
    three = np.array([wire_of(edited, each) for each in (nearly, total, rare)])
    assert bool((words[three[0]] == words[three[1]]).all()) == (width == 16)
    assert not resubstitution.shown(cells, net, three[:2], SAME)
    assert resubstitution.shown(cells, net, three, XOR)
    assert not resubstitution.shown(cells, net, three, XNOR), "nor is it the inverse"
    assert resubstituted(edited)[1:] == (0, 0)


def test_what_is_shown_wrongly_would_be_caught(builder: Builder, library: Library, tmp_path: Path) -> None:
    """A gate taken for one of two others that it is not: the proof of the whole netlist tells."""
    text, apart = sums_apart(builder, alien=FIRST + 5)
    edited = arrays_of(text, library)
    cells, net = edited.numbers.arrays, edited.net
    variant = resubstitution._sum_cells(cells)[0]
    slot, *operands = (wire_of(edited, each) for each in (apart, FIRST + INPUTS, FIRST + INPUTS + 1))
    resubstitution.edit(cells, net, slot >> 1, variant, np.array(operands))
    after = netlist_of(as_json(edited, text, "top"))
    with pytest.raises(CheckError, match=r"rewired, output y\[4\] has another function"):
        prove_same_function(netlist_of(text), after, library, tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("without", "expected"),
    [
        (None, {SUMS}),
        (frozenset({SUMS, PRODUCTS}), set()),
        (frozenset(), {SUMS, PRODUCTS}),
        (frozenset({SUMS}), {PRODUCTS}),
    ],
)
def test_it_is_part_of_rewiring_and_can_be_left_out(  # noqa: PLR0917 - fixtures
    without: frozenset[str] | None,
    expected: set[str],
    builder: Builder,
    library: Library,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sums always, products where they are asked for; what they did is counted under their names."""
    kernels = {SUMS: (10.0, 4.0, 2.5), PRODUCTS: (7.0, 3.0, 1.5)}
    for kind, name in ((SUMS, "resubstitute"), (PRODUCTS, "become_products")):
        monkeypatch.setattr(rewiring, name, lambda *_, counts=kernels[kind]: np.array(counts))
    text, _ = sums_apart(builder)
    (tmp_path / "netlist.json").write_text(text)
    plan = RewiringPlan(moves_a_gate=20, faster=False)
    plan = plan if without is None else replace(plan, without=without)
    found = rewiring.rewire(tmp_path / "netlist.json", library, tmp_path, plan=plan)
    parts = 5 * (len(found.legs) - 1)
    for kind, (tried, won, gained) in kernels.items():
        times = parts * (kind in expected)
        assert found.tally[kind] == (times * tried, times * won, times * gained)


# Products


def product_apart(builder: Builder, function: str, *, alien: bool = False) -> tuple[str, int]:
    """x0 | x1 is there, and so is x2; (x0 & x2) | (x1 & x2) by itself, then inverted for NAND, is the product of both;
    for OR and NOR the dual of it. With `alien` the second x2 is another input, so that it is none."""
    x = [*range(FIRST, FIRST + INPUTS)]
    outer, inner = ("a|b", "a&b") if "&" in function else ("a&b", "a|b")
    there = builder.gate(outer, x[0], x[1])
    left, right = builder.gate(inner, x[0], x[2]), builder.gate(inner, x[1], x[5] if alien else x[2])
    apart = builder.gate(f"!({outer})" if "!" in function else outer, left, right)
    return builder.text(there, apart), apart


def become_products(edited: EditableNetlist) -> tuple[float, float, float]:
    tried, won, gained = products.become_products(edited.numbers.arrays, edited.net, 0.0, 1e9)
    return float(tried), float(won), float(gained)


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.parametrize("function", ["a&b", "!(a&b)", "a|b", "!(a|b)"])
def test_a_gate_becomes_the_product_of_two_others(
    function: str, builder: Builder, library: Library, tmp_path: Path
) -> None:
    text, apart = product_apart(builder, function)
    edited = arrays_of(text, library)
    before = float(edited.net.sums[AREA])
    _, won, gained = become_products(edited)
    assert won == 1
    assert before - edited.net.sums[AREA] == pytest.approx(gained)
    slot = wire_of(edited, apart) >> 1
    cell = edited.numbers.cells[edited.net.slots[slot, VARIANT]]
    assert cell is library.smallest(function)
    assert {*map(int, edited.net.slots[slot, FANIN : FANIN + 2])} == {
        wire_of(edited, net) for net in (FIRST + INPUTS, FIRST + 2)
    }
    after = netlist_of(as_json(edited, text, "top"))
    assert prove_same_function(netlist_of(text), after, library, tmp_path) == 2


@pytest.mark.thorough
@pytest.mark.parametrize("function", ["a&b", "!(a&b)", "a|b", "!(a|b)"])
def test_a_product_that_is_none_is_left_alone(function: str, builder: Builder, library: Library) -> None:
    text, _ = product_apart(builder, function, alien=True)
    assert become_products(arrays_of(text, library))[1:] == (0, 0)


def test_a_net_that_only_looks_like_a_product_is_told(builder: Builder, library: Library) -> None:
    """(x0 | rare) & x2, with an AND of sixteen inputs, is hardly ever other than x0 & x2: signatures do not tell."""
    x = [*range(FIRST, FIRST + INPUTS)]
    rare = builder.chain("a&b", x[4:20])
    there = builder.gate("!(a&b)", x[0], x[2])
    nearly = builder.gate("a&b", builder.gate("a|b", x[0], rare), x[2])
    edited = arrays_of(builder.text(rare, there, nearly), library)
    cells, net = edited.numbers.arrays, edited.net
    tried, won, _ = become_products(edited)
    assert tried > 0
    assert won == 0
    three = np.array([wire_of(edited, each) for each in (nearly, x[0], x[2])])
    assert not resubstitution.shown(cells, net, three, 0b1000)


def test_a_wrong_product_would_be_caught(builder: Builder, library: Library, tmp_path: Path) -> None:
    text, apart = product_apart(builder, "a&b", alien=True)
    edited = arrays_of(text, library)
    cells, net = edited.numbers.arrays, edited.net
    slot, *operands = (wire_of(edited, each) for each in (apart, FIRST + INPUTS, FIRST + 2))
    variant = next(v for v in products.product_cells(cells) if edited.numbers.cells[v] is library.smallest("a&b"))
    resubstitution.edit(cells, net, slot >> 1, variant, np.array(operands))
    with pytest.raises(CheckError, match=r"rewired, output y\[1\] has another function"):
        prove_same_function(netlist_of(text), netlist_of(as_json(edited, text, "top")), library, tmp_path)


def test_products_are_the_functions_with_one_row_apart() -> None:
    for table in range(16):
        how = products.product_of(table)
        assert (how >= 0) == (table.bit_count() in {1, 3})
        if how >= 0:
            rows = [how >> 2 ^ (((row & 1) ^ (how >> 1 & 1)) & (row >> 1 ^ (how & 1))) for row in range(4)]
            assert sum(value << row for row, value in enumerate(rows)) == table


def test_a_window_has_nets_below_its_gate_once(builder: Builder, library: Library) -> None:
    x = [*range(FIRST, FIRST + INPUTS)]
    there = builder.gate("a|b", x[0], x[1])
    reader = builder.gate("a&b", there, x[7])
    gate = builder.gate("a^b", builder.gate("!a", there), x[2])
    above = builder.gate("a&b", gate, x[0])
    far = builder.gate("a&b", x[12], x[13])
    edited = arrays_of(builder.text(reader, above, far), library)
    net = edited.net
    slot = wire_of(edited, gate) >> 1
    for room in (256, 3):
        window, seen = np.empty(room, dtype=np.int64), np.full(len(net.nets), -1, dtype=np.int64)
        found = window[: products._window(net, slot, window, seen)].tolist()
        assert len(set(found)) == len(found)
        if room == 3:
            assert len(found) == 3
        else:
            assert {*found} >= {wire_of(edited, each) for each in (there, x[0], x[1], x[2], reader, x[7])}
            assert not {*found} & {wire_of(edited, each) for each in (gate, above, far, x[12])}
        assert all(net.slots[w >> 1, KIND] != LOGIC or net.slots[w >> 1, LEVEL] < net.slots[slot, LEVEL] for w in found)
