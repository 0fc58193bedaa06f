"""`aesmith check-proof` given a package, which has no certificate, says how to get one."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.cli import run


def test_a_package_is_told_from_a_proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    assert run(["check-proof", str(tmp_path)]) == 2
    assert f"is a package, and has no certificate.json; `aesmith verify {tmp_path} --prove`" in capsys.readouterr().err
    (tmp_path / "manifest.json").unlink()
    assert run(["check-proof", str(tmp_path)]) == 2
    assert "certificate.json cannot be read" in capsys.readouterr().err
