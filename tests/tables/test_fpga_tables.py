"""Tables of FPGA implementations: printed figures agree with each other, placed rows stand beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from aesmith.flow.fpga.devices import DEVICES
from aesmith.tables.catalogue import FPGA_TABLES
from aesmith.tables.fpga import FpgaReproduction, fpga_json, fpga_markdown, reproduce_on

TABLE = FPGA_TABLES["zhang-table3"]


class Known:
    """A store that has placed everything before: a hundred MHz more with each seed, memories for the last rows."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def get_fpga_run(self, key: str) -> dict[str, Any] | None:
        first = len(self.asked) % 3 == 0
        self.asked.append(key)
        if first:
            return {"luts": 1000, "flip_flops": 500, "memories": 2 * (len(self.asked) > 18), "cells": {}, "copied": 0}
        seed = (len(self.asked) - 1) % 3
        return {"seed": seed, "fmax_mhz": 100.0 * seed, "used": 1200, "available": 83640, "seconds": 9.0}

    def put_fpga_run(self, key: str, design: str, device: str, run: Mapping[str, Any]) -> None:
        raise AssertionError(f"{design} on {device} was known: {key}, {run}")


class Counted(Known):
    """A store that has counts for everything, and no placements."""

    def get_fpga_run(self, key: str) -> dict[str, Any] | None:
        self.asked.append(key)
        return {"luts": 1, "flip_flops": 1, "memories": 0, "cells": {}}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> FpgaReproduction:
    folder: Path = tmp_path_factory.mktemp("table")
    return reproduce_on(TABLE, DEVICES["ecp5-85k"], folder, Known(), seeds=2, speed="8")


def test_printed_throughput_a_slice_counts_a_memory_as_128_slices() -> None:
    printed = [row.published for row in TABLE.rows if row.published]
    assert len(printed) == 9
    for figures in printed:
        slices = figures["slices"] + 128 * figures["memories"]
        assert round(figures["throughput"] / slices, 3) == pytest.approx(figures["per_slice"], abs=0.0011)


def test_the_claim_of_the_paper_is_in_its_figures() -> None:
    by_name = {row.name: row.published for row in TABLE.rows}
    assert round(by_name["zhang2004-r7-enc"]["per_slice"] / by_name["saggese"]["per_slice"], 2) == 1.79


@pytest.mark.thorough
def test_every_row_that_is_placed_takes_a_block_a_clock(found: FpgaReproduction) -> None:
    assert set(found.measurements) == {row.name for row in TABLE.rows if row.specification is not None}
    assert {m.cycles_per_block for m in found.measurements.values()} == {1}
    assert (found.steps, found.from_store) == (21, 21)
    for row in TABLE.rows:
        assert set(row.compared) <= set(found.measurements)


def test_memories_count_in_throughput_a_lut(found: FpgaReproduction) -> None:
    assert found.per_lut("zhang2004-r7-enc") == pytest.approx(200 * 128 / 1000)
    assert found.per_lut("r7-block-memory") == pytest.approx(200 * 128 / (1000 + 2 * 256))
    assert found.advantages("zhang2004-r7-enc")["r7-block-memory"] == pytest.approx(1.512)
    assert found.per_lut("zhang2004-r7-enc", median=True) == pytest.approx(150 * 128 / 1000)


def test_published_and_measured_figures_never_share_a_column(found: FpgaReproduction) -> None:
    text = fpga_markdown(found)
    assert "| this paper, r = 7 | XCV1000E-8 | 168.4 | 21,556 | 11,022 | 0 | 1.956 |" in text
    assert "| this paper, r = 7 | 200.0 | 150.0 | 100.0 | 25,600 | 1,000 | 500 | 0 | 25.600 |" in text
    assert "| this paper, r = 7 | r = 7, tables in block memories | 1.51 | 1.51 |" in text
    rows: Any = fpga_json(found)["rows"]
    assert [row["measured"] is None for row in rows if not row["published"]] == [False] * 5


def test_on_a_device_that_is_not_placed_on_there_are_counts_only(tmp_path: Path) -> None:
    counted = reproduce_on(TABLE, DEVICES["xc7"], tmp_path, Counted(), seeds=2, speed=None)
    assert counted.per_lut("zhang2004-r7-enc") is None
    assert counted.advantages("zhang2004-r7-enc") == {}
    assert "there is no open place and route" in fpga_markdown(counted)
