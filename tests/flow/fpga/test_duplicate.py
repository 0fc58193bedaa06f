"""A register with too many loads becomes several of the same, each for loads that belong together."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from aesmith.flow.fpga.devices import DEVICES, ECP5_CELLS, Cells
from aesmith.flow.fpga.synthesis import duplicate_registers

CLOCK, DATA, ENABLE, RESULT = 2, 3, 4, 100


def cell(kind: str, inputs: dict[str, int], outputs: dict[str, int]) -> dict[str, Any]:
    directions = dict.fromkeys(inputs, "input") | dict.fromkeys(outputs, "output")
    connections = {port: [bit] for port, bit in (inputs | outputs).items()}
    return {"type": kind, "parameters": {}, "attributes": {}, "port_directions": directions, "connections": connections}


def netlist(loads: int, driver: str = "TRELLIS_FF") -> dict[str, Any]:
    """One cell enables `loads` registers, half of them of unit 2 and half of unit 10, in mixed order."""
    source = {"CLK": CLOCK, "DI": DATA} if driver == "TRELLIS_FF" else {"A": DATA}
    cells = {"enable": cell(driver, source, {"Q": ENABLE})}
    nets = {}
    for i in range(loads):
        cells[f"x{i}"] = cell("TRELLIS_FF", {"CLK": CLOCK, "DI": DATA, "CE": ENABLE}, {"Q": RESULT + i})
        nets[f"unit[{10 if i % 2 else 2}].state_q_{i}"] = {"bits": [RESULT + i]}
    ports = {"clk": {"direction": "input", "bits": [CLOCK]}, "d": {"direction": "input", "bits": [DATA]}}
    return {"modules": {"top": {"ports": ports, "cells": cells, "netnames": nets}}}


def duplicated(
    design: dict[str, Any], folder: Path, most: int, kinds: Cells = ECP5_CELLS
) -> tuple[tuple[int, int], dict[str, Any]]:
    file = folder / "netlist.json"
    file.write_text(json.dumps(design))
    added = duplicate_registers(file, "top", kinds, most)
    cells: dict[str, Any] = json.loads(file.read_text())["modules"]["top"]["cells"]
    return added, cells


def test_each_copy_has_its_share_of_neighbours(tmp_path: Path) -> None:
    added, cells = duplicated(netlist(40), tmp_path, 20)
    assert added == (1, 0)
    copies = [name for name in cells if name.startswith("enable")]
    units = {cells[name]["connections"]["Q"][0]: name for name in copies}
    of_unit = [{cells[f"x{i}"]["connections"]["CE"][0] for i in range(first, 40, 2)} for first in (0, 1)]
    assert all(len(bits) == 1 for bits in of_unit)
    assert of_unit[0] | of_unit[1] == set(units)
    assert all(cells[name]["connections"]["DI"] == [DATA] for name in copies)


def test_no_register_drives_more_than_the_most_and_nothing_else_changes(tmp_path: Path) -> None:
    design = netlist(95)
    added, cells = duplicated(design, tmp_path, 20)
    loads = Counter(cells[f"x{i}"]["connections"]["CE"][0] for i in range(95))
    assert added == (4, 0)
    assert max(loads.values()) <= 20
    assert len(loads) == 5
    for name, before in design["modules"]["top"]["cells"].items():
        after = cells[name]["connections"]
        assert {port: bits for port, bits in after.items() if port != "CE"} == {
            port: bits for port, bits in before["connections"].items() if port != "CE"
        }


def test_the_table_before_a_register_goes_along_with_each_copy_and_reads_it(tmp_path: Path) -> None:
    design = netlist(40)
    cells = design["modules"]["top"]["cells"]
    cells["enable"]["connections"]["DI"] = [50]
    cells["next"] = cell("LUT4", {"A": DATA, "B": ENABLE}, {"Z": 50})
    added, after = duplicated(design, tmp_path, 22)
    assert added == (1, 1)
    copy, table = after["enable_copy_1"]["connections"], after["next_copy_1"]["connections"]
    assert copy["DI"] == table["Z"] != [50]
    assert (table["A"], table["B"]) == ([DATA], copy["Q"])


def test_tables_that_went_along_are_loads_of_what_they_read(tmp_path: Path) -> None:
    design = netlist(95)
    cells = design["modules"]["top"]["cells"]
    cells["enable"]["connections"]["DI"] = [50]
    cells["next"] = cell("LUT4", {"A": 51}, {"Z": 50})
    cells["other"] = cell("TRELLIS_FF", {"CLK": CLOCK, "DI": DATA}, {"Q": 51})
    for i in range(17):
        cells[f"y{i}"] = cell("LUT4", {"A": 51}, {"Z": 60 + i})
    added, after = duplicated(design, tmp_path, 20)
    assert added == (5, 4)
    others = {one["connections"]["Q"][0] for name, one in after.items() if name.startswith("other")}
    loads = Counter(one["connections"]["A"][0] for one in after.values() if one["type"] == "LUT4")
    assert set(loads) == others
    assert max(loads.values()) <= 20


@pytest.mark.parametrize(("loads", "driver"), [(20, "TRELLIS_FF"), (95, "LUT4")])
def test_few_loads_and_what_is_no_register_are_left_alone(loads: int, driver: str, tmp_path: Path) -> None:
    design = netlist(loads, driver)
    assert duplicated(design, tmp_path, 20) == ((0, 0), design["modules"]["top"]["cells"])


@pytest.mark.parametrize("device", [name for name, device in DEVICES.items() if device.placed])
def test_the_table_goes_along_by_each_device_s_own_pins(device: str, tmp_path: Path) -> None:
    kinds = DEVICES[device].cells
    register, table = kinds.flip_flops[0], kinds.lut_types[-1]
    cells = {
        "enable": cell(register, {kinds.data: 50}, {"Q": ENABLE}),
        "next": cell(table, {"A": DATA, "B": ENABLE}, {kinds.lut_output: 50}),
    }
    cells |= {f"x{i}": cell(register, {kinds.data: DATA, "E": ENABLE}, {"Q": RESULT + i}) for i in range(40)}
    design = {"modules": {"top": {"ports": {}, "cells": cells, "netnames": {}}}}
    added, after = duplicated(design, tmp_path, 22, kinds)
    assert added == (1, 1)
    copy, lut = after["enable_copy_1"]["connections"], after["next_copy_1"]["connections"]
    assert copy[kinds.data] == lut[kinds.lut_output] != [50]
    assert lut["B"] == copy["Q"] != [ENABLE]
    assert {after[f"x{i}"]["connections"]["E"][0] for i in range(40)} == {ENABLE, copy["Q"][0]}
