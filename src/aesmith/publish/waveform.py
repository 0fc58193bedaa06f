"""Draws a trace of the block interface as SVG: clock, handshakes, and the payloads where they are valid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby

from aesmith.publish.svg import FAINT, INK, MONO, SANS, WIRE, number, text
from aesmith.publish.trace import Trace

PITCH, ROW, HIGH, SLANT = 30.0, 34.0, 18.0, 4.0
HEAD = 74.0
PAD = 24.0
FOLD = 34
"""A run of clocks in which nothing changes is shortened when the trace is longer than this."""
KEEP = 2
GROUPS = (
    ("key", ("key_valid_i", "key_ready_o", "key_i")),
    ("block in", ("block_valid_i", "block_ready_o", "decrypt_i", "block_i")),
    ("block out", ("block_valid_o", "block_ready_i", "block_o")),
)
VALID = {
    "key_i": "key_valid_i",
    "block_i": "block_valid_i",
    "decrypt_i": "block_valid_i",
    "block_o": "block_valid_o",
}
COLORS = {"key": ("#fdf3dc", "#b07d1e"), "block in": ("#e8f1fb", "#3a6ea5"), "block out": ("#e6f4ec", "#2f855a")}


def draw_waveform(trace: Trace, title: str) -> str:
    """The SVG text of the waveform, with `title` above it. Clock numbers count from the end of reset."""
    clocks = _shown(trace)
    rows = [("", "clk_i"), ("", "rst_ni")]
    rows += [(group, name) for group, names in GROUPS for name in names if name in trace.signals]
    label = max(len(name) for _, name in rows) * 7.3 + 16 + 74
    width = PAD * 2 + label + PITCH * len(clocks) + 8
    gaps = 10.0 * len(GROUPS)
    height = HEAD + ROW * len(rows) + gaps + PAD
    start = next((t for t in range(trace.clocks) if trace.at("rst_ni", t) == 1), 0)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}" font-family="{SANS}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{number(width)}" height="{number(height)}" rx="10" fill="#ffffff"/>',
        text(PAD, PAD + 8, title, 15, weight=600),
        f'<g transform="translate({number(PAD + label)} {number(HEAD)})">',
        *_grid(trace, clocks, start, ROW * len(rows) + gaps),
    ]
    y, previous = 0.0, ""
    for group, name in rows:
        if group != previous:
            y += 10.0
            color = COLORS[group][1]
            count = sum(other == group for other, _ in rows)
            lines.append(
                f'<path d="M{number(-label + 4)} {number(y + 8)}v{number(ROW * count - 16)}" stroke="{color}" '
                f'stroke-width="3" stroke-linecap="round"/>'
            )
            lines.append(text(-label + 14, y + ROW * count / 2 + 4, group, 12, color=color, weight=600))
        previous = group
        lines.append(text(-12, y + ROW / 2 + 4, name, 12, anchor="end", family=MONO))
        lines += list(_row(trace, clocks, group, name, y + (ROW - HIGH) / 2))
        y += ROW
    return "\n".join([*lines, "</g>", "</svg>", ""])


def _shown(trace: Trace) -> list[int | None]:
    """The clocks that are drawn; None where a run of equal clocks in a long trace is left out."""
    same = [t > 0 and all(s.values[t] == s.values[t - 1] for s in trace.signals.values()) for t in range(trace.clocks)]
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
        yield f'<path d="M{number(x + PITCH)} 0V{number(height)}" stroke="#e4e7eb" stroke-width="1"/>'
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


def _row(trace: Trace, clocks: Sequence[int | None], group: str, name: str, y: float) -> Iterable[str]:
    if name == "clk_i":
        path = f"M0 {number(y + HIGH)}"
        for place, _ in enumerate(clocks):
            x = PITCH * place
            path += f"V{number(y)}H{number(x + PITCH / 2)}V{number(y + HIGH)}H{number(x + PITCH)}"
        yield f'<path d="{path}" fill="none" stroke="{WIRE}" stroke-width="1.4"/>'
        return
    if name in ("block_i", "block_o", "key_i", "decrypt_i"):
        yield from _bus(trace, clocks, COLORS[group], name, y)
        return
    path, last = "", 0.0
    for place, clock in enumerate(clocks):
        x = PITCH * place
        value = trace.at(name, clock if clock is not None else clocks[place - 1] or 0)
        level = y if value == 1 else y + HIGH
        if place == 0:
            path = f"M0 {number(level)}"
        elif level != last:
            path += f"L{number(x + SLANT)} {number(level)}"
        path += f"H{number(x + PITCH)}"
        last = level
    ready = name in ("key_ready_o", "block_ready_o", "block_ready_i")
    yield (
        f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="1.6" stroke-linejoin="round"'
        + (' stroke-opacity="0.85"' if ready else "")
        + "/>"
    )


def _bus(trace: Trace, clocks: Sequence[int | None], colors: tuple[str, str], name: str, y: float) -> Iterator[str]:
    """A payload: a filled hexagon where it is valid, a flat line where it means nothing."""

    def value(place: int) -> int | None:
        clock = clocks[place]
        clock = clock if clock is not None else clocks[place - 1]
        assert clock is not None
        return trace.at(name, clock) if trace.at(VALID[name], clock) == 1 else None

    ready = {"key_i": "key_ready_o", "block_o": "block_ready_i"}.get(name, "block_ready_o")
    moved = set(trace.transfers(VALID[name], ready))
    fill, stroke = colors
    spans: list[tuple[int, int, int | None]] = []
    begin = 0
    for place in range(len(clocks)):
        last = place + 1 == len(clocks)
        if last or value(place + 1) != value(place) or (clocks[place] in moved and value(place) is not None):
            spans.append((begin, place + 1, value(place)))
            begin = place + 1
    middle = y + HIGH / 2
    for first, end, content in spans:
        x0, x1 = PITCH * first, PITCH * end
        if content is None:
            yield f'<path d="M{number(x0)} {number(middle)}H{number(x1)}" stroke="#b8c1cb" stroke-width="1.2"/>'
            continue
        yield (
            f'<path d="M{number(x0)} {number(middle)}L{number(x0 + SLANT)} {number(y)}H{number(x1 - SLANT)}'
            f'L{number(x1)} {number(middle)}L{number(x1 - SLANT)} {number(y + HIGH)}H{number(x0 + SLANT)}Z" '
            f'fill="{fill}" stroke="{stroke}" stroke-width="1.3" stroke-linejoin="round"/>'
        )
        yield from _content(content, trace.signals[name].width, x0, x1, middle)


def _content(value: int, width: int, x0: float, x1: float, middle: float) -> Iterator[str]:
    digits = f"{value:0{(width + 3) // 4}x}"
    room = int((x1 - x0 - 2 * SLANT) / 5.6)
    size = 9.5
    if len(digits) > room:
        digits = f"{digits[: room - 1]}…" if room >= 3 else digits[:2] if room >= 2 else ""
    yield text((x0 + x1) / 2, middle + 3.4, digits, size, anchor="middle", family=MONO)
