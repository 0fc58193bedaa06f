"""Small engines with registers on a bus, and their test bench."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.modes.conftest import StandIn, stand_in

from aesmith.assurance.peripherals import PeripheralBench
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.sources import cleared_sources
from aesmith.modes.engine import StreamEngine
from aesmith.modes.multi_mode_engine import MultiModeEngine
from aesmith.peripheral.scripts import access_script, error_script, message_script, register_script

Run = Callable[..., tuple[int, int]]


def small(bus: str = "apb", name: str = "device", core: CoreDesign | None = None, **fields: object) -> StreamEngine:
    """A GCM engine around a core that stands in for AES, with registers on a bus."""
    core = core or stand_in(10, 11)
    if fields.get("clear"):
        core = replace(core, ports=core.ports, sources=cleared_sources(core.sources))
    given: dict[str, object] = {"modes": ("gcm",), "digit": 8} | fields
    return MultiModeEngine(name, core, bus=bus, stream_bits=32, **given)  # type: ignore[arg-type]


def whole_script(engine: StreamEngine, messages: int = 8) -> list[str]:
    """Registers, errors, accesses and messages, of the core that stands in."""
    behind = engine.behind_bus
    return [
        *register_script(behind),
        *error_script(behind),
        *access_script(behind, StandIn),
        *message_script(behind, Random("tests"), messages, cipher=StandIn),
        "pause 60 1",
        *message_script(behind, Random("pauses"), messages, cipher=StandIn),
    ]


def wrong_one(engine: StreamEngine, module: str, right: str, wrong: str) -> StreamEngine:
    """The engine with other text in one of its modules, or in the top, whose name is empty."""
    file = f"{engine.name}_{module}.sv" if module else f"{engine.name}.sv"
    sources = list(engine.sources)
    [place] = [number for number, source in enumerate(sources) if source.name == file]
    assert sources[place].text.count(right) >= 1, right
    sources[place] = SourceFile(file, sources[place].text.replace(right, wrong, 1))
    return replace(engine, shipped=tuple(sources))


def chosen_front(engine: StreamEngine, faults: Sequence[tuple[str, str]]) -> StreamEngine:
    """The engine with many wrong register fronts in one: `+fault=` says which one is connected, 0 the right one."""
    module = f"{engine.name}_register_front"
    sources = list(engine.sources)
    [place] = [number for number, source in enumerate(sources) if source.name == f"{module}.sv"]
    text = sources[place].text
    found = re.search(rf"module {module} #\((.*?)\n\) \((.*?)\n\);\n", text, re.DOTALL)
    assert found is not None
    parameters = re.findall(r"^  parameter .*?(\w+) = ", found[1], re.MULTILINE)
    ports = re.findall(r"^  (input|output) +logic (\[.*?\])? ?(\w+)", found[2], re.MULTILINE)
    count = len(faults) + 1
    lines = [
        text[: found.end()],
        "  int unsigned fault;",
        '  initial if (!$value$plusargs("fault=%d", fault)) fault = 0;',
    ]
    lines += [f"  logic [{count - 1}:0]{bits} all_{name};" for way, bits, name in ports if way == "output"]
    lines += [f"  assign {name} = all_{name}[fault];" for way, _, name in ports if way == "output"]
    for number in range(count):
        pins = (f".{name}(all_{name}[{number}])" if way == "output" else f".{name}" for way, _, name in ports)
        given = ", ".join(f".{name}({name})" for name in parameters)
        lines.append(f"  {module}_{number} #({given}) u_{number} ({', '.join(pins)});")
    variants = [text]
    for right, wrong in faults:
        assert text.count(right) >= 1, right
        variants.append(text.replace(right, wrong, 1))
    made = [
        SourceFile(f"{module}_{number}.sv", re.sub(rf"\bmodule {module}\b", f"module {module}_{number}", variant))
        for number, variant in enumerate(variants)
    ]
    sources[place : place + 1] = [*made, SourceFile(f"{module}.sv", "\n".join([*lines, "endmodule", ""]))]
    return replace(engine, shipped=tuple(sources))


@pytest.fixture(scope="session")
def bench() -> Callable[[StreamEngine, Path], PeripheralBench]:
    """The test bench of an engine with a bus."""
    return PeripheralBench
