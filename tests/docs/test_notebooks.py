"""Each notebook runs, prints what it shows, and needs nothing but `import aesmith`."""

from __future__ import annotations

import ast
import copy
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "notebooks.py"))
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def code(notebook: dict[str, Any]) -> str:
    return "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["choosing-a-core", "pipelining-an-sbox", "towers-and-offset"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path: Path) -> None:
    shown = SCRIPT["read"](path)
    ran = SCRIPT["run"](copy.deepcopy(shown))
    assert ran == shown, "run it anew: python scripts/notebooks.py"
    assert SCRIPT["text_of"](shown) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_imports_aesmith_and_nothing_else(path: Path) -> None:
    tree = ast.parse(code(SCRIPT["read"](path)))
    imports = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert imports == ["import aesmith"]


def test_another_output_and_a_cell_that_fails_are_found() -> None:
    cell = {"cell_type": "code", "source": ["print(1)\n", "2"], "outputs": []}
    (ran,) = SCRIPT["run"]({"cells": [cell]})["cells"]
    assert [output["output_type"] for output in ran["outputs"]] == ["stream", "execute_result"]
    stale = copy.deepcopy(ran)
    stale["outputs"][0]["text"] = ["3\n"]
    assert SCRIPT["run"]({"cells": [stale]})["cells"] == [ran] != [stale]
    with pytest.raises(ZeroDivisionError):
        SCRIPT["run"]({"cells": [cell | {"source": ["1 / 0"]}]})
