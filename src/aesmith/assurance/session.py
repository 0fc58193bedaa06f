"""One run of a built simulator: gives the testbench its orders, follows its events, and collects what it found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import cocotb_tools.config

from aesmith.assurance.compile import Tools
from aesmith.assurance.harness import HARNESS
from aesmith.assurance.plan import ORDERS_VARIABLE, CoreFacts, SimulationPlan
from aesmith.assurance.report import MeasuredTiming, ScenarioReport
from aesmith.cores.design import Direction
from aesmith.errors import ToolError

Progress = Callable[[str, int, int], None]
"""Called with the name of a step (`build` or a scenario), the units done, and the units in all."""

_POLL_SECONDS = 0.05


@dataclass
class Findings:
    """What the testbench told: `failure_ns` is the simulated time of the last failure."""

    scenarios: list[ScenarioReport] = field(default_factory=list)
    timing: list[MeasuredTiming] = field(default_factory=list)
    failure_ns: int | None = None
    ended: bool = False

    def take(self, event: dict[str, Any], progress: Progress) -> None:
        """Take in one event of the testbench."""
        kind = event.pop("event")
        if kind == "progress":
            progress(event["scenario"], event["done"], event["total"])
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
        findings = Findings()
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=_environment(self.tools, orders),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            try:
                for event in _events(events, process):
                    findings.take(event, progress)
            finally:
                process.kill()
                process.wait()
        if not findings.ended:
            tail = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-5:]
            raise ToolError(
                f"simulator: ended with exit code {process.returncode} before the testbench did: {' | '.join(tail)} "
                f"(all of it: {log})"
            )
        return findings
