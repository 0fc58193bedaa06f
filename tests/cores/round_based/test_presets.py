"""Every round-based preset is AES at its ports, whatever the stalls, keys and directions, on 256 stimuli at once.

The full verification of all presets is `python benchmarks/verify_cores.py`.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from aesmith.cores.design import CoreDesign, Direction
from aesmith.cores.ports import SIZE_CODES
from aesmith.cores.round_based.family import FAMILY
from aesmith.cores.round_based.maps import AES_FIELD, factored_mix_columns, inverse_mix_columns
from aesmith.cores.specification import build_design, load_specification, parse_specification
from aesmith.cores.wrapper import with_one_key_size
from aesmith.errors import RequestError
from aesmith.fields import aes
from aesmith.reference.golden import decrypt, encrypt
from aesmith.testing.netlists import GateCircuit, gate_circuit

LANES = 256

SCHEDULES = {
    "lutz2002-encdec": (10, 10),
    "sasebo-table-enc": (11, 12),
    "sasebo-tower-enc": (11, 12),
    "ueno2020-enc-p2": (10, 21),
    "ueno2020-encdec-p2": (10, 21),
    "ueno2020-enc-p4": (10, 41),
}


@dataclass
class Lane:
    """One stimulus: what stands on its channels, and what the core owes it."""

    source: random.Random
    key_bits: tuple[int, ...]
    both: bool
    key: bytes = b""
    offered_key: bytes = b""
    offered_block: bytes = b""
    decrypting: bool = False
    due: deque[bytes] = field(default_factory=deque)
    results: int = 0

    def drive(self) -> tuple[int, int, int, int, int, int, int]:
        """key_valid, key, key size, block_valid, block, decrypt, ready of the coming clock."""
        if not self.offered_key and (not self.key or self.source.random() < 0.02):
            self.offered_key = self.source.randbytes(self.source.choice(self.key_bits) // 8)
        if not self.offered_block and self.source.random() < 0.8:
            self.offered_block = self.source.randbytes(16)
            self.decrypting = self.both and self.source.random() < 0.5
        widest = max(self.key_bits) // 8
        key = self.offered_key or self.source.randbytes(widest)
        return (
            bool(self.offered_key),
            int.from_bytes(key + self.source.randbytes(widest - len(key)), "big"),
            SIZE_CODES[8 * len(key)],
            bool(self.offered_block),
            int.from_bytes(self.offered_block or self.source.randbytes(16), "big"),
            self.decrypting,
            self.source.random() < 0.7,
        )

    def hear(self, ready: bool, key_ready: int, block_ready: int, result_valid: int, result: int) -> None:
        """What the core said in that clock."""
        if result_valid and ready:
            assert self.due.popleft() == result.to_bytes(16, "big")
            self.results += 1
        if self.offered_block and block_ready:
            assert self.key, "a block was taken before any key"
            cipher = decrypt if self.decrypting else encrypt
            self.due.append(cipher(self.key, self.offered_block))
            self.offered_block = b""
        if self.offered_key and key_ready:
            self.key, self.offered_key = self.offered_key, b""


def rows(values: list[int], width: int) -> NDArray[np.uint64]:
    """One value a lane to one row a bit."""
    data = b"".join(value.to_bytes(-(-width // 8), "little") for value in values)
    bits = np.unpackbits(np.frombuffer(data, np.uint8).reshape(len(values), -1), axis=1, bitorder="little")
    return np.packbits(np.ascontiguousarray(bits[:, :width].T), axis=1, bitorder="little").view("<u8")


def lanes(words: NDArray[np.uint64]) -> list[int]:
    """One row a bit to one value a lane."""
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little")
    packed = np.packbits(np.ascontiguousarray(bits.T), axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def run(design: CoreDesign, core: GateCircuit, clocks: int) -> list[Lane]:
    """Random keys, blocks, directions and pauses on every lane; each result is checked as it comes."""
    both = design.directions == (Direction.ENCRYPT, Direction.DECRYPT)
    stimuli = [Lane(random.Random(f"{design.preset} {n}"), design.key_bits, both) for n in range(LANES)]
    state = np.random.default_rng(1).integers(0, 1 << 63, (core.flip_flops, LANES // 64), dtype=np.uint64)
    state, _ = core.step(state, {})
    for _ in range(clocks):
        driven = [lane.drive() for lane in stimuli]
        names = ("key_valid_i", "key_i", "key_bits_i", "block_valid_i", "block_i", "decrypt_i", "block_ready_i")
        ports = {
            name: rows([int(values[i]) for values in driven], core.inputs[name])
            for i, name in enumerate(names)
            if name in core.inputs
        }
        ports["rst_ni"] = rows([1] * LANES, 1)
        state, said = core.step(state, ports)
        heard = [lanes(said[name]) for name in ("key_ready_o", "block_ready_o", "block_valid_o", "block_o")]
        for lane, values, *answers in zip(stimuli, driven, *heard, strict=True):
            lane.hear(bool(values[6]), *answers)
    return stimuli


@pytest.mark.thorough(but=("boyar2010-enc", "sasebo-tower-enc", "ueno2020-encdec-192"))
@pytest.mark.one_in(4)
@pytest.mark.parametrize("preset", FAMILY.presets)
def test_the_preset_is_aes(preset: str, tmp_path: Path) -> None:
    design = build_design(load_specification(preset), "core", preset)
    netlist = gate_circuit(design, tmp_path)
    assert netlist.longest_path() == FAMILY.depths[preset].depth
    stimuli = run(design, netlist, clocks=120)
    assert min(lane.results for lane in stimuli) >= 1
    assert sum(lane.results for lane in stimuli) > 1000


@pytest.mark.thorough(but=1)
@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "fields",
    [
        *({"preset": f"ueno2020-{core}"} for core in ("enc-192", "encdec-192", "encdec-256", "encdec-selectable")),
        {"preset": "ueno2020-encdec", "demultiplexer": False},
        {"preset": "satoh2001-encdec", "circuits": "as-published"},
        *({"preset": "liu2009-encdec", "circuits": circuits} for circuits in ("today", "as-published")),
        *({"preset": core} for core in ("lutz2002-encdec", "mathew2011-encdec", "boyar2010-encdec")),
        *({"preset": core} for core in ("sasebo-table-enc", "gueron2016-mapped-enc", "maximov2019-enc")),
    ],
    ids=lambda fields: "-".join(map(str, fields.values())),
)
def test_with_clock_gates_every_data_path_is_aes(fields: dict[str, object], tmp_path: Path) -> None:
    design = build_design(parse_specification({**fields, "clock_gates": True}), "core", str(fields["preset"]))
    netlist = gate_circuit(design, tmp_path)
    assert set(netlist.gates) == {-1, 0, 1, 2}
    stimuli = run(design, netlist, clocks=100)
    assert sum(lane.results for lane in stimuli) > 600


@pytest.mark.thorough
@pytest.mark.parametrize(("key_bits", "together"), [(128, 2), (192, 3), (256, 2)])
def test_with_rounds_unrolled_it_is_aes_in_fewer_clocks(key_bits: int, together: int, tmp_path: Path) -> None:
    fields = {"preset": "ueno2020-enc", "key_bits": key_bits, "rounds_per_clock": together}
    design = build_design(parse_specification(fields), "core", "unrolled")
    clocks = aes.rounds(key_bits) // together
    assert (design.cycles_per_block, design.latency_cycles) == (clocks, clocks + 1)
    assert f"{together} rounds a clock" in design.title
    stimuli = run(design, gate_circuit(design, tmp_path), clocks=30)
    assert sum(lane.results for lane in stimuli) > 30 * LANES / (2 * clocks + 4)


def test_rounds_that_are_no_divisor_or_all_are_refused_and_one_a_clock_is_the_core_as_it_was() -> None:
    assert build_design(parse_specification({"preset": "ueno2020-enc", "rounds_per_clock": 1}), "core", "").sources == (
        build_design(load_specification("ueno2020-enc"), "core", "").sources
    )
    for key_bits, together, possible in ((128, 3, "1, 2, 5"), (256, 4, "1, 2, 7"), (192, 7, "1, 2, 3, 4, 6")):
        with pytest.raises(RequestError, match=rf"rounds_per_clock: must divide .* \({possible}\), not {together}"):
            parse_specification({"preset": "ueno2020-enc", "key_bits": key_bits, "rounds_per_clock": together})


def test_without_demultiplexer_it_is_aes_too(tmp_path: Path) -> None:
    specification = parse_specification({"architecture": "ueno2020-encdec", "demultiplexer": False})
    design = build_design(specification, "core", "both_paths")
    demultiplexer = next(source.text for source in design.sources if source.name == "core_demultiplexer.sv")
    assert "assign encryption_o = f_i;" in demultiplexer
    assert "assign decryption_o = f_i;" in demultiplexer
    stimuli = run(design, gate_circuit(design, tmp_path), clocks=120)
    assert sum(lane.results for lane in stimuli) > 1000


PUBLISHED = {"satoh2001-encdec": "satoh2001", "liu2009-encdec": "canright2005", "sasebo-tower-enc": "satoh2001"}
"""Cores of which circuits of the publication are known, with their S-boxes."""


def test_circuits_as_published_are_a_switch_and_mix_columns_is_the_macros() -> None:
    program = factored_mix_columns()
    assert (program.xors, program.depth) == (108, 3)
    assert program.matrix == aes.column_matrix(aes.MIX_COLUMNS)
    inverse = inverse_mix_columns(AES_FIELD, "factored")
    matrix = aes.column_matrix(aes.INVERSE_MIX_COLUMNS)
    bits = [1 << bit for bit in range(32)]
    assert inverse.evaluate_ints(bits) == [matrix.apply(bit) for bit in bits]
    for preset, entry in PUBLISHED.items():
        today, published = (
            build_design(parse_specification({"preset": preset, "circuits": circuits}), "core", preset)
            for circuits in ("today", "as-published")
        )
        assert today.sources == build_design(load_specification(preset), "core", preset).sources
        assert published.ports == today.ports
        assert not published.published, "figures are said of presets as they stand"
        about = next(source.text for source in published.sources if source.name.endswith("_key_sbox.sv"))
        assert f"S-box {entry} of the AES field" in about
    for wrong in ({"sbox": "maximov2019"}, {"mix_columns_levels": 4}):
        with pytest.raises(RequestError, match=f"{next(iter(wrong))}: must be .* for circuits as published"):
            parse_specification({"preset": "satoh2001-encdec", "circuits": "as-published", **wrong})


def test_the_core_with_the_selectors_of_liu_et_al_is_aes(tmp_path: Path) -> None:
    specification = parse_specification({"preset": "liu2009-encdec", "circuits": "as-published"})
    design = build_design(specification, "core", "selected")
    assert "core_data_path.sv" in [source.name for source in design.sources]
    stimuli = run(design, gate_circuit(design, tmp_path), clocks=60)
    assert sum(lane.results for lane in stimuli) > 500


def test_a_selectable_core_can_be_seen_as_one_of_a_single_size() -> None:
    specification = load_specification("ueno2020-encdec-selectable")
    design = with_one_key_size(build_design(specification, "core", "selectable"), 192)
    assert (design.top, design.key_bits, design.cycles_per_block, design.latency_cycles) == ("core_192", (192,), 12, 13)
    assert with_one_key_size(design, 192) == design
    with pytest.raises(RequestError, match="key_bits: must be one of 192, not 128"):
        with_one_key_size(design, 128)


@pytest.mark.parametrize("preset", FAMILY.presets)
def test_the_schedule_is_as_published(preset: str) -> None:
    design = build_design(load_specification(preset), "core", preset)
    rounds = {128: 10, 192: 12, 256: 14}[design.key_bits[-1]]
    assert (design.cycles_per_block, design.latency_cycles) == SCHEDULES.get(preset, (rounds, rounds + 1))
    assert len(design.directions) == 1 + ("-encdec" in preset)


@pytest.mark.thorough(but=1)
@pytest.mark.parametrize(
    ("preset", "first", "turn", "idle_turn"),
    [("ueno2020-encdec", 11, 1, 1), ("lutz2002-encdec", 11, 2, 1), ("ueno2020-encdec-p2", 21, 1, 21)],
)
def test_directions_cost_what_the_remarks_say(
    preset: str, first: int, turn: int, idle_turn: int, tmp_path: Path
) -> None:
    """Clocks that a block to decrypt waits after a key, and one to encrypt after the clock in which a result leaves.

    In lutz2002-encdec a block of the same direction waits for one, too.
    """
    design = build_design(load_specification(preset), "core", preset)
    assert any(f"is taken {first} clocks after" in remark for remark in design.remarks)
    core = gate_circuit(design, tmp_path)
    waits = []
    state = np.zeros((core.flip_flops, 1), np.uint64)
    state, _ = core.step(state, {})

    def clock(**ports: int) -> dict[str, int]:
        nonlocal state
        values = {name: rows([value] * 64, core.inputs[name]) for name, value in ports.items()}
        state, said = core.step(state, {"rst_ni": rows([1] * 64, 1), "block_ready_i": rows([1] * 64, 1), **values})
        return {name: lanes(words)[0] for name, words in said.items()}

    def offer(decrypting: int, earliest: str = "") -> None:
        waited = 0
        began = not earliest
        while True:
            said = clock(block_valid_i=1, decrypt_i=decrypting)
            began = began or bool(said[earliest])
            if said["block_ready_o"]:
                break
            waited += began
        waits.append(waited)

    clock(key_valid_i=1)
    offer(1)
    offer(0, "block_valid_o")
    for _ in range(40):
        clock()
    offer(1)
    assert waits == [first, turn, idle_turn]
