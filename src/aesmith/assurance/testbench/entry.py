"""The cocotb test: reads what is to be done, runs the scenarios, and writes what happened, one JSON object a line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.utils import get_sim_time

from aesmith.assurance.plan import ORDERS_VARIABLE, CoreFacts, SimulationPlan
from aesmith.assurance.testbench.bench import Bench
from aesmith.assurance.testbench.monitor import RuleError
from aesmith.assurance.testbench.scenarios import FUNCTIONS, ScenarioContext

PROGRESS_SECONDS = 0.1
CLOCK_NS = 10


class Events:
    """Writes events; progress not more often than a reader can follow."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8", buffering=1)
        self._last = 0.0

    def write(self, event: str, **values: object) -> None:
        """One line."""
        self._file.write(json.dumps({"event": event, **values}) + "\n")

    def progress(self, scenario: str, done: int, total: int) -> None:
        """Progress of a scenario, in its own units."""
        now = monotonic()
        if done == total or now - self._last > PROGRESS_SECONDS:
            self._last = now
            self.write("progress", scenario=scenario, done=done, total=total)


async def _run(dut: Any, name: str, facts: CoreFacts, plan: SimulationPlan, events: Events) -> bool:
    bench = Bench(dut, facts, Random(f"{plan.seed} {name}"))
    context = ScenarioContext(bench, facts, plan, lambda done, total: events.progress(name, done, total))
    failure = ""
    began = monotonic()
    try:
        await bench.reset()
        await FUNCTIONS[name](context)
    except RuleError as violation:
        failure = f"clock {bench.clock}: {violation}"
    events.write(
        "scenario",
        name=name,
        cases=context.cases,
        cycles=bench.clock,
        seconds=round(monotonic() - began, 3),
        failure=failure,
        failure_ns=round(get_sim_time("ns")) if failure else None,
        note=context.note,
        timing=[{"decrypting": mode, "values": values} for mode, values in context.timing.items()],
    )
    return not failure


@cocotb.test()
async def simulation(dut: Any) -> None:
    """All scenarios of the plan. What the core does wrong is an event; only a fault of the testbench itself fails."""
    orders = json.loads(Path(os.environ[ORDERS_VARIABLE]).read_text(encoding="utf-8"))
    facts = CoreFacts(**orders["facts"])
    plan = SimulationPlan(**orders["plan"])
    events = Events(Path(orders["events"]))
    for port in ("control", "key", "block", "most", "chain_length", "chain_patience", "chain_start"):
        getattr(dut, port).value = 0
    Clock(dut.clk, CLOCK_NS, unit="ns").start(start_high=False)
    for name in plan.scenarios:
        if not await _run(dut, name, facts, plan, events) and plan.fail_fast:
            break
    events.write("end")
