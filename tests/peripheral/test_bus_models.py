"""The adapters behind bus models of others (cocotbext-axi, -ahb, -wishbone): waits, errors, bytes, each access once."""

from __future__ import annotations

from pathlib import Path

import pytest
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from aesmith.assurance.simulator import find_tools
from aesmith.cores.sources import PREFIX, packaged_rtl
from aesmith.flow.verilator import BUILD_FLAGS
from aesmith.modes.buses import BUSES

HERE = Path(__file__).with_name("bus_models")


@pytest.mark.thorough
def test_each_adapter_serves_the_bus_models_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = find_tools()
    for name, value in tools.verilator.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.syspath_prepend(HERE)
    sources = []
    for bus in BUSES.values():
        sources.append(tmp_path / f"{PREFIX}{bus.adapter}.sv")
        sources[-1].write_text(packaged_rtl(bus.adapter))
    runner = get_runner("verilator")
    runner.build(
        sources=[*sources, HERE / "harness.sv"],
        hdl_toplevel="harness",
        build_dir=tmp_path / "build",
        build_args=["-Wno-fatal", "--x-initial", "unique", *BUILD_FLAGS],
    )
    results = runner.test(
        hdl_toplevel="harness", test_module="managers", build_dir=tmp_path / "build", test_dir=tmp_path
    )
    assert get_results(results) == (len(BUSES), 0)
