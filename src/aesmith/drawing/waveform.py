"""Draws a trace of the block interface as SVG: clock, handshakes, and the payloads where they are valid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from aesmith.drawing.svg import FAINT, INK, MONO, WIRE, document, group, path, text

PITCH, ROW, HIGH, SLANT = 30.0, 34.0, 18.0, 4.0
HEAD = 74.0
PAD = 24.0
FOLD = 60
"""A run of clocks in which nothing changes is shortened when the trace is longer than this."""
KEEP = 2
GROUPS = (
    ("key", ("key_valid_i", "key_ready_o", "key_bits_i", "key_i")),
    ("block in", ("block_valid_i", "block_ready_o", "decrypt_i", "block_i")),
    ("block out", ("block_valid_o", "block_ready_i", "block_o")),
)
VALID = {
    "key_i": "key_valid_i",
    "key_bits_i": "key_valid_i",
    "block_i": "block_valid_i",
    "decrypt_i": "block_valid_i",
    "block_o": "block_valid_o",
}
COLORS = {"key": ("#fdf3dc", "#b07d1e"), "block in": ("#e8f1fb", "#3a6ea5"), "block out": ("#e6f4ec", "#2f855a")}


@dataclass(frozen=True)
class Signal:
    """A port over time: `values[t]` is what clock edge t samples, None where it is undefined."""

    name: str
    width: int
    values: tuple[int | None, ...]


@dataclass(frozen=True)
class Trace:
    """All ports of a core at the rising clock edges 0, 1, ...; the list ends two clocks after the last result.

    `registers` holds the values of the core's registers, named by their path; `beats` is the number of transfers that
    a block takes.
    """

    signals: Mapping[str, Signal]
    registers: Mapping[str, tuple[int | None, ...]]
    beats: int

    @property
    def clocks(self) -> int:
        """Number of clock edges."""
        return min((len(signal.values) for signal in self.signals.values()), default=0)

    def at(self, name: str, clock: int) -> int | None:
        """Value of a port at a clock edge."""
        return self.signals[name].values[clock]

    def transfers(self, valid: str, ready: str) -> tuple[int, ...]:
        """The clock edges at which both handshake signals are high."""
        return tuple(t for t in range(self.clocks) if self.at(valid, t) == 1 and self.at(ready, t) == 1)


def draw_waveform(trace: Trace, title: str) -> str:
    """The SVG text of the waveform, with `title` above it. Clock numbers count from the end of reset."""
    clocks = _shown(trace)
    rows = [("", "clk_i"), ("", "rst_ni")]
    rows += [(channel, name) for channel, names in GROUPS for name in names if name in trace.signals]
    label = max(len(name) for _, name in rows) * 7.3 + 16 + 74
    width = PAD * 2 + label + PITCH * len(clocks) + 8
    gaps = 10.0 * len(GROUPS)
    height = HEAD + ROW * len(rows) + gaps + PAD
    start = next((t for t in range(trace.clocks) if trace.at("rst_ni", t) == 1), 0)
    lines = [*_grid(trace, clocks, start, ROW * len(rows) + gaps)]
    y, previous = 0.0, ""
    for channel, name in rows:
        if channel != previous:
            y += 10.0
            color = COLORS[channel][1]
            count = sum(other == channel for other, _ in rows)
            lines.append(path("M", -label + 4, y + 8, "v", ROW * count - 16, stroke=color, line=3))
            lines.append(text(-label + 14, y + ROW * count / 2 + 4, channel, 12, color=color, weight=600))
        previous = channel
        lines.append(text(-12, y + ROW / 2 + 4, name, 12, anchor="end", family=MONO))
        lines += list(_row(trace, clocks, channel, name, y + (ROW - HIGH) / 2))
        y += ROW
    heading = text(PAD, PAD + 8, title, 15, weight=600)
    return document(width, height, title, [heading, *group(PAD + label, HEAD, lines)])


def _shown(trace: Trace) -> list[int | None]:
    """The clocks that are drawn; None where a run of equal clocks in a long trace is left out."""
    names = [name for _, group_names in GROUPS for name in group_names if name in trace.signals]
    seen = [tuple(_shown_value(trace, name, t) for name in names) for t in range(trace.clocks)]
    same = [t > 0 and seen[t] == seen[t - 1] for t in range(trace.clocks)]
    shown: list[int | None] = []
    for quiet, run in groupby(range(trace.clocks), key=lambda t: same[t]):
        times = list(run)
        if trace.clocks > FOLD and quiet and len(times) > 2 * KEEP + 1:
            shown += [*times[:KEEP], None, *times[-KEEP:]]
        else:
            shown += times
    return shown


def _grid(trace: Trace, clocks: Sequence[int | None], start: int, height: float) -> Iterator[str]:
    taken = set(trace.transfers("block_valid_i", "block_ready_o"))
    given = set(trace.transfers("block_valid_o", "block_ready_i"))
    for place, clock in enumerate(clocks):
        x = PITCH * place
        if clock is None:
            yield text(x + PITCH / 2, -8, "···", 11, anchor="middle", color=FAINT)
            continue
        yield path("M", x + PITCH, 0, "V", height, stroke="#e4e7eb", line=1)
        if clock >= start:
            both = clock in taken or clock in given
            yield text(
                x + PITCH / 2,
                -8,
                str(clock - start),
                10.5,
                anchor="middle",
                color=INK if both else FAINT,
                weight=600 if both else 400,
                family=MONO,
            )


def _row(trace: Trace, clocks: Sequence[int | None], channel: str, name: str, y: float) -> Iterable[str]:
    if name in VALID:
        yield from _bus(trace, clocks, COLORS[channel], name, y)
        return
    parts: list[str | float] = []
    last = None
    for place, clock in enumerate(clocks):
        x = PITCH * place
        if name == "clk_i":
            parts += [
                "M" if place == 0 else "L",
                x,
                y + HIGH,
                "V",
                y,
                "H",
                x + PITCH / 2,
                "V",
                y + HIGH,
                "H",
                x + PITCH,
            ]
            continue
        level = y if trace.at(name, _clock(clocks, place) if clock is None else clock) == 1 else y + HIGH
        parts += ["M", x, level] if last is None else ["L", x + SLANT, level] if level != last else []
        parts += ["H", x + PITCH]
        last = level
    yield path(*parts, stroke=WIRE if name == "clk_i" else INK, line=1.4 if name == "clk_i" else 1.6)


def _clock(clocks: Sequence[int | None], place: int) -> int:
    """The clock drawn at a place; where clocks are left out, the one before, for they are all alike."""
    clock = clocks[place]
    return clock if clock is not None else (clocks[place - 1] or 0)


def _shown_value(trace: Trace, name: str, clock: int) -> int | None:
    """What is drawn of a signal: a payload only where it is valid."""
    return trace.at(name, clock) if name not in VALID or trace.at(VALID[name], clock) == 1 else None


def _bus(trace: Trace, clocks: Sequence[int | None], colors: tuple[str, str], name: str, y: float) -> Iterator[str]:
    """A payload: a filled hexagon where it is valid, a flat line where it means nothing."""

    values = [_shown_value(trace, name, _clock(clocks, place)) for place in range(len(clocks))]
    ready = {"key_i": "key_ready_o", "block_o": "block_ready_i"}.get(name, "block_ready_o")
    moved = set(trace.transfers(VALID[name], ready))
    fill, stroke = colors
    spans: list[tuple[int, int, int | None]] = []
    begin = 0
    for place in range(len(clocks)):
        last = place + 1 == len(clocks)
        if last or values[place + 1] != values[place] or (clocks[place] in moved and values[place] is not None):
            spans.append((begin, place + 1, values[place]))
            begin = place + 1
    middle = y + HIGH / 2
    for first, end, content in spans:
        x0, x1 = PITCH * first, PITCH * end
        if content is None:
            yield path("M", x0, middle, "H", x1, stroke="#b8c1cb", line=1.2)
            continue
        low, high = y + HIGH, y
        upper = ("M", x0, middle, "L", x0 + SLANT, high, "H", x1 - SLANT, "L", x1, middle)
        yield path(*upper, "L", x1 - SLANT, low, "H", x0 + SLANT, "Z", fill=fill, stroke=stroke, line=1.3)
        yield from _content(content, trace.signals[name].width, x0, x1, middle)


def _content(value: int, width: int, x0: float, x1: float, middle: float) -> Iterator[str]:
    digits = f"{value:0{(width + 3) // 4}x}"
    room = int((x1 - x0 - 2 * SLANT) / 5.6)
    size = 9.5
    if len(digits) > room:
        digits = f"{digits[: room - 1]}…" if room >= 3 else digits[:2] if room >= 2 else ""
    yield text((x0 + x1) / 2, middle + 3.4, digits, size, anchor="middle", family=MONO)
