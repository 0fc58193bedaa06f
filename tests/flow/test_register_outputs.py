"""Readers of a register hang on its flip-flop: what was buffered or inverted in between goes, no function changes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from aesmith.flow.register_outputs import without_register_buffers
from aesmith.technology.boolean import parse_function
from aesmith.technology.library import Library
from aesmith.technology.registry import library_by

CLOCK, DATA, STATE = 2, 3, 4


@pytest.fixture(scope="module")
def library() -> Library:
    return library_by("generic45")


def cell(kind: str, **pins: int) -> dict[str, Any]:
    outputs = ("Z", "Q", "QN")
    return {
        "type": kind,
        "port_directions": {pin: "output" if pin in outputs else "input" for pin in pins},
        "connections": {pin: [net] for pin, net in pins.items()},
    }


def netlist(cells: dict[str, Any], *outputs: int) -> str:
    ports = {"clk": ("input", CLOCK), "d": ("input", DATA)} | {f"y{net}": ("output", net) for net in outputs}
    module = {
        "ports": {name: {"direction": direction, "bits": [net]} for name, (direction, net) in ports.items()},
        "cells": {"r": cell("DFF_X1", D=DATA, CK=CLOCK, Q=STATE)} | cells,
        "netnames": {},
    }
    return json.dumps({"modules": {"top": module}})


def freed(text: str, library: Library) -> dict[str, Any]:
    changed = without_register_buffers(text, "top", library)
    assert changed is not None
    cells: dict[str, Any] = json.loads(changed)["modules"]["top"]["cells"]
    return cells


def net(cells: dict[str, Any], name: str, pin: str) -> int:
    found: int = cells[name]["connections"][pin][0]
    return found


def test_what_a_buffer_drives_hangs_on_the_flip_flop(library: Library) -> None:
    cells = freed(
        netlist(
            {
                "near": cell("NAND2_X1", A=STATE, B=DATA, Z=10),
                "first": cell("BUF_X1", A=STATE, Z=11),
                "second": cell("BUF_X2", A=11, Z=12),
                "far": cell("NAND2_X1", A=12, B=11, Z=13),
            },
            10,
            13,
        ),
        library,
    )
    assert set(cells) == {"r", "near", "far"}
    assert {net(cells, *pin) for pin in (("near", "A"), ("far", "A"), ("far", "B"))} == {net(cells, "r", "Q")}


def test_of_several_inverters_one_is_left_where_the_flip_flop_has_no_inverted_output(library: Library) -> None:
    gates = {
        "i": cell("INV_X1", A=STATE, Z=10),
        "j": cell("INV_X1", A=STATE, Z=11),
        "k": cell("INV_X1", A=11, Z=12),
        "x": cell("NAND2_X1", A=10, B=DATA, Z=13),
        "y": cell("NAND2_X1", A=11, B=12, Z=14),
    }
    cells = freed(netlist(gates, 13, 14), library)
    (inverter,) = (name for name in cells if cells[name]["type"] == "INV_X1")
    assert net(cells, inverter, "A") == net(cells, "r", "Q") == net(cells, "y", "B")
    assert net(cells, inverter, "Z") == net(cells, "x", "A") == net(cells, "y", "A")
    assert len(cells) == 4


def test_a_port_keeps_its_net(library: Library) -> None:
    cells = freed(netlist({"b": cell("BUF_X1", A=STATE, Z=10)}, 10), library)
    assert set(cells) == {"r"}
    assert net(cells, "r", "Q") == 10


@pytest.mark.parametrize("readers", [0, 60])
def test_what_a_flip_flop_may_not_drive_stays_buffered(readers: int, library: Library) -> None:
    gates = {"b": cell("BUF_X4", A=STATE, Z=10)}
    gates |= {f"g{i}": cell("NAND2_X1", A=10, B=DATA, Z=20 + i) for i in range(readers)}
    assert without_register_buffers(netlist(gates, *([10, STATE] if not readers else [20])), "top", library) is None


def test_nothing_is_changed_where_nothing_stands_between(library: Library) -> None:
    assert without_register_buffers(netlist({"g": cell("INV_X1", A=STATE, Z=10)}, 10), "top", library) is None


def test_readers_of_the_inverse_hang_on_the_inverted_output(library: Library) -> None:
    """In a library whose flip-flop has one."""
    plain = library.cell("DFF_X1")
    inverted = replace(plain.pins["Q"], name="QN", function=parse_function("IQN", "function"))
    both = replace(plain, pins=plain.pins | {"QN": inverted})
    assert both.register_outputs == {False: "Q", True: "QN"}
    with_both = replace(library, cells=library.cells | {"DFF_X1": both})
    gates = {
        "i": cell("INV_X1", A=STATE, Z=10),
        "b": cell("BUF_X1", A=10, Z=11),
        "x": cell("NAND2_X1", A=STATE, B=11, Z=12),
        "y": cell("NAND2_X1", A=10, B=DATA, Z=13),
    }
    cells = freed(netlist(gates, 12, 13), with_both)
    assert set(cells) == {"r", "x", "y"}
    assert net(cells, "x", "A") == net(cells, "r", "Q")
    assert net(cells, "x", "B") == net(cells, "y", "A") == net(cells, "r", "QN") != net(cells, "r", "Q")
