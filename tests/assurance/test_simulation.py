"""Right cores pass every scenario, whatever their width, directions and schedule; broken ones fail, and why is said."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.plan import SCENARIOS, MeasuredTiming, SimulationPlan, SimulationReport, facts_of
from aesmith.assurance.simulation import Session, simulate
from aesmith.assurance.simulator import find_tools
from aesmith.cores.design import Direction, SourceFile
from aesmith.cores.ports import ByteOrder, block_interface
from aesmith.errors import RequestError, ToolError

from .mutants import MUTANTS, Mutant
from .standins import foreign, iterative, pipelined, serial

pytestmark = [pytest.mark.slow, pytest.mark.one_in(2)]

QUICK = SimulationPlan(random_pairs=60, monte_carlo_rounds=1)


@pytest.fixture(scope="session")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all simulations, so that each stand-in is built once."""
    return tmp_path_factory.mktemp("simulation")


def outcome(report: SimulationReport) -> list[tuple[object, ...]]:
    """All of a report's scenarios but their times."""
    return [(s.name, s.cases, s.cycles, s.failure, s.note) for s in report.scenarios]


@pytest.mark.thorough
def test_a_full_verification_does_all_that_it_promises(work: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    report = simulate(iterative(), work, progress=lambda *step: heard.append(step))
    assert report.passed, report.failures
    cases = {scenario.name: scenario.cases for scenario in report.scenarios}
    assert list(cases) == list(SCENARIOS)
    assert cases["known-answers"] == 2 * 408
    assert cases["random-pairs"] >= 1000
    assert cases["random-stalls"] >= 1000
    assert cases["monte-carlo"] == 2 * 100 * 1000
    assert report.scenarios[-1].note.endswith("ending in the published results")
    assert report.timing == (
        MeasuredTiming(Direction.ENCRYPT, 10, 11, 11),
        MeasuredTiming(Direction.DECRYPT, 10, 11, 11),
    )
    scenarios = [f"{name} (scenario {k} of {len(SCENARIOS)})" for k, name in enumerate(SCENARIOS, 1)]
    assert [step for step in dict.fromkeys(step[0] for step in heard) if not step.startswith("build: ")] == scenarios
    for step in scenarios:
        *_, (_, done, total) = (entry for entry in heard if entry[0] == step)
        assert done == total > 0, step


@pytest.mark.thorough
def test_many_blocks_in_flight_and_decryption_only(work: Path) -> None:
    report = simulate(pipelined(), work, QUICK)
    assert report.passed, report.failures
    assert report.timing == (MeasuredTiming(Direction.DECRYPT, 1, 7, 7),)


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(("width", "key_width", "clocks"), [(8, 8, 37), (16, 256, 21), (32, 64, 13), (64, 16, 9)])
def test_narrow_channels(width: int, key_width: int, clocks: int, work: Path) -> None:
    report = simulate(serial(width, key_width), work, QUICK)
    assert report.passed, report.failures
    assert report.timing == (MeasuredTiming(Direction.ENCRYPT, clocks, clocks, clocks),)


@pytest.mark.thorough
def test_words_in_the_wrong_order_are_found(work: Path) -> None:
    right = serial(64)
    last = right.sources[-1]
    swapped = replace(last, text=last.text.replace("(block_q << Width) | 128'(block_i)", "{block_i, block_q[127:64]}"))
    assert swapped != last
    plan = replace(QUICK, scenarios=("known-answers",))
    assert not simulate(replace(right, sources=(*right.sources[:-1], swapped)), work, plan).passed


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_broken_core_fails_and_the_report_says_why(mutant: Mutant, work: Path) -> None:
    plan = SimulationPlan(monte_carlo_rounds=1, fail_fast=True, plusargs=(f"+mutant={mutant.number}",))
    report = simulate(iterative(), work, plan)
    assert not report.passed
    assert [scenario.passed for scenario in report.scenarios].count(False) == 1
    assert re.search(mutant.message, report.failures[0].failure), report.failures[0].failure


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(
    ("claim", "stated"),
    [
        ("cycles_per_block", {"cycles_per_block": 12}),
        ("latency_cycles", {"latency_cycles": 12}),
        ("worst_latency_cycles", {"latency_spread": 1}),
    ],
)
def test_a_core_that_is_faster_than_it_says_does_not_pass_either(
    claim: str, stated: dict[str, int], work: Path
) -> None:
    report = simulate(replace(iterative(), **stated), work, replace(QUICK, scenarios=("timing",)))
    assert f"{claim}: the design says 12, encryption took" in report.failures[0].failure


def test_a_seed_gives_the_same_simulation_and_another_seed_another(work: Path) -> None:
    plan = replace(QUICK, scenarios=("random-stalls",))
    first, again = simulate(iterative(), work, plan), simulate(iterative(), work, plan)
    assert outcome(first) == outcome(again)
    assert outcome(simulate(iterative(), work, replace(plan, seed=2))) != outcome(first)


@pytest.mark.thorough
def test_a_failure_can_be_seen_in_a_waveform(work: Path) -> None:
    plan = replace(QUICK, scenarios=("timing", "stalled-output"), plusargs=("+mutant=5",), waves=True)
    report = simulate(iterative(), work, plan)
    assert report.waveform is not None
    assert report.waveform.scenario == "stalled-output"
    text = report.waveform.path.read_text()
    assert "u_core" in text
    last_time = max(int(line[1:]) for line in text.splitlines() if line.startswith("#"))
    # The trace is in picoseconds, and ends with the clock that broke the rule.
    assert 0 <= last_time - 1000 * report.waveform.failure_ns <= 10_000


def test_sources_that_are_no_systemverilog_are_refused_with_the_line(work: Path) -> None:
    broken = replace(iterative(), sources=(SourceFile("standin.sv", "module standin;\n  nonsense\nendmodule\n"),))
    with pytest.raises(RequestError, match=r"sources of standin: verilator failed .*standin.sv:3"):
        simulate(broken, work, QUICK)


def test_missing_compilers_are_named_before_any_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match=r"perl, g\+\+, make.*apt install"):
        simulate(iterative(), tmp_path / "work", QUICK)
    assert not (tmp_path / "work").exists()


def test_a_simulator_that_dies_is_a_failed_tool_not_a_verdict(tmp_path: Path) -> None:
    dying = tmp_path / "simulator"
    dying.write_text("#!/bin/sh\necho out of luck\nexit 7\n")
    dying.chmod(0o755)
    with pytest.raises(ToolError, match="exit code 7 before the testbench did: out of luck"):
        Session(tmp_path, find_tools(), facts_of(iterative())).run(dying, QUICK, lambda *_: None)


@pytest.mark.thorough
def test_a_design_with_ports_of_its_own_is_simulated_by_its_port_map(work: Path) -> None:
    assert simulate(foreign(), work, QUICK).passed
    ports = foreign().ports
    turned = replace(ports, channels=tuple(replace(c, byte_order=ByteOrder.FIRST_BYTE_HIGH) for c in ports.channels))
    plan = replace(QUICK, scenarios=("known-answers",))
    assert not simulate(replace(foreign(), ports=turned), work, plan).passed
    broken = [replace(s, text=s.text.replace("(!hold)", "(1'b1)")) for s in foreign().sources]
    report = simulate(replace(foreign(), sources=tuple(broken)), work, replace(QUICK, scenarios=("stalled-output",)))
    assert "done fell although dout = " in report.failures[0].failure
    assert report.failures[0].failure.endswith("it must stay high until !hold")


def test_a_channel_without_a_handshake_is_refused_before_any_work(tmp_path: Path) -> None:
    ports = foreign().ports
    strobe = replace(ports, channels=(*ports.channels[:2], replace(ports.channels[2], ready=None)))
    with pytest.raises(RequestError, match="channel result: a simulation needs one with valid and ready"):
        simulate(replace(foreign(), ports=strobe), tmp_path, QUICK)


def test_an_output_that_is_said_to_be_quiet_is_looked_at_in_every_clock(work: Path) -> None:
    bare = iterative()
    quiet = block_interface(bare.key_bits, bare.directions, quiet=True)
    report = simulate(replace(bare, ports=quiet), work, replace(QUICK, scenarios=("keys-without-blocks",)))
    assert "block_o was not 0 in a clock without block_valid_o" in report.failures[0].failure
