"""Block memories that get their sites first: near those that they feed, where there is something to be near."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from aesmith.errors import RequestError
from aesmith.flow.fpga.devices import DEVICES, ECP5_CELLS, MemorySites, device_named
from aesmith.flow.fpga.memories import place_memories

SITES = MemorySites(rows=(22, 46), blocks=(4, 13, 22, 31))
TOP, KIND = "top", "DP16KD"


def _cell(kind: str, **pins: list[int]) -> dict[str, Any]:
    directions = {pin: "output" if pin in ("DOA", "Q", "Z") else "input" for pin in pins}
    return {"type": kind, "connections": pins, "port_directions": directions}


def _chain(memories: int, *, registers: int = 1) -> dict[str, Any]:
    """Memories in a row, each fed by the one before through registers, under names that say nothing of their order."""
    cells, net = {}, 2
    for i in range(memories):
        cells[f"memory_{7 * i % memories}"] = _cell(KIND, ADA=[net], DOA=[net + 1])
        net += 1
        for j in range(registers):
            cells[f"register_{i}_{j}"] = _cell("TRELLIS_FF", DI=[net], Q=[net + 1])
            net += 1
    return {"modules": {TOP: {"cells": cells}}}


def _placed(design: dict[str, Any], folder: Path, sites: MemorySites = SITES) -> tuple[int, list[str]]:
    """How many got a site, and the sites in the order of the cells."""
    netlist = folder / "netlist.json"
    netlist.write_text(json.dumps(design))
    placed = place_memories(netlist, TOP, ECP5_CELLS, sites)
    cells = json.loads(netlist.read_text())["modules"][TOP]["cells"]
    return placed, [cell["attributes"]["BEL"] for cell in cells.values() if "attributes" in cell]


def _column_and_row(site: str) -> tuple[int, int]:
    column, row, _ = site.split("/")
    return int(column[1:]), int(row[1:])


def test_memories_of_a_pipeline_get_different_sites_each_beside_the_next(tmp_path: Path) -> None:
    placed, sites = _placed(_chain(8), tmp_path)
    assert placed == len(set(sites)) == 8
    at = [_column_and_row(site) for site in sites]
    steps = [abs(ax - bx) + abs(ay - by) for (ax, ay), (bx, by) in pairwise(at)]
    # Neighbours in a row are two or three tiles apart, rows 24; at random two memories are 27 apart.
    assert sum(steps) / len(steps) < 6


def test_sites_are_the_same_each_time(tmp_path: Path) -> None:
    assert _placed(_chain(8), tmp_path) == _placed(_chain(8), tmp_path)


@pytest.mark.parametrize("design", [_chain(33), _chain(1), _chain(4, registers=3)])
def test_nothing_is_placed_where_there_are_too_many_memories_or_none_feeds_another(
    design: dict[str, Any], tmp_path: Path
) -> None:
    assert _placed(design, tmp_path) == (0, [])


def test_a_device_has_as_many_sites_as_memories() -> None:
    sites = DEVICES["ecp5-85k"].memory_sites
    assert sites is not None
    assert len(set(sites.every())) == 208


def test_sites_that_are_not_known_and_routers_that_are_not_there_are_refused() -> None:
    device = device_named("ecp5-85k").with_memories_first().with_router_margin(8)
    assert device.title.endswith("CABGA381, block memories placed first, router's margin 8")
    with pytest.raises(RequestError, match="memories-first: must be left out for ecp5-25k"):
        device_named("ecp5-25k").with_memories_first()
    with pytest.raises(RequestError, match="router-margin: must be left out for ice40-hx8k"):
        device_named("ice40-hx8k").with_router_margin(8)
    with pytest.raises(RequestError, match="route-target: must be left out for ice40-hx8k"):
        device_named("ice40-hx8k").with_route_target(79)
