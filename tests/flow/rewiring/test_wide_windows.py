"""Windows of five and six leaves: every structure is what it stands for, and what a window becomes is the same."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aesmith.errors import CheckError
from aesmith.flow.function_graph import prove_same_function
from aesmith.flow.rewiring import edit_kernel, timing_kernel
from aesmith.flow.rewiring.cell_arrays import CellNumbers, number_cells
from aesmith.flow.rewiring.edit_kernel import AREA, BROKEN, EDITS, FANIN, FREE, KIND, LOGIC, PENALTY, VARIANT
from aesmith.flow.rewiring.moves_kernel import WIDE
from aesmith.flow.rewiring.rewire import EditableNetlist, RewiringPlan, as_json, read_arrays, rewire
from aesmith.flow.rewiring.structures import WIDE_LEAVES, WideArrays, wide_structures
from aesmith.flow.rewiring.windows import leaves_of, try_wide_window
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.timing.binding import bind
from aesmith.timing.netlist import CellNetlist, cell_netlist
from aesmith.timing.static import default_conditions
from aesmith.yosys_json import parse_json

INPUTS = 12
FIRST = 10
"""The net of input 0."""
LEAVES = [sum(1 << case for case in range(64) if case >> leaf & 1) for leaf in range(WIDE_LEAVES)]
ALL = (1 << 64) - 1
NO_LIMIT = 1e9
AOI222, OAI221, OAI33 = "!((a&b)|(c&d)|(e&f))", "!((a|b)&(c|d)&e)", "!((a|b|c)&(d|e|f))"


@pytest.fixture(scope="module", params=["generic45", "nangate45_slow", "sky130hd_tt"])
def library(request: pytest.FixtureRequest, pdk_library: Callable[[str], Library]) -> Library:
    name = str(request.param)
    return library_by(name) if name == "generic45" else pdk_library(name)


@pytest.fixture(scope="module")
def numbers(library: Library) -> CellNumbers:
    return number_cells(library, [], 1.0)


@pytest.fixture(scope="module")
def table(numbers: CellNumbers) -> WideArrays:
    return wide_structures(numbers)


def gates(library: Library, *wanted: tuple[str, tuple[int, ...]], outputs: int = 1) -> str:
    """Yosys' JSON of gates, each a function and its nets, in turn on nets that follow the inputs'; the last ones are
    outputs."""
    cells: dict[str, Any] = {}
    for at, (function, sources) in enumerate(wanted):
        cell = library.smallest(function)
        assert cell is not None
        assert len(cell.inputs) == len(sources)
        pins = {pin: [net] for pin, net in zip(cell.inputs, sources, strict=True)}
        directions = dict.fromkeys(cell.inputs, "input") | {cell.outputs[0]: "output"}
        made = {"type": cell.name, "parameters": {}, "attributes": {}, "port_directions": directions}
        cells[f"g{at}"] = made | {"connections": pins | {cell.outputs[0]: [FIRST + INPUTS + at]}}
    last = FIRST + INPUTS + len(wanted)
    ports = {
        "x": {"direction": "input", "bits": [*range(FIRST, FIRST + INPUTS)]},
        "y": {"direction": "output", "bits": [*range(last - outputs, last)]},
    }
    return json.dumps({"modules": {"top": {"attributes": {}, "ports": ports, "cells": cells, "netnames": {}}}})


def netlist_of(text: str) -> CellNetlist:
    return cell_netlist(parse_json(text).module("top"))


def arrays_of(text: str, library: Library) -> EditableNetlist:
    edited = read_arrays(bind(netlist_of(text), library), library, default_conditions(library), 1)
    timing_kernel.refresh(edited.numbers.arrays, edited.net)
    return edited


def root_of(edited: EditableNetlist) -> int:
    """The slot of the gate that was made last."""
    return max(edited.instances)


def moved(edited: EditableNetlist, table: WideArrays, slot: int, noise: float) -> bool:
    """Try one move, and keep it whatever it costs, if it makes no ring."""
    cells, net = edited.numbers.arrays, edited.net
    edit_kernel.begin(net)
    area, penalty = float(net.sums[AREA]), float(net.sums[PENALTY])
    done = try_wide_window(cells, table, net, slot, noise)
    assert done or not net.counts[EDITS]
    if not done or net.counts[BROKEN]:
        edit_kernel.undo(cells, net, area, penalty)
        return False
    timing_kernel.propagate(cells, net, 0.0)
    edit_kernel.commit(net)
    return True


def cells_of(edited: EditableNetlist) -> list[str]:
    live = np.flatnonzero(edited.net.slots[:, KIND] == LOGIC)
    cells = [edited.numbers.cells[edited.net.slots[slot, VARIANT]] for slot in live]
    return [cell.name for cell in cells if cell is not None]


def level_of(numbers: CellNumbers, row: np.ndarray[Any, Any]) -> int:
    values = list(LEAVES)
    for family, *pins in row.reshape(-1, 1 + WIDE_LEAVES).tolist():
        if family >= 0:
            cell = numbers.families[family]
            assert cell is not None
            assert cell.function is not None
            values.append(cell.function.evaluate({n: values[p] for n, p in zip(cell.inputs, pins, strict=False)}, ALL))
    return values[-1]


@pytest.mark.thorough
def test_every_structure_computes_the_function_it_stands_under(numbers: CellNumbers, table: WideArrays) -> None:
    assert (table.functions[1:] > table.functions[:-1]).all()
    assert table.structures.first[-1] == len(table.structures.rows) == len(table.structures.areas)
    for chosen in np.random.default_rng(1).choice(len(table.structures.rows), 300, replace=False):
        place = int(np.searchsorted(table.structures.first, chosen, side="right")) - 1
        assert level_of(numbers, table.structures.rows[chosen]) == int(table.functions[place])
        pins = table.structures.rows[chosen].reshape(-1, 1 + WIDE_LEAVES)[:, 1:].ravel()
        read = sorted(int(pin) for pin in pins if 0 <= pin < WIDE_LEAVES)
        assert read in ([*range(5)], [*range(6)]), "five or six leaves, each once"
        families = [int(family) for family in table.structures.rows[chosen, :: 1 + WIDE_LEAVES] if family >= 0]
        smallest = [numbers.arrays.members[numbers.arrays.member_first[family]] for family in families]
        assert table.structures.areas[chosen] == pytest.approx(sum(numbers.arrays.areas[smallest]))
        assert table.structures.areas[chosen] >= table.structures.areas[table.structures.first[place]]


def pairings(leaves: list[int]) -> Iterator[list[tuple[int, int]]]:
    if not leaves:
        yield []
    for other in leaves[1:]:
        rest = [leaf for leaf in leaves[1:] if leaf != other]
        yield from ([(leaves[0], other), *more] for more in pairings(rest))


def test_cells_of_six_inputs_are_there_in_every_order(pdk_library: Callable[[str], Library]) -> None:
    library = pdk_library("nangate45_slow")
    numbers = number_cells(library, [], 1.0)
    table = wide_structures(numbers)
    pairs = [
        ALL ^ ((LEAVES[a] & LEAVES[b]) | (LEAVES[c] & LEAVES[d]) | (LEAVES[e] & LEAVES[f]))
        for (a, b), (c, d), (e, f) in pairings([*range(6)])
    ]
    triples = [
        ALL ^ ((LEAVES[0] | LEAVES[a] | LEAVES[b]) & (LEAVES[c] | LEAVES[d] | LEAVES[e]))
        for a, b in combinations(range(1, 6), 2)
        for c, d, e in [[leaf for leaf in range(1, 6) if leaf not in (a, b)]]
    ]
    assert (len(set(pairs)), len(set(triples))) == (15, 10)
    for function, cell in [(each, AOI222) for each in pairs] + [(each, OAI33) for each in triples]:
        place = int(np.searchsorted(table.functions, np.uint64(function)))
        assert int(table.functions[place]) == function
        found = numbers.families[table.structures.rows[table.structures.first[place], 0]]
        assert found is not None
        wanted = library.smallest(cell)
        assert wanted is not None
        assert found.function is not None
        assert found.inputs == wanted.inputs
        smallest = table.structures.rows[table.structures.first[place]]
        assert smallest[1 + WIDE_LEAVES] == -1, "and nothing else is smaller"


def test_the_inner_cell_is_at_every_pin_of_the_root(pdk_library: Callable[[str], Library]) -> None:
    """XOR before AOI211, at its AND or at one of its other pins."""
    library = pdk_library("nangate45_slow")
    assert library.smallest("!((a&b)|c|d)") is not None
    table = wide_structures(number_cells(library, [], 1.0))
    a, b, c, d, e, _ = LEAVES
    for function in (ALL ^ (((a ^ b) & c) | d | e), ALL ^ ((c & d) | (a ^ b) | e)):
        assert function in table.functions
    assert ALL ^ ((a ^ b) & (c ^ d) & e) not in table.functions, "no two cells make it"


AND_OR = (("a&b", (10, 11)), ("a&b", (12, 13)), ("a&b", (14, 15)), ("!(a|b|c)", (22, 23, 24)))
OR_AND = (("a|b", (10, 11)), ("a|b", (12, 13)), ("!(a&b&c)", (22, 23, 14)))


@pytest.mark.parametrize(("parts", "whole"), [(AND_OR, AOI222), (OR_AND, OAI221)])
def test_gates_become_the_wide_cell_that_they_are(
    parts: tuple[tuple[str, tuple[int, ...]], ...],
    whole: str,
    pdk_library: Callable[[str], Library],
    tmp_path: Path,
) -> None:
    library = pdk_library("nangate45_slow")
    text = gates(library, *parts)
    edited = arrays_of(text, library)
    table = wide_structures(edited.numbers)
    before = float(edited.net.sums[AREA])
    for _ in range(300):
        moved(edited, table, root_of(edited), 0.0)
    wanted = library.smallest(whole)
    assert wanted is not None
    (left,) = cells_of(edited)
    assert library.cell(left).function == wanted.function
    assert edited.net.sums[AREA] < before
    after = netlist_of(as_json(edited, text, "top"))
    assert prove_same_function(netlist_of(text), after, library, tmp_path) == 1


def some_netlist(library: Library) -> str:
    """Gates on whichever nets are there."""
    chance = random.Random(5)
    texts = ("!((a&b)|c)", "!((a|b)&c)", "!(a&b)", "!(a|b)", "a^b", "!a", "!((a&b)|(c&d))")
    nets, chosen = [*range(FIRST, FIRST + INPUTS)], []
    for _ in range(120):
        function = chance.choice(texts)
        cell = library.smallest(function)
        assert cell is not None
        chosen.append((function, tuple(chance.sample(nets[-20:], len(cell.inputs)))))
        nets.append(nets[-1] + 1)
    return gates(library, *chosen, outputs=12)


@pytest.mark.thorough
def test_whatever_a_window_becomes_is_the_same(library: Library, tmp_path: Path) -> None:
    text = some_netlist(library)
    edited = arrays_of(text, library)
    table = wide_structures(edited.numbers)
    chance, done = random.Random(1), 0
    for _ in range(6000):
        slot = chance.randrange(edited.net.slots.shape[0])
        if edited.net.counts[FREE] < 8:
            break
        done += moved(edited, table, slot, NO_LIMIT)
    assert done > 100
    after = netlist_of(as_json(edited, text, "top"))
    assert sorted(each.cell for each in after.instances) == sorted(cells_of(edited))
    assert prove_same_function(netlist_of(text), after, library, tmp_path) == 12


def test_a_wrong_structure_would_be_caught(pdk_library: Callable[[str], Library], tmp_path: Path) -> None:
    library = pdk_library("nangate45_slow")
    text = gates(library, *AND_OR)
    edited = arrays_of(text, library)
    table = wide_structures(edited.numbers)
    # All leaves one place on: pairs are torn apart.
    wrong = table.structures.rows.copy()
    for row in wrong:
        places = [c for c in range(len(row)) if c % (1 + WIDE_LEAVES) and 0 <= row[c] < WIDE_LEAVES]
        row[places] = (row[places] + 1) % len(places)
    for _ in range(300):
        moved(edited, WideArrays(table.functions, table.structures._replace(rows=wrong)), root_of(edited), 0.0)
    after = netlist_of(as_json(edited, text, "top"))
    with pytest.raises(CheckError, match=r"rewired, output y\[0\] has another function"):
        prove_same_function(netlist_of(text), after, library, tmp_path)


def test_a_window_of_more_leaves_than_there_is_room_for_is_none() -> None:
    library = library_by("generic45")
    seven = gates(library, ("!((a&b)|(c&d))", (10, 11, 12, 13)), ("!(a&b&c&d)", (22, 14, 15, 16)))
    edited = arrays_of(seven, library)
    root = root_of(edited)
    window = np.array([root, edited.net.slots[root, FANIN] >> 1])
    for room, found in ((8, 7), (7, 7), (6, 7), (4, 5)):
        assert leaves_of(edited.net, window, 2, np.zeros(room, dtype=np.int64)) == found
    table = wide_structures(edited.numbers)
    assert not any(moved(edited, table, root, NO_LIMIT) for _ in range(200))


@pytest.mark.thorough
def test_they_are_part_of_rewiring_where_they_are_asked_for(
    pdk_library: Callable[[str], Library], tmp_path: Path
) -> None:
    library = pdk_library("nangate45_slow")
    (tmp_path / "netlist.json").write_text(gates(library, *AND_OR))
    plain, wide = (
        rewire(tmp_path / "netlist.json", library, tmp_path, plan=RewiringPlan(300, without=without))
        for without in (RewiringPlan().without, RewiringPlan().without - {WIDE})
    )
    assert plain.tally[WIDE] == (0, 0, 0)
    assert wide.tally[WIDE][1] > 0
    assert plain.area_ge == plain.legs[0].area_ge, "windows of four leaves do not see it"
    assert wide.area_ge < plain.area_ge
    assert wide.area_ge * wide.delay_ns < plain.area_ge * plain.delay_ns
