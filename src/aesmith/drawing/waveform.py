"""Draws a trace of a design's ports as SVG: clock, reset, and the channels, payloads where they count.

WaveDrom (`wavedrom`, `yowasp-wavedrom`) was the alternative: it writes a payload of 128 bits across the clocks beside
it and over the names of signals, counts clocks from the first one drawn and not from the end of reset, marks no
transfers, and leaves no clocks out of a long trace; its file is five times as large.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from aesmith.cores.ports import Channel, Line, Meaning, PayloadKind, Ports
from aesmith.drawing.svg import FAINT, INK, KINDS, MONO, WIRE, document, group, path, text

PITCH, ROW, HIGH, SLANT = 30.0, 34.0, 18.0, 4.0
HEAD = 74.0
PAD = 24.0
FOLD = 60
"""A run of clocks in which nothing changes is shortened when the trace is longer than this."""
KEEP = 2
COLORS = KINDS
"""Fill and line of the payloads of each channel, in turn."""
_TEXT = {Meaning.BLOCK, Meaning.RESULT, Meaning.STREAM}
"""What payloads of channels mean in whose transfers the number of the clock is dark."""


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

    ports: Ports
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

    def active(self, line: Line | None, clock: int) -> bool:
        """Whether a line says what it says; one that is not there always does."""
        return line is None or self.at(line.port, clock) == line.active

    def offered(self, channel: str, clock: int) -> bool:
        """Whether the payloads of a channel mean something at a clock edge."""
        return self.active(self.ports.channel(channel).valid, clock)

    def transfers(self, channel: str) -> tuple[int, ...]:
        """The clock edges at which a channel transfers."""
        lines = self.ports.channel(channel).lines
        return tuple(t for t in range(self.clocks) if all(self.active(line, t) for line in lines))


def draw_waveform(trace: Trace, title: str) -> str:
    """The SVG text of the waveform, with `title` above it. Clock numbers count from the end of reset."""
    clocks = _shown(trace)
    rows = _rows(trace.ports)
    channels = trace.ports.channels
    names = max((len(channel.name) for channel in channels), default=0) * 7.4 + 24
    label = max(len(name) for _, name in rows) * 7.3 + 16 + max(names, 74.0)
    width = PAD * 2 + label + PITCH * len(clocks) + 8
    gaps = 10.0 * len(channels)
    height = HEAD + ROW * len(rows) + gaps + PAD
    reset = trace.ports.reset
    start = next((t for t in range(trace.clocks) if reset is None or not trace.active(reset, t)), 0)
    lines = [*_grid(trace, clocks, start, ROW * len(rows) + gaps)]
    y, previous = 0.0, None
    for channel, name in rows:
        if channel is not previous and channel is not None:
            y += 10.0
            _, color = _colors(trace, channel)
            count = sum(other is channel for other, _ in rows)
            lines.append(path("M", -label + 4, y + 8, "v", ROW * count - 16, stroke=color, line=3))
            lines.append(text(-label + 14, y + ROW * count / 2 + 4, channel.name, 12, color=color, weight=600))
        previous = channel
        lines.append(text(-12, y + ROW / 2 + 4, name, 12, anchor="end", family=MONO))
        if channel is not None and name in {payload.port for payload in channel.payloads}:
            lines += _bus(trace, clocks, channel, name, y + (ROW - HIGH) / 2)
        else:
            lines += _line(trace, clocks, name, y + (ROW - HIGH) / 2)
        y += ROW
    heading = text(PAD, PAD + 8, title, 15, weight=600)
    return document(width, height, title, [heading, *group(PAD + label, HEAD, lines)])


def _colors(trace: Trace, channel: Channel) -> tuple[str, str]:
    return COLORS[trace.ports.channels.index(channel) % len(COLORS)]


def _rows(ports: Ports) -> list[tuple[Channel | None, str]]:
    """Channel and port of each row: clock and reset, then the channels, what is carried last in each."""
    rows: list[tuple[Channel | None, str]] = [(None, port.name) for port in ports if port.role in ("clock", "reset")]
    for channel in ports.channels:
        payloads = sorted(channel.payloads, key=lambda payload: payload.kind is not PayloadKind.CONTROL)
        rows += [(channel, port) for port in (*(line.port for line in channel.lines), *(p.port for p in payloads))]
    return rows


def _shown(trace: Trace) -> list[int | None]:
    """The clocks that are drawn; None where a run of equal clocks in a long trace is left out."""
    lines = [line.port for channel in trace.ports.channels for line in channel.lines]
    payloads = [(channel, payload.port) for channel in trace.ports.channels for payload in channel.payloads]
    seen = [
        (*(trace.at(port, t) for port in lines), *(_shown_value(trace, *payload, t) for payload in payloads))
        for t in range(trace.clocks)
    ]
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
    text_channels = [c.name for c in trace.ports.channels if _TEXT & {payload.meaning for payload in c.payloads}]
    moving = {t for channel in text_channels for t in trace.transfers(channel)}
    for place, clock in enumerate(clocks):
        x = PITCH * place
        if clock is None:
            yield text(x + PITCH / 2, -8, "···", 11, anchor="middle", color=FAINT)
            continue
        yield path("M", x + PITCH, 0, "V", height, stroke="#e4e7eb", line=1)
        if clock >= start:
            yield text(
                x + PITCH / 2,
                -8,
                str(clock - start),
                10.5,
                anchor="middle",
                color=INK if clock in moving else FAINT,
                weight=600 if clock in moving else 400,
                family=MONO,
            )


def _line(trace: Trace, clocks: Sequence[int | None], name: str, y: float) -> Iterator[str]:
    """A port of one bit as a level; the clock as its periods."""
    is_clock = name == trace.ports.clock
    parts: list[str | float] = []
    last = None
    for place, clock in enumerate(clocks):
        x = PITCH * place
        if is_clock:
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
    yield path(*parts, stroke=WIRE if is_clock else INK, line=1.4 if is_clock else 1.6)


def _clock(clocks: Sequence[int | None], place: int) -> int:
    """The clock drawn at a place; where clocks are left out, the one before, for they are all alike."""
    clock = clocks[place]
    return clock if clock is not None else (clocks[place - 1] or 0)


def _shown_value(trace: Trace, channel: Channel, name: str, clock: int) -> int | None:
    """What is drawn of a payload: its value where it counts."""
    return trace.at(name, clock) if trace.offered(channel.name, clock) else None


def _bus(trace: Trace, clocks: Sequence[int | None], channel: Channel, name: str, y: float) -> Iterator[str]:
    """A payload: a filled hexagon where it counts, a flat line where it means nothing."""
    values = [_shown_value(trace, channel, name, _clock(clocks, place)) for place in range(len(clocks))]
    moved = set(trace.transfers(channel.name)) if channel.lines else set()
    fill, stroke = _colors(trace, channel)
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
