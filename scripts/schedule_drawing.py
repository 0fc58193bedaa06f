"""Draws which byte of AES stands in which register of compact cores, clock by clock.

    python scripts/schedule_drawing.py

writes a picture of each core of `PICTURES` to docs. The elaborated core runs side by side on keys and blocks drawn at
random, block after block without a pause. In a clock a register holds a byte of AES if it does in all runs: the cores
say themselves what their schedule is.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from aesmith.assurance.proof.elaborate import elaborate
from aesmith.assurance.proof.interface import Stimulus, block_ports
from aesmith.assurance.proof.netlist import compile_words
from aesmith.cores.design import CoreDesign
from aesmith.cores.specification import build_design, load_specification
from aesmith.drawing.svg import FAINT, document, rect, text
from aesmith.fields import aes

DOCS = Path(__file__).parents[1] / "docs"
RUNS = 8
"""Two bytes of AES that agree in so many runs are one in 2^64."""

_RING = "u_core.u_ring.u_data_path."
_COLUMNS = "u_core.u_data_path."


class Place(NamedTuple):
    """A row of a picture: a byte-wide register, by its name in the netlist and its lowest bit."""

    label: str
    register: str
    bit: int


@dataclass(frozen=True)
class Schedule:
    """What is drawn of a core: its places, and so many clocks from the one that takes a block's first beat on."""

    preset: str
    title: str
    places: tuple[Place, ...]
    clocks: int


def _bytes(label: str, register: str, numbers: Sequence[int], first: int = 0) -> tuple[Place, ...]:
    return tuple(Place(f"{label}{number + first}", register, 8 * number) for number in numbers)


def _words(label: str, register: str) -> tuple[Place, ...]:
    """Four words, byte 0 of each in its most significant bits."""
    return tuple(Place(f"{label}{i // 4}.{i % 4}", register, 8 * (4 * (i // 4) + 3 - i % 4)) for i in range(16))


PICTURES: Mapping[str, Schedule] = {
    "serial-shared-schedule.svg": Schedule(
        "serial-shared-gated-enc",
        "The ring of 20 bytes: a block comes in, and its first rounds",
        (
            Place("Z", f"{_RING}substituted_q", 0),
            *_bytes("SR", f"{_RING}shift_q", range(11, -1, -1), 1),
            *_bytes("C", f"{_RING}column_q", range(3, -1, -1)),
            *_bytes("K", f"{_RING}key_q", range(15, -1, -1)),
        ),
        60,
    ),
    "column-schedule.svg": Schedule(
        "column-beat32-gated-enc",
        "Words of 32 bits: a block comes in, and its first rounds",
        (*_words("S", f"{_COLUMNS}state_q"), *_words("K", f"{_COLUMNS}round_key_q")),
        38,
    ),
}

PLAIN, SUBSTITUTED, KEY, OTHER = "before AddRoundKey", "after SubBytes", "round key", "block before"
COLOURS = {PLAIN: ("#cfe2f5", "#8fbbe6"), SUBSTITUTED: ("#cdeed3", "#85cf95"), KEY: ("#fbe0c0", "#f3b870")}
"""Even rounds, and odd ones."""
FADED = "#e6e6e6"
CELL, HEIGHT, LEFT, TOP = 20.0, 17.0, 44.0, 92.0


class Label(NamedTuple):
    """A byte of AES: of what, in which round, and its number; `other` if it is of the block before."""

    kind: str
    round: int
    byte: int
    other: bool


def _names(key: bytes, block: bytes) -> Iterator[tuple[tuple[str, int, int], int]]:
    """All bytes of an encryption with a key of 128 bits (FIPS-197, 5.1 and 5.2)."""
    round_keys, mix = aes.round_keys(key), aes.column_matrix(aes.MIX_COLUMNS).apply
    state = block
    for n, round_key in enumerate(round_keys):
        yield from (((KEY, n, i), byte) for i, byte in enumerate(round_key))
        yield from (((PLAIN, n, i), byte) for i, byte in enumerate(state))
        if n == 10:
            return
        substituted = bytes(aes.SBOX[a ^ b] for a, b in zip(state, round_key, strict=True))
        yield from (((SUBSTITUTED, n, i), byte) for i, byte in enumerate(substituted))
        rows = bytes(substituted[(i + 4 * (i % 4)) % 16] for i in range(16))
        columns = (int.from_bytes(rows[i : i + 4], "little") for i in range(0, 16, 4))
        state = rows if n == 9 else b"".join(mix(column).to_bytes(4, "little") for column in columns)


def core_of(schedule: Schedule) -> CoreDesign:
    """The core that is drawn."""
    return build_design(load_specification(schedule.preset), "core", schedule.preset)


def trace(schedule: Schedule, design: CoreDesign) -> list[list[Label | None]]:
    """What each place holds in each clock that is drawn; None for what is no byte of AES."""
    with tempfile.TemporaryDirectory(prefix="aesmith-schedule-") as folder:
        netlist = elaborate(design, Path(folder))
    ports, chance = block_ports(netlist, design), random.Random(1)
    step = compile_words(netlist, (1 << RUNS) - 1)
    place_of = {register.name: place for place, register in enumerate(netlist.registers)}
    places = [[place_of[f"{each.register}[{each.bit + bit}]"] for bit in range(8)] for each in schedule.places]
    keys = [chance.randbytes(16) for _ in range(RUNS)]
    blocks = [[chance.randbytes(16) for _ in range(RUNS)] for _ in range(3)]
    # Of the key's bytes, which both blocks have, the later block's names stand.
    labels: dict[bytes, Label] = {}
    for block, other in ((0, True), (1, False)):
        named = zip(*(_names(*pair) for pair in zip(keys, blocks[block], strict=True)), strict=True)
        for cases in named:
            labels[bytes(byte for _, byte in cases)] = Label(*cases[0][0], other)
    key_width, beats = ports.shape.key_width // 8, ports.shape.block_beats
    width = 16 // beats
    registers = [
        chance.getrandbits(RUNS) if each.reset is None else each.reset * ((1 << RUNS) - 1) for each in netlist.registers
    ]
    key_taken = taken = 0
    shown: list[list[Label | None]] = []
    while len(shown) < schedule.clocks:
        key_valid = key_taken < 16
        levels = ports.levels(Stimulus(key_valid, not key_valid, True))
        now = min(taken // beats, 2)
        cases = [
            ports.input_levels(
                levels,
                keys[run][key_taken % 16 :][:key_width],
                blocks[now][run][width * (taken % beats) :][:width],
            )
            for run in range(RUNS)
        ]
        words = [sum(case[bit] << run for run, case in enumerate(cases)) for bit in range(len(cases[0]))]
        words += [chance.getrandbits(RUNS) for _ in netlist.free]
        outputs, after = step(words, registers)
        key_ready, block_ready, _ = ports.handshakes(outputs)
        if key_valid and key_ready:
            key_taken += key_width
        if not key_valid and block_ready:
            taken += 1
        if taken > beats:
            shown.append([_label(labels, [registers[bit] for bit in bits]) for bits in places])
        registers = after
    return shown


def _label(labels: Mapping[bytes, Label], bits: Sequence[int]) -> Label | None:
    values = bytes(sum((word >> run & 1) << bit for bit, word in enumerate(bits)) for run in range(RUNS))
    return labels.get(values)


def picture(schedule: Schedule) -> str:
    """The text of the SVG file."""
    shown = trace(schedule, core_of(schedule))
    width = LEFT + CELL * schedule.clocks + 24
    lines = [text(24, 30, schedule.title, 16, weight=600), text(24, 50, f"{schedule.preset}, drawn from a run", 12)]
    x = 24.0
    for name, colours in (
        {f"{kind}, even and odd rounds": pair for kind, pair in COLOURS.items()} | {OTHER: (FADED,)}
    ).items():
        lines += [rect(x + 14 * i, 60, 12, 12, radius=2, fill=colour) for i, colour in enumerate(colours)]
        x += 14 * len(colours) + 4
        lines.append(text(x, 70, name, 10))
        x += 16 + 5.4 * len(name)
    for row, place in enumerate(schedule.places):
        y = TOP + HEIGHT * row
        lines.append(text(LEFT - 6, y + 12, place.label, 10, anchor="end"))
        for clock, held in enumerate(shown):
            label = held[row]
            if label is not None:
                fill = FADED if label.other else COLOURS[label.kind][label.round % 2]
                left = LEFT + CELL * clock
                lines.append(rect(left + 0.5, y + 0.5, CELL - 1, HEIGHT - 1, radius=2, fill=fill))
                lines.append(text(left + CELL / 2, y + 12, str(label.byte), 9, anchor="middle"))
    bottom = TOP + HEIGHT * len(schedule.places)
    for clock in range(0, schedule.clocks, 5):
        lines.append(text(LEFT + CELL * clock + CELL / 2, bottom + 14, str(clock), 9, anchor="middle", color=FAINT))
    lines.append(text(LEFT, bottom + 30, "clocks from the one after the block's first beat", 10, color=FAINT))
    return document(max(width, x + 24), bottom + 44, schedule.title, lines)


if __name__ == "__main__":
    for name, schedule in PICTURES.items():
        (DOCS / name).write_text(picture(schedule), encoding="utf-8")
