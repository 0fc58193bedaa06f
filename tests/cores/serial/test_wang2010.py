"""wang2010-s1-enc to s5-enc: the hardware, its registers cycle by cycle, and what it is built of."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aesmith.cores import narrow
from aesmith.cores.serial.wang2010 import STAGES, Wang2010Enc
from aesmith.cores.specification import build_design, load_specification, parse_specification
from aesmith.errors import RequestError
from aesmith.flow.verilator import find_verilator
from aesmith.flow.yosys import run_script
from aesmith.reference.golden import encrypt
from aesmith.sboxes.catalogue import sbox
from aesmith.sboxes.entry import Function
from aesmith.testing.wang2010_registers import register_trace
from aesmith.yosys_json import ONE, ZERO, read_json

pytestmark = pytest.mark.one_in(2)

KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
BLOCK = bytes.fromhex("3243f6a8885a308d313198a2e0370734")
NEXT = bytes(range(0xA0, 0xB0))


@pytest.mark.thorough
@pytest.mark.one_in(3)
@pytest.mark.slow
def test_every_register_holds_in_every_cycle_what_the_tables_say(
    registers_in_hardware: Callable[..., dict[int, tuple[list[dict[int, int]], bytes]]], tmp_path: Path
) -> None:
    designs = {stages: Wang2010Enc(stages).design(f"core{stages}", "") for stages in STAGES}
    designs[0] = Wang2010Enc(4, clock_gates=True).design("gated", "")
    found = registers_in_hardware(designs, tmp_path, KEY, BLOCK, NEXT)
    for stages, (contents, result) in found.items():
        trace = register_trace(KEY, BLOCK, stages or 4, NEXT)
        assert result == encrypt(KEY, BLOCK)
        for cycle, registers in enumerate(trace.contents):
            known = {n: byte for n, byte in registers.items() if byte is not None and n <= 32}
            there = {n: contents[cycle][n] for n in known}
            assert there == known, f"{designs[stages].name}, cycle {cycle}"


SEQUENCER = "core_serial_wang2010_sequencer"
LOOKS_AT_CHANNELS = re.compile(r"key_open_o|key_step_o|block_\w+_o|advance_o|\w+_enable_o|key_shift_o")
"""Outputs of the sequencer that cannot be known a clock ahead: handshakes, and whether registers take what is there."""


def decoded_selects(source: str, key_bytes: int, folder: Path) -> list[str]:
    """The other outputs of a sequencer that no flip-flop drives; of the round constant, its eight bits are masked."""
    (folder / "sequencer.sv").write_text(source)
    enable = next(s for s in Wang2010Enc(4).design("core", "").sources if s.name == "core_serial_clock_enable.sv")
    (folder / enable.name).write_text(enable.text)
    commands = [
        f"read_slang --top {SEQUENCER} -G KeyBytes={key_bytes} sequencer.sv {enable.name}",
        "opt_clean",
        "write_json sequencer.json",
    ]
    run_script(commands, folder / "run.log")
    module = read_json(folder / "sequencer.json").module(SEQUENCER)
    known = {net for cell in module.cells.values() if "ff" in cell.type for net in cell.pins["Q"]} | {ZERO, ONE}
    selects = [
        port
        for port in module.ports.values()
        if port.direction == "output" and not LOOKS_AT_CHANNELS.fullmatch(port.name)
    ]
    return [port.name for port in selects if not known.issuperset(port.nets)]


@pytest.mark.parametrize("key_bytes", [16, 24, 32])
def test_every_select_of_the_data_path_is_a_register(key_bytes: int, tmp_path: Path) -> None:
    design = Wang2010Enc(4).design("core", "")
    (text,) = [source.text for source in design.sources if source.name == f"{SEQUENCER}.sv"]
    # A flag masks the constant, which is a register too.
    assert decoded_selects(text, key_bytes, tmp_path) == ["round_constant_o"]
    wrong = text.replace("assign key_load_o = key_load_q;", "assign key_load_o = key_load_q & ~full;")
    assert wrong != text
    assert "key_load_o" in decoded_selects(wrong, key_bytes, tmp_path)


@pytest.mark.parametrize("stages", STAGES)
def test_the_schedule_facts_are_those_of_the_publication(stages: int) -> None:
    design = build_design(load_specification(f"wang2010-s{stages}-enc"), "core", "")
    clocks = (216, 225, 234, 243, 253)[stages - 1]
    assert (design.cycles_per_block, design.latency_cycles) == (clocks, clocks + 3)
    assert design.block_width == 8


@pytest.mark.parametrize("clock_gates", [False, True])
@pytest.mark.parametrize("stages", STAGES)
def test_lint_finds_nothing(stages: int, clock_gates: bool, tmp_path: Path) -> None:
    design = Wang2010Enc(stages, clock_gates=clock_gates).design("core", "")
    for source in design.sources:
        (tmp_path / source.name).write_text(source.text)
    verilator = find_verilator()
    command = [str(verilator.command), "--lint-only", "-Wall", "--top-module", "core"]
    files = [source.name for source in design.sources]
    run = subprocess.run(
        [*command, *files], cwd=tmp_path, env=verilator.environment(), capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")


def test_a_latch_is_only_where_a_clock_gate_was_asked_for() -> None:
    for clock_gates in (False, True):
        design = Wang2010Enc(4, clock_gates=clock_gates).design("core", "")
        latched = [source.name for source in design.sources if "always_latch" in source.text]
        assert latched == (["core_clock_gate.sv"] if clock_gates else [])


def test_any_s_box_that_pipelines_can_be_asked_for() -> None:
    design = parse_specification({"preset": "wang2010-s3-enc", "sbox": "boyar2010"}).design("core", "")
    (sbox,) = [source.text for source in design.sources if source.name == "core_sbox.sv"]
    assert re.search(r"^// S-box boyar2010", sbox)
    assert "rank_2_q" in sbox
    assert "rank_3_q" not in sbox


@pytest.mark.thorough
def test_a_stored_cut_is_what_the_search_finds() -> None:
    circuit = sbox(narrow.STORED).circuit(Function.FORWARD)
    assert narrow.staged_sbox(circuit, 4) == narrow.search(circuit, 4)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"stages": 6}, "stages: must be a whole number from 1 to 5, not 6"),
        ({"stages": 0}, "stages: must be a whole number from 1 to 5, not 0"),
        ({"sbox": "canrite"}, "sbox: must be one of .*canright2005.*, not 'canrite'"),
        ({"sbox": "ueno2015"}, r"sbox: must be an S-box with a forward function \(table, .*\), not ueno2015"),
        ({"key_bits": 160}, "key_bits: must be 128, 192 or 256, not 160"),
        ({"key_bits": 192, "stages": 3}, "key_bits: must be 128 with 3 stages; keys of 192 and 256 bits are for 4"),
    ],
)
def test_what_the_architecture_has_not_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        parse_specification({"preset": "wang2010-s4-enc"} | fields)
