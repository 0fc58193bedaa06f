"""Power as a picture: by module, functional and glitch stacked, and that of the logic by its depth."""

from __future__ import annotations

from collections.abc import Sequence

from aesmith.drawing.svg import FAINT, INK, document, number, rect, text
from aesmith.timing.power.figures import DirectionPower, PowerShare

FUNCTIONAL, GLITCH, LEAKAGE = "#3d6ea5", "#d9772b", "#b8c2cc"
_KINDS = (("functional", FUNCTIONAL), ("glitch", GLITCH), ("leakage", LEAKAGE))
_WIDTH, _MARGIN, _LABELS = 780.0, 24.0, 215.0
_ROW, _BAR = 24.0, 15.0
_HEIGHT = 170.0
_MOST_MODULES = 14
_REGISTERS = "0"
"""The depth of flip-flops."""


def power_picture(design: str, power: DirectionPower, library: str) -> str:
    """An SVG of one direction's power. Modules are left out where they were not measured."""
    title = f"{design}: {power.power_uw_at_100mhz:,.0f} µW at 100 MHz"
    lines = [
        text(_MARGIN, 34, title, 17, weight=600),
        text(_MARGIN, 54, f"{power.label}; {library}", 11.5, color=FAINT),
        *_legend(_MARGIN, 74),
    ]
    top = 108.0
    if power.by_module:
        shares = _largest(power.by_module)
        lines += _bars(shares, top)
        top += len(shares) * _ROW + 34
    lines += _depth(power.by_depth, top)
    return document(_WIDTH, top + _HEIGHT + 62, title, lines)


def _legend(x: float, y: float) -> list[str]:
    lines = []
    for name, color in _KINDS:
        lines += [rect(x, y - 9, 11, 11, radius=2, fill=color), text(x + 16, y, name, 11.5)]
        x += 34 + 7 * len(name)
    return lines


def _largest(shares: Sequence[PowerShare]) -> list[PowerShare]:
    """The shares, the smallest of many as one."""
    if len(shares) <= _MOST_MODULES:
        return list(shares)
    rest = shares[_MOST_MODULES - 1 :]
    sums = (sum(getattr(share, name) for share in rest) for name in ("functional_uw", "glitch_uw", "leakage_uw"))
    return [
        *shares[: _MOST_MODULES - 1],
        PowerShare(f"{len(rest)} others", sum(share.cells for share in rest), *sums),
    ]


def _parts(share: PowerShare) -> tuple[tuple[float, str], ...]:
    # Internal energies of single transitions may be negative; a bar may not.
    values = (share.functional_uw, share.glitch_uw, share.leakage_uw)
    return tuple((max(value, 0.0), color) for value, (_, color) in zip(values, _KINDS, strict=True))


def _bars(shares: Sequence[PowerShare], top: float) -> list[str]:
    lines = [text(_MARGIN, top, "by module, each mapped by itself (µW)", 12.5, weight=600)]
    most = max((share.total_uw for share in shares), default=1.0) or 1.0
    room = _WIDTH - _LABELS - 2 * _MARGIN - 60
    for row, share in enumerate(shares):
        y = top + 12 + row * _ROW
        x = _MARGIN + _LABELS
        lines.append(text(x - 8, y + _BAR - 3, share.name, 11.5, anchor="end"))
        for value, color in _parts(share):
            width = room * value / most
            lines.append(rect(x, y, width, _BAR, radius=0, fill=color))
            x += width
        lines.append(text(x + 6, y + _BAR - 3, f"{share.total_uw:,.0f}", 11, color=FAINT))
    return lines


def _depth(shares: Sequence[PowerShare], top: float) -> list[str]:
    # Registers, whose clock pins take energy in every clock, would leave the logic no height.
    registers = sum(share.total_uw for share in shares if share.name == _REGISTERS)
    shares = [share for share in shares if share.name != _REGISTERS]
    title = "logic by its depth in cells behind registers and inputs (µW)"
    lines = [
        text(_MARGIN, top, title, 12.5, weight=600),
        text(_WIDTH - _MARGIN, top, f"registers: {registers:,.0f}", 11, anchor="end", color=FAINT),
    ]
    most = max((share.total_uw for share in shares), default=1.0) or 1.0
    left, base = _MARGIN + 46, top + 16 + _HEIGHT
    step = (_WIDTH - left - _MARGIN) / max(len(shares), 1)
    for k in range(3):
        value = most * k / 2
        y = base - _HEIGHT * k / 2
        lines += [
            f'<path d="M {number(left)} {number(y)} H {number(_WIDTH - _MARGIN)}" stroke="#e4e7eb"/>',
            text(left - 6, y + 4, f"{value:,.0f}", 10.5, anchor="end", color=FAINT),
        ]
    for k, share in enumerate(shares):
        y = base
        for value, color in _parts(share):
            height = _HEIGHT * value / most
            y -= height
            lines.append(rect(left + k * step + 1, y, max(step - 2, 1), height, radius=0, fill=color))
        if k % max(1, len(shares) // 12) == 0:
            lines.append(text(left + (k + 0.5) * step, base + 15, share.name, 10.5, anchor="middle", color=INK))
    return lines
