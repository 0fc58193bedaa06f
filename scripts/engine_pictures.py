"""Draws engines: what their ports do (`-waveform.svg`), and what they are made of (`-parts.svg`).

    python scripts/engine_pictures.py docs/{ctr,ocb}-waveform.svg docs/{multi-mode,gcm}-parts.svg

Each is what `aesmith build` draws of a preset: a simulation of its sources, and its block diagram.
"""

from __future__ import annotations

import sys
from pathlib import Path

import aesmith
from aesmith.drawing.diagram import draw_diagram
from aesmith.drawing.waveform import Trace, draw_waveform
from aesmith.publish.structure import elaborate, structure
from aesmith.publish.trace import trace_engine
from aesmith.scratch import work_folder

PICTURES = {
    "ctr-waveform.svg": ("ctr-pipeline", "a key, three messages without a bubble between them, a stall"),
    "ocb-waveform.svg": ("ocb-pipeline", "a key, three messages and their tags, a stall"),
}
"""Of each waveform the preset, and what it shows."""
PARTS = {"multi-mode-parts.svg": "gcm-small", "gcm-parts.svg": "gcm-10g"}
"""Of each block diagram the preset."""


def picture(name: str, trace: Trace) -> str:
    """The SVG text of a trace of the engine."""
    return draw_waveform(trace, ": ".join(PICTURES[name]))


def parts(name: str, folder: Path) -> str:
    """The SVG text of the block diagram of the engine, elaborated in a folder."""
    design = aesmith.engine(PARTS[name]).design
    return draw_diagram(structure(design, elaborate(design, folder)), f"{PARTS[name]}: block diagram")


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        with work_folder() as place:
            if path.name in PARTS:
                drawn = parts(path.name, place / "netlist")
            else:
                drawn = picture(path.name, trace_engine(aesmith.engine(PICTURES[path.name][0]).design, place))
        path.write_text(drawn, encoding="utf-8")
