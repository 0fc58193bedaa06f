"""What docs/pipelining.md shows works, and its table is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aesmith.circuits.cost import LEVELS
from aesmith.circuits.pipeline import pipeline
from aesmith.sboxes import canright2005

PAGE = (Path(__file__).parents[3] / "docs" / "pipelining.md").read_text()


def test_the_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, "docs/pipelining.md", "exec"), names)
    assert len(examples) == 2
    assert capsys.readouterr().out.startswith("(8.0, 8.0, 8.0) 45\n")


def test_the_table_of_exact_cuts_is_true() -> None:
    sbox = canright2005.forward()
    assert f"S-box of {len(sbox.gates)} gates" in PAGE
    rows = re.findall(r"^\| (\d) \| (\d+) \| (\d+) \|", PAGE, re.MULTILINE)
    assert len(rows) == 7
    for stages, levels, bits in rows:
        staged = pipeline(sbox, stages=int(stages))
        assert (max(staged.stage_delays(LEVELS)), staged.register_bits) == (int(levels), int(bits))
