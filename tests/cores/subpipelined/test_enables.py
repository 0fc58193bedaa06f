"""What moves many registers of a sub-pipelined core comes from registers, with no more than one gate between."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.subpipelined.family import SubpipelinedSpecification
from aesmith.flow.yosys import read_commands, run_script, write_sources

MANY = 100
"""More than the control has of its own: enables of words of the key or of the state."""

REGISTER = "$_DFF"

FORMS: list[dict[str, Any]] = [
    {"stages": 2, "rounds_in_loop": 1},
    {"stages": 2, "rounds_in_loop": 1, "skid_entries": 3},
    {"stages": 1, "rounds_in_loop": 2, "directions": ("decrypt",)},
    {"stages": 3, "rounds_in_loop": 1, "directions": ("encrypt", "decrypt"), "key_bits": 256},
    {"stages": 1, "key_agile": True},
]


def late_enables(design: CoreDesign, folder: Path) -> tuple[int, list[str]]:
    """How many enables have more than MANY loads, and which of them are more than a gate of two registers away."""
    commands = read_commands(design, write_sources(design, folder), keep_hierarchy=False)
    commands += ["proc", "flatten", "opt", "simplemap", "opt_clean", "write_json netlist.json"]
    run_script(commands, folder / "yosys.log")
    module = json.loads((folder / "netlist.json").read_text())["modules"][design.top]
    drivers: dict[int, dict[str, Any]] = {}
    loads: Counter[int] = Counter()
    for cell in module["cells"].values():
        for port, direction in cell["port_directions"].items():
            if direction == "output":
                drivers |= dict.fromkeys(cell["connections"][port], cell)
        loads.update(cell["connections"].get("E", []))
    names: dict[int, str] = {bit: name for name, net in module["netnames"].items() for bit in net["bits"]}

    def is_register(bit: int) -> bool:
        return bit in drivers and str(drivers[bit]["type"]).startswith(REGISTER)

    def is_near(bit: int) -> bool:
        if bit not in drivers:  # The key that a key-agile core is offered comes with its own enable.
            return bit in module["ports"]["key_valid_i"]["bits"]
        inputs = [bits[0] for port, bits in drivers[bit]["connections"].items() if port in ("A", "B", "S")]
        return is_register(bit) or (len(inputs) <= 2 and all(map(is_register, inputs)))

    many = [bit for bit, count in loads.items() if count > MANY]
    return len(many), [names[bit] for bit in many if not is_near(bit)]


@pytest.mark.thorough(but=("2-1",))
@pytest.mark.one_in(2)
@pytest.mark.parametrize("fields", FORMS, ids=lambda fields: "-".join(map(str, fields.values())))
def test_enables_of_many_registers_are_a_gate_from_registers(fields: dict[str, Any], tmp_path: Path) -> None:
    design = SubpipelinedSpecification(**fields).design("core_under_test", "enables")
    count, late = late_enables(design, tmp_path)
    assert count > 1
    assert late == []


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("module", "early", "late"),
    [
        ("subpipelined_control", "assign key_load_o = key_ready_q;", "assign key_load_o = key_valid_i & key_ready_q;"),
        ("subpipelined_key_expansion", "store_o = store_q;", "store_o = phase_q == '0 ? round_q : '0;"),
    ],
)
def test_more_gates_before_an_enable_are_seen(module: str, early: str, late: str, tmp_path: Path) -> None:
    design = SubpipelinedSpecification(stages=3, rounds_in_loop=1).design("broken", "broken")
    sources = []
    for source in design.sources:
        text = source.text
        if source.name == f"broken_{module}.sv":
            assert early in text
            text = text.replace(early, late)
        sources.append(SourceFile(source.name, text))
    broken = type(design)(**{**vars(design), "sources": tuple(sources)})
    assert late_enables(broken, tmp_path)[1]
