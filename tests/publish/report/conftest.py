"""A report of invented points, opened in a real browser."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page

from aesmith.explore.points import blocks_in_flight, frame
from aesmith.publish.report.page import report_html

CORES = (
    ("byte-serial", "hamalainen2006-enc", "hamalainen2006-enc", "encrypt", "canright2005", 1, None, 160, 176, 4400, 2),
    ("byte-serial", "wang2010-s4-enc", "wang2010-enc", "encrypt", "canright2005", 4, None, 243, 246, 4.6e3, 1.1),
    ("round-based", "ueno2020-enc", "ueno2020-enc", "encrypt", None, 1, 1, 10, 11, 1.1e4, 1.6),
    ("round-based", "maximov2019-enc", "standard-enc", "encrypt", "maximov2019", 1, 1, 10, 11, 1.0e4, 1.8),
    ("round-based", "ueno2020-encdec", "ueno2020-encdec", "encrypt+decrypt", None, 1, 1, 10, 11, 1.5e4, 1.9),
    ("sub-pipelined", "zhang2004-r7-enc", "subpipelined", "encrypt", "zhang2004", 7, 10, 1, 71, 1.1e5, 0.5),
    ("sub-pipelined", "subpipelined-r3-uall-lin2023", "subpipelined", "encrypt", "lin2023", 3, 10, 1, 31, 9e4, 0.9),
)  # fmt: skip


def rows() -> list[dict[str, object]]:
    rng = random.Random(4)
    found: list[dict[str, object]] = []
    for family, design, architecture, ways, sbox, stages, units, cycles, latency, size, pace in CORES:
        for optimise in ("area", "area-speed", "speed"):
            area, period = size * rng.uniform(0.9, 1.5), pace * rng.uniform(0.6, 1.3)
            gbps = 128 / period / cycles
            power = {f"energy_pj_per_block_{way}": area / 200 * rng.random() for way in ways.split("+")}
            found.append(
                {
                    "design": design,
                    "specification": json.dumps({"architecture": architecture, "key_bits": 128}),
                    "family": family,
                    "architecture": architecture,
                    "directions": ways,
                    "key_bits": 128,
                    "block_width": 8 if family == "byte-serial" else 128,
                    "sbox": sbox,
                    "stages": stages,
                    "units": units,
                    "library": "invented",
                    "corner": "slow, 0.95 V, 125 °C",
                    "optimise": optimise,
                    "recipe": "keep@900",
                    "cycles_per_block": cycles,
                    "latency_cycles": latency,
                    "blocks_in_flight": blocks_in_flight(cycles, latency),
                    "area_ge": area,
                    "period_ns": period,
                    "fmax_mhz": 1e3 / period,
                    "latency_ns": latency * period,
                    "throughput_gbps": gbps,
                    "efficiency_kbps_per_ge": gbps * 1e6 / area,
                    "status": "done",
                    "verified": "simulation",
                    "key": f"{rng.getrandbits(256):064x}",
                    **(power if optimise != "speed" else {}),
                }
            )
    return [*found, {**found[0], "status": "failed", "key": "f" * 64, "area_ge": None}]


@pytest.fixture(scope="session")
def points() -> pd.DataFrame:
    return frame(rows())


@pytest.fixture(scope="session")
def report_file(points: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(report_html(points, "Invented cores <&>"), encoding="utf-8")
    return file


@pytest.fixture
def page(browser: Browser, report_file: Path) -> Iterator[Page]:
    """The report as a reader finds it, offline; an error in one of its scripts fails the test."""
    context = browser.new_context(viewport={"width": 1500, "height": 950}, color_scheme="light", offline=True)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    opened.on("request", lambda asked: errors.append(asked.url) if not asked.url.startswith("file:") else None)
    opened.goto(report_file.as_uri())
    yield opened
    context.close()
    assert errors == []
