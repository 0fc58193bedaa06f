"""Faults of byte-serial cores that few runs show are refuted by the proof, with a run that shows them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.proof.behaviour import prove_netlist
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.interface import block_ports
from aesmith.assurance.proof.netlist import TRUE
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.specification import build_design, load_specification
from aesmith.testing.mutants import with_fault

pytestmark = pytest.mark.one_in(2)


@pytest.mark.thorough(but=("serial-shared-gated-enc-256-.open_i (~filling & ~key_used)-.open_i (~filling)",))
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


def test_a_key_taken_that_nobody_offers_is_refuted_by_a_wait_without_end(tmp_path: Path) -> None:
    # No block ever begins, and each pattern of offers leaves other bytes in the key: no walk sees all of its states.
    design = build_design(load_specification("serial-shared-gated-enc-256"), "core", "core")
    netlist = elaborate(design, tmp_path)
    offered = netlist.inputs["key_valid_i"][0]
    gates = [replace(gate, inputs=tuple(TRUE if n == offered else n for n in gate.inputs)) for gate in netlist.gates]
    outcome = prove_netlist(netlist.with_gates(gates), block_ports(netlist, design), Limits(states=1))
    assert outcome.run is not None
    assert outcome.run.rule == "for ever: a block until it or a key is taken"
    right = prove_netlist(netlist, block_ports(netlist, design), Limits(states=1))
    assert right.run is None
