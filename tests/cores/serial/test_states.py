"""What a proof of a byte-serial core tells apart: nothing that no result comes of."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.specification import build_design, load_specification
from aesmith.testing.mutants import with_fault

FEW = Limits(states=17_000, seconds=600)
OPEN = "block_valid_i & may_come ? {key[0], key[KeyBytes-16]} : 'x"


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.slow
def test_a_key_byte_that_comes_with_no_block_byte_is_told_apart_from_no_other(tmp_path: Path) -> None:
    design = build_design(load_specification("serial-shared-gated-enc"), "core", "")
    assert prove(design, tmp_path / "open", FEW).proved
    held = with_fault(design, OPEN, "{key[0], key[KeyBytes-16]}")
    results = next(part for part in prove(held, tmp_path / "held", FEW).parts if part.name == "every result")
    assert results.verdict is Verdict.OPEN
    assert "more than 17000 states" in results.detail
