"""`import aesmith`: a dozen names, quickly there, and the same as what the command line does."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import aesmith
from aesmith import api
from aesmith.cli import run

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def test_the_package_gives_what_its_stub_says_and_the_api_has() -> None:
    stub = ast.parse((ROOT / "src" / "aesmith" / "__init__.pyi").read_text())
    typed = {name.asname for node in stub.body if isinstance(node, ast.ImportFrom) for name in node.names}
    assert typed == set(api.__all__) == set(aesmith.__all__) - {"__version__"} == set(dir(aesmith)) - {"__version__"}
    for name in api.__all__:
        assert getattr(aesmith, name) is getattr(api, name)
        assert name in PAGE
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = aesmith.nothing  # type: ignore[attr-defined]


def test_importing_it_loads_nothing_and_a_core_nothing_that_takes_long() -> None:
    program = (
        "import sys; before = set(sys.modules); import aesmith; print(*(set(sys.modules) - before)); "
        "aesmith.core('ueno2020-enc').sources[0].text; print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    first, then = (set(line.split()) for line in ran.stdout.splitlines())
    assert first == {"aesmith"}
    heavy = {"cocotb", "distributed", "jinja2", "numba", "pandas", "pyosys", "rich", "scipy", "sqlalchemy", "typer"}
    assert heavy.isdisjoint(then), heavy & then


def test_a_core_takes_fields_and_is_what_the_command_line_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text('preset = "ueno2020-enc"\noutput = "bare"\n')
    assert run(["build", "mine.toml", "--no-measure", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    core = aesmith.core("mine.toml")
    assert {f"rtl/{file.name}" for file in core.sources} == {name for name in made["files"] if name.startswith("rtl/")}
    assert all((Path("mine") / "rtl" / file.name).read_text() == file.text for file in core.sources)
    same = aesmith.core("ueno2020-enc", name="mine", output="bare")
    assert [(file.name, file.text) for file in same.sources] == [(file.name, file.text) for file in core.sources]
    assert aesmith.core("ueno2020-enc", name="mine").sources != core.sources


def test_what_is_wrong_is_an_error_with_what_is_valid() -> None:
    with pytest.raises(aesmith.AesmithError, match="did you mean ueno2020-enc"):
        aesmith.core("ueno2020-en")
    with pytest.raises(aesmith.AesmithError, match="gamma: must be a whole number from 1 to 255, not 0"):
        aesmith.core("ueno2020-enc", gamma=0)
    with pytest.raises(aesmith.AesmithError, match=r"gama: there is no such field.*did you mean gamma"):
        aesmith.core("ueno2020-enc", gama=1)


def test_what_the_page_shows_works_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    examples = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert len(examples) >= 4
    for example in examples:
        exec(compile(example, "docs/python.md", "exec"), names)
    said = capsys.readouterr().out
    assert "AES-128 encryption" in said
    assert " Gbit/s" in said
    assert "gamma: must be a whole number from 1 to 255, not 0" in said
