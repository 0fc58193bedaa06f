"""Tables as LaTeX and CSV: what a paper and a spreadsheet can read, with the cells that the terminal shows."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from aesmith.cli import run
from aesmith.commands.typeset import csv_table, latex_table, latex_text

NOTHING_SET = re.compile(r"(?<!\\)[&%$#_^~<>|\"]")
"""Characters that LaTeX takes for something else, where no backslash stands before them."""


def tables(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """The column letters and the rows of each table of a LaTeX text; it fails where one is not well made."""
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") > 0
    pattern = r"\\begin\{tabular\}\{([lr]+)\}\n\\toprule\n(.*?)\\bottomrule\n\\end\{tabular\}\n\\end\{table\}"
    for letters, body in re.findall(pattern, text, flags=re.DOTALL):
        lines = [line for line in body.splitlines() if line != r"\midrule"]
        assert all(line.endswith(r" \\") for line in lines)
        yield letters, [re.split(r" (?<!\\)& ", line.removesuffix(r" \\")) for line in lines]


def check(text: str) -> list[list[list[str]]]:
    """The rows of each table, each of them of as many cells as there are columns, and nothing in them that LaTeX would
    misread; compiled, if a LaTeX is installed."""
    found = []
    for letters, rows in tables(text):
        assert all(len(row) == len(letters) for row in rows), rows
        for cell in (cell for row in rows for cell in row):
            bare = re.sub(r"\$\\?\w*-?\$|\\[&%$#_{}]|\\text\w+(\{[^{}]*\})?|\\dots\{\}", "", cell)
            assert not NOTHING_SET.search(bare), cell
            assert bare.count("{") == bare.count("}"), cell
        found.append(rows)
    return found


@pytest.mark.parametrize(
    ("text", "set_"),
    [
        ("GF(2^8), 50 % of A & B", r"GF(2\textasciicircum{}8), 50 \% of A \& B"),
        ("area_ge {x} \\ #1 ~", r"area\_ge \{x\} \textbackslash{} \#1 \textasciitilde{}"),
        ("γ × 10 µW – Boyar’s", r"$\gamma$ $\times$ 10 \textmu{}W -- Boyar's"),
        ("Génelle", "Génelle"),
    ],
)
def test_text_is_set_as_it_reads(text: str, set_: str) -> None:
    assert latex_text(text) == set_


def test_a_table_has_a_caption_and_numbers_flush_right() -> None:
    text = latex_table("A & B", ("design", ">area (GE)"), [("*core_1", "10,952"), ("[other]", "–")])
    assert r"\caption{A \& B}" in text
    assert r"\begin{tabular}{lr}" in text
    assert check(text) == [[["design", "area (GE)"], [r"{}*core\_1", "10,952"], ["{}[other]", "--"]]]


@pytest.mark.parametrize("wrong", [r"a & b & c \\", "a & b", r"a & b_c \\"])
def test_the_check_of_latex_finds_what_is_wrong(wrong: str) -> None:
    text = latex_table("", ("x", "y"), [("a", "b")]).replace(r"a & b \\", wrong)
    with pytest.raises(AssertionError):
        check(text)


def test_csv_has_numbers_that_machines_read_and_gaps_where_there_are_none() -> None:
    rows = [("a, b", "10,952.5", "–"), ("c", "−3", "2 or 3")]
    text = csv_table("title, with a comma", ("design", ">area", ">note"), rows)
    assert text.splitlines()[0] == "# title, with a comma"
    assert list(csv.reader(io.StringIO(text)))[1:] == [
        ["design", "area", "note"], ["a, b", "10952.5", ""], ["c", "-3", "2 or 3"],
    ]  # fmt: skip


@pytest.mark.parametrize("what", ["cores", "families", "sboxes", "libraries", "devices", "boards", "tables"])
def test_every_list_can_be_set(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", what, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert run(["list", what, "--format", "latex"]) == 0
    (rows,) = check(capsys.readouterr().out)
    assert run(["list", what, "--format", "csv"]) == 0
    frame = pd.read_csv(io.StringIO(capsys.readouterr().out), comment="#")
    assert len(rows) == len(frame) + 1
    assert set(frame.iloc[:, 0]) == {each["name"] for each in listed}


def test_points_can_be_set_and_conditions_stand_beside_them(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["recommend", "--points", "presets", "--library", "generic45", "--max-area", "5kGE", "--minimise", "area"]
    assert run([*asked, "--format", "latex"]) == 0
    text = capsys.readouterr().out
    assert check(text)
    assert re.search(r"^% Required: ", text, re.MULTILINE)
    assert run([*asked, "--format", "csv"]) == 0
    assert "# Required: " in capsys.readouterr().out


@pytest.mark.parametrize("other", ["--json", "--markdown"])
def test_one_form_at_a_time(other: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "lin-table1", "--format", "csv", other]) == 2
    assert re.search(
        r"(format|markdown): give --(format|markdown) or --(json|format), not both", capsys.readouterr().err
    )


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX is installed: the structure is checked above")
def test_latex_sets_every_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = ""
    for what in ("cores", "families", "sboxes", "tables"):
        assert run(["list", what, "--format", "latex"]) == 0
        body += capsys.readouterr().out
    (tmp_path / "all.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\usepackage{textcomp}\\begin{document}\n"
        + body
        + "\\end{document}\n"
    )
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:]
