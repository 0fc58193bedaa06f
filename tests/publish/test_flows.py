"""What other flows read of a build: Bender's manifest, LibreLane's and OpenROAD-flow-scripts' configuration."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.peripheral.conftest import small

from aesmith.cores.design import CoreDesign
from aesmith.flow.measurement import Measurement
from aesmith.publish.flows import PROCESSES, UTILISATION, floorplan, flow_files

BENCH = ["tb/tb_tiny.sv"]


def placed(design: CoreDesign, measurement: Measurement | None, folder: Path) -> dict[str, str]:
    """What a flow finds of a build, written to a folder."""
    files = {
        **flow_files(design, BENCH, measurement),
        **{f"rtl/{source.name}": source.text for source in design.sources},
        **dict.fromkeys(BENCH, "module tb_tiny; endmodule\n"),
        f"{design.name}.v": "".join(source.text for source in design.sources),
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return files


def manifest_faults(manifest: Mapping[str, Any], folder: Path) -> list[str]:
    """What Bender refuses: fields that its manifests have not, and files that are not there."""
    faults = [f"field {name}" for name in manifest if name not in ("package", "dependencies", "sources")]
    faults += [f"package field {name}" for name in manifest["package"] if name not in ("name", "authors")]
    for group in manifest["sources"]:
        faults += [f"sources field {name}" for name in group if name not in ("target", "files")]
        faults += [f"file {file}" for file in group["files"] if not (folder / file).is_file()]
    return faults


def test_the_manifest_for_bender_has_the_sources_in_order_and_the_bench_for_tests(
    tiny: CoreDesign, tmp_path: Path
) -> None:
    text = placed(tiny, None, tmp_path)["Bender.yml"]
    manifest = yaml.safe_load(text)
    assert manifest_faults(manifest, tmp_path) == []
    rtl, bench = manifest["sources"]
    assert rtl == {"files": [f"rtl/{source.name}" for source in tiny.sources]}
    assert bench == {"target": "test", "files": BENCH}
    gone = tiny.sources[0].name
    (tmp_path / "rtl" / gone).unlink()
    assert manifest_faults(manifest, tmp_path) == [f"file rtl/{gone}"]
    assert len(yaml.safe_load(flow_files(small(), [], None)["Bender.yml"])["sources"]) == 1


@pytest.mark.skipif(shutil.which("bender") is None, reason="bender is not installed: cargo install bender")
def test_bender_reads_its_manifest_and_misses_a_file(tiny: CoreDesign, tmp_path: Path) -> None:
    placed(tiny, None, tmp_path)

    def listed(*targets: str) -> subprocess.CompletedProcess[str]:
        command = ["bender", "-d", str(tmp_path), "script", "flist", *(f"--target={each}" for each in targets)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    rtl = [str(tmp_path / "rtl" / source.name) for source in tiny.sources]
    assert listed().stdout.split() == rtl
    assert listed("test").stdout.split() == [*rtl, str(tmp_path / BENCH[0])]
    Path(rtl[0]).unlink()
    assert listed().returncode != 0


def test_floorplans_are_of_the_measured_area(tiny: CoreDesign, measurement: Measurement, tmp_path: Path) -> None:
    placed(tiny, replace(measurement, area_ge=25_502.0), tmp_path)
    for process in PROCESSES:
        said = _of_make(tmp_path, process.name)
        assert (said["DESIGN_NAME"], said["PLATFORM"]) == ("tiny", process.name)
        x, y, side, _ = map(int, said["DIE_AREA"].split())
        margin, _, far, _ = map(int, said["CORE_AREA"].split())
        assert (x, y, side - far) == (0, 0, margin)
        cells = 25_502 * process.nand2_um2 / (far - margin) ** 2
        assert UTILISATION - 0.05 < cells <= UTILISATION
        assert "CORE_UTILIZATION" not in said
        assert all(Path(said[file]).resolve().is_file() for file in ("VERILOG_FILES", "SDC_FILE"))
    assert _of_make(tmp_path, "asap7")["CORE_UTILIZATION"] == "45"
    assert floorplan(0, PROCESSES[0]).side_um == 40


def test_without_a_measurement_there_is_no_floorplan(tiny: CoreDesign, tmp_path: Path) -> None:
    files = placed(tiny, None, tmp_path)
    said = _of_make(tmp_path, None)
    assert (said["PLATFORM"], said["CORE_UTILIZATION"], "DIE_AREA" in said) == ("nangate45", "45", False)
    assert "DIE_AREA" not in files["layout/config.yaml"]


def _of_make(folder: Path, platform: str | None) -> dict[str, str]:
    """What `make` exports of the configuration, as OpenROAD-flow-scripts reads it: from elsewhere, by inclusion."""
    (folder / "elsewhere").mkdir(exist_ok=True)
    (folder / "elsewhere" / "Makefile").write_text("include ../layout/config.mk\nall:\n\t@env\n")
    given = [] if platform is None else [f"PLATFORM={platform}"]
    command, path = ["make", "-s", *given], {"PATH": "/usr/bin:/bin"}
    ended = subprocess.run(command, cwd=folder / "elsewhere", capture_output=True, text=True, check=True, env=path)
    named = ("PLATFORM", "DESIGN_NAME", "VERILOG_FILES", "SDC_FILE", "DIE_AREA", "CORE_AREA", "CORE_UTILIZATION")
    pairs = (line.partition("=") for line in ended.stdout.splitlines())
    said = {name: value for name, _, value in pairs if name in named}
    for file in ("VERILOG_FILES", "SDC_FILE"):
        said[file] = str(folder / "elsewhere" / said[file])
    return said


@pytest.mark.parametrize("library", ["nangate45-typ", "generic45"])
def test_the_period_is_that_of_the_process_where_it_was_measured(
    tiny: CoreDesign, measurement: Measurement, tmp_path: Path, library: str
) -> None:
    files = placed(tiny, replace(measurement, library=library), tmp_path)
    sdc, settings = files["layout/constraint.sdc"], yaml.safe_load(files["layout/config.yaml"])
    found = re.search(r"^set clk_period (\S+)$", sdc, re.MULTILINE)
    assert found is not None
    assert float(found[1]) == settings["CLOCK_PERIOD"] == (2.357 if library == "nangate45-typ" else 10)
    assert "set_load" not in sdc
    assert "set_units" not in sdc
    assert settings["DESIGN_NAME"] == tiny.top
    assert settings["CLOCK_PORT"] == tiny.ports.clock


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("librelane") is None, reason="LibreLane is not installed: pip install librelane")
def test_librelane_reads_its_configuration(tiny: CoreDesign, measurement: Measurement, tmp_path: Path) -> None:
    """By the Python that its own program runs in."""
    text = placed(tiny, measurement, tmp_path)["layout/config.yaml"]
    program = shutil.which("librelane")
    assert program is not None
    python = Path(program).read_text().splitlines()[0].removeprefix("#!")

    def read() -> subprocess.CompletedProcess[str]:
        command = [python, str(Path(__file__).with_name("librelane_reads.py")), "layout/config.yaml"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    said = json.loads(read().stdout)
    assert {of["FP_SIZING"] for of in said.values()} == {"absolute", "relative"}
    assert all(of["DESIGN_NAME"] == "tiny" and str(tmp_path / "tiny.v") in of["VERILOG_FILES"] for of in said.values())
    for old, new in (("DIE_AREA:", "DIE_ARE:"), ("[20, 20,", "[20, x,"), ("tiny.v]", "tin.v]")):
        (tmp_path / "layout" / "config.yaml").write_text(text.replace(old, new, 1))
        assert read().returncode != 0, old
