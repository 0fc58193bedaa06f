"""Simulation of a core against the reference: build a simulator, run the testbench in it, read what it found."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aesmith.assurance.compile import build_simulator, find_tools
from aesmith.assurance.plan import SCENARIOS, SimulationPlan, facts_of
from aesmith.assurance.report import SimulationReport, Waveform
from aesmith.assurance.session import Progress, Session
from aesmith.cores.design import CoreDesign
from aesmith.cores.key_sizes import with_one_key_size


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
    program = build_simulator(design, session.folder, session.tools, trace=True)
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
    the times. `progress` is called with (`build` or a scenario's name, units done, units in all).

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
    facts = facts_of(design)
    tools = find_tools()
    folder = work_dir.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    progress("build", 0, 1)
    program = build_simulator(design, folder, tools)
    progress("build", 1, 1)
    built = time.monotonic()
    session = Session(folder, tools, facts)
    ordered = replace(plan, scenarios=tuple(name for name in SCENARIOS if name in plan.scenarios))
    findings = session.run(program, ordered, progress)
    failing = [scenario.name for scenario in findings.scenarios if not scenario.passed]
    waveform = _record(session, design, replace(plan, scenarios=(failing[0],))) if failing and plan.waves else None
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
