"""What the ports of a core do, clock by clock, while it takes a key and three blocks: a simulation of its own RTL.

Yosys simulates the sources together with a small driver that obeys the handshake rules of the block interface: one key,
after a rest three blocks as fast as the core takes them, and a receiver that lets the last result wait for two clocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from aesmith.cores.design import CoreDesign, Direction, SourceFile
from aesmith.cores.ports import SIZE_CODES
from aesmith.drawing.waveform import Signal, Trace
from aesmith.errors import ToolError
from aesmith.flow.frontend import write_sources
from aesmith.flow.yosys import run_script
from aesmith.publish.templating import render

BLOCKS = 3
STALL_CLOCKS = 2
REST_CLOCKS = {128: 4, 8: 20}
"""From the key to the first block, by block width: latency is stated of a core at rest."""
RESET_CLOCKS = 2
INSTANCE = "dut."
KEY = bytes(range(32))
PLAINTEXTS = tuple(bytes(17 * i ^ 85 * block for i in range(16)) for block in range(BLOCKS))


def trace_core(design: CoreDesign, work_dir: Path) -> Trace:
    """Simulates `design` in `work_dir`, which is made. Raises ToolError if the core does not deliver its results."""
    work_dir.mkdir(parents=True, exist_ok=True)
    driver = _driver(design)
    (work_dir / driver.name).write_text(driver.text)
    beats = 128 // design.block_width
    clocks = (BLOCKS + 2) * (design.latency_cycles + 2 * beats + max(design.key_bits)) + 40
    top = driver.name.removesuffix(".sv")
    run_script(
        [
            f"read_slang --top {top} {' '.join([*write_sources(design, work_dir), driver.name])}",
            f"hierarchy -check -top {top}",
            "proc",
            "flatten",
            "memory -nomap",
            "opt_clean",
            "rename -hide w:*.* w:*_q %d",
            f"sim -q -clock clk_i -resetn rst_ni -rstlen {RESET_CLOCKS} -n {clocks} -vcd trace.vcd {top}",
        ],
        work_dir / "trace.log",
    )
    found = dict(_read_vcd((work_dir / "trace.vcd").read_text()))
    trace = _shortened(found, beats)
    if trace is None:
        raise ToolError(
            f"waveform: {design.name} did not deliver {BLOCKS} blocks within {clocks} clocks; "
            f"see {work_dir / 'trace.vcd'}, and `aesmith verify` for what is wrong with the core"
        )
    return trace


def _driver(design: CoreDesign) -> SourceFile:
    name = f"{design.name}_waveform"
    text = render(
        "waveform_driver.sv",
        name=name,
        design=design,
        both=len(design.directions) > 1,
        decrypt=int(design.directions[0] is Direction.DECRYPT),
        key_bits=max(design.key_bits),
        size_code=SIZE_CODES[max(design.key_bits)] if len(design.key_bits) > 1 else None,
        key=KEY[: max(design.key_bits) // 8].hex(),
        blocks="".join(block.hex() for block in PLAINTEXTS),
        block_count=BLOCKS,
        rest=REST_CLOCKS[design.block_width],
        stall=STALL_CLOCKS,
    )
    return SourceFile(f"{name}.sv", text)


def _shortened(found: Mapping[str, Signal], beats: int) -> Trace | None:
    """The trace up to two clocks after the last result; None if there are fewer results."""
    whole = Trace({name: signal for name, signal in found.items() if not name.endswith("_q")}, {}, beats)
    done = whole.transfers("block_valid_o", "block_ready_i")
    if len(done) < BLOCKS * beats:
        return None
    end = done[BLOCKS * beats - 1] + 3
    return Trace(
        {name: Signal(name, signal.width, signal.values[:end]) for name, signal in whole.signals.items()},
        {
            name.removeprefix(INSTANCE): signal.values[:end]
            for name, signal in sorted(found.items())
            if name.startswith(INSTANCE)
        },
        beats,
    )


def _read_vcd(text: str) -> Iterator[tuple[str, Signal]]:
    """The signals, named by their path below the outermost scope, sampled just before each rising edge of `clk_i`."""
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
    clock = next(code for code, (name, _) in codes.items() if name == "clk_i")
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
