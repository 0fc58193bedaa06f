"""The datasheet of a package as PDF."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path

import pytest

from aesmith.cli import run
from aesmith.errors import ToolError
from aesmith.publish import typeset
from aesmith.publish.typeset import datasheet_pdf

MARKDOWN = """# my_core

**A core.**

| | |
|---|---|
| ports | 128 bits |

## Interface

| port | width |
|---|---|
| `clk_i` | 1 |

![block diagram](diagram.svg)
"""
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="9" height="{}"/></svg>'


def inside(pdf: bytes) -> bytes:
    """A PDF and what its streams hold."""
    packed = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return b"".join((pdf, *map(zlib.decompress, packed)))


def test_a_datasheet_is_set_with_its_title_headings_and_pictures(tmp_path: Path) -> None:
    (tmp_path / "diagram.svg").write_text(PICTURE.format(9), encoding="utf-8")
    pdf = datasheet_pdf(MARKDOWN, "my_core", tmp_path)
    assert pdf.startswith(b"%PDF-")
    assert b"/Title (my_core)" in inside(pdf)
    assert b"/Title (Interface)" in inside(pdf)
    assert datasheet_pdf(MARKDOWN, "my_core", tmp_path) == pdf
    (tmp_path / "diagram.svg").write_text(PICTURE.format(8), encoding="utf-8")
    assert datasheet_pdf(MARKDOWN, "my_core", tmp_path) != pdf


def test_without_the_typesetter_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Missing:
        @property
        def HTML(self) -> object:  # noqa: N802
            raise OSError("cannot load library 'libpango-1.0-0'")

    monkeypatch.setattr(typeset, "weasyprint", Missing())
    with pytest.raises(ToolError, match="apt install libpango"):
        datasheet_pdf(MARKDOWN, "my_core", tmp_path)


def test_what_is_no_package_is_refused_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["datasheet", str(tmp_path)]) == 2
    assert f"build {tmp_path}" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_package_gets_its_datasheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = tmp_path / "my_core", tmp_path / "sheet.pdf"
    assert run(["build", "serial-small-enc", "--name", "my_core", "--out", str(folder), "--no-measure"]) == 0
    capsys.readouterr()
    assert run(["datasheet", str(folder), "--out", str(tmp_path / "no" / "sheet.pdf")]) == 2
    assert run(["datasheet", str(folder), "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bytes"] == out.stat().st_size > 20_000
    assert out.read_bytes().startswith(b"%PDF-")
    (folder / "datasheet.md").unlink()
    assert run(["datasheet", str(folder), "--out", str(out)]) == 2
    assert "datasheet.md: cannot be read" in capsys.readouterr().err
