"""Packages of engines: what stands in them, the testbench that travels, and what edits of them do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.modes.engine_bench import wrong_engine

import aesmith
from aesmith.assurance.streams.standalone import standalone_messages, stream_testbench
from aesmith.cli import run
from aesmith.cores.design import SourceFile
from aesmith.errors import CheckError, RequestError
from aesmith.flow.verilator import find_verilator
from aesmith.flow.verilog2005 import verilog2005
from aesmith.modes.engine import INPUT, OUTPUT, StreamEngine
from aesmith.modes.message import Cipher
from aesmith.modes.specification import build_engine, engine_presets
from aesmith.publish.acceptance import CheckOutcome, accept
from aesmith.publish.datasheet import MODE_WORDS, datasheet, message_rows
from aesmith.publish.descriptions import core_description, read_build
from aesmith.publish.package import write_files
from aesmith.publish.trace import check_latency, message_table, trace_engine

CTR, GCM = "ctr", "gcm-compact"
FIELDS: dict[str, object] = {"mode": "ctr", "core": "ueno2020-enc", "cores": 2, "counter_bits": 32}
AHEAD = ("ctr_engine", "? turned(first_counter)", "? turned(first_counter) + 1'b1")
"""A counter that is one ahead."""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of a CTR engine."""
    folder = tmp_path_factory.mktemp("packages")
    return aesmith.engine("ctr-pipeline", name="my_ctr", **FIELDS).build(folder / "my_ctr")


def test_a_package_has_what_a_core_s_has_and_is_read_again(package: Path) -> None:
    build = read_build(package)
    assert isinstance(build.design, StreamEngine)
    assert not build.changed
    assert not build.further
    made = aesmith.engine("ctr-pipeline", name="my_ctr", **FIELDS).design
    assert build.design.source_hash == made.source_hash
    assert build.design.module_parameters == made.module_parameters
    assert {"my_ctr.v", "my_ctr.sdc", "my_ctr.core", "datasheet.md", "diagram.svg", "waveform.svg"} < {*build.listed}
    manifest = json.loads((package / "manifest.json").read_text())
    assert (manifest["mode"], manifest["cycles_per_block"], manifest["latency_cycles"]) == ("ctr", 5, 13)


@pytest.mark.thorough
def test_a_package_is_accepted_by_all_tools_but_those_that_compile(package: Path, tmp_path: Path) -> None:
    chosen = {"files", "one-file Verilog", "what follows from the sources", "lint", "test bench, Icarus"}
    chosen |= {"elaboration, Icarus", "elaboration, Yosys", "constraints", "proof", "certificate"}
    found = {check.name: check for check in accept(read_build(package), tmp_path, only=chosen)}
    assert found.keys() == chosen
    not_passed = {name for name, check in found.items() if check.outcome is not CheckOutcome.PASSED}
    assert not_passed == {"proof", "certificate"}
    assert found["proof"].detail == "not asked for: --prove"
    assert re.search(r"PASS: my_ctr: \d+ messages, back to back and with pauses", found["test bench, Icarus"].detail)


@pytest.mark.thorough
def test_the_testbench_of_keys_that_are_longer_than_a_command_passes(tmp_path: Path) -> None:
    """Two keys of 256 bits, which stand whole in its file."""
    design = aesmith.engine("xts-disk", core="ueno2020-encdec-256", tweak_core="ueno2020-enc-256").design
    bench = stream_testbench(design)
    keys = {line.removeprefix("1_00_") for line in bench[1].text.split() if line.startswith("1_00_")}
    assert keys == {key.hex() for key, _ in standalone_messages(design) if key is not None}
    assert {len(key) for key in keys} == {128}
    _passes_by_its_own_make(design, bench, tmp_path)


@pytest.mark.thorough
def test_the_testbench_of_an_engine_that_decrypts_with_its_cores_passes(tmp_path: Path) -> None:
    design = aesmith.engine("ocb-compact").design
    _passes_by_its_own_make(design, stream_testbench(design), tmp_path)


def _passes_by_its_own_make(design: StreamEngine, bench: Sequence[SourceFile], tmp_path: Path) -> None:
    """With Verilator."""
    write_files({f"rtl/{source.name}": source.text for source in design.sources}, tmp_path)
    write_files({f"tb/{source.name}": source.text for source in bench}, tmp_path)
    environment = find_verilator(compiler=True).environment()
    ended = subprocess.run(
        ["make", "verilator"], cwd=tmp_path / "tb", env=environment, capture_output=True, text=True, check=False
    )
    assert re.search(rf"PASS: {design.name}: \d+ messages, back to back and with pauses", ended.stdout), ended.stderr


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("preset", "fields"),
    [("cmac-small", {"key_slots": 4}), ("ccm-radio", {}), ("xts-disk", {"key_slots": 2}), ("ocb-compact", {})],
)
def test_each_kind_of_engine_has_a_package_that_is_accepted(
    preset: str, fields: dict[str, object], tmp_path: Path
) -> None:
    """Its one-file Verilog is proved equal to the sources, and the latency that is stated was simulated, when it is
    written."""
    folder = aesmith.engine(preset, **fields).build(tmp_path / "package")
    slots = fields.get("key_slots", 1)
    assert ("its slot took before its command" in (folder / "datasheet.md").read_text()) == (slots != 1)
    chosen = {"files", "elaboration, Icarus", "elaboration, Yosys"}
    chosen |= {"test bench, Icarus"} if preset == "cmac-small" else set()
    found = accept(read_build(folder), tmp_path / "work", only=chosen)
    assert {check.name: check.outcome for check in found} == dict.fromkeys(chosen, CheckOutcome.PASSED)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("latency_cycles", 12, "latency_cycles is 12, and an engine of its parameters has 13"),
        ("mode", "gcm", "mode is 'gcm'"),
        ("parameters", FIELDS | {"cores": 4}, "cycles_per_block is 5.0, and an engine of its parameters has 2.5"),
        ("parameters", FIELDS | {"depth": 4}, "depth: there is no such field"),
        ("sources", ["../../outside.sv"], "no name of a file"),
    ],
)
def test_a_manifest_that_says_what_the_engine_is_not_is_refused(
    package: Path, tmp_path: Path, name: str, value: object, told: str
) -> None:
    shutil.copytree(package, tmp_path / "edited")
    file = tmp_path / "edited" / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {name: value}))
    with pytest.raises(RequestError, match=re.escape(told)):
        read_build(tmp_path / "edited")


@pytest.mark.thorough
def test_an_edited_source_is_what_is_verified(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(package, tmp_path / "edited")
    source = tmp_path / "edited" / "rtl" / "my_ctr_ctr_engine.sv"
    source.write_text(_with(source.read_text(), *AHEAD[1:]))
    status = run(["verify", str(tmp_path / "edited"), "--random", "30"])
    shown = capsys.readouterr()
    assert status == 1
    assert "my_ctr: fails" in shown.err
    assert "rtl/my_ctr_ctr_engine.sv" in shown.out


def _with(text: str, right: str, wrong: str) -> str:
    assert text.count(right) == 1
    return text.replace(right, wrong)


@pytest.mark.thorough(but=7)
@pytest.mark.parametrize("preset", sorted(engine_presets()))
def test_the_testbench_is_the_same_for_the_same_engine_and_has_messages_of_all_kinds(preset: str) -> None:
    engine = aesmith.engine(preset).design
    assert stream_testbench(engine) == stream_testbench(aesmith.engine(preset).design)
    sent = standalone_messages(engine)
    faults = {engine.answer(Cipher(key or b""), message)[1] for key, message in sent}
    assert faults >= {None, *engine.stream_traffic.bad}
    assert all(key is not None for key, _ in sent)


WRONG = {
    "the counter is one ahead": (CTR, AHEAD, "message 0: expected"),
    "bytes that do not count are not masked": (CTR, ("text_ring", "& {8{keep_o[place]}}", "& {8{valid_o}}"), "message"),
    "an output that is not quiet": (
        CTR,
        ("text_ring", "keep_q[read_q] & {16 * Lanes{valid_o}}", "keep_q[read_q]"),
        "the stream",
    ),
    "a payload that does not wait": (
        CTR,
        ("text_ring", "count_q != '0 & done_q[read_q]", "count_q != '0 & done_q[read_q] & (ready_i | ~put_i)"),
        "m_axis_tvalid or its payload changed before m_axis_tready",
    ),
    "another code": (CTR, ("ctr_engine", "error_o <= out_code", "error_o <= '1"), "error_o is 15 behind message"),
    "no last beat after an error": (
        CTR,
        ("ctr_engine", "put     = take & (served | beat_last)", "put     = take & served"),
        "message",
    ),
    "a key within a message": (CTR, ("ctr_engine", ".open_i (~command_valid)", ".open_i (1'b1)"), "message"),
    "a tag that is not compared": (
        GCM,
        ("tagged_release", "wrong(tag, tag_keep_q) & ~given_up_i", "1'b0 & wrong(tag, tag_keep_q)"),
        "message",
    ),
}
"""The preset's engine, what is wrong in it, and what the testbench says."""


@pytest.mark.thorough
@pytest.mark.one_in(4)
@pytest.mark.parametrize("what", WRONG)
def test_the_testbench_fails_for_a_wrong_engine(what: str, tmp_path: Path) -> None:
    preset, (module, right, wrong), told = WRONG[what]
    engine = aesmith.engine("ctr-pipeline", **FIELDS).design if preset == CTR else aesmith.engine(preset).design
    write_files({f"tb/{source.name}": source.text for source in stream_testbench(engine)}, tmp_path)
    changed = wrong_engine(engine, engine.name, module, right, wrong)
    (tmp_path / f"{engine.name}.v").write_text(verilog2005(changed, "", tmp_path / "work"))
    ended = subprocess.run(["make", "iverilog"], cwd=tmp_path / "tb", capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert "PASS" not in ended.stdout
    assert f"FAIL: {engine.name}: {told}" in ended.stdout


@pytest.mark.parametrize("bits", [128, 256])
def test_xts_is_known_by_the_size_of_each_of_its_two_keys(bits: int) -> None:
    cores = {} if bits == 128 else {"core": "ueno2020-encdec-256", "tweak_core": "ueno2020-enc-256"}
    design = aesmith.engine("xts-disk", **cores).design
    assert design.key_bits == (2 * bits,)
    for text in (datasheet(design, modules=(), steps=()), core_description(design, [], [], "", [])):
        assert f"AES-{bits}, two {bits}-bit keys" in text
        assert f"AES-{2 * bits}" not in text
    assert aesmith.engine("gcm-small-256").design.aes == "AES-256"


def test_a_datasheet_has_words_and_cycles_for_every_mode_of_every_engine() -> None:
    """What the mode computes, and what its formula says of messages, without a page that is not in the package."""
    for name, preset in engine_presets().items():
        engine = build_engine(preset, "engine", name)
        assert {view.mode for view in engine.views} <= MODE_WORDS.keys(), name
    engine = aesmith.engine("cmac-small").design
    text = datasheet(engine, modules=(), steps=())
    assert "| CMAC | 128 bits | decrypt | 272 | 1,040 | 4,112 | 16,400 | 543 |" in text
    assert engine.message_cycles(0, 64, encrypt=False) == 16_400
    assert "| 9 XTS |" not in text
    assert "documentation" not in text
    assert "error_o` | output | 4 |" in text
    assert re.search(r"^\|[^\n]*\|\n[^|\n]", text, re.MULTILINE) is None, "a blank line follows every table"


def test_a_message_that_an_engine_cannot_hold_has_no_cycles() -> None:
    engine = build_engine(engine_presets()["ocb-compact"], "engine", "ocb-compact")
    assert engine.most_beats == 7
    rows = {row.direction: row.cycles for row in message_rows(engine)}
    assert rows["decrypt"][-2:] == ("–", "–")
    assert "–" not in rows["encrypt"]


@pytest.mark.thorough
def test_the_trace_shows_messages_behind_one_another_without_a_bubble(tmp_path: Path) -> None:
    engine = aesmith.engine("ctr-pipeline").design
    trace = trace_engine(engine, tmp_path)
    check_latency(engine, trace)
    taken, given = trace.transfers(INPUT), trace.transfers(OUTPUT)
    assert taken == tuple(range(taken[0], taken[0] + 6))
    assert given[:5] == tuple(range(given[0], given[0] + 5))
    assert message_table(trace)[0].ports == "command taken"
    assert message_table(trace)[-1].ports == "last beat delivered"


@pytest.mark.thorough
def test_a_latency_that_is_not_the_stated_one_is_found(tmp_path: Path) -> None:
    engine = aesmith.engine(GCM).design
    trace = trace_engine(engine, tmp_path)
    check_latency(engine, trace)
    slower = replace(engine, core=replace(engine.core, latency_cycles=12))
    with pytest.raises(CheckError, match="first_answer_cycles is stated as 12, but it takes 11"):
        check_latency(slower, trace)


@pytest.mark.thorough
def test_an_engine_that_is_wrong_has_no_trace(tmp_path: Path) -> None:
    engine = aesmith.engine("ctr-pipeline", **FIELDS).design
    with pytest.raises(CheckError, match="message 0"):
        trace_engine(wrong_engine(engine, engine.name, *AHEAD), tmp_path)
