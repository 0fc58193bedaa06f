"""The second net under a proof: what a simulator reads differently is found, and what is read alike is not."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.assurance.attacks.texts import BARE, TEXTS

from aesmith.assurance.proof import elaborate as front
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.netlist import Netlist
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Simulated, Verdict
from aesmith.assurance.proof.simulated import simulate, simulated_part
from aesmith.cores.design import CoreDesign, SourceFile
from aesmith.cores.ports import Ports
from aesmith.cores.specification import build_design, load_specification

CLOCKS = 100
DIFFERS = [name for name, case in TEXTS.items() if case.differs]
OFTEN = ("words chosen in a concatenation",)
icarus = pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus Verilog (iverilog) is not installed")


@dataclass(frozen=True)
class Text:
    """A module `core` of one file, as far as the front end and simulators want to know it."""

    text: str
    name: str = "text"
    top: str = "core"
    ports: Ports = field(default_factory=lambda: Ports("clk_i", None, ()))

    @property
    def sources(self) -> tuple[SourceFile, ...]:
        """The file."""
        return (SourceFile("text.sv", self.text),)


def core(name: str) -> CoreDesign:
    """The core of a preset."""
    return build_design(load_specification(name), name.replace("-", "_"), name)


def simulated(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Simulated:
    """What simulators show of a text that the reader of the proofs was not asked about."""
    monkeypatch.setattr(front, "refuse_ambiguous", lambda _: None)
    design: Any = Text(text)
    return simulate(design, elaborate(design, folder / "read"), folder, CLOCKS)


SELDOM = (pytest.mark.thorough, pytest.mark.one_in(4))


@icarus
@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in OFTEN else SELDOM) for name in DIFFERS])
def test_what_a_simulator_reads_differently_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = TEXTS[name]
    assert simulated(case.before + BARE.format(ending=case.wrong), tmp_path / "wrong", monkeypatch).odd
    before = case.before if case.right_before is None else case.right_before
    right = simulated(before + BARE.format(ending=case.right), tmp_path / "right", monkeypatch)
    assert not right.odd
    assert any(name.startswith("Verilator") for name in right.agreeing)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[CoreDesign, Netlist]:
    """A core and its netlist."""
    design = core("column-beat32-enc")
    return design, elaborate(design, tmp_path_factory.mktemp("small"))


def test_all_registers_and_outputs_of_a_core_are_compared(
    small: tuple[CoreDesign, Netlist], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = simulate(*small, Path("here"), CLOCKS)
    assert any(name.startswith("Verilator") for name in shown.agreeing)
    assert not shown.odd
    assert (shown.registers, shown.of) == (len(small[1].registers),) * 2
    assert "every register and every output" in str(shown)


def test_a_gate_that_is_another_is_found_wherever_it_is(small: tuple[CoreDesign, Netlist], tmp_path: Path) -> None:
    """A register that takes the opposite, and an output."""
    design, netlist = small
    index = len(netlist.registers) // 2
    register = netlist.registers[index]
    other = replace(register, d=next(each.d for each in netlist.registers if each.d != register.d))
    registers = (*netlist.registers[:index], other, *netlist.registers[index + 1 :])
    odd = simulate(design, replace(netlist, registers=registers), tmp_path, 400).odd
    assert f"register {register.name} is" in odd
    name, bits = next((name, bits) for name, bits in netlist.outputs.items() if len(bits) > 1)
    outputs = {**netlist.outputs, name: (bits[1], bits[0], *bits[2:])}
    assert f"output {name}[" in simulate(design, replace(netlist, outputs=outputs), tmp_path, 400).odd


def test_a_proof_says_what_was_simulated_and_refuses_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = core("column-beat32-enc")
    report = prove(design, tmp_path / "right", simulated=True)
    assert report.proved
    assert "random inputs" in report.of_text
    odd = Simulated(9, (), 1, 1, (), "in Verilator 5 register a is 0 in clock 3, where the netlist has 1")
    monkeypatch.setattr("aesmith.assurance.proof.simulated.simulate", lambda *_: odd)
    report = prove(design, tmp_path / "wrong", simulated=True)
    assert report.verdict is Verdict.REFUSED
    assert [(part.name, part.detail) for part in report.failing] == [("simulators", odd.odd)]


def test_sources_that_are_refused_as_a_whole_are_a_part_of_the_report() -> None:
    design: Any = Text(BARE.format(ending="assign flag_o = a_i & 1'bz; assign block_o = bare_block;"))
    simulated, [part] = simulated_part(design, None, CLOCKS)
    assert part.verdict is Verdict.REFUSED
    assert part.detail == simulated.odd
    assert "floats" in part.detail


@pytest.mark.thorough
def test_names_that_a_simulator_does_not_find_are_left_out(small: tuple[CoreDesign, Netlist], tmp_path: Path) -> None:
    design, netlist = small
    first, *others = netlist.registers
    other = replace(netlist, registers=(replace(first, name="u_core.no_such_name"), *others))
    shown = simulate(design, other, tmp_path, CLOCKS)
    assert not shown.odd
    assert (shown.registers, shown.of) == (len(others), len(others) + 1)
    assert f"{len(others)} of {len(others) + 1} bits of registers" in str(shown)


def test_a_simulator_that_is_missing_is_named(
    small: tuple[CoreDesign, Netlist], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "iverilog" else which(name))
    shown = simulate(*small, tmp_path, CLOCKS)
    assert shown.without == ("Icarus Verilog is not installed; on Debian and Ubuntu: apt install iverilog",)
    assert len(shown.agreeing) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["serial-bit-enc", "masked-serial-gated-enc", "wang2010-s2-enc", "zhang2004-r3-enc"])
def test_cores_of_each_kind_are_read_alike(name: str, tmp_path: Path) -> None:
    design = core(name)
    shown = simulate(design, elaborate(design, tmp_path / "read"), tmp_path, 400 + 4 * design.latency_cycles)
    assert not shown.odd
    assert shown.registers == shown.of
