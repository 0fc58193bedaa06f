"""Block diagrams of modules: blocks, the connections that carry data among them, and how they are drawn as SVG."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from aesmith.drawing.layering import lay_out
from aesmith.drawing.routing import Layout, Place, Size, trunk_name
from aesmith.drawing.svg import FAINT, INK, MONO, WIRE, document, group, path, rect, text


class Symbol(StrEnum):
    """How a block is drawn."""

    INPUT = "input"
    OUTPUT = "output"
    INSTANCE = "instance"
    REGISTER = "register"
    MULTIPLEXER = "multiplexer"
    GATE = "gate"
    CONTROL = "control"


@dataclass(frozen=True)
class Block:
    """One shape of the diagram, for `count` identical instances; `controls` names the narrow nets that steer it."""

    key: str
    kind: Symbol
    label: str
    detail: str = ""
    count: int = 1
    width: int = 0
    controls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Connection:
    """`width` bits of data between blocks. Connections share an `outlet` of the source if they share bits."""

    source: str
    target: str
    width: int
    outlet: int = 0


@dataclass(frozen=True)
class Structure:
    """The blocks of `module` and the data connections among them, both in a fixed order.

    Blocks of kind CONTROL have no data connections; `control_inputs` and `control_outputs` are the narrow ports.
    """

    module: str
    blocks: tuple[Block, ...]
    connections: tuple[Connection, ...]
    control_inputs: tuple[str, ...]
    control_outputs: tuple[str, ...]

    def block(self, key: str) -> Block:
        """The block of that key; KeyError if there is none."""
        return {block.key: block for block in self.blocks}[key]


FILLS = {
    Symbol.INSTANCE: ("#e8f1fb", "#3a6ea5"),
    Symbol.REGISTER: ("#fdf3dc", "#b07d1e"),
    Symbol.CONTROL: ("#f0eef8", "#7360a8"),
}
LINE = 14.0
PORT_CHAR, LABEL_CHAR, SMALL_CHAR = 7.3, 7.8, 6.1
MULTIPLEXER_WIDTH, GATE_WIDTH = 24.0, 26.0
_SLANT = 11.0
_TIP = 10.0


def block_size(block: Block, pins: int) -> Size:
    """The room a block takes with `pins` wires on its busier side."""
    steer = LINE * len(block.controls) + 10 if block.controls else 0.0
    steer_width = max((len(name) * SMALL_CHAR for name in block.controls), default=0.0)
    if block.kind in (Symbol.INPUT, Symbol.OUTPUT):
        return Size(len(block.label) * PORT_CHAR + 26, 26, 26, block.kind is Symbol.INPUT, block.kind is Symbol.OUTPUT)
    if block.kind is Symbol.MULTIPLEXER:
        body = max(44.0, 20.0 * pins + 8)
        return Size(max(MULTIPLEXER_WIDTH, steer_width), body + steer, body)
    if block.kind is Symbol.GATE:
        body = max(26.0, 13.0 * pins)
        return Size(max(GATE_WIDTH, steer_width), body + steer, body)
    words = max(len(block.label) * LABEL_CHAR, len(_second_line(block)) * SMALL_CHAR)
    body = max(48.0, 18.0 * pins + 12)
    return Size(max(76.0, words + 24 + 20 * (block.count > 1), steer_width), body + steer, body)


def half_width(block: Block, size: Size) -> float:
    """Half the width of the shape itself, where its name tags may make the room that holds it wider."""
    return {Symbol.MULTIPLEXER: MULTIPLEXER_WIDTH / 2, Symbol.GATE: GATE_WIDTH / 2}.get(block.kind, size.width / 2)


def draw_block(block: Block, place: Place, size: Size) -> Iterable[str]:
    """The shape of a block at its place, with the names of what steers it underneath."""
    center, middle, bottom = place.x + size.width / 2, place.y + size.body / 2, place.y + size.body
    if block.kind in (Symbol.INPUT, Symbol.OUTPUT):
        yield from _port(block, place, size)
    elif block.kind is Symbol.GATE:
        left = center - GATE_WIDTH / 2
        yield rect(left, place.y, GATE_WIDTH, size.body, radius=13, fill="#ffffff", stroke=INK)
        if block.label == "⊕":
            yield path("M", center - 7, middle, "h", 14, "M", center, middle - 7, "v", 14, stroke=INK)
        else:
            yield text(center, middle + 5, block.label, 14, anchor="middle")
    elif block.kind is Symbol.MULTIPLEXER:
        left, right = center - MULTIPLEXER_WIDTH / 2, center + MULTIPLEXER_WIDTH / 2
        outline = ("M", left, place.y, "L", right, place.y + _SLANT, "V", bottom - _SLANT, "L", left, bottom, "Z")
        yield path(*outline, fill="#ffffff", stroke=INK)
    else:
        yield from draw_box(block, place.x, place.y, size.width, size.body)
    if block.controls:
        # A multiplexer's slanted side ends above its lower edge.
        start = bottom - (_SLANT / 2 if block.kind is Symbol.MULTIPLEXER else 0)
        color = FILLS[Symbol.CONTROL][1]
        yield path("M", center, start, "V", bottom + 13, stroke=color, line=1.2, dash="3 2.5")
        for index, name in enumerate(block.controls):
            yield text(center, bottom + 22 + LINE * index, name, 10, anchor="middle", color=color, family=MONO)


def draw_box(block: Block, x: float, y: float, width: float, height: float) -> Iterable[str]:
    """A box with its label; several identical instances as a stack, a register with the mark of its clock."""
    fill, stroke = FILLS[block.kind]
    for shift in (8, 4) if block.count > 1 else ():
        yield rect(x + shift, y - shift, width - shift, height, radius=5, fill=fill, stroke=stroke, line=1)
    yield rect(x, y, width, height, radius=5, fill=fill, stroke=stroke)
    if block.kind is Symbol.REGISTER:
        yield path("M", x + 8, y + height, "l", 6, -9, "l", 6, 9, stroke=stroke)
    second = _second_line(block)
    center, middle = x + width / 2 - 10 * (block.count > 1), y + height / 2
    yield text(center, middle + (-1 if second else 5), block.label, 14, anchor="middle", weight=600)
    if second:
        yield text(center, middle + 14, second, 10.5, anchor="middle", color=WIRE, family=MONO)
    if block.count > 1:
        yield text(x + width - 7, y + 14, f"×{block.count}", 11, anchor="end", color=stroke, weight=600)


def _second_line(block: Block) -> str:
    return "" if block.detail.replace("_", " ").endswith(block.label) else block.detail


def _port(block: Block, place: Place, size: Size) -> Iterable[str]:
    x, y, right, bottom = place.x, place.y, place.x + size.width, place.y + size.height
    outline = ("M", x, y, "H", right - _TIP, "L", right, y + size.height / 2, "L", right - _TIP, bottom, "H", x, "Z")
    yield path(*outline, fill="#eef1f4", stroke=WIRE, line=1.2)
    center = x + (size.width - _TIP) / 2 + 1
    yield text(center, y + size.height / 2 + 4, block.label, 12, anchor="middle", family=MONO)


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
