"""Rewiring: cheaper netlists of the same functions, the same for a seed, for any library, and proved."""

from __future__ import annotations

import json
import random
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from aesmith.api import core
from aesmith.api.measuring import Measuring, placing
from aesmith.cores.design import CoreDesign
from aesmith.errors import CheckError, RequestError, ToolError
from aesmith.flow.function_graph import prove_same_function
from aesmith.flow.measure import measure, measured_netlist, measurement_key
from aesmith.flow.measurement import MOST_REWIRED, PLANS, THOROUGH, Optimise
from aesmith.flow.placement.modules import modules_of
from aesmith.flow.placement.placed import measure_placed
from aesmith.flow.recipes import REWIRING_STEPS, Rewiring, SynthesisPlan, one_recipe
from aesmith.flow.rewiring import moves_kernel, timing_kernel
from aesmith.flow.rewiring.edit_kernel import AREA, ARRIVAL, LOAD, PENALTY, PRICE, READERS, TARGET
from aesmith.flow.rewiring.rewire import (
    FOR_SPEED,
    KINDS,
    LEFT_OUT,
    EditableNetlist,
    Rewired,
    RewiringPlan,
    as_json,
    read_arrays,
    rewire,
)
from aesmith.flow.rewiring.structures import LEAVES, StructureArrays, structures, wide_structures
from aesmith.flow.yosys import run_script
from aesmith.processes import Cancelled
from aesmith.technology.boolean import parse_function
from aesmith.technology.liberty import read_text
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by
from aesmith.testing import opensta
from aesmith.timing.binding import bind
from aesmith.timing.netlist import CellNetlist, cell_netlist, read_netlist
from aesmith.timing.static import analyse, default_conditions
from aesmith.yosys_json import parse_json

PLAN = RewiringPlan(moves_a_gate=60)
INPUTS, REGISTERS, GATES = 6, 8, 150
CLOCK, TIED = 2, 3


def random_netlist(library: Library, *, tied: bool = False, gated: bool = False) -> str:
    """Yosys' JSON of registers with random logic between them; with `tied`, a gate has an input that never changes,
    with `gated`, half of the registers have a gated clock."""
    chance = random.Random(3)
    logic = [
        library.smallest(text)
        for text in ("a^b", "!(a^b)", "!(a&b)", "!(a|b)", "!((a&b)|c)", "!((a|b)&c)", "!a", "a", "(a&!s)|(b&s)")
    ]
    assert all(logic)
    assert library.tie_high is not None
    tie, flip_flop = library.tie_high, library.flip_flop
    cells: dict[str, Any] = {"tie": _cell(tie.cell.name, {}, {tie.pin: TIED})}
    nets = [*range(4, 4 + INPUTS + REGISTERS)]
    for at in range(GATES):
        cell = chance.choice([one for one in logic if one is not None])
        sources = chance.sample(nets[-24:], len(cell.inputs))
        if tied and at == GATES // 2:
            sources[0] = TIED
        nets.append(nets[-1] + 1)
        cells[f"g{at}"] = _cell(cell.name, dict(zip(cell.inputs, sources, strict=True)), {cell.outputs[0]: nets[-1]})
    clock = next(iter(flip_flop.register.clocked_on.inputs)) if flip_flop.register else ""
    data = next(pin for pin in flip_flop.inputs if pin != clock)
    output = flip_flop.register_outputs[False]
    gated_clock = nets[-1] + 1
    if gated:
        gate = library.clock_gate
        assert gate is not None
        cells["gate"] = _cell(gate.cell.name, {gate.clock: CLOCK, gate.enable: nets[-20]}, {gate.output: gated_clock})
    for k in range(REGISTERS):
        clocked = gated_clock if gated and k % 2 else CLOCK
        cells[f"r{k}"] = _cell(flip_flop.name, {clock: clocked, data: nets[-1 - k]}, {output: 4 + INPUTS + k})
    ports = {
        "clk": {"direction": "input", "bits": [CLOCK]},
        "x": {"direction": "input", "bits": [*range(4, 4 + INPUTS)]},
        "y": {"direction": "output", "bits": nets[-1 - REGISTERS - 4 : -1 - REGISTERS]},
    }
    module = {"attributes": {}, "ports": ports, "cells": cells, "netnames": {}}
    return json.dumps({"modules": {"top": module}})


def _cell(kind: str, inputs: dict[str, int], outputs: dict[str, int]) -> dict[str, Any]:
    directions = dict.fromkeys(inputs, "input") | dict.fromkeys(outputs, "output")
    connections = {pin: [net] for pin, net in (inputs | outputs).items()}
    empty: dict[str, Any] = {"parameters": {}, "attributes": {}}
    return {"type": kind, "port_directions": directions, "connections": connections} | empty


def netlist_of(text: str) -> CellNetlist:
    return cell_netlist(parse_json(text).module("top"))


def area(netlist: CellNetlist, library: Library) -> float:
    return sum(library.area_ge(instance.cell) for instance in netlist.instances)


def longest(netlist: CellNetlist, library: Library) -> float:
    report = analyse(netlist, library)
    paths = (report.period_ns, report.input_to_register_ns, report.register_to_output_ns, report.input_to_output_ns)
    return max(path for path in paths if path is not None)


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


@pytest.fixture(scope="module")
def text(library: Library) -> str:
    return random_netlist(library)


@pytest.fixture(scope="module")
def source(text: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rewire") / "netlist.json"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def rewired(source: Path, library: Library, tmp_path_factory: pytest.TempPathFactory) -> Rewired:
    return rewire(source, library, tmp_path_factory.mktemp("proof"), plan=PLAN)


@pytest.fixture(scope="module")
def tied(library: Library) -> str:
    return random_netlist(library, tied=True)


@pytest.fixture
def edited(tied: str, library: Library) -> EditableNetlist:
    return read_arrays(bind(netlist_of(tied), library), library, default_conditions(library), 1)


@pytest.fixture(scope="module")
def table(text: str, library: Library) -> StructureArrays:
    return structures(read_arrays(bind(netlist_of(text), library), library, default_conditions(library), 1).numbers)


@pytest.mark.thorough
def test_arrivals_are_those_of_static_timing(edited: EditableNetlist, library: Library) -> None:
    assert timing_kernel.refresh(edited.numbers.arrays, edited.net) == pytest.approx(
        longest(edited.bound.netlist, library), rel=1e-9
    )
    state = analyse(edited.bound.netlist, library).state
    compared = 0
    for net, wire in edited.wires.items():
        for edge in (0, 1):
            ours, theirs = edited.net.waves[wire, ARRIVAL + edge], state.arrival[:, 2 * net + edge].max()
            if edited.net.nets[wire, READERS] and theirs > -1 and ours > -1:
                assert ours == pytest.approx(theirs, rel=1e-9)
                compared += 1
    assert compared > GATES


@pytest.mark.thorough
def test_less_area_times_delay_and_the_figures_are_true(rewired: Rewired, text: str, library: Library) -> None:
    after = netlist_of(rewired.json)
    assert rewired.area_ge == pytest.approx(area(after, library), rel=1e-9)
    assert rewired.delay_ns == pytest.approx(longest(after, library), rel=1e-9)
    before = netlist_of(text)
    assert rewired.area_ge * rewired.delay_ns < 0.9 * area(before, library) * longest(before, library)
    # Outputs, and of each register its data and clock.
    assert rewired.proved == 4 + 2 * REGISTERS


@pytest.mark.thorough
def test_the_cost_never_ends_above_where_it_began(source: Path, library: Library, tmp_path: Path) -> None:
    small = rewire(source, library, tmp_path, plan=RewiringPlan(moves_a_gate=20, faster=False))
    assert small.area_ge < small.legs[0].area_ge
    assert small.delay_ns <= small.legs[0].delay_ns
    one = rewire(source, library, tmp_path, plan=RewiringPlan(moves_a_gate=1, seed=9))
    assert one.area_ge * one.delay_ns <= one.legs[0].area_ge * one.legs[0].delay_ns


@pytest.mark.thorough
def test_a_seed_decides_the_netlist(rewired: Rewired, source: Path, library: Library, tmp_path: Path) -> None:
    assert rewire(source, library, tmp_path, plan=PLAN) == rewired
    assert rewire(source, library, tmp_path, plan=RewiringPlan(PLAN.moves_a_gate, seed=2)).json != rewired.json


def test_registers_keep_their_names_and_all_kinds_of_moves_win(rewired: Rewired) -> None:
    cells = json.loads(rewired.json)["modules"]["top"]["cells"]
    assert {f"r{k}" for k in range(REGISTERS)} | {"tie"} <= cells.keys()
    assert set(rewired.tally) == set(KINDS)
    assert {kind for kind, (tried, _, _) in rewired.tally.items() if tried} == {*KINDS} - LEFT_OUT
    assert all(rewired.tally[name][1] for name in ("size", "window", "reader", "bypass"))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["nangate45_slow", "sky130hd_tt"])
def test_registers_with_gated_clocks_keep_them(
    name: str, pdk_library: Callable[[str], Library], tmp_path: Path
) -> None:
    """Libraries differ in what they say of a clock gate's timing."""
    library = pdk_library(name)
    text = random_netlist(library, gated=True)
    (tmp_path / "netlist.json").write_text(text)
    found = rewire(tmp_path / "netlist.json", library, tmp_path / "proof", plan=RewiringPlan(moves_a_gate=20))
    before, after = (json.loads(each)["modules"]["top"]["cells"] for each in (text, found.json))
    gate, flip_flop = library.clock_gate, library.flip_flop
    assert gate is not None
    assert flip_flop.register is not None
    (clock,) = flip_flop.register.clocked_on.inputs
    assert after["gate"]["type"] == before["gate"]["type"]
    assert after["gate"]["connections"][gate.clock] == [CLOCK]
    gated = after["gate"]["connections"][gate.output]
    assert [after[f"r{k}"]["connections"][clock] == gated for k in range(REGISTERS)] == [False, True] * (REGISTERS // 2)
    assert found.area_ge < area(netlist_of(text), library)


def test_no_cell_is_known_by_its_name(rewired: Rewired, text: str, library: Library, tmp_path: Path) -> None:
    names = sorted(library.cells, key=len, reverse=True)
    # Of one length and order, so that ties are decided alike.
    renamed = {name: f"c{index:03d}" for index, name in enumerate(sorted(library.cells))}
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")

    def exchanged(content: str) -> str:
        return pattern.sub(lambda match: renamed[match[1]], content)

    (tmp_path / "other.lib").write_text(exchanged(read_text(library.path)))
    (tmp_path / "netlist.json").write_text(exchanged(text))
    other = rewire(tmp_path / "netlist.json", library_by(str(tmp_path / "other.lib")), tmp_path / "proof", plan=PLAN)
    assert (other.area_ge, other.delay_ns) == pytest.approx((rewired.area_ge, rewired.delay_ns), rel=1e-9)
    assert other.json == exchanged(rewired.json)


@pytest.mark.thorough
@pytest.mark.parametrize("stage", ["leg 1 of at most", "proving"])
def test_a_rewiring_says_what_it_works_on_and_ends_at_once_when_it_is_cancelled(
    stage: str, source: Path, library: Library, tmp_path: Path
) -> None:
    cancel, said, steps = threading.Event(), list[str](), list[int]()

    def hear(words: str, done: int) -> None:
        said.append(words)
        steps.append(done)
        if words.startswith(stage):
            cancel.set()

    with pytest.raises(Cancelled):
        rewire(source, library, tmp_path, plan=RewiringPlan(moves_a_gate=20), progress=hear, cancel=cancel)
    assert said[-1].startswith(stage)
    assert steps == sorted(steps)
    assert steps[-1] == (REWIRING_STEPS - 1 if stage == "proving" else 0)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"moves_a_gate": 0}, "moves_a_gate: must be at least 1, not 0"),
        ({"without": frozenset({"sizes"})}, "without: must be one of size, window"),
        ({"without": frozenset(moves_kernel.MOVES)}, "without: leaves no move"),
    ],
)
def test_plans_that_cannot_be_are_refused(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(RequestError, match=told):
        RewiringPlan(**fields)


@pytest.mark.parametrize("left_out", [("size",), ("window", "merge"), moves_kernel.MOVES[1:]])
def test_kinds_of_moves_that_are_left_out_are_not_tried(
    left_out: tuple[str, ...], edited: EditableNetlist, table: StructureArrays
) -> None:
    timing_kernel.refresh(edited.numbers.arrays, edited.net)
    shares = RewiringPlan(without=frozenset(left_out)).shares
    tally = np.zeros((len(moves_kernel.MOVES), 3))
    wide = wide_structures(edited.numbers)
    moves_kernel.anneal(edited.numbers.arrays, table, wide, edited.net, 2000, 0.05, 0.05, 0.0, 1e9, shares, tally)
    assert {name for name, tried in zip(moves_kernel.MOVES, tally[:, 0], strict=True) if not tried} == {*left_out}
    assert tally[:, 0].sum() == 2000


def test_figures_that_follow_edits_are_those_of_timing_anew(edited: EditableNetlist, table: StructureArrays) -> None:
    cells, net = edited.numbers.arrays, edited.net
    delay = timing_kernel.refresh(cells, net)
    net.sums[TARGET], net.sums[PRICE] = 0.8 * delay, 20.0
    timing_kernel.refresh(cells, net)
    tally = np.zeros((len(moves_kernel.MOVES), 3))
    shares, wide = RewiringPlan(without=frozenset()).shares, wide_structures(edited.numbers)
    moves_kernel.anneal(cells, table, wide, net, 4000, 0.05, 0.05, 0.0, 1e9, shares, tally)
    kept = edited.copy_state()
    timing_kernel.refresh(cells, net)
    read = np.flatnonzero(net.nets[:, READERS])
    assert net.waves[read, ARRIVAL : LOAD + 2] == pytest.approx(kept.waves[read, ARRIVAL : LOAD + 2], abs=1e-9)
    assert net.sums[[AREA, PENALTY]] == pytest.approx(kept.sums[[AREA, PENALTY]], abs=1e-6)


def test_every_structure_computes_the_function_it_stands_under(edited: EditableNetlist, table: StructureArrays) -> None:
    leaves = (0xAAAA, 0xCCCC, 0xF0F0, 0xFF00)
    assert len(table.rows) > 100_000
    for chosen in np.random.default_rng(1).choice(len(table.rows), 400, replace=False):
        values = list(leaves)
        for family, *pins in table.rows[chosen].reshape(-1, 1 + LEAVES):
            if family >= 0:
                cell = edited.numbers.families[family]
                assert cell is not None
                assert cell.function is not None
                given = {name: values[pin] for name, pin in zip(cell.inputs, pins, strict=False)}
                values.append(cell.function.evaluate(given, 0xFFFF))
        assert table.first[values[-1]] <= chosen < table.first[values[-1] + 1]


def test_a_netlist_in_arrays_is_written_as_it_was_read(
    edited: EditableNetlist, tied: str, library: Library, tmp_path: Path
) -> None:
    again = netlist_of(as_json(edited, tied, "top"))
    assert area(again, library) == area(edited.bound.netlist, library)
    assert prove_same_function(edited.bound.netlist, again, library, tmp_path) == 4 + 2 * REGISTERS


Cells = dict[str, Any]


def _of(cells: Cells, library: Library, function: str) -> Iterator[Any]:
    wanted = parse_function(function, "test").signature
    for name, cell in cells.items():
        found = library.cell(cell["type"])
        if name.startswith("g") and found.function is not None and found.function.signature == wanted:
            yield cell


def _other_structure(cells: Cells, library: Library) -> None:
    for cell in list(_of(cells, library, "!(a&b)"))[-3:]:
        other = library.smallest("!(a|b)")
        assert other is not None
        cell["type"] = other.name


def _wrong_polarity(cells: Cells, library: Library) -> None:
    # An XOR whose reader was to take the inverse, and does not.
    xor, xnor = library.smallest("a^b"), library.smallest("!(a^b)")
    assert xor is not None
    assert xnor is not None
    for cell in list(_of(cells, library, "a^b"))[-2:]:
        cell["type"] = xnor.name


def _unequal_merge(cells: Cells, library: Library) -> None:
    first, second, *_ = _of(cells, library, "a^b")
    gone, kept = second["connections"]["Z"], first["connections"]["Z"]
    for cell in cells.values():
        for pin, net in cell["connections"].items():
            if net == gone and cell is not second:
                cell["connections"][pin] = kept


def _dropped_inverter(cells: Cells, library: Library) -> None:
    buffer = library.smallest("a")
    assert buffer is not None
    for cell in _of(cells, library, "!a"):
        cell["type"] = buffer.name


def _wrong_pins(cells: Cells, library: Library) -> None:
    for cell in _of(cells, library, "!((a&b)|c)"):
        pins = cell["connections"]
        pins["A"], pins["C"] = pins["C"], pins["A"]


def _exchanged_data(cells: Cells, _library: Library) -> None:
    first, second = cells["r1"]["connections"], cells["r2"]["connections"]
    first["D"], second["D"] = second["D"], first["D"]


WRONG: tuple[Callable[[Cells, Library], None], ...] = (
    _other_structure,
    _wrong_polarity,
    _unequal_merge,
    _dropped_inverter,
    _wrong_pins,
    _exchanged_data,
)


@pytest.mark.parametrize("fault", WRONG, ids=lambda fault: fault.__name__.strip("_"))
def test_a_wrong_move_is_caught_by_the_proof(
    fault: Callable[[Cells, Library], None], text: str, library: Library, tmp_path: Path
) -> None:
    changed = json.loads(text)
    fault(changed["modules"]["top"]["cells"], library)
    with pytest.raises(CheckError, match="has another function"):
        prove_same_function(netlist_of(text), netlist_of(json.dumps(changed)), library, tmp_path)


def test_a_lost_register_is_caught_by_the_proof(text: str, library: Library, tmp_path: Path) -> None:
    changed = json.loads(text)
    cells = changed["modules"]["top"]["cells"]
    cells["r9"] = cells.pop("r1")
    with pytest.raises(CheckError, match="other ports or registers"):
        prove_same_function(netlist_of(text), netlist_of(json.dumps(changed)), library, tmp_path)


@pytest.mark.skipif(shutil.which("sta") is None, reason="OpenSTA is not installed (apt install opensta)")
def test_opensta_finds_the_period_of_a_rewired_netlist(rewired: Rewired, library: Library, tmp_path: Path) -> None:
    (tmp_path / "netlist.json").write_text(rewired.json)
    run_script(["read_json netlist.json", "write_verilog -noattr netlist.v"], tmp_path / "yosys.log")
    ours = analyse(read_netlist(tmp_path / "netlist.json"), library)
    theirs = opensta.analyse(tmp_path / "netlist.v", library, "top", "clk")
    assert ours.period_ns == pytest.approx(theirs.period_ns, rel=1e-3)
    assert ours.register_to_output_ns == pytest.approx(theirs.register_to_output_ns, rel=1e-3)


@pytest.mark.thorough
def test_rewired_netlists_are_candidates_and_found_again(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    found = measure(toy, library, Optimise.AREA_SPEED, tmp_path / "made", plan=one_recipe("keep+rewired"))
    plain, rewired = found.candidates
    assert (plain.label, rewired.label, found.recipe) == ("keep", "keep+rewired", "keep+rewired")
    assert (rewired.efficiency_kbps_per_ge or 0) > (plain.efficiency_kbps_per_ge or 0)
    folder, timing = measured_netlist(toy, library, found, tmp_path / "other", made=tmp_path / "made")
    assert folder == tmp_path / "made" / "keep+rewired"
    assert timing.period_ns == found.period_ns
    again, _ = measured_netlist(toy, library, found, tmp_path / "again")
    assert (again / "netlist.v").read_text() == (folder / "netlist.v").read_text()


@pytest.mark.thorough
def test_more_moves_are_another_candidate_that_is_found_again(
    toy: CoreDesign, library: Library, tmp_path: Path
) -> None:
    """As many moves as the condition takes, written out, give its netlist; the name says how many, and so does that
    of the folder."""
    labels = ("keep+rewired", f"keep+rewired{FOR_SPEED}", "keep+rewired3")
    found = {
        label: measure(toy, library, Optimise.AREA_SPEED, tmp_path / "made", plan=one_recipe(label)) for label in labels
    }
    usual, same, fewer = (next(c for c in found[label].candidates if c.rewired) for label in labels)
    assert (usual.label, same.label, fewer.label) == labels
    assert (same.area_ge, same.period_ns) == (usual.area_ge, usual.period_ns)
    assert (fewer.area_ge, fewer.period_ns) != (usual.area_ge, usual.period_ns)
    assert found["keep+rewired3"].recipe == "keep+rewired3"
    for made in (tmp_path / "made", None):
        measured_netlist(toy, library, found["keep+rewired3"], tmp_path / f"netlist {made}", made=made)
    wrong = replace(found["keep+rewired3"], recipe="keep+rewired")
    with pytest.raises(ToolError, match="synthesis gave another netlist"):
        measured_netlist(toy, library, wrong, tmp_path / "wrong")


def test_moves_are_asked_for_where_netlists_are_rewired(
    monkeypatch: pytest.MonkeyPatch, library: Library, tmp_path: Path
) -> None:
    asked: list[SynthesisPlan | None] = []

    def stop(work: Measuring) -> None:
        asked.append(work.synthesis)
        raise KeyboardInterrupt

    monkeypatch.setattr(Measuring, "area_and_speed", property(stop))
    for told in ({}, {"moves": 30}, {"moves": 30, "thorough": True}):
        with pytest.raises(KeyboardInterrupt):
            core("ueno2020-enc").measure(library, rewire=True, store=tmp_path / "store", **told)  # type: ignore[arg-type]
    found = [plan and (plan.rewired, plan.rewiring, len(plan.first)) for plan in asked]
    usual, every = (len(plans[Optimise.AREA].first) for plans in (PLANS, THOROUGH))
    assert found == [(2, Rewiring(), usual), (2, Rewiring(30), usual), (4, Rewiring(30, all_kinds=True), every)]
    for wrong, message in (
        ({"moves": 30}, "moves: no netlist is rewired"),
        ({"moves": 0, "rewire": True}, "moves: must be at least 1, not 0"),
        ({"moves": 30, "recipe": "keep"}, "moves: recipe keep alone is tried"),
        ({"thorough": True, "recipe": "keep"}, "thorough: recipe keep alone is tried"),
        ({"rewire": True, "recipe": "keep"}, "rewire: recipe keep alone is tried"),
        ({"clock_gates": True, "recipe": "keep"}, "clock_gates: recipe keep alone is tried, .* leave out clock_gates"),
        ({"recipe": "keep+rewired0"}, "recipe: unknown 'keep\\+rewired0'"),
        ({"recipe": "keep+rewired-none"}, "recipe: unknown 'keep\\+rewired-none'"),
    ):
        with pytest.raises(RequestError, match=message):
            core("ueno2020-enc").measure(library, store=tmp_path / "store", **wrong)
    assert len(asked) == 3


@pytest.mark.thorough
def test_what_is_placed_is_the_rewired_netlist(toy: CoreDesign, library: Library, tmp_path: Path) -> None:
    """Whether its files are still there or not; a netlist of the plain recipe is found out."""
    pytest.importorskip("coloquinte", reason="coloquinte is not installed (pip install 'aesmith[placed]')")
    plans = {name: one_recipe(name) for name in ("keep", "keep+rewired")}
    found = {name: measure(toy, library, Optimise.AREA_SPEED, tmp_path / name, plan=plans[name]) for name in plans}
    where = placing(library)
    for made in (tmp_path / "keep+rewired", None):
        work = tmp_path / f"made {made is not None}"
        measurement, laid = measure_placed(
            toy, library, found["keep+rewired"], where.technology, plan=where.plan, work_dir=work, made=made
        )
        assert measurement.recipe == "keep+rewired"
        begun = laid.turns[0].area / library.gate_equivalent
        assert begun == pytest.approx(found["keep+rewired"].area_ge)
        assert begun != pytest.approx(found["keep"].area_ge)
        registers = [i for i in range(len(laid.bound.cells)) if laid.bound.is_register(i)]
        assert all(modules_of(laid.bound)[i] for i in registers), "what registers take has lost its name"


def test_python_places_the_rewired_netlist(monkeypatch: pytest.MonkeyPatch, library: Library, tmp_path: Path) -> None:
    """`Core.place` measures with the recipes it is told to."""
    pytest.importorskip("coloquinte", reason="coloquinte is not installed (pip install 'aesmith[placed]')")
    asked: list[tuple[int, str]] = []

    def stop(work: Measuring, *_: object) -> None:
        assert work.synthesis is not None
        asked.append((work.synthesis.rewired, work.synthesis.first[0].name))
        raise KeyboardInterrupt

    monkeypatch.setattr(Measuring, "placement", stop)
    monkeypatch.setattr(Measuring, "area_and_speed", property(lambda _: lambda **_: SimpleNamespace(measurement=None)))
    for told in ({"rewire": True}, {"recipe": "keep+rewired"}):
        with pytest.raises(KeyboardInterrupt):
            core("ueno2020-enc").place(tmp_path / "placed", library, store=tmp_path / "store", **told)
    assert asked == [(MOST_REWIRED, "keep"), (1, "keep")]


def test_a_plan_that_rewires_is_another_measurement(toy: CoreDesign, library: Library) -> None:
    plans = [PLANS[Optimise.AREA], replace(PLANS[Optimise.AREA], rewired=2)]
    assert not any(plan.rewired for plan in PLANS.values())
    assert len({measurement_key(toy, library, Optimise.AREA, plan) for plan in plans}) == 2
