"""Runs the notebooks of docs/notebooks and keeps what their cells print.

    python scripts/notebooks.py [NAME ...]

Cells run one after another in one namespace. What a cell prints, and the value of an expression at its end, are its
output, as in Jupyter. A test runs all and compares; the site shows them with `markdown`.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs that its cells have now. Raises what a cell raises."""
    space: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            cells.append(cell)
            continue
        number += 1
        cells.append(cell | {"execution_count": number, "outputs": _outputs("".join(cell["source"]), number, space)})
    return notebook | {"cells": cells}


def _outputs(source: str, number: int, space: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), space)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), space)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        found.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return found


def markdown(notebook: dict[str, Any]) -> str:
    """The notebook as a page: code, and under it what it printed."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"]).rstrip()
        if cell["cell_type"] != "code":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            lines = output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"]
            parts.append(f"```text\n{''.join(lines).rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def read(path: Path) -> dict[str, Any]:
    """A notebook."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def text_of(notebook: dict[str, Any]) -> str:
    """What stands in its file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for path in [NOTEBOOKS / f"{name}.ipynb" for name in sys.argv[1:]] or sorted(NOTEBOOKS.glob("*.ipynb")):
        path.write_text(text_of(run(read(path))), encoding="utf-8")
