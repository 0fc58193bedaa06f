"""Engines in the report: told by mode and core, filtered by what they differ in, with figures that engines have."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

from aesmith.explore.points import frame, points_by
from aesmith.publish.report.page import content, report_html

CORE = {"architecture": "ueno2020-enc", "key_bits": 128, "output": "quiet"}


def row(specification: dict[str, Any], **fields: object) -> dict[str, object]:
    known = {
        "design": "-".join(map(str, specification.values())),
        "specification": json.dumps(specification),
        "architecture": "ueno2020-enc",
        "directions": "encrypt",
        "key_bits": 128,
        "block_width": 128,
        "stages": 1,
        "units": 1,
        "library": "invented",
        "corner": "typical",
        "optimise": "area",
        "recipe": "keep",
        "cycles_per_block": 10,
        "latency_cycles": 11,
        "latency_ns": 22.0,
        "period_ns": 2.0,
        "fmax_mhz": 500.0,
        "area_ge": 1e4,
        "throughput_gbps": 6.4,
        "efficiency_kbps_per_ge": 640.0,
        "status": "done",
        "key": json.dumps(specification).encode().hex(),
    }
    return known | fields


def engine(mode: str, cores: int, **fields: object) -> dict[str, object]:
    specification = {"mode": mode, "core": "ueno2020-enc-256", "cores": cores, **fields}
    about = {"family": mode, "core": "ueno2020-enc-256", "cores": cores, "key_bits": 256}
    return row(specification, cycles_per_block=10 / cores, directions="encrypt+decrypt", **about)


@pytest.fixture(scope="module")
def points() -> pd.DataFrame:
    engines = [engine("gcm", 1, digit=8, release="verified"), engine("gcm", 4, digit=32, release="verified")]
    return frame([row(CORE, family="round-based"), *engines, engine("ctr", 4, counter_bits=32)])


def words(told: dict[str, Any], name: str) -> list[str | None]:
    column = told["columns"][name]
    return [None if index is None else column["words"][index] for index in column["index"]]


def test_xts_is_told_by_the_size_of_each_of_its_two_keys() -> None:
    engines = points_by("engines")
    (title,) = set(words(content(engines[engines["family"].eq("xts")]), "title"))
    assert title == "AES-128 in XTS, two 128-bit keys, encryption and decryption, 1 x ueno2020-encdec"


def test_an_engine_is_told_by_its_mode_its_core_and_its_standard(points: pd.DataFrame) -> None:
    told: dict[str, Any] = content(points)
    assert words(told, "title")[2:] == [
        "AES-256 in GCM, encryption and decryption, 4 x ueno2020-enc-256",
        "AES-256 in CTR, encryption and decryption, 4 x ueno2020-enc-256",
    ]
    assert [citation and "800-38D" in citation for citation in words(told, "citation")] == [False, True, True, False]
    assert words(told, "keys") == ["128", "256", "256", "256"]
    assert words(told, "output") == ["quiet", None, None, None]
    assert 'mode = "ctr"' in str(words(told, "make")[3])


def test_what_engines_differ_in_is_filtered_by(points: pd.DataFrame) -> None:
    told: dict[str, Any] = content(points)
    labels = {parameter["name"]: parameter["label"] for parameter in told["parameters"]}
    assert labels["digit"] == "Digit"
    assert not {"release", "counter_bits", "mode"} & labels.keys(), "of these there is one value"
    assert words(told, "digit") == [None, "8", "32", None]
    assert words(told, "cores") == [None, "1", "4", "4"]
    assert [kind["defaults"]["colour"] for kind in told["kinds"]] == ["family", "family"]
    assert content(points.iloc[1:3])["kinds"][0]["defaults"]["colour"] == "digit"  # type: ignore[index]


def test_figures_of_engines_are_those_that_engines_have(points: pd.DataFrame) -> None:
    told: dict[str, Any] = content(points)
    assert told["columns"]["cycles_per_block"] == [10, 10, 2.5, 2.5]
    digits = {figure["name"]: figure["digits"] for figure in told["figures"]}
    assert digits["cycles_per_block"] == 2, "2.5 clocks are not 3"
    assert told["columns"]["chained_gbps"][1:] == [None, None, None], "a stream of its mode is what it serves"
    of_cores: dict[str, Any] = content(points.iloc[:1])
    assert {figure["name"]: figure["digits"] for figure in of_cores["figures"]}["cycles_per_block"] == 0
    page = report_html(points)
    assert "4 designs at 4 points" in page
    assert "all that serves a mode" in page
    assert "all that serves a mode" not in report_html(points.iloc[:1])
