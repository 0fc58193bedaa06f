"""Simulation of a core against the reference: build a simulator, run the testbench in it, read what it found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import cocotb_tools.config

from aesmith.assurance.plan import (
    ORDERS_VARIABLE,
    SCENARIOS,
    CoreFacts,
    MeasuredTiming,
    ScenarioReport,
    SimulationPlan,
    SimulationReport,
    Waveform,
    facts_of,
)
from aesmith.assurance.probing.bench import with_surroundings
from aesmith.assurance.simulator import HARNESS, Tools, build_simulator, find_tools
from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.wrapper import with_one_key_size
from aesmith.errors import ToolError
from aesmith.processes import Ended, check_space, started
from aesmith.progress import Progress

_POLL_SECONDS = 0.05


@dataclass
class Findings:
    """What the testbench told of `planned` scenarios: `failure_ns` is the simulated time of the last failure."""

    planned: int
    scenarios: list[ScenarioReport] = field(default_factory=list)
    timing: list[MeasuredTiming] = field(default_factory=list)
    failure_ns: int | None = None
    ended: bool = False

    def take(self, event: dict[str, Any], progress: Progress) -> None:
        """Take in one event of the testbench."""
        kind = event.pop("event")
        if kind == "progress":
            which = f"{event['scenario']} (scenario {len(self.scenarios) + 1} of {self.planned})"
            progress(which, event["done"], event["total"])
        elif kind == "scenario":
            failure_ns = event.pop("failure_ns")
            if failure_ns is not None:
                self.failure_ns = failure_ns
            for entry in event.pop("timing"):
                direction = Direction.DECRYPT if entry["decrypting"] else Direction.ENCRYPT
                self.timing.append(MeasuredTiming(direction, *entry["values"]))
            self.scenarios.append(ScenarioReport(**event))
        self.ended = kind == "end"


def _environment(tools: Tools, orders: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{tools.libpython};{cocotb_tools.config.pygpi_entry_point()}",
        "COCOTB_TOPLEVEL": HARNESS,
        "COCOTB_TEST_MODULES": "aesmith.assurance.testbench.entry",
        "COCOTB_RESULTS_FILE": str(orders.with_suffix(".xml")),
        "COCOTB_ANSI_OUTPUT": "0",
        # The testbench asserts nothing, and pytest and its plugins take a quarter of a second to rewrite that.
        "COCOTB_REWRITE_ASSERTION_FILES": "",
        # The clock then runs inside the simulator, without Python.
        "COCOTB_TRUST_INERTIAL_WRITES": "1",
        "TOPLEVEL_LANG": "verilog",
        ORDERS_VARIABLE: str(orders),
    }


def _events(path: Path, process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """The events as they are written, until the process ends."""
    rest, position, running = "", 0, True
    while running:
        running = process.poll() is None
        if path.exists():
            with path.open(encoding="utf-8") as file:
                file.seek(position)
                rest += file.read()
                position = file.tell()
            *whole, rest = rest.split("\n")
            yield from map(json.loads, whole)
        if running:
            time.sleep(_POLL_SECONDS)


@dataclass(frozen=True)
class Session:
    """Where and with what a simulator runs. One session at a time in a folder."""

    folder: Path
    tools: Tools
    facts: CoreFacts

    def run(self, program: Path, plan: SimulationPlan, progress: Progress, *, waveform: Path | None = None) -> Findings:
        """Run the plan's scenarios; with `waveform` (a build with trace) record all signals in that file.

        Raises ToolError if the simulator or the testbench ends in any other way than by its own end.
        """
        stem = "waveform" if waveform else "simulation"
        orders, events, log = (self.folder / f"{stem}.{suffix}" for suffix in ("json", "events", "log"))
        text = {"facts": asdict(self.facts), "plan": asdict(plan), "events": str(events)}
        orders.write_text(json.dumps(text), encoding="utf-8")
        events.unlink(missing_ok=True)
        # A seed of 0 would mean a different one each time.
        command = [str(program), "+verilator+rand+reset+2", f"+verilator+seed+{plan.seed % 0x7FFFFFFE + 1}"]
        command += plan.plusargs
        if waveform:
            command += ["--trace", "--trace-file", str(waveform)]
        findings = Findings(len(plan.scenarios))
        with started(command, self.folder, log, _environment(self.tools, orders)) as process:
            for event in _events(events, process):
                findings.take(event, progress)
        if not findings.ended:
            ended = Ended(process.returncode, log)
            check_space("simulator", ended)
            tail = ended.said.strip().splitlines()[-5:]
            raise ToolError(
                f"simulator: ended with exit code {ended.status} before the testbench did: {' | '.join(tail)} "
                f"(all of it: {log})"
            )
        return findings


_MANY_CLOCKS = 200_000
"""Clocks of a simulation from which on a faster simulator pays for the time that compiling it takes."""


def _clocks(design: CoreDesign, plan: SimulationPlan) -> int:
    """About the clocks of all scenarios, most of which take some hundred latencies, and of the Monte Carlo test."""
    clocks = 100 * len(plan.scenarios) * design.latency_cycles
    if "monte-carlo" in plan.scenarios:
        clocks += min(plan.monte_carlo_clocks, plan.monte_carlo_rounds * 1000 * design.latency_cycles)
    return clocks


def _no_progress(step: str, done: int, total: int) -> None:
    """Nobody looks."""


def _together(design: CoreDesign, reports: Sequence[SimulationReport]) -> SimulationReport:
    """One report of the reports for each key size."""
    return replace(
        reports[-1],
        design=design.name,
        source_hash=design.source_hash,
        key_bits=max(report.key_bits for report in reports),
        scenarios=tuple(
            replace(scenario, name=f"{scenario.name}, {report.key_bits}-bit keys")
            for report in reports
            for scenario in report.scenarios
        ),
        timing=tuple(timing for report in reports for timing in report.timing),
        waveform=next((report.waveform for report in reports if report.waveform is not None), None),
        build_seconds=round(sum(report.build_seconds for report in reports), 3),
        seconds=round(sum(report.seconds for report in reports), 3),
    )


def _record(session: Session, design: CoreDesign, plan: SimulationPlan) -> Waveform | None:
    """The one scenario of the plan, which failed, once more with a waveform."""
    program = build_simulator(design, session.folder, session.tools, many_clocks=False, trace=True)
    path = session.folder / f"{design.name}-{plan.scenarios[0]}.vcd"
    findings = session.run(program, plan, _no_progress, waveform=path)
    if findings.failure_ns is None:
        return None
    return Waveform(path, plan.scenarios[0], findings.failure_ns)


def simulate(
    design: CoreDesign,
    work_dir: Path,
    plan: SimulationPlan | None = None,
    progress: Progress | None = None,
) -> SimulationReport:
    """Simulate a core against the golden model through its block interface, and report every scenario.

    Works in `work_dir` (made if missing; an equal build found there is used again; one simulation at a time).
    A core that fails is no error: the report says so. The same design, plan and tools give the same report, apart from
    the times. `progress` is called with (`build: …` or a scenario's name, units done, units in all).

    A core whose key size is chosen with each key is simulated once for each size, with all scenarios.

    Raises RequestError for a design that cannot be simulated, ToolError if a tool is missing or fails; missing tools
    are found before any work.
    """
    began = time.monotonic()
    plan = plan or SimulationPlan()
    progress = progress or _no_progress
    if len(design.key_bits) > 1:
        sizes = [with_one_key_size(design, bits) for bits in design.key_bits]
        return _together(design, [simulate(one, work_dir / str(one.key_bits[0]), plan, progress) for one in sizes])
    facts, core = facts_of(design), with_surroundings(design)
    tools = find_tools()
    folder = work_dir.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    many_clocks = _clocks(design, plan) > _MANY_CLOCKS
    program = build_simulator(core, folder, tools, many_clocks=many_clocks, progress=progress)
    built = time.monotonic()
    session = Session(folder, tools, facts)
    ordered = replace(plan, scenarios=tuple(name for name in SCENARIOS if name in plan.scenarios))
    findings = session.run(program, ordered, progress)
    failing = [scenario.name for scenario in findings.scenarios if not scenario.passed]
    waveform = _record(session, core, replace(plan, scenarios=(failing[0],))) if failing and plan.waves else None
    return SimulationReport(
        design=design.name,
        source_hash=design.source_hash,
        key_bits=facts.key_bits,
        seed=plan.seed,
        scenarios=tuple(findings.scenarios),
        timing=tuple(findings.timing),
        waveform=waveform,
        tools=tools.versions,
        build_seconds=round(built - began, 3),
        seconds=round(time.monotonic() - began, 3),
    )
