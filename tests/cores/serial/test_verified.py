"""Byte-serial cores through the block interface against the golden model: stalls, key changes, resets, schedule."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from aesmith.assurance.plan import SCENARIOS, SimulationPlan
from aesmith.assurance.simulation import simulate
from aesmith.cores.design import Clocks, Direction, SourceFile
from aesmith.cores.ports import Meaning
from aesmith.cores.serial.family import FAMILY
from aesmith.cores.serial.shared import SharedPair
from aesmith.cores.specification import build_design, load_specification, parse_specification
from aesmith.errors import RequestError
from aesmith.flow.verilator import find_verilator

pytestmark = pytest.mark.one_in(5)

SCHEDULES = {
    "wang2010-s1-enc": (216, 219),
    "wang2010-s2-enc": (225, 228),
    "wang2010-s3-enc": (234, 237),
    "wang2010-s4-enc": (243, 246),
    "wang2010-s5-enc": (253, 256),
    # 16 clocks of loading and 23 a round, 3 of them also the next block's.
    "wang2010-s4-enc-192": (16 + 12 * 23 - 3, 292),
    "wang2010-s4-enc-256": (16 + 14 * 23 - 3, 338),
    "serial-shared-enc": (200, 216),
    "serial-shared-gated-enc": (200, 216),
    "serial-shared-gated-enc-192": (12 * 20, 12 * 20 + 16),
    "serial-shared-gated-enc-256": (14 * 20, 14 * 20 + 16),
    "serial-shared-keyed-enc": (200, 216),
    "serial-shared-keyed-gated-enc": (200, 216),
    "serial-shared-keyed-gated-enc-192": (12 * 20, 12 * 20 + 16),
    "serial-shared-keyed-gated-enc-256": (14 * 20, 14 * 20 + 16),
    "serial-shared16-gated-enc": (100, 108),
    "serial-shared16-keyed-gated-enc": (100, 108),
    "serial-shared-small-enc": (256, 232),
    # The slower direction's: decryption.
    "serial-shared-encdec": (288, 304),
    "serial-shared-dec": (288, 304),
    # A key that comes back in 10 · 64 clocks; a block comes in 128, the last byte of a result leaves a clock after the
    # rounds.
    "serial-bit-enc": (10 * 160 + 128 + 10 * 64 + 128, 121 + 10 * 160 + 128 + 1),
    "hamalainen2006-enc": (160, 176),
    "serial-small-enc": (832, 353),
    "serial-encdec": (1008, 1009),
    # Slots of four clocks for bytes that come in or leave, of six for the others.
    "serial-memory-enc": (16 * 4 + 9 * 16 * 6 + 16 * 4, 61 + 9 * 16 * 6 + 16 * 4 + 2),
}
SIMULATED = (
    "wang2010-s4-enc",
    "serial-shared-gated-enc",
    "serial-shared16-gated-enc",
    "serial-shared16-keyed-gated-enc",
    "serial-shared-small-enc",
    "serial-shared-encdec",
    "serial-shared-dec",
    "serial-bit-enc",
    "hamalainen2006-enc",
    "serial-small-enc",
    "serial-encdec",
    "serial-memory-enc",
)
LONGER_KEYS = (
    "wang2010-s4-enc-192",
    "wang2010-s4-enc-256",
    "serial-shared-gated-enc-192",
    "serial-shared-gated-enc-256",
    "serial-shared-keyed-gated-enc-192",
    "serial-shared-keyed-gated-enc-256",
)


@pytest.mark.parametrize("preset", FAMILY.presets)
def test_the_schedule_is_as_stated(preset: str) -> None:
    design = build_design(load_specification(preset), "core", preset)
    assert (design.cycles_per_block, design.latency_cycles) == SCHEDULES[preset]
    assert design.block_width == (16 if "shared16" in preset else 8)


@pytest.mark.thorough(but=4)
@pytest.mark.parametrize(
    "preset",
    [
        "hamalainen2006-enc",
        "serial-bit-enc",
        "serial-small-enc",
        "serial-encdec",
        "serial-memory-enc",
        "serial-shared16-gated-enc",
        "serial-shared16-keyed-gated-enc",
        *LONGER_KEYS,
    ],
)
def test_lint_finds_nothing(preset: str, tmp_path: Path) -> None:
    design = build_design(load_specification(preset), "core", preset)
    for source in design.sources:
        (tmp_path / source.name).write_text(source.text)
    verilator = find_verilator()
    command = [str(verilator.command), "--lint-only", "-Wall", "--top-module", "core"]
    files = [source.name for source in design.sources]
    run = subprocess.run(
        [*command, *files], cwd=tmp_path, env=verilator.environment(), capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.thorough(but=("hamalainen2006-enc",))
@pytest.mark.slow
@pytest.mark.parametrize("preset", SIMULATED)
def test_it_is_aes_whatever_the_stalls(preset: str, tmp_path: Path) -> None:
    design = build_design(load_specification(preset), "core", preset)
    scenarios = tuple(name for name in SCENARIOS if name not in ("known-answers", "monte-carlo"))
    report = simulate(design, tmp_path, SimulationPlan(random_pairs=20, scenarios=scenarios))
    assert report.passed, [(scenario.name, scenario.failure) for scenario in report.failures]


def test_each_direction_has_clocks_of_its_own() -> None:
    """Ten rounds of 20 clocks. A key goes back 10 steps of 4 after encryption, or forward before decryption."""
    design = build_design(load_specification("serial-shared-encdec"), "core", "")
    assert design.clocks(128, Direction.ENCRYPT) == Clocks(10 * 20 + 16 + 10 * 4, 16 + 10 * 20 + 16, 272)
    per_block = 10 * 4 + 20 + 16 + 9 * 20 + 16 + 16
    assert design.clocks(128, Direction.DECRYPT) == Clocks(per_block, 16 + per_block, 16 + per_block + 10 * 4)


def test_the_ring_that_decrypts_is_not_asked_for_encryption_alone() -> None:
    told = r"directions: must have decrypt in it \(.*-small-enc encrypts alone\), not \['encrypt'\]"
    with pytest.raises(RequestError, match=told):
        parse_specification({"preset": "serial-shared-encdec", "directions": ["encrypt"]}).design("core", "")


@pytest.mark.thorough
@pytest.mark.slow
def test_pairs_are_held_by_enables_and_a_rank_stands_for_a_missing_stage(tmp_path: Path) -> None:
    fields = {"preset": "serial-shared16-gated-enc", "stages": 1, "clock_gates": False}
    design = parse_specification(fields).design("core", "")
    report = simulate(design, tmp_path, SimulationPlan(random_pairs=6, scenarios=("timing", "random-stalls")))
    assert report.passed, [(scenario.name, scenario.failure) for scenario in report.failures]


@pytest.mark.parametrize("name", ["serial-shared16-gated-enc", "serial-shared16-keyed-gated-enc"])
def test_all_beats_of_the_ring_of_pairs_are_pairs(name: str) -> None:
    design = build_design(load_specification(name), "core", "")
    assert {payload.width for payload in design.ports.payloads} == {16}
    assert design.block_interface.payload(Meaning.KEY).width == 16
    assert design.ports.key_with_block == ("keyed" in name)
    with pytest.raises(RequestError, match=r"stages: must be 1 or 2 \(SubWord is added .*\), not 3"):
        SharedPair(3)


@pytest.mark.thorough
@pytest.mark.slow
def test_a_key_comes_with_each_block_and_ranks_stand_for_missing_stages(tmp_path: Path) -> None:
    design = parse_specification({"preset": "serial-shared-keyed-enc", "stages": 1}).design("core", "")
    assert [channel.name for channel in design.ports.channels] == ["block", "result"]
    report = simulate(design, tmp_path, SimulationPlan(random_pairs=6, scenarios=("timing", "random-stalls")))
    assert report.passed, [(scenario.name, scenario.failure) for scenario in report.failures]


@pytest.mark.thorough(but=1)
@pytest.mark.slow
@pytest.mark.parametrize("key_bits", [192, 256])
def test_longer_keys_have_rounds_of_20_clocks_with_any_number_of_stages(key_bits: int, tmp_path: Path) -> None:
    fields = {"preset": "serial-shared-enc", "stages": 1, "key_bits": key_bits}
    design = parse_specification(fields).design("core", "")
    report = simulate(design, tmp_path, SimulationPlan(random_pairs=6, scenarios=("timing", "random-stalls")))
    assert report.passed, [(scenario.name, scenario.failure) for scenario in report.failures]


@pytest.mark.parametrize("key_bits", [192, 256])
def test_two_bytes_of_a_longer_key_come_with_a_byte_of_a_block(key_bits: int) -> None:
    design = build_design(load_specification(f"serial-shared-keyed-gated-enc-{key_bits}"), "core", "")
    assert [(payload.port, payload.width) for payload in design.ports.channel("block").payloads] == [
        ("block_i", 8),
        ("key_i", 16),
    ]
    # The store of keys beside it takes a byte at a time, as all cores on bytes do.
    assert design.block_interface.payload(Meaning.KEY).width == 8


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("preset", LONGER_KEYS)
def test_longer_keys_too(preset: str, tmp_path: Path) -> None:
    design = build_design(load_specification(preset), "core", preset)
    scenarios = ("random-pairs", "random-stalls", "withheld-block", "key-in-flight")
    report = simulate(design, tmp_path, SimulationPlan(random_pairs=12, scenarios=scenarios))
    assert report.passed, [(scenario.name, scenario.failure) for scenario in report.failures]


@pytest.mark.thorough(but=1)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "right", "broken", "scenario"),
    [
        # The key is not restored for the second block.
        ("serial-small-enc", "((pass_q == RestoreB) & quarter[2])", "1'b0", "stalled-output"),
        # The result waits for the bytes of the next block.
        # Bytes that came before the sender stopped are not in their places afterwards.
        ("serial-shared-enc", "filled_i ? substituted : column_q[1]", "substituted", "withheld-block"),
        # A round key is made while the key of a block comes in.
        # The last word of the round key before is not the sum of the two last words.
        ("serial-shared-small-enc", "back_o & (row != '1)", "1'b0", "stalled-output"),
        # The round goes on while a byte is awaited that comes as the key is brought back.
        ("serial-shared-small-enc", "advance & number_step", "number_step", "withheld-block"),
        # A new key begins within a block.
        ("serial-shared-small-enc", "idle & key_valid_i & (slot_q == '0)", "idle & key_valid_i", "random-stalls"),
        # The column that is whole with the last byte of the last round is mixed, too.
        ("serial-shared-small-enc", "? ~last_round_i : ~first_round_i", "? 1'b1 : ~first_round_i", "random-pairs"),
        ("serial-shared-dec", "decrypt ? moved_q & first_quarter", "decrypt ? moved_q", "random-pairs"),
        # The word before is not taken off when the key comes back.
        ("serial-bit-enc", "key_q[4*w-4][7] & unchain", "key_q[4*w-4][7] & 1'b0", "stalled-output"),
        # The last bytes of a block pass the S-box twice.
        ("serial-shared-encdec", "round_q & ~(decrypt & ~moved_q & last_quarter)", "round_q", "random-stalls"),
        ("serial-shared-keyed-enc", "schedules = ~first_d | leave_d", "schedules = 1'b1", "withheld-block"),
        # What has come of the second half of a key does not stay when the sender stops.
        ("serial-shared-gated-enc-256", "in_place_i ? key_q[0] : key_q[Later]", "key_q[Later]", "withheld-block"),
        ("serial-shared-gated-enc-192", "in_place_i ? key_q[Later] : key_q[0]", "key_q[0]", "withheld-block"),
        # The last bytes of a longer key come beside other bytes of the block than they belong to.
        ("serial-shared-keyed-gated-enc-192", "32 || slot_q[3]", "32 || ~slot_q[3]", "random-pairs"),
        # Row 1 is rotated though the sender stops before the last pair of a block.
        (
            "serial-shared16-gated-enc",
            "rotate_row_1_o = moves_in & last",
            "rotate_row_1_o = last",
            "withheld-block",
        ),
        ("serial-shared16-keyed-gated-enc", "filled_i ? substituted : column_q[1]", "substituted", "withheld-block"),
        # The middle of the key does not stand still while its last word has the S-boxes.
        ("serial-shared16-gated-enc", "advance & ~turn", "advance", "random-pairs"),
        ("serial-shared16-keyed-gated-enc", "last_of_data_q <= 1'b0;", "", "reset-in-mid-block"),
        ("hamalainen2006-enc", "advance_o = block_ready_i", "advance_o = block_ready_i & ~parts", "withheld-block"),
    ],
)
def test_a_broken_core_is_found(preset: str, right: str, broken: str, scenario: str, tmp_path: Path) -> None:
    design = build_design(load_specification(preset), "core", "")
    wrong = tuple(SourceFile(source.name, source.text.replace(right, broken)) for source in design.sources)
    assert wrong != design.sources
    mutant = replace(design, sources=wrong)
    plan = SimulationPlan(random_pairs=2, scenarios=(scenario,), fail_fast=True)
    assert not simulate(mutant, tmp_path, plan).passed


def test_another_s_box_than_the_table_needs_gates() -> None:
    fields = {"preset": "serial-memory-enc", "sbox": "boyar2010"}
    with pytest.raises(RequestError, match='sbox: must be table unless multiples = "gates", not boyar2010'):
        parse_specification(fields).design("core", "").sources[0]
    design = parse_specification({**fields, "multiples": "gates"}).design("core", "")
    assert any("_sbox" in source.name for source in design.sources)


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("core_serial_memory_sequencer", "assign last = constant_q[1] & constant_q[2]", "assign last = constant_q[1]"),
        ("core_serial_memory_sequencer", "~written_q[3]}", "written_q[3]}"),
        ("core_multiples", "8'h63", "8'h62"),
    ],
)
@pytest.mark.thorough
def test_a_wrong_core_in_memories_is_found(module: str, right: str, wrong: str, tmp_path: Path) -> None:
    design = build_design(load_specification("serial-memory-enc"), "core", "")
    sources = tuple(
        replace(source, text=source.text.replace(right, wrong)) if source.name == f"{module}.sv" else source
        for source in design.sources
    )
    assert sources != tuple(design.sources)
    plan = SimulationPlan(random_pairs=20, scenarios=("random-pairs",))
    assert not simulate(replace(design, sources=sources), tmp_path, plan).passed
