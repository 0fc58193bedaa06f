"""Draws which byte of AES stands in which register of compact cores, clock by clock.

    python scripts/schedule_drawing.py

writes the pictures of each core of `SCHEDULES` to docs, a clock a row. The elaborated core runs side by side on keys
and blocks drawn at random, block after block without a pause. In a clock a register holds a byte of AES if it does in
all runs: the cores say themselves what their schedule is.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase, digits
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
    """A column of a picture: a byte-wide register, by its name in the netlist and its lowest bit."""

    label: str
    register: str
    bit: int


@dataclass(frozen=True)
class Schedule:
    """What is drawn of a core: the places of each picture, and so many clocks from a block's first beat on."""

    preset: str
    pictures: Mapping[str, tuple[str, tuple[Place, ...]]]
    clocks: int

    @property
    def places(self) -> tuple[Place, ...]:
        """Those of all pictures."""
        return tuple(place for _, places in self.pictures.values() for place in places)


def _bytes(label: str, register: str, numbers: Sequence[int], first: int = 0) -> tuple[Place, ...]:
    return tuple(Place(f"{label}{number + first}", register, 8 * number) for number in numbers)


def _words(label: str, register: str) -> tuple[Place, ...]:
    """Four words, byte 0 of each in its most significant bits."""
    return tuple(Place(f"{label}{i // 4}.{i % 4}", register, 8 * (4 * (i // 4) + 3 - i % 4)) for i in range(16))


SCHEDULES = (
    Schedule(
        "serial-shared-gated-enc",
        {
            "serial-shared-schedule.svg": (
                "The state in the ring of 20 bytes",
                (
                    Place("Z", f"{_RING}substituted_q", 0),
                    *_bytes("SR", f"{_RING}shift_q", range(11, -1, -1), 1),
                    *_bytes("C", f"{_RING}column_q", range(3, -1, -1)),
                ),
            ),
            "serial-shared-key-schedule.svg": (
                "The key beside the ring",
                _bytes("K", f"{_RING}key_q", range(15, -1, -1)),
            ),
        },
        60,
    ),
    Schedule(
        "column-beat32-gated-enc",
        {
            "column-schedule.svg": ("The state in words of 32 bits", _words("S", f"{_COLUMNS}state_q")),
            "column-key-schedule.svg": ("The key in words of 32 bits", _words("K", f"{_COLUMNS}round_key_q")),
        },
        38,
    ),
)

PLAIN, SUBSTITUTED, KEY, OTHER = "before AddRoundKey", "after SubBytes", "round key", "block before"
COLOURS = {PLAIN: ("#cfe2f5", "#8fbbe6"), SUBSTITUTED: ("#cdeed3", "#85cf95"), KEY: ("#fbe0c0", "#f3b870")}
"""Even rounds, and odd ones."""
FADED = "#e6e6e6"
CELL, HEIGHT, LEFT, PAD, SIZE, LINE = 17.0, 16.0, 36.0, 12.0, 11.5, 16.0


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
        for runs in named:
            kind, number, byte = runs[0][0]
            labels[bytes(value for _, value in runs)] = Label(kind, number, byte, other)
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


def pictures(schedule: Schedule, shown: Sequence[Sequence[Label | None]]) -> dict[str, str]:
    """The text of each SVG file, by its name."""
    drawn, first = {}, 0
    for name, (title, places) in schedule.pictures.items():
        held = [labels[first : first + len(places)] for labels in shown]
        drawn[name] = _picture(title, schedule.preset, [place.label for place in places], held)
        first += len(places)
    return drawn


def _picture(title: str, preset: str, names: Sequence[str], shown: Sequence[Sequence[Label | None]]) -> str:
    lines = [text(PAD, 28, title, 14, weight=600), text(PAD, 46, f"{preset}, drawn from a run", SIZE)]
    found = [label for held in shown for label in held if label]
    legend: dict[str, tuple[str, ...]] = {
        f"{kind}, even and odd rounds": COLOURS[kind]
        for kind in COLOURS
        if kind in {label.kind for label in found if not label.other}
    }
    if any(label.other for label in found):
        legend[OTHER] = (FADED,)
    y = 52.0
    for words, colours in legend.items():
        lines += [rect(PAD + 14 * i, y + 2, 12, 12, radius=2, fill=colour) for i, colour in enumerate(colours)]
        lines.append(text(PAD + 34, y + 12, words, SIZE))
        y += LINE
    lines.append(text(PAD, y + 14, "clock 0: after the block's first beat", SIZE, color=FAINT))
    top = y + 56
    before = ""
    for column, name in enumerate(names):
        above, _, below = (
            name.partition(".") if "." in name else (name.rstrip(digits), "", name.lstrip(ascii_uppercase))
        )
        x = LEFT + CELL * (column + 0.5)
        lines += [text(x, top - 20, above, SIZE, anchor="middle")] if above != before else []
        lines += [text(x, top - 6, below, SIZE, anchor="middle")] if below else []
        before = above
    for clock, held in enumerate(shown):
        y = top + HEIGHT * clock
        if clock % 5 == 0:
            lines.append(text(LEFT - 5, y + 12, str(clock), SIZE, anchor="end", color=FAINT))
        for column, label in enumerate(held):
            if label is not None:
                fill = FADED if label.other else COLOURS[label.kind][label.round % 2]
                left = LEFT + CELL * column
                lines.append(rect(left + 0.5, y + 0.5, CELL - 1, HEIGHT - 1, radius=2, fill=fill))
                lines.append(text(left + CELL / 2, y + 12, str(label.byte), SIZE, anchor="middle"))
    description = (
        f"A table with a row for each of {len(shown)} clocks and a column for each register, {', '.join(names)}: the "
        "number of the byte that it holds, coloured by what the byte is."
    )
    width, height = LEFT + CELL * max(len(names), 17) + PAD, top + HEIGHT * len(shown) + PAD
    return document(width, height, title, lines, description)


if __name__ == "__main__":
    for schedule in SCHEDULES:
        for name, drawn in pictures(schedule, trace(schedule, core_of(schedule))).items():
            (DOCS / name).write_text(drawn, encoding="utf-8")
