"""Pipelining is exact: least period, then fewest registers; the staged circuit is the circuit, some clocks later."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from aesmith.circuits.circuit import Circuit, CircuitBuilder, Op
from aesmith.circuits.cost import LEVELS, UNIT, CostModel
from aesmith.circuits.pipeline import (
    Arrival,
    Required,
    StagedCircuit,
    figures_table,
    from_registers,
    pipeline,
    pipeline_figures,
    possible_stages,
)
from aesmith.errors import RequestError
from aesmith.sboxes import canright2005, lin2023

PICOSECONDS = CostModel(
    "ps",
    delay=dict.fromkeys(Op, 10.1) | {Op.NAND: 4.3, Op.AND: 6.2, Op.NOT: 0.0, Op.ZERO: 0.0, Op.ONE: 0.0},
    area=LEVELS.area,
    register_area=5.0,
    delay_unit="ps",
    area_unit="GE",
    register_delay=3.5,
)


@pytest.fixture(scope="module")
def sbox() -> Circuit:
    return canright2005.forward()


def random_circuit(seed: int, gates: int = 9) -> Circuit:
    source = random.Random(seed)
    builder = CircuitBuilder(f"random{seed}")
    wires = builder.input("a", 2) + builder.input("b", 2)
    wires.append(builder.one())
    for _ in range(gates):
        op = source.choice([Op.XOR, Op.AND, Op.NAND, Op.NOT, Op.MUX])
        wires.append(builder.gate(op, *(source.choice(wires[-6:]) for _ in range(op.arity))))
    builder.output("y", wires[-2:])
    builder.output("z", [source.choice(wires), wires[0]])
    return builder.build()


def as_pipeline_sees(staged: StagedCircuit, cases: np.ndarray) -> np.ndarray:
    """All cases one after the other through the pipeline, each input bit and output bit in the cycle of its stage."""
    circuit = staged.circuit
    cycles = len(cases) + staged.stages
    words = np.zeros((cycles, circuit.input_width), dtype=np.uint64)
    for bit, arrival in enumerate(staged.arrival):
        words[arrival.stage : arrival.stage + len(cases), bit] = cases[:, bit]
    outputs = staged.simulate(words)
    columns = [outputs[need.stage or 0 :][: len(cases), bit] for bit, need in enumerate(staged.required)]
    return np.stack(columns, axis=1)


def assert_same_function(staged: StagedCircuit) -> None:
    width = staged.circuit.input_width
    cases = np.array([[-(case >> bit & 1) for bit in range(width)] for case in range(1 << width)]).astype(np.uint64)
    assert np.array_equal(as_pipeline_sees(staged, cases), staged.circuit.evaluate(cases.T.copy()).T)


def brute_force(
    circuit: Circuit, stages: int, model: CostModel, arrival: tuple[int, ...], required: tuple[int, ...]
) -> tuple[float, int]:
    """Least longest stage, and fewest registers with it, over every assignment of stages to gates."""
    width = circuit.input_width
    constants = {width + i for i, gate in enumerate(circuit.gates) if not gate.args}
    best: tuple[float, int] | None = None
    for choice in itertools.product(range(stages), repeat=len(circuit.gates)):
        stage, time = [*arrival, *choice], [0.0] * width
        last = list(stage)
        for node, gate in enumerate(circuit.gates, start=width):
            args = [a for a in gate.args if a not in constants]
            if any(stage[a] > stage[node] for a in args):
                break
            time.append(max((time[a] for a in args if stage[a] == stage[node]), default=0.0) + model.delay[gate.op])
            for a in args:
                last[a] = max(last[a], stage[node])
        else:
            outputs = list(zip(circuit.output_nodes, required, strict=True))
            if any(stage[node] > need for node, need in outputs if node not in constants):
                continue
            for node, need in outputs:
                last[node] = max(last[node], need)
            bits = sum(last[n] - stage[n] for n in range(len(stage)) if n not in constants)
            found = (round(max(time), 6), bits)
            best = found if best is None else min(best, found)
    assert best is not None
    return best


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("model", [UNIT, PICOSECONDS], ids=lambda model: model.name)
@pytest.mark.parametrize("boundary", [False, True])
def test_cuts_are_the_best_of_all_cuts(seed: int, model: CostModel, boundary: bool) -> None:
    circuit = random_circuit(seed)
    arrivals = {"b": Arrival(1)} if boundary else {}
    required = {"z": Required(1)} if boundary else {}
    arrival = (0, 0, 1, 1) if boundary else (0, 0, 0, 0)
    need = (2, 2, 1, 1) if boundary else (2, 2, 2, 2)
    staged = pipeline(circuit, stages=3, model=model, arrivals=arrivals, required=required)
    assert (round(max(staged.stage_delays(model)), 6), staged.register_bits) == brute_force(
        circuit, 3, model, arrival, need
    )
    assert_same_function(staged)


def test_canright_has_the_least_stage_depths_and_few_registers(sbox: Circuit) -> None:
    staged = [pipeline(sbox, stages=n) for n in range(1, 8)]
    assert [max(s.stage_delays(UNIT)) for s in staged] == [23, 12, 8, 6, 5, 4, 4]
    most = [0, 26, 45, 61, 64, 88, 96]
    assert all(s.register_bits <= bits for s, bits in zip(staged, most, strict=True))
    for s in staged:
        assert_same_function(s)


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.slow
def test_computing_gates_again_saves_registers_and_area(sbox: Circuit) -> None:
    most = {2: 14, 3: 25, 4: 46, 5: 44, 6: 58, 7: 66}
    for row, bits in most.items():
        exact = pipeline(sbox, stages=row, model=LEVELS)
        again = pipeline(sbox, stages=row, model=LEVELS, duplicate=True)
        assert again.register_bits <= bits
        assert again.area(LEVELS) < exact.area(LEVELS)
        assert max(again.stage_delays(LEVELS)) == max(exact.stage_delays(LEVELS))
        assert_same_function(again)


def test_computing_gates_again_is_deterministic_and_keeps_the_boundary() -> None:
    circuit = random_circuit(6, gates=40)
    request = {"stages": 3, "model": LEVELS, "arrivals": {"b": Arrival(1)}, "required": {"z": Required(1, 1.0)}}
    exact = pipeline(circuit, **request)
    again = pipeline(circuit, duplicate=True, **request)
    assert again == pipeline(circuit, duplicate=True, **request)
    assert again.area(LEVELS) < exact.area(LEVELS)
    assert again.period(LEVELS) <= exact.period(LEVELS)
    assert_same_function(again)


def test_our_seven_stages_need_fewer_registers_than_the_published_cuts() -> None:
    published = lin2023.ENTRY.staging("combined")
    ours = pipeline(published.circuit, stages=7)
    assert max(ours.stage_delays(UNIT)) <= max(published.stage_delays(UNIT))
    relaxed = pipeline(
        published.circuit, stages=7, relax=max(published.stage_delays(UNIT)) - max(ours.stage_delays(UNIT))
    )
    assert relaxed.register_bits <= published.register_bits


def test_a_period_gives_the_fewest_stages_and_is_kept(sbox: Circuit) -> None:
    for period in (10.1 + 3.5, 40.0, 60.0, 1e6):
        staged = pipeline(sbox, period=period, model=PICOSECONDS)
        assert staged.period(PICOSECONDS) <= period + 1e-6
        if staged.stages > 1:
            with_one_less = pipeline(sbox, stages=staged.stages - 1, model=PICOSECONDS)
            assert max(with_one_less.stage_delays(PICOSECONDS)) + 3.5 > period
    assert staged.stages == 1


def test_a_relaxed_stage_trades_delay_for_registers(sbox: Circuit) -> None:
    tight, loose = pipeline(sbox, stages=4), pipeline(sbox, stages=4, relax=1)
    assert max(loose.stage_delays(UNIT)) <= max(tight.stage_delays(UNIT)) + 1
    assert loose.register_bits < tight.register_bits


def test_time_before_an_input_and_after_an_output_counts(sbox: Circuit) -> None:
    late = pipeline(sbox, stages=3, arrivals={"x": Arrival(0, 2.0)}, required={"y": Required(None, 3.0)})
    assert max(late.stage_delays(UNIT)) == 10
    assert late.stage_delays(UNIT)[0] <= 10


def test_a_key_that_comes_later_is_not_delayed_by_registers(sbox: Circuit) -> None:
    builder = CircuitBuilder("keyed")
    x, key = builder.input("x", 8), builder.input("key", 8)
    y = builder.instance(sbox, x=x)["y"]
    builder.output("y", [builder.xor(a, b) for a, b in zip(y, key, strict=True)])
    keyed = builder.build()
    early, late = pipeline(keyed, stages=4), pipeline(keyed, stages=4, arrivals={"key": Arrival(3)})
    assert late.register_bits <= early.register_bits - 24
    assert not any(set(rank) & set(range(8, 16)) for rank in late.registers)


def test_registers_hold_while_not_enabled(sbox: Circuit) -> None:
    staged = pipeline(sbox, stages=3)
    source = np.random.default_rng(1)
    words = source.integers(0, 1 << 63, size=(6, 8, 2), dtype=np.uint64)
    free = staged.simulate(words)
    stalled = staged.simulate(np.repeat(words, 2, axis=0), enable=[False, True] * 6)
    assert np.array_equal(stalled[1::2], free)


def test_a_missing_register_is_refused(sbox: Circuit) -> None:
    staged = pipeline(sbox, stages=3)
    broken = (staged.registers[0][1:], staged.registers[1])
    with pytest.raises(RequestError, match="stage 1"):
        StagedCircuit(sbox, staged.gates, broken)
    with pytest.raises(RequestError, match="not registered"):
        from_registers(sbox, [[], []])


def test_possible_stages_are_the_gates_of_the_longest_path(sbox: Circuit) -> None:
    assert possible_stages(sbox) == range(1, 24)
    assert max(pipeline(sbox, stages=23).stage_delays(UNIT)) == 1
    wires = CircuitBuilder("wires")
    wires.output("y", wires.input("x", 2))
    assert possible_stages(wires.build()) == range(1, 2)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"stages": 24}, r"stages: must be 1 to 23 for canright2005_forward \(its longest path has 23 gates\), not 24"),
        ({"stages": 0}, "stages: must be 1 to 23 .* not 0"),
        ({"stages": -1}, "stages: must be 1 to 23 .* not -1"),
        ({}, "neither given"),
        ({"stages": 2, "period": 100.0}, "both given"),
        ({"period": 13.0}, r"period: must be at least 13.6 ps .* 10.1 ps and its register's 3.5 ps\), not 13"),
        ({"period": 0.0}, "period: must be at least 13.6 ps"),
        ({"period": float("nan")}, "period: must be at least 13.6 ps"),
        ({"stages": 2, "relax": -1.0}, "relax: must not be negative"),
        ({"stages": 2, "arrivals": {"k": Arrival()}}, "arrivals: .* no such port k; it has x"),
        ({"stages": 2, "required": {"y": Required(-1)}}, "required: .* must not be negative"),
        ({"stages": 2, "arrivals": {"x": Arrival(2)}}, "stages: must be 3 to"),
        ({"stages": 3, "arrivals": {"x": Arrival(2)}, "required": {"y": Required(1)}}, "required before an input"),
        ({"period": 20.0, "required": {"y": Required(1)}}, "period: .* at least"),
    ],
)
def test_impossible_requests_name_what_is_possible(sbox: Circuit, request_: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        pipeline(sbox, model=PICOSECONDS, **request_)  # type: ignore[arg-type]


def test_the_table_has_a_line_for_each_staged_circuit(sbox: Circuit) -> None:
    rows = pipeline_figures(sbox, range(1, 4))
    assert [row.period for row in rows] == [23, 12, 8]
    assert figures_table(rows).splitlines()[-1].startswith("| 3 | no | 8 | ")
