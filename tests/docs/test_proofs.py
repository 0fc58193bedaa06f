"""docs/evidence/proofs.md counts what there is: lines that have to be trusted, and presets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aesmith.cores.specification import build_design, presets

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "evidence" / "proofs.md").read_text(encoding="utf-8")
PROOF = ROOT / "src" / "aesmith" / "assurance" / "proof"
CHECKER = ROOT / "src" / "aesmith" / "check_proof"
CERTIFICATES = (ROOT / "docs" / "evidence" / "certificate.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| [^|]+ \| ((?:`\w+\.py`(?:, )?)+) \| ([\d,]+) \|$", re.MULTILINE)
ROWS, OF_CHECKER = ROW.findall(PAGE), ROW.findall(CERTIFICATES)


def lines(file: str, *folders: Path) -> int:
    path = next(folder / file for folder in folders if (folder / file).is_file())
    return len(path.read_text(encoding="utf-8").splitlines())


def test_lines_that_have_to_be_trusted_are_counted_to_a_tenth() -> None:
    assert ROWS
    assert OF_CHECKER
    for rows, folders in ((ROWS, (PROOF, ROOT / "src" / "aesmith")), (OF_CHECKER, (CHECKER,))):
        for files, stated in rows:
            counted = sum(lines(file, *folders) for file in re.findall(r"\w+\.py", files))
            assert int(stated.replace(",", "")) == pytest.approx(counted, rel=0.1), files


def test_lines_of_the_proofs_of_engines_and_masked_cores_are_counted_to_a_tenth() -> None:
    assurance = PROOF.parent
    claims = [assurance / "templates" / name for name in re.findall(r"`(\w+\.sv\.txt)`", PAGE)]
    for files, row in (
        (list((assurance / "engines").glob("*.py")), r"all of `assurance/engines` \| (\d+) \|"),
        (list((PROOF / "shares").glob("*.py")), r"all of `assurance/proof/shares` \| (\d+) \|"),
        (list((PROOF / "subset").glob("*.py")), r"all of `assurance/proof/subset` \| (\d+) \|"),
        (list(dict.fromkeys(claims)), r"`cmac_claims.sv.txt` \| (\d+) \|"),
    ):
        counted = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
        (stated,) = re.findall(row, PAGE)
        assert int(stated) == pytest.approx(counted, rel=0.1)


def test_all_of_the_prover_is_among_them_but_what_makes_runs() -> None:
    named = {file for files, _ in ROWS for file in re.findall(r"\w+\.py", files)}
    assert {path.name for path in PROOF.glob("*.py")} - named == {"__init__.py", "replay.py", "simulated.py"}


def test_all_of_the_checker_is_among_them() -> None:
    named = {file for files, _ in OF_CHECKER for file in re.findall(r"\w+\.py", files)}
    assert {path.name for path in CHECKER.glob("*.py")} - named == {"__init__.py"}


def test_the_presets_are_as_many_as_the_page_says() -> None:
    designs = (build_design(specification, "counted", preset) for preset, specification in presets().items())
    assert f"the {sum(not design.in_shares for design in designs)} presets without shares" in PAGE
