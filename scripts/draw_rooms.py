"""Draws the rooms of `src/aesmith` and what they import of one another: docs/architecture.svg.

    python scripts/draw_rooms.py docs/architecture.svg

The imports are read from the sources, so the picture is what the code says. An arrow goes from a room to one that uses
it; where a room is also used by way of others, as `fields` is by nearly all, the direct arrow is left out.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from aesmith.drawing.layering import lay_out
from aesmith.drawing.routing import Size
from aesmith.drawing.svg import FAINT, WIRE, document, group, path, rect, text

SOURCE = Path(__file__).parents[1] / "src" / "aesmith"
HEIGHT, PAD, HEAD, CHAR = 34.0, 24.0, 62.0, 8.7
FILL, LINE = "#e8f1fb", "#3a6ea5"


def rooms() -> dict[str, set[str]]:
    """Each room, which is a folder with Python modules, with the rooms it imports; `testing`, above all, is none."""
    names = sorted(folder.name for folder in SOURCE.iterdir() if any(folder.rglob("*.py")) and folder.name != "testing")
    return {name: {room for room in _imported(SOURCE / name) if room in names} - {name} for name in names}


def direct(uses: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Without what a room also uses by way of others."""
    return {
        room: {used for used in each if not any(used in _reached(uses, other) for other in each - {used})}
        for room, each in uses.items()
    }


def picture() -> str:
    """The SVG text."""
    uses = direct(rooms())
    sizes = {room: Size(max(76.0, len(room) * CHAR + 22), HEIGHT, HEIGHT) for room in uses}
    wires = [(used, room, 0) for room, each in uses.items() for used in sorted(each)]
    layout = lay_out(sizes, wires)
    lines = []
    for trunk in layout.trunks:
        parts: list[str | float] = []
        for a, b, c, d in trunk.segments:
            parts += ["M", a, b, "H", c] if b == d else ["M", a, b, "V", d]
        lines.append(path(*parts, stroke=WIRE, line=1.3))
    for room, place in layout.places.items():
        for y in place.entries.values():
            lines.append(path("M", place.x, y, "l", -8, -3.6, "v", 7.2, "z", fill=WIRE))
        size = sizes[room]
        lines.append(rect(place.x, place.y, size.width, size.height, radius=6, fill=FILL, stroke=LINE))
        middle = place.x + size.width / 2
        lines.append(text(middle, place.y + size.height / 2 + 5, room, 13.5, anchor="middle", weight=600))
    title = "The rooms of aesmith"
    note = "an arrow goes from a room to one that imports it; where others stand between, theirs say it"
    head = [text(PAD, 30, title, 15, weight=600), text(PAD, 48, note, 11, color=FAINT)]
    width, height = layout.width + 2 * PAD, layout.height + HEAD + 2 * PAD
    return document(width, height, title, [*head, *group(PAD, HEAD + PAD, lines)])


def _imported(folder: Path) -> Iterator[str]:
    for module in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("aesmith."):
                yield node.module.split(".")[1]
            elif isinstance(node, ast.ImportFrom) and node.module == "aesmith":
                yield from (name.name for name in node.names)


def _reached(uses: Mapping[str, set[str]], room: str) -> set[str]:
    """All that a room uses, directly or by way of others."""
    found: set[str] = set()
    waiting = [room]
    while waiting:
        new = uses[waiting.pop()] - found
        found |= new
        waiting += sorted(new)
    return found


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(), encoding="utf-8")
