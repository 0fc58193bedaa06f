"""A placement drawn: cells by what they do, and the worst path from register to register on top."""

from __future__ import annotations

from collections.abc import Callable

from aesmith.drawing import svg
from aesmith.flow.placement.placed import PlacedNetlist
from aesmith.technology.cell import Cell, CellKind

_SIDE, _MARGIN, _HEAD, _FOOT = 720.0, 24.0, 62.0, 42.0
REGISTER, REPEATER, LOGIC, OTHER = "flip-flop", "buffer or inverter", "logic", "clock gate or tie"
_COLOURS = {REGISTER: "#4a6fa5", REPEATER: "#e0a458", LOGIC: "#c3d0de", OTHER: "#7b8794"}
_PATH = "#c0392b"


def kind_of(cell: Cell) -> str:
    """What a cell does, as the picture has it."""
    if cell.kind in (CellKind.FLIP_FLOP, CellKind.ENABLE, CellKind.SCAN):
        return REGISTER
    if cell.kind is CellKind.LOGIC:
        return REPEATER if len(cell.inputs) == 1 else LOGIC
    return OTHER


def picture(placed: PlacedNetlist, name: str) -> str:
    """The placement as SVG, its lower left corner below on the left as in the core."""
    placement, bound = placed.placement, placed.bound
    scale = _SIDE / max(placement.core_width_um, placement.core_height_um)
    width, height = placement.core_width_um * scale, placement.core_height_um * scale

    def y(up_um: float) -> float:
        return _HEAD + height - up_um * scale

    row = placement.technology.row_height_um
    period = placed.timing.period_ns
    content = [
        svg.text(_MARGIN, 28, f"{name}, placed", 17, weight=600),
        svg.text(
            _MARGIN,
            48,
            f"{placement.core_width_um:.1f} × {placement.core_height_um:.1f} µm, {placement.utilisation:.0%} full"
            + (f", {period:.3f} ns" if period is not None else ""),
            13,
            color=svg.WIRE,
        ),
        svg.rect(_MARGIN, _HEAD, width, height, radius=0, fill="#f7f9fb", stroke=svg.FAINT, line=1),
    ]
    # One path a kind: thousands of rectangles make a file that is slow to show.
    for kind, colour in _COLOURS.items():
        parts = [
            f"M{_MARGIN + left * scale:.2f} {y(bottom + row):.2f}"
            f"h{wide * scale:.2f}v{row * scale:.2f}h{-wide * scale:.2f}z"
            for left, bottom, wide, cell in zip(
                placement.left, placement.bottom, placement.width, bound.cells, strict=True
            )
            if kind_of(cell) == kind
        ]
        if parts:
            content.append(f'<path d="{"".join(parts)}" fill="{colour}" stroke="#ffffff" stroke-width="0.4"/>')
    content += _worst_path(placed, scale, y)
    x = _MARGIN
    for label, colour in (*_COLOURS.items(), ("worst path", _PATH)):
        if label == OTHER and not any(kind_of(cell) == OTHER for cell in bound.cells):
            continue
        content.append(svg.rect(x, _HEAD + height + 16, 12, 12, radius=2, fill=colour))
        content.append(svg.text(x + 17, _HEAD + height + 26, label, 12))
        x += 34 + 6.6 * len(label)
    return svg.document(width + 2 * _MARGIN, _HEAD + height + _FOOT, f"{name}: placement", content)


def _worst_path(placed: PlacedNetlist, scale: float, y: Callable[[float], float]) -> list[str]:
    numbers = {instance.name: i for i, instance in enumerate(placed.bound.netlist.instances)}
    path = placed.timing.register_to_register
    if path is None:
        return []
    names = [*(point.instance for point in path.points), path.end.rpartition("/")[0]]
    spots = [placed.placement.centre(numbers[name]) for name in names if name in numbers]
    points = [(_MARGIN + a * scale, y(b)) for a, b in spots]
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    dots = [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{_PATH}"/>' for a, b in points]
    return [f'<polyline points="{line}" fill="none" stroke="{_PATH}" stroke-width="1.6"/>', *dots]
