"""What is exported for other engines: ABC finds right cores right, for so many clocks, and wrong those the prover does.

ABC's bounded check and its PDR run on the AIGER files; both are other people's, and know nothing of the prover.
Bitwuzla, another solver, searches what a reader of BTOR2 unrolls, from any state of the registers; both find the same.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.assurance.btor2 import Btor2

from aesmith.assurance.formal import export_formal
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, load_specification, parse_specification
from aesmith.errors import ToolError
from aesmith.flow.verilator import find_verilator
from aesmith.flow.yosys import abc_path, run_script

PROMISES = (
    "a whole block until its result is offered",
    "a key until it is taken",
    "a block until it or a key is taken",
)
OUTPUTS = ("handshake", "result")
"""What is bad in an exported file, in its order."""

FOUND, NONE, PROVED = "was asserted in frame", "No output asserted", "Property proved"


def design(preset: str) -> CoreDesign:
    return build_design(load_specification(preset), "core", preset)


def edited(right: CoreDesign, file: str, old: str, new: str) -> CoreDesign:
    """The core with a fault."""
    text = next(source.text for source in right.sources if source.name == file)
    assert text.count(old) == 1
    sources = [replace(s, text=text.replace(old, new)) if s.name == file else s for s in right.sources]
    return replace(right, sources=tuple(sources))


def exported(core: CoreDesign, folder: Path, bounds: tuple[int, int, int]) -> Path:
    export_formal(core, folder, dict(zip(PROMISES, bounds, strict=True)))
    return folder


def test_an_export_that_is_broken_off_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_off(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("aesmith.assurance.formal.run_script", broken_off)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "core.sby").write_text("of an earlier export")
    for folder in ("mine", "new"):
        with pytest.raises(KeyboardInterrupt):
            export_formal(design("boyar2010-enc"), tmp_path / folder)
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["mine", "mine/core.sby"]
    assert (tmp_path / "mine" / "core.sby").read_text() == "of an earlier export"


def test_an_export_that_finds_no_room_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exported(_: object, folder: Path, *__: object) -> tuple[str, ...]:
        folder.mkdir()
        for name in ("core.btor", "core.sby"):
            (folder / name).write_text("new")
        return ("core.btor", "core.sby")

    def full(file: Path, _: Path) -> None:
        if file.name == "core.sby":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("aesmith.assurance.formal._exported", exported)
    monkeypatch.setattr("aesmith.assurance.formal.shutil.copyfile", full)
    (tmp_path / "core.btor").write_text("of an earlier export")
    for folder in (tmp_path, tmp_path / "new"):
        with pytest.raises(ToolError, match=rf"export: {folder} cannot be written \(No space left on device\)"):
            export_formal(design("boyar2010-enc"), folder)
    assert [path.name for path in tmp_path.rglob("*")] == ["core.btor"]
    assert (tmp_path / "core.btor").read_text() == "of an earlier export"


def abc(folder: Path, what: str, command: str) -> str:
    """What ABC says of an exported file."""
    commands = f"read_aiger core-{what}.aig; {command}"
    run = subprocess.run(
        [str(abc_path()), "-c", commands], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    said = [line for line in run.stdout.splitlines() if FOUND in line or NONE in line or PROVED in line]
    assert len(said) == 1, run.stdout
    return said[0]


def first_bad(folder: Path, what: str, clocks: int) -> int | None:
    """What Bitwuzla finds in the BTOR2 file."""
    return Btor2(folder / "core.btor").first_bad(OUTPUTS.index(what), clocks)


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("preset", "bounds", "handshakes", "results", "said"),
    [
        ("boyar2010-enc", (10, 1, 10), "pdr", "bmc3 -F 14", PROVED),
        ("ueno2020-encdec", (10, 11, 21), "bmc3 -F 16", "bmc3 -F 14", NONE),
        ("serial-small-enc", (322, 1057, 817), "bmc3 -F 40", "bmc3 -F 40", NONE),
    ],
)
def test_right_cores_keep_the_rules(
    preset: str, bounds: tuple[int, int, int], handshakes: str, results: str, said: str, *, tmp_path: Path
) -> None:
    folder = exported(design(preset), tmp_path, bounds)
    assert said in abc(folder, "handshake", handshakes)
    assert NONE in abc(folder, "result", results)
    assert first_bad(folder, "handshake", 14) is None
    assert "bind core core_sva" in (folder / "core_sva.sv").read_text()


@pytest.mark.thorough
def test_yosys_alone_reads_the_project_and_verilator_the_assertions(tmp_path: Path) -> None:
    core = design("ueno2020-encdec")
    folder = exported(core, tmp_path / "formal", (10, 11, 21))
    head, _, files = (folder / "core.sby").read_text().partition("[files]\n")
    for file in files.split():
        shutil.copy(folder / file, tmp_path)
    checks = ["select -assert-count 2 t:$assert", "select -assert-none t:$check"]
    script = head.partition("[script]\n")[2].split("\n")
    run_script([*filter(None, script), "check -assert", *checks], tmp_path / "project.log")
    command = [str(find_verilator().command), "--lint-only", "--assert", "--top-module", core.top]
    named = [*(f"rtl/{source.name}" for source in core.sources), "core_formal.sv", "core_sva.sv"]
    lint = subprocess.run([*command, *named], cwd=folder, capture_output=True, text=True, check=False)
    assert lint.returncode == 0, lint.stderr


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("bounds", [(9, 1, 10), (10, 1, 9)])
def test_a_bound_that_is_a_clock_less_is_refuted(bounds: tuple[int, int, int], tmp_path: Path) -> None:
    folder = exported(design("boyar2010-enc"), tmp_path, bounds)
    said = abc(folder, "handshake", "bmc3 -F 14")
    assert f"{FOUND} {first_bad(folder, 'handshake', 14)}." in said


@pytest.mark.thorough
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("file", "old", "new", "what"),
    [
        ("core_round_constants.sv", "n20, n18", "n18, n20", "result"),
        ("core_shift_rows.sv", "column + row)%4", "column + 3*row)%4", "result"),
        ("core_round_sequencer.sv", "key_ready_o = ~expanding_q;", "key_ready_o = 1'b0;", "handshake"),
        ("core_round_sequencer.sv", "= offering_q;", "= offering_q & block_ready_i;", "handshake"),
    ],
)
def test_what_the_prover_refutes_has_a_bounded_counterexample(
    file: str, old: str, new: str, what: str, *, tmp_path: Path
) -> None:
    wrong = edited(design("boyar2010-enc"), file, old, new)
    folder = exported(wrong, tmp_path / "engines", (10, 1, 10))
    assert f"{FOUND} {first_bad(folder, what, 16)}." in abc(folder, what, "bmc3 -F 16")
    assert prove(wrong, tmp_path / "proof").verdict is Verdict.REFUTED


@pytest.mark.thorough
def test_a_clear_is_a_new_beginning_for_other_engines_too(tmp_path: Path) -> None:
    cleared = build_design(parse_specification({"preset": "boyar2010-enc", "clear": True}), "core", "cleared")
    right = exported(cleared, tmp_path / "right", (10, 1, 10))
    assert NONE in abc(right, "handshake", "bmc3 -F 14")
    assert NONE in abc(right, "result", "bmc3 -F 12")
    assert "disable iff (!rst_ni || clear_i)" in (right / "core_sva.sv").read_text()
    known = "      key_known_q <= 1'b0;\n    end else begin"
    wrong = edited(cleared, "core_round_sequencer.sv", known, "    end else begin")
    assert FOUND in abc(exported(wrong, tmp_path / "wrong", (10, 1, 10)), "handshake", "bmc3 -F 14")
