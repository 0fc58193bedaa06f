"""The blocks of a diagram, the connections that carry data among them, and the symbol that each is drawn as."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from aesmith.drawing.routing import Place, Size
from aesmith.drawing.svg import INK, MONO, WIRE, path, rect, text


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
