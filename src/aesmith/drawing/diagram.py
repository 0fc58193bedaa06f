"""Draws the block diagram of a module as SVG, from its structure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from aesmith.drawing.blocks import (
    FILLS,
    LABEL_CHAR,
    PORT_CHAR,
    SMALL_CHAR,
    Block,
    Structure,
    Symbol,
    block_size,
    draw_block,
    draw_box,
    half_width,
)
from aesmith.drawing.layering import lay_out
from aesmith.drawing.routing import Layout, Size, trunk_name
from aesmith.drawing.svg import FAINT, MONO, WIRE, document, group, path, rect, text

PAD = 28.0
HEAD = 40.0
STRIP_GAP = 34.0


def draw_diagram(structure: Structure, title: str) -> str:
    """The SVG text of the block diagram, with `title` above it."""
    sizes = {b.key: block_size(b, _pins(b, structure)) for b in structure.blocks if b.kind is not Symbol.CONTROL}
    layout = lay_out(sizes, [(c.source, c.target, c.outlet) for c in structure.connections])
    lines = [*_wires(structure, layout, sizes)]
    for block in structure.blocks:
        if block.key in sizes:
            lines += draw_block(block, layout.places[block.key], sizes[block.key])
    strip, strip_height, strip_width = _control_strip(structure, layout.height + STRIP_GAP)
    width = max(layout.width, strip_width, len(title) * 8.6) + 2 * PAD
    height = HEAD + layout.height + (STRIP_GAP + strip_height if strip else 0.0) + 2 * PAD
    heading = text(PAD, PAD + 4, title, 15, weight=600)
    return document(width, height, title, [heading, *group(PAD, PAD + HEAD, [*lines, *strip])])


def _pins(block: Block, structure: Structure) -> int:
    """Wires on the side of a block that has more of them."""
    outlets = {c.outlet for c in structure.connections if c.source == block.key}
    return max(sum(c.target == block.key for c in structure.connections), len(outlets))


def _wires(structure: Structure, layout: Layout, sizes: Mapping[str, Size]) -> Iterable[str]:
    widths: dict[str, set[int]] = defaultdict(set)
    sources: dict[str, str] = {}
    shapes = {block.key: block for block in structure.blocks}
    for connection in structure.connections:
        trunk_of = trunk_name(connection.source, connection.outlet)
        widths[trunk_of].add(connection.width)
        sources[trunk_of] = connection.source
    for trunk in layout.trunks:
        parts: list[str | float] = []
        for a, b, c, d in (_clip(segment, layout, sizes, shapes) for segment in trunk.segments):
            if (a, b) != (c, d):
                parts += ["M", a, b, "H", c] if b == d else ["M", a, b, "V", d]
        yield path(*parts, stroke=WIRE, line=1.5)
        for x, y in trunk.branches:
            yield path("M", x - 2.8, y, "a 2.8 2.8 0 1 0 5.6 0 a 2.8 2.8 0 1 0 -5.6 0", fill=WIRE)
        source = sources[trunk.name]
        place, size = layout.places[source], sizes[source]
        if len(widths[trunk.name]) == 1:
            start = place.x + size.width / 2 + half_width(shapes[source], size)
            yield from _width_mark(start + 4, place.exits[trunk.name], min(widths[trunk.name]))
    for connection in structure.connections:
        place, size = layout.places[connection.target], sizes[connection.target]
        end = place.x + size.width / 2 - half_width(shapes[connection.target], size)
        name = trunk_name(connection.source, connection.outlet)
        y = place.entries[name]
        yield path("M", end, y, "l", -8, -3.6, "v", 7.2, "z", fill=WIRE)
        if len(widths[name]) > 1:
            yield from _width_mark(end - 28, y, connection.width)


def _clip(
    segment: tuple[float, float, float, float], layout: Layout, sizes: Mapping[str, Size], shapes: Mapping[str, Block]
) -> tuple[float, float, float, float]:
    """Extends a wire that ends at the room of a narrow symbol up to the symbol itself."""
    a, b, c, d = segment
    for key, place in layout.places.items():
        size = sizes[key]
        spare = size.width / 2 - half_width(shapes[key], size)
        if b == d and place.y <= b <= place.y + size.body:
            if abs(c - place.x) < 0.01:
                c += spare
            if abs(a - place.x - size.width) < 0.01:
                a -= spare
    return a, b, c, d


def _width_mark(x: float, y: float, width: int) -> Iterable[str]:
    yield path("M", x + 4, y + 4, "l", 5, -8, stroke=WIRE, line=1.1)
    yield text(x + 8, y - 5, str(width), 10, color=FAINT, family=MONO)


def _control_strip(structure: Structure, top: float) -> tuple[list[str], float, float]:
    """The blocks that steer, with the handshake ports beside them; empty if there are none."""
    blocks = [block for block in structure.blocks if block.kind is Symbol.CONTROL]
    inputs, outputs = structure.control_inputs, structure.control_outputs
    if not blocks and not inputs and not outputs:
        return [], 0.0, 0.0
    if not blocks:
        blocks = [Block("control", Symbol.CONTROL, "control")]
    rows = max(len(inputs), len(outputs), 2)
    height = rows * 18.0 + 14
    left = max((len(name) * PORT_CHAR for name in inputs), default=0.0) + 34
    right = max((len(name) * PORT_CHAR for name in outputs), default=0.0) + 34
    names = sorted({name for block in structure.blocks for name in block.controls})
    steer = f"steers: {', '.join(names)}" if names else ""
    widths = [max(len(block.label) * LABEL_CHAR, len(block.detail) * SMALL_CHAR) + 40 for block in blocks]
    inner = max(sum(widths) + 12 * (len(blocks) - 1), len(steer) * SMALL_CHAR + 24)
    color = FILLS[Symbol.CONTROL][1]
    lines = [rect(left, top, inner, height, radius=7, fill="#faf9fd", stroke=color, line=1, dash="4 3")]
    lines += _strip_ports(inputs, 0.0, left, top, height, entering=True)
    lines += _strip_ports(outputs, left + inner, right, top, height, entering=False)
    x = left + (inner - sum(widths) - 12 * (len(blocks) - 1)) / 2
    for block, width in zip(blocks, widths, strict=True):
        lines += draw_box(block, x, top + 9, width, height - (30 if steer else 18))
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
        yield path("M", start, y, "H", end, stroke=WIRE, line=1.2)
        yield path("M", end, y, "l", -7, -3.2, "v", 6.4, "z", fill=WIRE)
        yield text(x if entering else end + 5, y + 4, name, 12, family=MONO)
