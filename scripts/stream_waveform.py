"""Draws what the ports of an engine of CTR with an unrolled core do: docs/ctr-waveform.svg.

    python scripts/stream_waveform.py docs/ctr-waveform.svg

It is the simulation that `aesmith build ctr-pipeline` makes of its sources.
"""

from __future__ import annotations

import sys
from pathlib import Path

import aesmith
from aesmith.drawing.waveform import Trace, draw_waveform
from aesmith.publish.trace import trace_engine
from aesmith.scratch import work_folder

PRESET = "ctr-pipeline"


def picture(trace: Trace) -> str:
    """The SVG text of a trace of the engine."""
    return draw_waveform(trace, f"{PRESET}: a key, three messages without a bubble between them, a stall")


if __name__ == "__main__":
    with work_folder() as folder:
        Path(sys.argv[1]).write_text(picture(trace_engine(aesmith.engine(PRESET).design, folder)), encoding="utf-8")
