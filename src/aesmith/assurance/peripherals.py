"""Simulation of an engine with registers on a bus: its own test bench, by its own make, with any script."""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from aesmith.assurance.plan import ScenarioReport
from aesmith.cache import Cache, digest, subfolder
from aesmith.errors import CheckError, ToolError
from aesmith.flow.verilator import BUILD_FLAGS, find_verilator
from aesmith.modes.engine import StreamEngine
from aesmith.peripheral.bench import peripheral_testbench
from aesmith.peripheral.files import peripheral_files
from aesmith.peripheral.scripts import standalone_script
from aesmith.processes import check_space, query, run

SCENARIO = "registers"
"""The scenario of a verification, and what it does: every register, errors, interrupts, and messages by the driver."""
_PASS = re.compile(r"^PASS: \w+: (\d+) checks, (\d+) clocks$", re.MULTILINE)


class PeripheralBench:
    """The test bench of an engine with a bus, compiled in `folder`, which is made; an equal one is kept for others.

    Raises ToolError if a tool is missing or fails, or does not take the sources.
    """

    def __init__(self, engine: StreamEngine, folder: Path) -> None:
        self.engine, self.folder = engine, folder
        tool = find_verilator(compiler=True)
        bench = peripheral_testbench(engine, ())
        texts = {
            **{f"rtl/{source.name}": source.text for source in engine.sources},
            **peripheral_files(engine),
            **{f"tb/{source.name}": source.text for source in bench},
        }
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        name = digest(
            [tool.version, str(tool.root), query(["g++", "-dumpfullversion"]).strip(), *texts, *texts.values()]
        )
        cache = Cache(subfolder("simulators"))
        with cache.alone(name):
            self.program = cache.find(name) or cache.keep(name, self._compiled())

    def _compiled(self) -> Path:
        tool, name = find_verilator(compiler=True), self.engine.name
        flags = shlex.join(("-CFLAGS", "-std=c++20", *BUILD_FLAGS))
        target = f"obj_{name}/tb_{name}"
        command = ["make", "-C", "tb", target, f"VERILATOR={tool.command}", f"VERILATOR_FLAGS={flags}"]
        environment = tool.environment() | {"PYTHON3": sys.executable}
        for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
            environment.pop(variable, None)
        ended = run(command, self.folder, self.folder / "make.log", environment=environment)
        if ended.status:
            check_space("make", ended)
            telling = [line for line in ended.said.splitlines() if "rror" in line]
            raise ToolError(f"test bench of {name}: {' | '.join(telling[:3])} (all of it: {self.folder / 'make.log'})")
        return self.folder / "tb" / target

    def run(self, script: Sequence[str], *arguments: str) -> tuple[int, int]:
        """How many checks a script made, in how many clocks; `arguments` are more words for the simulator.

        Raises CheckError for the first check that failed."""
        (self.folder / "script.txt").write_text("\n".join(script) + "\n", encoding="utf-8")
        ended = run([str(self.program), "script.txt", *arguments], self.folder, self.folder / "run.log")
        passed = _PASS.search(ended.said)
        if ended.status or passed is None:
            failure = next((line for line in ended.said.splitlines() if line.startswith("FAIL")), "")
            wrong = re.search(r"line (\d+)", failure)
            said = f" ({script[int(wrong[1]) - 1][:120]})" if wrong else ""
            raise CheckError(f"{failure.removeprefix('FAIL: ') or ended.said[-300:]}{said}")
        return int(passed[1]), int(passed[2])


def verify_registers(engine: StreamEngine, folder: Path) -> ScenarioReport:
    """The scenario of an engine with a bus: its own bench, with the script that travels. Raises ToolError."""
    begun = time.monotonic()
    script = standalone_script(engine)
    cases, cycles, failure = sum(line.startswith("message") for line in script), 0, ""
    try:
        checks, cycles = PeripheralBench(engine, folder).run(script)
        note = f"{checks:,} checks on {engine.bus}"
    except CheckError as error:
        failure, note = str(error), ""
    return ScenarioReport(SCENARIO, cases, cycles, time.monotonic() - begun, failure, note)
