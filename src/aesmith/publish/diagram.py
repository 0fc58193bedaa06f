"""Draws the block diagram of a module as SVG, from its structure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from html import escape

from aesmith.publish.layering import lay_out
from aesmith.publish.routing import Layout, Place, Size
from aesmith.publish.structure import Block, Kind, Structure
from aesmith.publish.svg import FAINT, INK, MONO, SANS, WIRE, number, text

FILLS = {
    Kind.INSTANCE: ("#e8f1fb", "#3a6ea5"),
    Kind.REGISTER: ("#fdf3dc", "#b07d1e"),
    Kind.CONTROL: ("#f0eef8", "#7360a8"),
}
PAD = 28.0
HEAD = 40.0
LINE = 14.0
PORT_CHAR, LABEL_CHAR, SMALL_CHAR = 7.3, 7.8, 6.1


def draw_diagram(structure: Structure, title: str) -> str:
    """The SVG text of the block diagram, on a light ground of its own, with `title` above it."""
    sizes = {block.key: _size(block, structure) for block in structure.blocks if block.kind is not Kind.CONTROL}
    layout = lay_out(sizes, [(c.source, c.target) for c in structure.connections])
    body = [*_wires(structure, layout, sizes)]
    for block in structure.blocks:
        if block.key in sizes:
            body += _shape(block, layout.places[block.key], sizes[block.key])
    strip, strip_height, strip_width = _control_strip(structure, layout.height + 34.0)
    width = max(layout.width, strip_width, len(title) * 8.6) + 2 * PAD
    height = HEAD + layout.height + (34.0 + strip_height if strip else 0.0) + 2 * PAD
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" '
            f'height="{number(height)}" font-family="{SANS}" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{number(width)}" height="{number(height)}" rx="10" fill="#ffffff"/>',
            f'<text x="{number(PAD)}" y="{number(PAD + 4)}" font-size="15" font-weight="600" fill="{INK}">{escape(title)}</text>',
            f'<g transform="translate({number((width - layout.width) / 2 if not strip else PAD)} {number(PAD + HEAD)})">',
            *body,
            *strip,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _size(block: Block, structure: Structure) -> Size:
    inputs = sum(connection.target == block.key for connection in structure.connections)
    steer = LINE * len(block.controls) + 10 if block.controls else 0.0
    steer_width = max((len(name) * SMALL_CHAR for name in block.controls), default=0.0)
    if block.kind in (Kind.INPUT, Kind.OUTPUT):
        return Size(len(block.label) * PORT_CHAR + 26, 26, 26, block.kind is Kind.INPUT, block.kind is Kind.OUTPUT)
    if block.kind is Kind.MULTIPLEXER:
        body = max(44.0, 20.0 * inputs + 8)
        return Size(max(24.0, steer_width), body + steer, body)
    if block.kind is Kind.GATE:
        body = max(26.0, 13.0 * inputs)
        return Size(max(26.0, steer_width), body + steer, body)
    words = max(len(block.label) * LABEL_CHAR, len(_second_line(block)) * SMALL_CHAR)
    body = max(48.0, 18.0 * inputs + 12)
    return Size(max(76.0, words + 24 + 20 * (block.count > 1), steer_width), body + steer, body)


def _second_line(block: Block) -> str:
    return "" if block.detail.replace("_", " ").endswith(block.label) else block.detail


def _shape(block: Block, place: Place, size: Size) -> Iterable[str]:
    center = place.x + size.width / 2
    middle = place.y + size.body / 2
    if block.kind in (Kind.INPUT, Kind.OUTPUT):
        yield _port(block, place, size)
        return
    if block.kind is Kind.GATE:
        yield (
            f'<rect x="{number(center - 13)}" y="{number(place.y)}" width="26" height="{number(size.body)}" rx="13" fill="#ffffff" '
            f'stroke="{INK}" stroke-width="1.4"/>'
        )
        if block.label == "⊕":
            yield (
                f'<path d="M{number(center - 7)} {number(middle)}h14M{number(center)} {number(middle - 7)}v14" stroke="{INK}" '
                f'stroke-width="1.4" fill="none"/>'
            )
        else:
            yield text(center, middle + 5, block.label, 14, anchor="middle")
    elif block.kind is Kind.MULTIPLEXER:
        left, top, bottom = center - 12, place.y, place.y + size.body
        yield (
            f'<path d="M{number(left)} {number(top)}L{number(left + 24)} {number(top + 11)}V{number(bottom - 11)}L{number(left)} {number(bottom)}Z" '
            f'fill="#ffffff" stroke="{INK}" stroke-width="1.4" stroke-linejoin="round"/>'
        )
    else:
        yield from _box(block, place.x, place.y, size.width, size.body)
    yield from _steering(block, center, place.y + size.body - (5.5 if block.kind is Kind.MULTIPLEXER else 0))


def _box(block: Block, x: float, y: float, width: float, height: float) -> Iterable[str]:
    fill, stroke = FILLS[block.kind]
    if block.count > 1:
        for shift in (8, 4):
            yield (
                f'<rect x="{number(x + shift)}" y="{number(y - shift)}" width="{number(width - shift)}" height="{number(height)}" rx="5" '
                f'fill="{fill}" stroke="{stroke}" stroke-width="1"/>'
            )
    yield (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" rx="5" fill="{fill}" '
        f'stroke="{stroke}" stroke-width="1.4"/>'
    )
    if block.kind is Kind.REGISTER:
        yield (
            f'<path d="M{number(x + 8)} {number(y + height)}l6 -9l6 9" fill="none" stroke="{stroke}" stroke-width="1.4"/>'
        )
    second = _second_line(block)
    center, middle = x + width / 2 - 10 * (block.count > 1), y + height / 2
    yield text(center, middle + (-1 if second else 5), block.label, 14, anchor="middle", weight=600)
    if second:
        yield text(center, middle + 14, second, 10.5, anchor="middle", color=WIRE, family=MONO)
    if block.count > 1:
        yield text(x + width - 7, y + 14, f"×{block.count}", 11, anchor="end", color=stroke, weight=600)


def _port(block: Block, place: Place, size: Size) -> str:
    x, y, width, height = place.x, place.y, size.width, size.height
    tip = 10
    outline = f"M{number(x)} {number(y)}H{number(x + width - tip)}L{number(x + width)} {number(y + height / 2)}L{number(x + width - tip)} {number(y + height)}H{number(x)}Z"
    return f'<path d="{outline}" fill="#eef1f4" stroke="{WIRE}" stroke-width="1.2" stroke-linejoin="round"/>' + text(
        x + (width - tip) / 2 + 1, y + height / 2 + 4, block.label, 12, anchor="middle", family=MONO
    )


def _steering(block: Block, center: float, bottom: float) -> Iterable[str]:
    if not block.controls:
        return
    yield (
        f'<path d="M{number(center)} {number(bottom)}v{number(13 + (5.5 if block.kind is Kind.MULTIPLEXER else 0))}" '
        f'stroke="{FILLS[Kind.CONTROL][1]}" stroke-width="1.2" stroke-dasharray="3 2.5"/>'
    )
    for index, name in enumerate(block.controls):
        yield text(
            center,
            _lower_edge(bottom, block) + 22 + LINE * index,
            name,
            10,
            anchor="middle",
            color=FILLS[Kind.CONTROL][1],
            family=MONO,
        )


def _lower_edge(bottom: float, block: Block) -> float:
    """Lower edge of the room a block's shape takes; a multiplexer's slanted side ends above it."""
    return bottom + (5.5 if block.kind is Kind.MULTIPLEXER else 0.0)


def _wires(structure: Structure, layout: Layout, sizes: dict[str, Size]) -> Iterable[str]:
    widths: dict[str, set[int]] = defaultdict(set)
    shapes = {block.key: block for block in structure.blocks}
    for connection in structure.connections:
        widths[connection.source].add(connection.width)
    for trunk in layout.trunks:
        path = "".join(
            f"M{number(a)} {number(b)}" + (f"H{number(c)}" if b == d else f"V{number(d)}")
            for a, b, c, d in (_clip(segment, layout, sizes, shapes) for segment in trunk.segments)
            if (a, b) != (c, d)
        )
        yield f'<path d="{path}" fill="none" stroke="{WIRE}" stroke-width="1.5" stroke-linecap="square"/>'
        for x, y in trunk.branches:
            yield f'<circle cx="{number(x)}" cy="{number(y)}" r="2.8" fill="{WIRE}"/>'
        place, size = layout.places[trunk.source], sizes[trunk.source]
        if len(widths[trunk.source]) == 1:
            start = place.x + size.width / 2 + _half(shapes[trunk.source], size)
            yield from _width_mark(start + 4, place.exit, min(widths[trunk.source]))
    for connection in structure.connections:
        place, size = layout.places[connection.target], sizes[connection.target]
        end = place.x + size.width / 2 - _half(shapes[connection.target], size)
        y = place.entries[connection.source]
        yield f'<path d="M{number(end)} {number(y)}l-8 -3.6v7.2z" fill="{WIRE}"/>'
        if len(widths[connection.source]) > 1:
            yield from _width_mark(end - 28, y, connection.width)


def _half(block: Block, size: Size) -> float:
    """Half the width of the shape itself, where its name tags may make the box that holds it wider."""
    return {Kind.MULTIPLEXER: 12.0, Kind.GATE: 13.0}.get(block.kind, size.width / 2)


def _clip(
    segment: tuple[float, float, float, float], layout: Layout, sizes: dict[str, Size], shapes: dict[str, Block]
) -> tuple[float, float, float, float]:
    """Extends a wire that ends at the room of a narrow symbol up to the symbol itself."""
    a, b, c, d = segment
    for key, place in layout.places.items():
        size = sizes[key]
        spare = size.width / 2 - _half(shapes[key], size)
        if b == d and place.y <= b <= place.y + size.body:
            if abs(c - place.x) < 0.01:
                c += spare
            if abs(a - place.x - size.width) < 0.01:
                a -= spare
    return a, b, c, d


def _width_mark(x: float, y: float, width: int) -> Iterable[str]:
    yield f'<path d="M{number(x + 4)} {number(y + 4)}l5 -8" stroke="{WIRE}" stroke-width="1.1"/>'
    yield text(x + 8, y - 5, str(width), 10, color=FAINT, family=MONO)


def _control_strip(structure: Structure, top: float) -> tuple[list[str], float, float]:
    """The blocks that steer, with the handshake ports beside them; empty if there are none."""
    blocks = [block for block in structure.blocks if block.kind is Kind.CONTROL]
    inputs, outputs = structure.control_inputs, structure.control_outputs
    if not blocks and not inputs and not outputs:
        return [], 0.0, 0.0
    if not blocks:
        blocks = [Block("control", Kind.CONTROL, "control")]
    rows = max(len(inputs), len(outputs), 2)
    height = rows * 18.0 + 14
    left = max((len(name) * PORT_CHAR for name in inputs), default=0.0) + 34
    right = max((len(name) * PORT_CHAR for name in outputs), default=0.0) + 34
    names = sorted({name for block in structure.blocks for name in block.controls})
    steer = f"steers: {', '.join(names)}" if names else ""
    widths = [max(len(block.label) * LABEL_CHAR, len(block.detail) * SMALL_CHAR) + 40 for block in blocks]
    inner = max(sum(widths) + 12 * (len(blocks) - 1), len(steer) * SMALL_CHAR + 24)
    color = FILLS[Kind.CONTROL][1]
    lines = [
        f'<rect x="{number(left)}" y="{number(top)}" width="{number(inner)}" height="{number(height)}" rx="7" fill="#faf9fd" '
        f'stroke="{color}" stroke-width="1" stroke-dasharray="4 3"/>'
    ]
    lines += _strip_ports(inputs, 0.0, left, top, height, entering=True)
    lines += _strip_ports(outputs, left + inner, right, top, height, entering=False)
    x = left + (inner - sum(widths) - 12 * (len(blocks) - 1)) / 2
    for block, width in zip(blocks, widths, strict=True):
        lines += _box(block, x, top + 9, width, height - (30 if steer else 18))
        x += width + 12
    if steer:
        lines.append(text(left + inner / 2, top + height - 7, steer, 10, anchor="middle", color=color, family=MONO))
    return lines, height, left + inner + right


def _strip_ports(
    names: Sequence[str], x: float, width: float, top: float, height: float, *, entering: bool
) -> Iterable[str]:
    pitch = height / (len(names) + 1)
    for index, name in enumerate(names):
        y = top + pitch * (index + 1)
        start, end = (x + len(name) * PORT_CHAR + 6, x + width) if entering else (x, x + 24)
        yield f'<path d="M{number(start)} {number(y)}H{number(end)}" stroke="{WIRE}" stroke-width="1.2"/>'
        yield f'<path d="M{number(end)} {number(y)}l-7 -3.2v6.4z" fill="{WIRE}"/>'
        yield text(x if entering else end + 5, y + 4, name, 12, family=MONO)
