"""A scan enable: at 0 the design is the one without it, at 1 all its clock gates are open."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.same_netlist import difference

from aesmith.assurance.engines.open_gates import check_scan_enable, wiring_part
from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.open_gates import SCAN_ASSUMED, kept_by_a_gate, open_gates_part
from aesmith.assurance.proof.prove import prove
from aesmith.assurance.proof.report import Verdict
from aesmith.check_proof import check_certificate
from aesmith.cores.design import CoreDesign
from aesmith.cores.ports import SCAN_ENABLE, as_values, from_values
from aesmith.cores.sources import has_clock_gates, with_scan_enable
from aesmith.cores.specification import build_design, parse_specification, presets
from aesmith.errors import CheckError, RequestError
from aesmith.modes.engine import StreamEngine
from aesmith.modes.specification import engine_presets, parse_engine
from aesmith.publish.package import testbench_of as bench_of
from aesmith.testing.mutants import with_fault

CLEARED = {"clear": True}
CORES: list[tuple[str, dict[str, object]]] = [
    *((name, {}) for name, preset in presets().items() if getattr(preset, "clock_gates", False)),
    *((name, CLEARED) for name in ("serial-shared-small-enc", "ueno2020-gated-encdec", "column-gated-enc")),
    *((name, {"clock_gates": True}) for name in ("wang2010-s1-enc", "wang2010-s4-enc-256", "hamalainen2006-enc")),
    ("ueno2020-gated-enc", {"output": "registered"}),
]
ENGINES: list[tuple[str, dict[str, object]]] = [
    *((name, {}) for name in ("cmac-small", "xts-disk", "multi-compact-selectable", "cmac-bytes", "ccm-radio")),
    ("cmac-bytes", CLEARED),
    ("cmac-small", {"stream_bits": 32, "clear": True, "key_slots": 4}),
    ("cmac-small", {"bus": "apb", "clear": True, "alarm": True, "self_test": "on_reset"}),
    ("cbc-compact", {"core": {"preset": "ueno2020-gated-encdec"}, "bus": "axi4-lite"}),
]


def core(preset: str, **fields: object) -> CoreDesign:
    return build_design(parse_specification({"preset": preset, **fields}), "core", preset)


def engine(preset: str, **fields: object) -> StreamEngine:
    return parse_engine({"preset": preset, **fields}).engine("engine", preset)


@pytest.mark.thorough
def test_every_core_and_engine_with_clock_gates_is_among_the_cases() -> None:
    tried = {name for name, _ in (*CORES, *ENGINES)}
    assert {name for name in presets() if has_clock_gates(core(name))} <= tried
    assert {name for name in engine_presets() if has_clock_gates(engine(name))} <= tried


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(("preset", "fields"), [("serial-shared-small-enc", {}), ("ueno2020-gated-enc", {}), *CORES])
def test_at_0_a_core_is_the_one_without(preset: str, fields: dict[str, object], tmp_path: Path) -> None:
    plain, scanned = core(preset, **fields), core(preset, **fields, scan_enable=True)
    assert not any("scan" in source.text for source in plain.sources)
    assert [port.name for port in plain.ports] == [p.name for p in scanned.ports if p.role != SCAN_ENABLE]
    assert difference(elaborate(plain, tmp_path / "plain"), elaborate(scanned, tmp_path / "scanned")) == ""


@pytest.mark.thorough(but=2)
@pytest.mark.parametrize(("preset", "fields"), [("serial-shared-small-enc", {}), ("ueno2020-gated-enc", {}), *CORES])
def test_at_1_all_clock_gates_of_a_core_are_open(preset: str, fields: dict[str, object], tmp_path: Path) -> None:
    scanned = core(preset, **fields, scan_enable=True)
    assert kept_by_a_gate(elaborate(scanned, tmp_path / "in_function"))
    part = open_gates_part(scanned, tmp_path / "open")
    assert part.verdict is Verdict.PROVED, part.detail
    assert ", 0 of them" not in part.detail


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(("preset", "fields"), [("cmac-bytes", {}), *ENGINES])
def test_that_of_an_engine_reaches_its_cores(preset: str, fields: dict[str, object], tmp_path: Path) -> None:
    scanned = engine(preset, **fields, scan_enable=True)
    assert scanned.ports.role(SCAN_ENABLE).name == "scan_enable_i"
    check_scan_enable(scanned, tmp_path)
    plain = {source.name: source.text for source in engine(preset, **fields).sources}
    changed = [source for source in scanned.sources if source.text != plain.pop(source.name)]
    assert not plain
    assert all("scan_enable_i" in source.text for source in changed)


TWINS: dict[str, tuple[str, str]] = {
    "a gate whose pin is tied off": (
        "core_clock_gate u_data_gate (\n      .clk_i,\n      .scan_enable_i,",
        "core_clock_gate u_data_gate (\n      .clk_i,\n      .scan_enable_i(1'b0),",
    ),
    "a tied-off pin above": (
        "u_key_registers (\n    .clk_i,\n    .scan_enable_i,",
        "u_key_registers (\n    .clk_i,\n    .scan_enable_i(1'b0),",
    ),
    "an inverted scan enable": ("enable_q = enable_i | scan_enable_i;", "enable_q = enable_i | ~scan_enable_i;"),
    "one that the enable holds back": ("enable_q = enable_i | scan_enable_i;", "enable_q = enable_i & scan_enable_i;"),
}


@pytest.mark.parametrize(("right", "wrong"), TWINS.values(), ids=TWINS)
def test_a_gate_that_stays_closed_is_found(right: str, wrong: str, tmp_path: Path) -> None:
    scanned = core("ueno2020-gated-enc", scan_enable=True)
    odd = with_fault(scanned, right, wrong)
    with pytest.raises(CheckError, match=r"core: scan_enable: .* may be kept by a clock gate while scan_enable_i is 1"):
        check_scan_enable(odd, tmp_path)


@pytest.mark.parametrize("wrong", ["enable_i | ~scan_enable_i;", "enable_i & scan_enable_i;", "scan_enable_i;"])
def test_a_gate_that_is_another_in_function_is_found(wrong: str, tmp_path: Path) -> None:
    plain, scanned = core("serial-shared-small-enc"), core("serial-shared-small-enc", scan_enable=True)
    odd = with_fault(scanned, "enable_i | scan_enable_i;", wrong)
    assert difference(elaborate(plain, tmp_path / "plain"), elaborate(odd, tmp_path / "odd"))


def test_an_engine_that_does_not_pass_it_on_is_found(tmp_path: Path) -> None:
    scanned = engine("cmac-bytes", scan_enable=True)
    top = scanned.sources[-1]
    right, wrong = ".scan_enable_i,", ".scan_enable_i(1'b0),"
    assert top.text.count(right) == 1
    odd = replace(scanned, shipped=(*scanned.sources[:-1], replace(top, text=top.text.replace(right, wrong))))
    part = wiring_part(odd, tmp_path)
    assert part.verdict is Verdict.OPEN
    assert "scan_enable_i does not reach" in part.detail
    assert wiring_part(scanned, tmp_path / "right").verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("make", "preset", "fields", "reason"),
    [
        (core, "ueno2020-enc", {}, "scan_enable: must be false without clock gates, not true"),
        (core, "ueno2020-gated-enc", {"clock_gates": False}, "scan_enable: must be false without clock gates"),
        (engine, "gcm-compact", {}, "scan_enable: must be false without clock gates, not true"),
        (
            engine,
            "cmac-bytes",
            {"core": {"preset": "serial-shared-small-enc", "scan_enable": True}},
            "core: scan_enable must be false: that of the engine reaches the gates of all its cores",
        ),
    ],
)
def test_where_it_opens_nothing_it_is_refused(
    make: Callable[..., object], preset: str, fields: dict[str, object], reason: str
) -> None:
    with pytest.raises(RequestError, match=reason):
        make(preset, **fields, scan_enable=True)


def test_ports_say_it_and_without_it_say_nothing() -> None:
    plain, scanned = core("serial-shared-small-enc").ports, core("serial-shared-small-enc", scan_enable=True).ports
    assert "scan_enable" not in as_values(plain)
    assert from_values(as_values(plain)) == plain
    assert as_values(scanned)["scan_enable"] == "scan_enable_i"
    assert from_values(as_values(scanned)) == scanned
    assert [port.name for port in scanned][:3] == ["clk_i", "rst_ni", "scan_enable_i"]


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        ("enable_q = enable_i;", "enable_q <= enable_i & 1'b1;", "must have a latch that follows enable_i"),
        (
            ".clk_i,\n    .enable_i(advance),\n    .clk_o   (clk),\n    .enable_o(enable)",
            ".enable_i(advance),\n    .clk_o   (clk),\n    .enable_o(enable),\n    .clk_i",
            "must connect clk_i of",
        ),
    ],
)
def test_text_that_is_written_otherwise_is_refused(right: str, wrong: str, reason: str) -> None:
    with pytest.raises(RequestError, match=reason):
        with_scan_enable(with_fault(core("serial-shared-gated-enc"), right, wrong))


@pytest.mark.thorough
def test_it_is_proved_and_another_program_accepts_the_certificate(tmp_path: Path) -> None:
    report = prove(core("ueno2020-gated-enc", scan_enable=True), tmp_path, simulated=True)
    assert report.proved
    assert SCAN_ASSUMED in report.assumptions
    assert {part.name: part.verdict for part in report.parts}["scan enable"] is Verdict.PROVED
    check_certificate(tmp_path / "certificate.json", tmp_path / "rtl")
    certificate = json.loads((tmp_path / "certificate.json").read_text())
    del certificate["scan_enable"]
    (tmp_path / "certificate.json").write_text(json.dumps(certificate))
    with pytest.raises(CheckError, match=r"have ports of the widths .*scan_enable_i"):
        check_certificate(tmp_path / "certificate.json", tmp_path / "rtl")


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize("turned", ["enable_q = enable_i & scan_enable_i;", "enable_q = enable_i | ~scan_enable_i;"])
def test_a_proof_refuses_a_wrong_gate(turned: str, tmp_path: Path) -> None:
    odd = with_fault(core("ueno2020-gated-enc", scan_enable=True), "enable_q = enable_i | scan_enable_i;", turned)
    assert not prove(odd, tmp_path).proved


def test_benches_that_travel_hold_it_at_0() -> None:
    tied = ".scan_enable_i(1'b0)"
    for design, text in (
        (core("serial-shared-small-enc", scan_enable=True), tied),
        (engine("cmac-bytes", scan_enable=True), tied),
        (engine("cmac-small", scan_enable=True, bus="apb"), "top->scan_enable_i=0;"),
    ):
        bench = "".join(source.text for source in bench_of(design))
        assert text in re.sub(r"\s", "", bench), design.name
