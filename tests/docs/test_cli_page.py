"""The page of the command line begins with every verb and option that the program has."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_synopsis_is_that_of_the_program() -> None:
    section = runpy.run_path(str(ROOT / "scripts" / "synopsis.py"))["section"]()
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert page.partition("```text\n")[2].partition("```\n")[0] == section, "run scripts/synopsis.py"
    for word in ("aesmith doctor", "aesmith search offset", "aesmith check-package DIR", "[--rewire]", "SPEC|DIR"):
        assert word in section
