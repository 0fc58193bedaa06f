"""A design simulated by Yosys together with a driver of its ports: what its ports and registers are in each clock.

A driver is a module with all ports of the design, clock and reset as inputs, the others as outputs, and one instance of
the design, INSTANCE.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from aesmith.cores.design import Design, SourceFile
from aesmith.cores.ports import Ports
from aesmith.cores.wrapper import bit_ranges
from aesmith.drawing.waveform import Signal, Trace
from aesmith.flow.yosys import run_script, write_sources

INSTANCE = "dut"
RESET_CLOCKS = 2
WAVES = "trace.vcd"
"""The file in the work folder that the simulation leaves."""


def driver_ports(ports: Ports) -> list[str]:
    """The ports of a driver, as its module's head declares them."""
    return [
        f"{'input ' if port.role in ('clock', 'reset') else 'output'} logic {bit_ranges(port)}{port.name}"
        for port in ports
    ]


def simulate_driven(
    design: Design, driver: SourceFile, clocks: int, work_dir: Path, wires: Sequence[str] = ()
) -> dict[str, Signal]:
    """So many clocks of `design` under a driver, whose file is named as its module, in `work_dir`, which is made.

    What is found are ports, and registers as `INSTANCE.path`, each as rising clock edges sample it; beside registers
    wires of these names. Raises RequestError for a design without clock and reset, ToolError if Yosys fails.
    """
    work_dir.mkdir(parents=True, exist_ok=True)
    (work_dir / driver.name).write_text(driver.text)
    clock, reset = design.ports.role("clock").name, design.ports.role("reset")
    resetting = f"{'-reset' if reset.active else '-resetn'} {reset.name}"
    top = driver.name.removesuffix(".sv")
    run_script(
        [
            f"read_slang --top {top} {' '.join([*write_sources(design, work_dir), driver.name])}",
            f"hierarchy -check -top {top}",
            "proc",
            "flatten",
            "memory -nomap",
            "opt_clean",
            f"rename -hide w:*.* w:*_q %d {' '.join(f'w:*.{wire} %d' for wire in wires)}",
            f"sim -q -clock {clock} {resetting} -rstlen {RESET_CLOCKS} -n {clocks} -vcd {WAVES} {top}",
        ],
        work_dir / "trace.log",
    )
    return dict(_read_vcd((work_dir / WAVES).read_text(), clock))


def registers_of(found: Mapping[str, Signal]) -> dict[str, tuple[int | None, ...]]:
    """The values of the registers inside the design, named by their path in it."""
    inside = f"{INSTANCE}."
    return {
        name.removeprefix(inside): signal.values for name, signal in sorted(found.items()) if name.startswith(inside)
    }


def cut(trace: Trace, end: int) -> Trace:
    """The trace up to clock edge `end`, which is not in it."""
    signals = {name: Signal(name, signal.width, signal.values[:end]) for name, signal in trace.signals.items()}
    registers = {name: values[:end] for name, values in trace.registers.items()}
    return Trace(trace.ports, signals, registers, trace.beats)


def _read_vcd(text: str, clock_name: str) -> Iterator[tuple[str, Signal]]:
    """The signals, named by their path below the outermost scope, sampled just before each rising edge of the clock."""
    codes: dict[str, tuple[str, int]] = {}
    scopes: list[str] = []
    current: dict[str, int | None] = {}
    samples: dict[str, list[int | None]] = {}
    header, _, body = text.partition("$enddefinitions $end")
    for line in header.splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(words[2].lstrip("\\"))
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            codes[words[3]] = (".".join([*scopes[1:], words[4].lstrip("\\")]), int(words[2]))
    clock = next(code for code, (name, _) in codes.items() if name == clock_name)
    for moment in _changes(body):
        if moment.get(clock) == 1 and current.get(clock) == 0:
            for code in codes:
                samples.setdefault(code, []).append(current.get(code))
        current.update(moment)
    for code, (name, width) in codes.items():
        yield name, Signal(name, width, tuple(samples.get(code, ())))


def _changes(body: str) -> Iterator[dict[str, int | None]]:
    """The value changes of each time step; a value with any undefined bit is None."""
    changes: dict[str, int | None] = {}
    for line in body.splitlines():
        if line.startswith("#"):
            yield changes
            changes = {}
        elif line.startswith("b"):
            digits, code = line[1:].split()
            changes[code] = int(digits, 2) if set(digits) <= {"0", "1"} else None
        elif line and line[0] in "01xzXZ":
            changes[line[1:]] = int(line[0]) if line[0] in "01" else None
    yield changes
