"""The package of an engine with registers: what is in it, and that it accepts itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.peripheral.conftest import small

from aesmith.assurance.streams.check import StreamPlan, verify_engine
from aesmith.cli import run
from aesmith.errors import RequestError
from aesmith.flow.verilator import lint
from aesmith.modes.specification import parse_engine
from aesmith.publish.acceptance import CheckOutcome, accept
from aesmith.publish.descriptions import read_build
from aesmith.publish.package import testbench_of as bench_of
from aesmith.timing.power.activity import check_power
from aesmith.timing.power.figures import PowerPlan


def test_the_test_bench_is_the_driver_on_the_bus() -> None:
    names = [source.name for source in bench_of(small("wishbone"))]
    assert names == ["tb_device.cpp", "device_script.txt", "driver_ffi.rs", "Makefile"]


def test_what_there_is_not_for_registers_is_refused_by_name() -> None:
    with pytest.raises(RequestError, match="--power: of engines with streams"):
        check_power(small(), PowerPlan())


@pytest.mark.parametrize("fields", [{"bus": "apb"}, {"stream_bits": 32}])
def test_a_build_is_measured_without_its_memory(fields: dict[str, object], tmp_path: Path) -> None:
    made = parse_engine({"preset": "multi-compact"} | fields).engine("device", "multi-compact")
    built = replace(made, shipped=tuple(made.sources))
    assert list(built.measured.sources) == list(made.measured.sources)
    assert "memory_data_i" in [port.name for port in built.measured.ports]
    assert list(built.behind_bus.sources) == list(made.behind_bus.sources)
    lint(built.measured, tmp_path)


@pytest.mark.parametrize("arguments", [["gcm-small", "--bus", "avalon"], ["ueno2020-enc", "--bus", "apb"]])
def test_build_refuses_other_buses_and_cores(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build", *arguments, "--no-measure"]) == 2
    said = capsys.readouterr().err
    assert "bus: must be one of apb, axi4-lite" in said or "bus: of engines only" in said


@pytest.mark.thorough
def test_a_package_accepts_itself_and_sees_another_header(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "device"
    assert run(["build", "gcm-small", "--bus", "apb", "--name", "device", "--out", str(folder), "--no-measure"]) == 0
    for path in ("device.rdl", "device.xml", "driver/device.h", "driver/device.c", "driver/device_regs.h"):
        assert (folder / path).is_file()
    assert "| 0x01C | ERROR |" in (folder / "datasheet.md").read_text()
    capsys.readouterr()
    assert run(["check-package", str(folder), "--json"]) == 0
    checks = {each["name"]: each for each in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["test bench, Verilator"]["outcome"] == "passed"
    assert "PASS: device" in checks["test bench, Verilator"]["detail"]
    header = folder / "driver" / "device_regs.h"
    header.write_text(header.read_text().replace("0x014u", "0x018u"))
    [found] = accept(read_build(folder), tmp_path / "work", only={"what follows from the sources"})
    assert (found.outcome, "driver/device_regs.h" in found.detail) == (CheckOutcome.FAILED, True)


@pytest.mark.thorough
def test_verify_goes_through_the_bus(tmp_path: Path) -> None:
    engine = parse_engine({"preset": "gcm-small", "bus": "tl-ul"}).engine("device", "gcm-small")
    report = verify_engine(engine, tmp_path, StreamPlan(messages=20, vectors=10, resets=2))
    assert report.passed
    assert report.scenarios[-1].name == "registers"
    assert report.scenarios[-1].cases > 50
    assert report.source_hash == engine.source_hash
