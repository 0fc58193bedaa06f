"""The testbench that travels with a build says PASS of a right core and FAIL of a wrong one, in both simulators."""

import re
import shutil
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from aesmith.assurance import standalone
from aesmith.assurance.standalone import standalone_testbench, standalone_vectors
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, load_specification, parse_specification
from aesmith.flow.verilator import find_verilator
from aesmith.flow.verilog2005 import verilog2005
from aesmith.reference.golden import decrypt, encrypt

from .standins import iterative, pipelined, serial


def place(design: CoreDesign, folder: Path) -> Path:
    """A build's `rtl` and `tb` in a folder; the `tb`."""
    for name, files in (("rtl", design.sources), ("tb", standalone_testbench(design))):
        (folder / name).mkdir()
        for file in files:
            (folder / name / file.name).write_text(file.text)
    return folder / "tb"


def make(tb: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = find_verilator().environment()
    for inherited in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):  # of the make that runs these tests
        environment.pop(inherited, None)
    return subprocess.run(["make", *arguments], cwd=tb, env=environment, capture_output=True, text=True, check=False)


def test_the_files_are_the_same_each_time() -> None:
    assert standalone_testbench(iterative()) == standalone_testbench(iterative())
    assert [file.name for file in standalone_testbench(serial())] == [
        "tb_standin.sv",
        "standin_vectors.hex",
        "Makefile",
    ]


@pytest.mark.parametrize("design", [iterative(), pipelined(), serial()], ids=lambda design: design.preset)
def test_nothing_in_the_templates_stays_unfilled(design: CoreDesign) -> None:
    assert not any(re.search(r"@[A-Z_]+@", file.text) for file in standalone_testbench(design))


@pytest.mark.parametrize("design", [iterative(), pipelined(), serial()], ids=lambda design: design.preset)
def test_every_line_of_vectors_is_aes_and_keys_are_announced(design: CoreDesign) -> None:
    text = standalone_testbench(design)[1].text
    key_now, cases = "", 0
    for line in text.splitlines():
        if line.startswith("//"):
            continue
        flags, key, given, due = line.split("_")
        operation = decrypt if int(flags) & 2 else encrypt
        assert operation(bytes.fromhex(key), bytes.fromhex(given)).hex() == due
        assert bool(int(flags) & 1) == (key != key_now)
        key_now, cases = key, cases + 1
    assert cases == len(standalone_vectors(design.key_bits[0])) * len(design.directions) > 50
    assert f"CASES = {cases};" in standalone_testbench(design)[0].text


@pytest.mark.thorough
@pytest.mark.slow
def test_in_verilator_a_right_core_passes_and_broken_ones_fail(tmp_path: Path) -> None:
    tb = place(iterative(), tmp_path)
    result = make(tb, "verilator")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "PASS: standin: " in result.stdout
    # An interpreter takes a second or so for some blocks: it says how far it is.
    assert re.search(r"^standin: 16 of \d+ results$", result.stdout, re.MULTILINE)
    for mutant, message in ((1, "expected"), (3, "changed before block_ready_i"), (9, "expected"), (17, "moves")):
        program = tb / "obj_standin" / "tb_standin"
        broken = subprocess.run([program, f"+mutant={mutant}"], cwd=tb, capture_output=True, text=True, check=False)
        assert broken.returncode != 0
        assert re.search(f"FAIL: standin: .*{message}", broken.stdout), broken.stdout


@pytest.mark.thorough
@pytest.mark.slow
def test_in_verilator_byte_serial_channels_pass(tmp_path: Path) -> None:
    result = make(place(serial(), tmp_path), "verilator")
    assert "PASS: standin: " in result.stdout, result.stdout + result.stderr


@pytest.mark.parametrize("design", [iterative(), pipelined(), serial()], ids=lambda design: design.preset)
def test_a_reset_begins_with_an_edge(design: CoreDesign) -> None:
    """Without one, registers behind clock gates are never reset in a simulator of two levels."""
    levels = re.findall(r"rst_n = 1'b([01])", standalone_testbench(design)[0].text)
    assert levels == ["1", "0", "1"]


@pytest.mark.thorough
@pytest.mark.one_in(3)
@pytest.mark.parametrize("preset", ["serial-shared-small-enc", "column-beat32-gated-enc", "ueno2020-gated-enc"])
def test_in_verilator_cores_with_clock_gates_pass(preset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = standalone._all_vectors
    monkeypatch.setattr(standalone, "_all_vectors", lambda design: islice(every(design), 4))
    result = make(place(build_design(load_specification(preset), "core", preset), tmp_path), "verilator")
    assert "PASS: core: 8 blocks" in result.stdout, result.stdout + result.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is not installed")
def test_in_icarus_the_one_file_core_passes_and_a_changed_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = standalone._all_vectors
    monkeypatch.setattr(standalone, "_all_vectors", lambda design: islice(every(design), None, None, 10))
    design = build_design(load_specification("ueno2020-enc"), "core", "ueno2020-enc")
    tb = place(design, tmp_path)
    text = verilog2005(design, "// One file.\n", tmp_path)
    (tmp_path / "core.v").write_text(text)
    result = make(tb, "iverilog")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "PASS: core: " in result.stdout
    first_and = re.search(r"^  assign \w+ = \w+ & \w+;$", text, re.MULTILINE)
    assert first_and is not None
    broken = text.replace(first_and.group(), first_and.group().replace("&", "|"), 1)
    (tmp_path / "core.v").write_text(broken)
    result = make(tb, "iverilog")
    assert result.returncode != 0
    assert "FAIL: core: " in result.stdout


@pytest.mark.thorough(but=1)
@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is not installed")
@pytest.mark.parametrize(
    "fields",
    [
        {"preset": "serial-small-enc"},
        {"architecture": "subpipelined", "stages": 2, "rounds_in_loop": 1},
        {"preset": "column-beat32-gated-enc"},
    ],
)
def test_icarus_takes_the_one_file_of_every_family_and_verilator_its_sources(
    fields: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few cases; of the round-based family, all are run above."""
    every = standalone._all_vectors
    monkeypatch.setattr(standalone, "_all_vectors", lambda design: islice(every(design), 4))
    design = build_design(parse_specification(fields), "core", "core")
    tb = place(design, tmp_path)
    (tmp_path / "core.v").write_text(verilog2005(design, "", tmp_path))
    result = make(tb, "iverilog")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "PASS: core: 8 blocks" in result.stdout
    verilator = find_verilator()
    sources = [str(tmp_path / "rtl" / source.name) for source in design.sources]
    for files in (["-Wall", *sources], ["--language", "1364-2005", str(tmp_path / "core.v")]):
        lint = [str(verilator.command), "--lint-only", "--top-module", "core", *files]
        said = subprocess.run(lint, env=verilator.environment(), capture_output=True, text=True, check=False)
        assert (said.returncode, said.stderr) == (0, "")


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is not installed")
def test_keys_that_say_their_size_come_in_as_many_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = standalone._all_vectors
    monkeypatch.setattr(standalone, "_all_vectors", lambda design: islice(every(design), None, None, 40))
    fields = {"preset": "column-beat32-encdec", "key_bits": [128, 192, 256]}
    design = build_design(parse_specification(fields), "core", "core")
    assert {len(case.key) for case in standalone._all_vectors(design)} == {16, 24, 32}
    tb = place(design, tmp_path)
    (tmp_path / "core.v").write_text(verilog2005(design, "", tmp_path))
    result = make(tb, "iverilog")
    assert "PASS: core: " in result.stdout, result.stdout + result.stderr


def test_whoever_waits_for_a_compiler_is_told_that_it_runs(tmp_path: Path) -> None:
    tb = place(iterative(), tmp_path)
    waited = make(tb, "iverilog", "EVERY=1", "IVERILOG=sleep 1.5; :", "VVP=echo ran")
    assert waited.returncode == 0
    assert re.fullmatch(r"sleep 1.5; : -g2012 .*\n(  still running, \d+ s\n)+ran -n .*\n", waited.stdout)
    failed = make(tb, "iverilog", "IVERILOG=false", "VVP=echo ran")
    assert failed.returncode != 0
    assert "ran" not in failed.stdout
