"""A placement drawn: cells by the module they come from, and the worst path from register to register on top."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aesmith.drawing import svg
from aesmith.flow.placement.modules import modules_of
from aesmith.flow.placement.placed import PlacedNetlist
from aesmith.technology.cell import Cell, CellKind

_SIDE, _MARGIN, _HEAD, _LINE = 720.0, 24.0, 62.0, 20.0
_COLOURS = ("#4a6fa5", "#e0a458", "#5b9279", "#8d6a9f", "#6bb3c8", "#b5a642", "#c98686")
"""Of the largest modules, solid for flip-flops and pale for other cells; the rest is grey."""
_REST, _LIGHT = "#7b8794", 0.5
REST = "other modules"
_PATH = "#c0392b"


def _is_register(cell: Cell) -> bool:
    return cell.kind in (CellKind.FLIP_FLOP, CellKind.ENABLE, CellKind.SCAN)


def coloured(modules: Sequence[str], cells: Sequence[Cell]) -> tuple[list[str], dict[str, tuple[str, float]]]:
    """The label of every cell, and of every label its colour and its share of all area, the largest first: the
    largest modules, and `REST`."""
    areas = dict.fromkeys(modules, 0.0)
    for module, cell in zip(modules, cells, strict=True):
        areas[module] += cell.area
    largest = sorted((name for name in areas if name), key=lambda name: (-areas[name], name))[: len(_COLOURS)]
    labels = [module if module in largest else REST for module in modules]
    colours = dict(zip(largest, _COLOURS, strict=False)) | ({REST: _REST} if REST in labels else {})
    total, rest = sum(areas.values()), sum(area for name, area in areas.items() if name not in largest)
    return labels, {name: (colour, areas.get(name, rest) / total) for name, colour in colours.items()}


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
    labels, legend = coloured(modules_of(bound), bound.cells)
    # One path a colour: thousands of rectangles make a file that is slow to show.
    for label, (colour, _) in legend.items():
        for dark in (False, True):
            parts = [
                f"M{_MARGIN + left * scale:.2f} {y(bottom + row):.2f}"
                f"h{wide * scale:.2f}v{row * scale:.2f}h{-wide * scale:.2f}z"
                for left, bottom, wide, cell, mine in zip(
                    placement.left, placement.bottom, placement.width, bound.cells, labels, strict=True
                )
                if mine == label and _is_register(cell) == dark
            ]
            if parts:
                light = "" if dark else f' fill-opacity="{_LIGHT}"'
                content.append(
                    f'<path d="{"".join(parts)}" fill="{colour}"{light} stroke="#ffffff" stroke-width="0.4"/>'
                )
    content += _worst_path(placed, scale, y)
    content += _legend(legend, _HEAD + height + 16)
    foot = (len(legend) + 3) // 2 * _LINE + 24
    return svg.document(width + 2 * _MARGIN, _HEAD + height + foot, f"{name}: placement", content)


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 else "under 1%"


def _legend(legend: dict[str, tuple[str, float]], top: float) -> list[str]:
    """Two columns: modules with their shares of the area, then the worst path; flip-flops are told in a last line."""
    content, entries = [], [(f"{name}, {_percent(share)}", colour) for name, (colour, share) in legend.items()]
    for number, (label, colour) in enumerate((*entries, ("worst path", _PATH))):
        x, y = _MARGIN + number % 2 * _SIDE / 2, top + number // 2 * _LINE
        light = f' fill-opacity="{_LIGHT}"' * (colour != _PATH)
        content.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="12" height="12" rx="2" fill="{colour}"{light}/>')
        content.append(svg.text(x + 17, y + 10, label, 12))
    below = top + (len(entries) + 2) // 2 * _LINE + 10
    return [
        *content,
        svg.text(_MARGIN, below, "solid: flip-flops; a gate has the colour of what it leads to", 12, color=svg.WIRE),
    ]


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
