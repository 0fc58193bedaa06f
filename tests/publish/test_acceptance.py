"""A package of a right core is accepted; whatever is edited in one is found, even where the hashes were made to fit."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import aesmith
from aesmith.assurance import standalone
from aesmith.assurance.plan import ScenarioReport, SimulationReport
from aesmith.assurance.proof.report import Limits
from aesmith.assurance.standalone import standalone_testbench
from aesmith.check_proof import Accepted
from aesmith.check_proof.interface import CoreClaim
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, load_specification
from aesmith.flow.measurement import Measurement
from aesmith.flow.verilator import find_verilator
from aesmith.publish import acceptance
from aesmith.publish.acceptance import Check, CheckOutcome, accept, failing
from aesmith.publish.descriptions import Build, Evidence, manifest_text, read_build
from aesmith.publish.package import package_files, write_files
from aesmith.reference.known_answers import TestVector

DERIVED, ONE_FILE = "what follows from the sources", "one-file Verilog"


def write_package(design: CoreDesign, evidence: Evidence, folder: Path, work: Path) -> Path:
    write_files(package_files(design, standalone_testbench(design), evidence, work), folder)
    return folder


def accepted(folder: Path, work: Path, *only: str) -> dict[str, Check]:
    return {check.name: check for check in accept(read_build(folder), work, only=only or None)}


@pytest.fixture
def few_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test bench of six cases: here it is looked at whether it is run, and elsewhere what it finds."""
    every = standalone._all_vectors

    def some(design: CoreDesign) -> Iterator[TestVector]:
        for number, case in enumerate(every(design)):
            if number < 6:
                yield case

    monkeypatch.setattr(standalone, "_all_vectors", some)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.usefixtures("few_vectors")
def test_a_package_of_a_right_core_is_accepted(
    measurement: Measurement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One compilation by Verilator, for the package's own test bench, is what it takes; that presets pass `simulate` is
    seen elsewhere."""
    right = SimulationReport("core", "", 128, 1, (), (), None, {}, 0.0, 0.0)
    monkeypatch.setattr(acceptance, "simulate", lambda *_: right)
    design = build_design(load_specification("gueron2016-native-enc"), "core", "gueron2016-native-enc")
    evidence = Evidence((replace(measurement, design="core"),), "All was well.")
    folder = write_package(design, evidence, tmp_path / "core", tmp_path / "work")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    found = accepted(folder, tmp_path / "accept")
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    tools = {"Icarus": "iverilog", "FuseSoC": "fusesoc", "constraints": "sta"}
    for check in found.values():
        lacking = [program for word, program in tools.items() if word in check.name and shutil.which(program) is None]
        skipped = bool(lacking) or check.name in ("certificate", "proof")
        assert check.outcome is (CheckOutcome.SKIPPED if skipped else CheckOutcome.PASSED), check
        assert not lacking or "install" in check.detail
    assert "PASS: core: 12 blocks" in found["test bench, Verilator"].detail


@pytest.mark.parametrize("wrong", ["", "of an inner module", "of a part of the sources", "of another direction"])
def test_a_certificate_is_of_the_package(
    tiny: CoreDesign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    """A package may have a right core inside, with its certificate, and a wrong one around it."""
    directions = ("decrypt",) if "direction" in wrong else tuple(map(str, tiny.directions))
    claim = CoreClaim(tiny.key_bits, directions, tiny.block_width, tiny.ports.clearable)
    sources = tuple(source.name for source in tiny.sources)[1 if "part" in wrong else 0 :]
    found = Accepted("inner" if "inner" in wrong else tiny.top, sources, claim, 1, 1, {})
    monkeypatch.setattr(acceptance, "check_certificate", lambda *_: found)
    build = Build(tmp_path / "package", tiny, ())
    (check,) = accept(build, tmp_path / "work", certificate=tmp_path, only=("certificate",))
    assert check.outcome is (CheckOutcome.FAILED if wrong else CheckOutcome.PASSED), check


def test_whatever_is_edited_in_a_package_is_found(tiny: CoreDesign, measurement: Measurement, tmp_path: Path) -> None:
    folder = write_package(tiny, Evidence((measurement,), "All was well."), tmp_path / "tiny", tmp_path / "work")
    assert not [
        c for c in accepted(folder, tmp_path / "0", "files", ONE_FILE, DERIVED).values() if c.outcome != "passed"
    ]
    build = read_build(folder)
    right = {path: (folder / path).read_text() for path in (*build.listed, "manifest.json")}

    # One file at a time, and the manifest left as it was.
    for path, text in right.items():
        manifest = path == "manifest.json"
        (folder / path).write_text(text.replace("All was well", "All was very well") if manifest else f"{text} ")
        check = accepted(folder, tmp_path / "1", "files")["files"]
        (folder / path).write_text(text)
        assert check.outcome is CheckOutcome.FAILED, path
        assert check.detail == f"not what the manifest says: {path}"
    (folder / "rtl" / "stray.sv").touch()
    (folder / "waveform.svg").unlink()
    told = accepted(folder, tmp_path / "1", "files")["files"].detail
    assert told == "missing: waveform.svg; in no list: rtl/stray.sv"
    (folder / "rtl" / "stray.sv").unlink()
    # What its own make files leave is not looked at; anything else beside them is.
    for work, more in (("tb/obj_tiny/Vtiny.cpp", ""), ("cocotb/obj_icarus/sim.vvp", ""), ("tb/obj.sv", "tb/obj.sv")):
        (folder / work).parent.mkdir(parents=True, exist_ok=True)
        (folder / work).touch()
        told = accepted(folder, tmp_path / "1", "files")["files"].detail
        assert told == "missing: waveform.svg" + (f"; in no list: {more}" if more else "")
    (folder / "tb" / "obj.sv").unlink()

    # The same with a manifest made to fit: what does not follow from the sources is named, all of it at once.
    derived = {path for path in right if not path.startswith("rtl/") and path not in ("tiny.v", "manifest.json")}
    edited = right | {path: right[path] + " " for path in derived}
    fitted = manifest_text(tiny, standalone_testbench(tiny), build.evidence, {p: edited[p] for p in build.listed})
    write_files(edited | {"manifest.json": fitted}, folder)
    found = accepted(folder, tmp_path / "2", "files", DERIVED)
    assert found["files"].outcome is CheckOutcome.PASSED
    assert found[DERIVED].detail.partition(": ")[2].split(", ") == sorted(derived | {"manifest.json"})
    write_files(right, folder)

    # And of sources and one file each: they are not equal any more.
    for path in (path for path in right if re.match(r"rtl/|tiny\.v", path) and " ^ " in right[path]):
        (folder / path).write_text(right[path].replace(" ^ ", " & ", 1))
        found = accepted(folder, tmp_path / "3", ONE_FILE)
        (folder / path).write_text(right[path])
        assert found[ONE_FILE].outcome is CheckOutcome.FAILED, path


def test_what_is_skipped_says_how_to_get_it(tiny: CoreDesign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_package(tiny, Evidence(), tmp_path / "tiny", tmp_path / "work")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = accepted(
        folder, tmp_path / "a", "elaboration, Icarus", "test bench, Icarus", "FuseSoC", "constraints", "proof"
    )
    assert {check.outcome for check in found.values()} == {CheckOutcome.SKIPPED}
    assert found["elaboration, Icarus"].detail == "iverilog is not installed: `apt install iverilog`"
    assert found["FuseSoC"].detail.endswith("`pip install fusesoc`")
    assert "--prove" in found["proof"].detail


def test_constraints_of_a_core_with_clock_gates_are_tried_too(tmp_path: Path) -> None:
    gated = build_design(load_specification("serial-shared-small-enc"), "core", "serial-shared-small-enc")
    folder = write_package(gated, Evidence(), tmp_path / "core", tmp_path / "work")
    assert accepted(folder, tmp_path / "a", "constraints")["constraints"].outcome is CheckOutcome.PASSED


def test_fusesoc_runs_what_the_package_offers(
    tiny: CoreDesign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_package(tiny, Evidence(), tmp_path / "tiny", tmp_path / "work")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "fusesoc"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/said\ntest "$5" != sim || (echo "Error: so not"; exit 1)\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    found = accepted(folder, tmp_path / "a", "FuseSoC")["FuseSoC"]
    assert found.outcome is CheckOutcome.FAILED
    assert found.detail == "fusesoc --cores-root: Error: so not"
    lint, sim = (tmp_path / "said").read_text().splitlines()
    assert lint.startswith("--cores-root . run --target lint --work-root obj_lint aesmith:aes:tiny:")
    assert " sim " in sim


@pytest.mark.thorough
@pytest.mark.parametrize(("tool", "target"), [("yosys", "synth"), ("iverilog", "sim_icarus"), ("", "")])
def test_fusesoc_runs_the_targets_whose_tools_are_there(
    tiny: CoreDesign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str, target: str
) -> None:
    folder = write_package(tiny, Evidence(), tmp_path / "tiny", tmp_path / "work")
    (tmp_path / "bin").mkdir()
    for program in filter(None, ("fusesoc", tool)):
        (tmp_path / "bin" / program).write_text("#!/bin/sh\nexit 0\n")
        (tmp_path / "bin" / program).chmod(0o755)
    for needed in ("perl", "sh"):
        (tmp_path / "bin" / needed).symlink_to(str(shutil.which(needed)))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    found = accepted(folder, tmp_path / "a", "FuseSoC")["FuseSoC"]
    assert found.detail == ", ".join(filter(None, ("the targets lint", "sim", target)))


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fusesoc") is None, reason="FuseSoC is not installed: pip install fusesoc")
def test_fusesoc_itself_runs_a_core_and_a_peripheral_and_finds_a_wrong_one(tmp_path: Path) -> None:
    core = build_design(load_specification("ueno2020-enc"), "core", "ueno2020-enc")
    folder = write_package(core, Evidence(), tmp_path / "core", tmp_path / "work")
    assert accepted(folder, tmp_path / "a", "FuseSoC")["FuseSoC"].outcome is CheckOutcome.PASSED
    device = aesmith.engine("gcm-small", name="device", bus="axi4-lite", self_test="on_reset").build(
        tmp_path / "device"
    )
    found = accepted(device, tmp_path / "b", "FuseSoC")["FuseSoC"]
    assert (found.outcome, "lint, sim" in found.detail) == (CheckOutcome.PASSED, True), found
    driver = device / "driver" / "device.c"
    driver.write_text(driver.read_text().replace("DEVICE_FAILED", "DEVICE_OK"))
    assert accepted(device, tmp_path / "c", "FuseSoC")["FuseSoC"].outcome is CheckOutcome.FAILED


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fusesoc") is None, reason="FuseSoC is not installed: pip install fusesoc")
def test_the_target_formal_proves_a_peripheral_and_refutes_a_wrong_one(tmp_path: Path) -> None:
    folder = aesmith.engine("ofb-compact", name="device", bus="apb").build(tmp_path / "device")
    core = f"aesmith:aes:device:{aesmith.__version__}"
    environment = {**os.environ, **find_verilator().environment()}
    command = ["fusesoc", "--cores-root", ".", "run", "--target", "formal", core]

    def ran() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    ended = ran()
    assert ended.returncode == 0, ended.stdout[-1000:] + ended.stderr[-1000:]
    assert "device: proved" in ended.stdout + ended.stderr
    front = folder / "rtl" / "device_register_front.sv"
    front.write_text(front.read_text().replace("wipe | key_taken | command_taken", "wipe | command_taken"))
    ended = ran()
    assert ended.returncode != 0
    assert "device: NOT proved" in ended.stdout + ended.stderr


def test_a_core_that_a_simulation_or_a_proof_refutes_is_not_accepted(
    tiny: CoreDesign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package agrees with itself, and is no AES."""
    folder = write_package(tiny, Evidence(), tmp_path / "tiny", tmp_path / "work")
    failure = ScenarioReport("known-answers", 1, 12, 0.1, "expected another result", "")
    report = SimulationReport("tiny", "", 128, 1, (failure,), (), None, {}, 0.0, 0.0)
    monkeypatch.setattr(acceptance, "simulate", lambda *_: report)
    checks = accept(read_build(folder), tmp_path / "a", proof=Limits(seconds=60), only=("files", "simulation", "proof"))
    found = {check.name: check for check in checks}
    assert found["files"].outcome is CheckOutcome.PASSED
    assert [check.name for check in failing(checks)] == ["simulation", "proof"]
    assert found["simulation"].detail == "known-answers: expected another result"


def test_a_package_of_another_version_is_not_held_against_what_this_one_makes(tiny: CoreDesign, tmp_path: Path) -> None:
    folder = write_package(tiny, Evidence(), tmp_path / "tiny", tmp_path / "work")
    build = replace(read_build(folder), version="0.0.1")
    (found,) = accept(build, tmp_path / "a", only=[DERIVED])
    assert found.outcome is CheckOutcome.SKIPPED
    assert "pip install aesmith==0.0.1" in found.detail
