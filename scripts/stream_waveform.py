"""Draws what the ports of engines do: docs/ctr-waveform.svg and docs/ocb-waveform.svg.

    python scripts/stream_waveform.py docs/ctr-waveform.svg docs/ocb-waveform.svg

Each is the simulation that `aesmith build` makes of the sources of a preset.
"""

from __future__ import annotations

import sys
from pathlib import Path

import aesmith
from aesmith.drawing.waveform import Trace, draw_waveform
from aesmith.publish.trace import trace_engine
from aesmith.scratch import work_folder

PICTURES = {
    "ctr-waveform.svg": ("ctr-pipeline", "a key, three messages without a bubble between them, a stall"),
    "ocb-waveform.svg": ("ocb-pipeline", "a key, three messages and their tags, a stall"),
}
"""Of each picture the preset, and what it shows."""


def picture(name: str, trace: Trace) -> str:
    """The SVG text of a trace of the engine."""
    return draw_waveform(trace, ": ".join(PICTURES[name]))


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        with work_folder() as folder:
            made = trace_engine(aesmith.engine(PICTURES[path.name][0]).design, folder)
        path.write_text(picture(path.name, made), encoding="utf-8")
