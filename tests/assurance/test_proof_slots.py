"""Pipelines are proved block by block, and wrong ones are shown to be wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.proof.behaviour import SLOTS, Outcome, prove_netlist
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.explore import SHOWS_KEY
from aesmith.assurance.proof.interface import BlockPorts, block_ports
from aesmith.assurance.proof.netlist import TRUE, Gate, Netlist, NetlistOp
from aesmith.assurance.proof.partition import find_pipeline
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.assurance.proof.slot_clocks import SlotProof
from aesmith.assurance.proof.slots import SlotProver
from aesmith.cores.specification import build_design, parse_specification
from aesmith.testing.mutants import mutants

pytestmark = pytest.mark.one_in(2)

LIMITS = Limits(states=50_000, seconds=600)
CLOCKS = 400


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens()


def core(
    folder: Path, skid_entries: int, change: tuple[str, str] = ("", ""), *, file: str = "skid"
) -> tuple[Netlist, BlockPorts]:
    """A loop of three stages, the source of its skid register, or of `file`, changed."""
    fields = {"architecture": "subpipelined", "stages": 3, "rounds_in_loop": 1, "skid_entries": skid_entries}
    design = build_design(parse_specification(fields), "looped", "looped")
    sources = []
    for source in design.sources:
        text = source.text
        if source.name == f"looped_subpipelined_{file}.sv":
            assert change[0] in text
            text = text.replace(*change)
        sources.append(replace(source, text=text))
    design = replace(design, sources=tuple(sources))
    netlist = elaborate(design, folder)
    return netlist, block_ports(netlist, design)


@pytest.fixture(scope="module")
def looped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Netlist, BlockPorts]:
    return core(tmp_path_factory.mktemp("looped"), 1)


@pytest.fixture(scope="module")
def proof(looped: tuple[Netlist, BlockPorts], tokens: Tokens) -> SlotProof:
    netlist, ports = looped
    pipeline = find_pipeline(netlist)
    assert pipeline is not None
    return SlotProver(netlist, ports, pipeline, tokens).run(LIMITS)


def examined(looped: tuple[Netlist, BlockPorts], netlist: Netlist, tokens: Tokens) -> Outcome:
    return prove_netlist(netlist, looped[1], LIMITS, tokens=tokens, clocks=CLOCKS)


def test_a_looped_pipeline_is_proved(proof: SlotProof) -> None:
    assert proof.violation is None
    assert not proof.open_reason
    # Ten rounds of three stages, in a ring of three places.
    assert (proof.moves, proof.period) == (30, 3)
    assert len(proof.gaps) == 3
    assert set(proof.seconds) == {"context", "blocks", "order", "progress"}


@pytest.mark.thorough
def test_mutants_are_refuted_or_equal(looped: tuple[Netlist, BlockPorts], tokens: Tokens) -> None:
    for mutant in mutants(looped[0], 6, seed=3):
        outcome = examined(looped, mutant.netlist, tokens)
        assert outcome.proved or outcome.run is not None, f"{mutant.kind}: {mutant.place}"


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("stops a clock too late", ("~awaited[Entries-1], enable_q", "~level_d[Entries-1], enable_q")),
        ("offers results in the wrong order", ("if (read_q[i]) oldest", "if (~read_q[i]) oldest")),
        ("forgets a result", ("(pushed & level[i+1]) :", "1'b0 :")),
        ("offers a result twice", ("assign popped = level_q[0] & ready_i;", "assign popped = level_q[0] & 1'b0;")),
        ("never starts again", ("enable_q <= Entries'({~awaited[Entries-1],", "enable_q <= Entries'({1'b0,")),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_a_queue_that_does_wrong_is_refuted(what: str, change: tuple[str, str], tmp_path: Path, tokens: Tokens) -> None:
    outcome = prove_netlist(*core(tmp_path, 2, change), LIMITS, tokens=tokens, clocks=CLOCKS)
    assert outcome.run is not None, what


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("takes a key over a block on its way", ("& occupied_q == '0;", "& (occupied_q == '0 | valid_q == 3'b100);")),
        ("takes a block before its key is expanded", ("& key_clocks_q == '0;", "& key_clocks_q <= 'd1;")),
        ("takes a block with the key", ("key_known_q & ~key_load_o &", "(key_known_q | key_load_o) &")),
        ("lets a block in over another", ("enable_i & entering_o & open_q", "enable_i & open_q")),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_a_control_that_gives_a_block_a_wrong_key_is_refuted(
    what: str, change: tuple[str, str], tmp_path: Path, tokens: Tokens
) -> None:
    outcome = prove_netlist(*core(tmp_path, 1, change, file="control"), LIMITS, tokens=tokens, clocks=CLOCKS)
    assert outcome.run is not None, what


def test_a_bare_pipeline_that_shows_the_key_in_gaps_only_is_refuted(tmp_path: Path, tokens: Tokens) -> None:
    fields = {"architecture": "subpipelined", "stages": 3, "rounds_in_loop": 1, "skid_entries": 1, "output": "bare"}
    design = build_design(parse_specification(fields), "looped", "looped")
    kept = "  logic late_q;\n  logic [127:0] bare, kept_q;\n  always_ff @(posedge clk_i) late_q <= block_valid_i;\n"
    kept += "  always_ff @(posedge clk_i) if (key_valid_i & key_ready_o) kept_q <= key_i;\n"
    *inside, top = design.sources
    core, port = "  looped_subpipelined_core #(", "    .block_o\n  );\n"
    text = top.text.replace(core, kept + core)
    shows = "block_valid_o | block_valid_i | late_q ? bare : kept_q"
    text = text.replace(port, f"    .block_o(bare)\n  );\n  assign block_o = {shows};\n")
    design = replace(design, sources=(*inside, replace(top, text=text)))
    netlist = elaborate(design, tmp_path)
    pipeline = find_pipeline(netlist)
    assert pipeline is not None
    proof = SlotProver(netlist, block_ports(netlist, design), pipeline, tokens).run(LIMITS)
    assert proof.violation is not None
    assert proof.violation.rule == SHOWS_KEY


@pytest.mark.thorough
@pytest.mark.slow
def test_slots_alone_do_not_prove_a_gap_that_becomes_a_block(tmp_path: Path, tokens: Tokens) -> None:
    # What stands beside `valid` in a slot without a block is not known: it was there before reset.
    change = ("accept | again_q}", "accept | again_q | (&pass_q[Length])}")
    netlist, ports = core(tmp_path, 1, change, file="control")
    pipeline = find_pipeline(netlist)
    assert pipeline is not None
    proof = SlotProver(netlist, ports, pipeline, tokens).run(LIMITS)
    assert proof.violation is not None or proof.open_reason
    assert "order" not in proof.seconds


def test_a_pipeline_that_takes_no_block_is_refuted(looped: tuple[Netlist, BlockPorts], tokens: Tokens) -> None:
    netlist = looped[0]
    [valid] = netlist.inputs["key_valid_i"]
    gates = [
        Gate(gate.op, tuple(TRUE if net == valid else net for net in gate.inputs), gate.output)
        for gate in netlist.gates
    ]
    outcome = examined(looped, netlist.with_gates(gates), tokens)
    assert outcome.run is not None
    assert outcome.run.rule.startswith("for ever: a block until")
    assert any(part.verdict is Verdict.REFUTED for part in outcome.parts)


@pytest.mark.thorough
def test_a_pipeline_that_is_wrong_for_one_state_only_is_not_proved(
    looped: tuple[Netlist, BlockPorts], tokens: Tokens
) -> None:
    netlist = looped[0]
    state = [register for register in netlist.registers if "state_q[" in register.name][:128]
    gates, free = list(netlist.gates), netlist.net_count
    matched = state[0].q
    for register in state[1:]:
        gates.append(Gate(NetlistOp.AND, (matched, register.q), free))
        matched, free = free, free + 1
    gates.append(Gate(NetlistOp.XOR, (state[5].d, matched), free))
    place = netlist.registers.index(state[5])
    registers = list(netlist.registers)
    registers[place] = replace(state[5], d=free)
    outcome = examined(looped, replace(netlist, registers=tuple(registers)).with_gates(gates), tokens)
    assert not outcome.proved


@pytest.mark.parametrize("limits", [Limits(states=5), Limits(seconds=0.0), Limits(megabytes=1)])
def test_giving_up_names_the_part_that_is_open(looped: tuple[Netlist, BlockPorts], limits: Limits) -> None:
    outcome = prove_netlist(*looped, limits, clocks=10)
    parts = {part.name: part for part in outcome.parts}
    assert not outcome.proved
    assert parts["every handshake"].verdict is Verdict.OPEN
    assert parts["every handshake"].engine == SLOTS
    assert parts["progress"].verdict is Verdict.OPEN
    assert any("contexts: " in part.detail for part in outcome.parts)
