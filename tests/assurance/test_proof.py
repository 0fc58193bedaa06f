"""Right cores are proved, and every wrong one is shown to be wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.proof.algebra import UNKNOWN_NUMBER
from aesmith.assurance.proof.behaviour import prove_netlist, quiet_output
from aesmith.assurance.proof.data import Tokens
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.explore import Explorer
from aesmith.assurance.proof.interface import BlockPorts, block_ports
from aesmith.assurance.proof.liveness import bounds
from aesmith.assurance.proof.netlist import Gate, Netlist, NetlistOp
from aesmith.assurance.proof.partition import payload_nets, timing_independence
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Limits, Verdict
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import Channel
from aesmith.cores.specification import build_design, load_specification, parse_specification
from aesmith.errors import CheckError, ToolError
from aesmith.testing.mutants import mutants

LIMITS = Limits(states=2000, seconds=600)


def design(preset: str) -> CoreDesign:
    return build_design(load_specification(preset), "core", preset)


@pytest.fixture(scope="module")
def netlist(tmp_path_factory: pytest.TempPathFactory) -> Netlist:
    return elaborate(design("ueno2020-enc"), tmp_path_factory.mktemp("elaborated"))


@pytest.fixture(scope="module")
def ports(netlist: Netlist) -> BlockPorts:
    return block_ports(netlist, design("ueno2020-enc"))


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens()


def with_gate(netlist: Netlist, output: int, op: NetlistOp, *inputs: int) -> Netlist:
    gates = [gate for gate in netlist.gates if gate.output != output]
    return netlist.with_gates([*gates, Gate(op, inputs, output)])


def test_the_core_is_proved_and_the_bounds_are_its_clocks(netlist: Netlist, ports: BlockPorts, tokens: Tokens) -> None:
    outcome = prove_netlist(netlist, ports, LIMITS, tokens=tokens)
    assert outcome.proved, outcome.parts
    assert outcome.run is None
    assert outcome.walk is not None
    # Ten clocks from a block taken to its result, and the same until the next is taken; a key never waits.
    assert [bound.clocks for bound in bounds(outcome.walk, ports.shape)] == [10, 10, 1, 10]


@pytest.mark.thorough
def test_a_core_with_a_registered_output_is_proved_and_a_clock_later(tokens: Tokens, tmp_path: Path) -> None:
    registered = build_design(parse_specification({"preset": "ueno2020-enc", "output": "registered"}), "core", "")
    report = prove(registered, tmp_path, LIMITS, tokens=tokens)
    assert report.proved, report.parts
    assert "encrypt: 10 a block, 12 to its result" in [part.detail for part in report.parts]


@pytest.mark.thorough
def test_every_mutant_is_refuted_by_a_run_that_shows_it_or_is_proved_to_be_no_worse(
    netlist: Netlist, ports: BlockPorts, tokens: Tokens
) -> None:
    equal = []
    for mutant in mutants(netlist, 20):
        outcome = prove_netlist(mutant.netlist, ports, LIMITS, tokens=tokens)
        named = f"{mutant.kind}: {mutant.place}"
        if outcome.proved:
            equal.append(named)
            continue
        assert outcome.run is not None, named
        waveform = outcome.run.waveform()
        assert waveform.startswith("$timescale"), named
        assert waveform.rstrip().endswith(f"#{10 * outcome.run.clocks}"), named
    # What holds while nothing is under way does not matter: few faults are none.
    assert len(equal) <= 2, equal


def test_a_core_that_is_wrong_for_one_key_only_is_refuted_with_that_key(
    netlist: Netlist, ports: BlockPorts, tokens: Tokens
) -> None:
    # One bit of a result is turned if the key register holds one certain value: no random run ever finds it.
    data = payload_nets(netlist)
    key = [register.q for register in netlist.registers if "initial_key_q[" in register.name]
    assert len(key) == 128
    gates, free = list(netlist.gates), netlist.net_count
    matched = key[0]
    for bit in key[1:]:
        gates.append(Gate(NetlistOp.AND, (matched, bit), free))
        matched, free = free, free + 1
    place = next(i for i, r in enumerate(netlist.registers) if r.q in data and "key" not in r.name)
    gates.append(Gate(NetlistOp.XOR, (netlist.registers[place].d, matched), free))
    registers = list(netlist.registers)
    registers[place] = replace(registers[place], d=free)
    trojan = replace(netlist, registers=tuple(registers)).with_gates(gates)
    outcome = prove_netlist(trojan, ports, LIMITS, tokens=tokens)
    assert outcome.parts[1].verdict is Verdict.REFUTED
    assert outcome.run is not None
    held = [netlist.registers.index(register) for register in netlist.registers if register.q in key]
    assert any(all(levels[i] for i in held) for levels in outcome.run.registers)


def test_a_ready_that_depends_on_data_is_found_by_structure_and_by_the_walk(
    netlist: Netlist, ports: BlockPorts
) -> None:
    ready = netlist.outputs["block_ready_o"][0]
    data = next(iter(payload_nets(netlist) & {register.q for register in netlist.registers}))
    free = netlist.net_count
    leaky = with_gate(
        replace(netlist, outputs={**netlist.outputs, "block_ready_o": (free,)}), free, NetlistOp.AND, ready, data
    )
    assert timing_independence(netlist).holds
    assert timing_independence(leaky).path[-1] == "block_ready_o"
    walk = Explorer(leaky, replace(ports, handshake_nets=(ports.handshake_nets[0], free, ports.handshake_nets[2]))).run(
        LIMITS
    )
    assert walk.violation is not None
    assert "depends on key, data" in walk.violation.rule


def test_a_result_that_the_sources_leave_undefined_is_shown_to_be_wrong(
    netlist: Netlist, ports: BlockPorts, tokens: Tokens
) -> None:
    # Right if the level is 0, wrong if it is 1: tools may choose either.
    valid, free = netlist.outputs["block_valid_o"][0], netlist.net_count
    outputs = {**netlist.outputs, "block_valid_o": (free,)}
    level = free + 1
    undefined = replace(netlist, outputs=outputs, free={**netlist.free, level: "core.sv:1"})
    undefined = with_gate(undefined, free, NetlistOp.OR, valid, level)
    handshakes = (*ports.handshake_nets[:2], free)
    outcome = prove_netlist(undefined, replace(ports, handshake_nets=handshakes), LIMITS, tokens=tokens)
    assert outcome.run is not None
    assert "result is offered" in outcome.run.rule


def test_an_endless_wait_that_the_sources_leave_undefined_is_shown(
    netlist: Netlist, ports: BlockPorts, tokens: Tokens
) -> None:
    # The key is never known if the level is 0.
    place, known = next((i, r) for i, r in enumerate(netlist.registers) if "key_known" in r.name)
    registers, free = list(netlist.registers), netlist.net_count
    registers[place] = replace(known, d=free)
    level = free + 1
    forgets = replace(netlist, registers=tuple(registers), free={**netlist.free, level: "core.sv:1"})
    forgets = with_gate(forgets, free, NetlistOp.AND, known.d, level)
    outcome = prove_netlist(forgets, ports, LIMITS, tokens=tokens)
    assert outcome.run is not None
    assert outcome.run.rule.startswith("for ever: a block until")


def test_senders_without_manners_do_no_harm_to_this_core(netlist: Netlist, ports: BlockPorts, tokens: Tokens) -> None:
    walk = Explorer(netlist, ports, tokens, polite=False).run(LIMITS)
    assert walk.violation is None
    assert not walk.open_reason


@pytest.mark.parametrize("limits", [Limits(states=5), Limits(seconds=0.0), Limits(megabytes=1)])
def test_giving_up_is_never_a_pass(netlist: Netlist, ports: BlockPorts, tokens: Tokens, limits: Limits) -> None:
    outcome = prove_netlist(netlist, ports, limits, tokens=tokens)
    assert [part.verdict for part in outcome.parts] == [
        *(Verdict.PROVED, Verdict.OPEN, Verdict.OPEN),
        Verdict.PROVED,  # a quiet output needs no walk
    ]
    assert not outcome.proved


def test_data_registers_begin_unknown(netlist: Netlist, ports: BlockPorts, tokens: Tokens) -> None:
    explorer = Explorer(netlist, ports, tokens)
    walk = explorer.run(Limits(states=1))
    data = explorer.data_of(walk.data[0])
    assert set(data) == {UNKNOWN_NUMBER}
    assert len(data) >= 2 * 128


def test_a_combinational_loop_is_refused(netlist: Netlist) -> None:
    gate = netlist.gates[0]
    with pytest.raises(CheckError, match="combinational loop"):
        with_gate(netlist, gate.output, NetlistOp.AND, gate.inputs[0], gate.output)


def test_mutants_are_the_same_for_a_seed(netlist: Netlist) -> None:
    first, again, other = mutants(netlist, 12), mutants(netlist, 12), mutants(netlist, 12, seed=2)
    assert [(m.kind, m.place) for m in first] == [(m.kind, m.place) for m in again]
    assert [(m.kind, m.place) for m in first] != [(m.kind, m.place) for m in other]


def test_the_folder_has_the_report_and_the_files_it_names(tmp_path: Path) -> None:
    broken = design("ueno2020-enc")
    load = re.compile(r"assign key_load_o = [^;]*;")
    assert any(load.search(source.text) for source in broken.sources)
    sources = tuple(
        replace(source, text=load.sub("assign key_load_o = 1'b1;", source.text)) for source in broken.sources
    )
    report = prove(replace(broken, sources=sources), tmp_path, LIMITS)
    assert not report.proved
    assert report.counterexample is not None
    assert report.counterexample.waveform.is_file()
    plain = json.loads((tmp_path / "report.json").read_text())
    assert plain["proved"] is False
    assert {part["name"] for part in plain["parts"]} == {"constant time", "every result", "progress", "quiet output"}
    assert "Counterexample: " in (tmp_path / "report.md").read_text()
    assert {"netlist.v", "netlist.json", "elaborate.ys", "rtl"} <= {path.name for path in tmp_path.iterdir()}


def test_a_proof_that_is_broken_off_leaves_nothing_that_an_earlier_one_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken_off(*_: object) -> None:
        raise ToolError("yosys: killed")

    monkeypatch.setattr("aesmith.assurance.proof.prove.elaborate", broken_off)
    for name in ("certificate.json", "report.json", "report.md"):
        (tmp_path / name).write_text("of an earlier proof")
    with pytest.raises(ToolError):
        prove(design("ueno2020-enc"), tmp_path, LIMITS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.slow
def test_a_core_of_both_directions_is_proved(tmp_path: Path) -> None:
    report = prove(design("ueno2020-encdec"), tmp_path)
    assert report.proved, report.failing


def test_a_quiet_output_is_proved_of_its_gates_and_a_bit_without_one_is_refuted(
    netlist: Netlist, ports: BlockPorts
) -> None:
    part, run = quiet_output(netlist)
    assert (part.verdict, run) == (Verdict.PROVED, None)
    valid, shown = netlist.outputs["block_valid_o"][0], netlist.outputs["block_o"]
    [gate] = [gate for gate in netlist.gates if gate.output == shown[77]]
    [data] = [net for net in gate.inputs if net != valid]
    ready = netlist.inputs["block_ready_i"][0]
    wrong = {
        "no gate": with_gate(netlist, shown[77], NetlistOp.OR, data, data),
        "another line": with_gate(netlist, shown[77], NetlistOp.AND, data, ready),
        "the wrong level": with_gate(netlist, shown[77], NetlistOp.OR, data, valid),
    }
    for what, core in wrong.items():
        outcome = prove_netlist(core, ports, LIMITS)
        assert [p.verdict for p in outcome.parts if p.name == "quiet output"] == [Verdict.REFUTED], what
        assert outcome.run is not None
        assert outcome.run.rule == "block_o[77] is 1 while block_valid_o is 0"
    # A choice for valid is a gate as good as an AND.
    assert quiet_output(with_gate(netlist, shown[77], NetlistOp.MUX, valid, 0, data))[0].verdict is Verdict.PROVED


@pytest.mark.thorough
def test_of_a_bare_output_nothing_is_claimed_but_what_stands_there_is_said(tmp_path: Path) -> None:
    core = build_design(parse_specification({"preset": "ueno2020-enc", "output": "bare"}), "core", "bare")
    report = prove(core, tmp_path)
    assert report.proved
    assert "quiet output" not in [part.name for part in report.parts]
    [found] = report.properties
    assert found.statement.startswith("The output is bare, so the only claim")
    assert "intermediate states of blocks" in found.finding
    claimed = replace(core, ports=replace(core.ports, channels=quiet_channels()))
    assert prove(claimed, tmp_path).verdict is Verdict.REFUTED


def quiet_channels() -> tuple[Channel, ...]:
    """The channels of a quiet core."""
    return design("ueno2020-enc").ports.channels
