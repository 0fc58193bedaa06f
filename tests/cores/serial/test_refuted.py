"""Faults of byte-serial cores that few runs show are refuted by the proof, with a run that shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.specification import build_design, load_specification
from aesmith.testing.mutants import with_fault


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "right", "broken"),
    [
        # A key is taken while a longer one turns back to its start, in the second round of a block.
        ("serial-shared-gated-enc-256", ".open_i (~filling & ~key_used)", ".open_i (~filling)"),
        # A block that came while a result left has its direction forgotten while the key is run back.
        ("serial-shared-encdec", "slot_q[4] ? decrypt_q : decrypt_i", "decrypt_i"),
    ],
)
def test_a_fault_that_needs_a_moment_is_refuted(preset: str, right: str, broken: str, tmp_path: Path) -> None:
    design = with_fault(build_design(load_specification(preset), "core", preset), right, broken)
    proof = prove(design, tmp_path, Limits(seconds=300))
    results = next(part for part in proof.parts if part.name == "every result")
    assert results.verdict is Verdict.REFUTED
    assert "that of AES" in results.detail
    assert list(tmp_path.glob("*-counterexample.vcd"))
