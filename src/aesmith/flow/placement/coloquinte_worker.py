"""The process in which Coloquinte places: `python -m aesmith.flow.placement.coloquinte_worker JOB RESULT`.

It talks while it works and cannot be told to stop, so it has a process of its own. JOB and RESULT are files of JSON, in
whole nanometres: `widths` of the cells, `height` of a row, `site`, the core's `across` and `up`, the fixed `spots` of
ports, first guesses `x` and `y` of cells, and `nets`, each a list of cells and, behind them in number, spots. The
result has the lower left corners `x` and `y` of the cells.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import coloquinte


def placed(job: dict[str, Any]) -> dict[str, list[int]]:
    """What Coloquinte makes of a job."""
    widths, height, spots = job["widths"], job["height"], job["spots"]
    cells = len(widths)
    circuit = coloquinte.Circuit(cells + len(spots))
    # A port as small as a point makes the placer's bins as small, which exhausts the memory.
    circuit.cell_width = [*widths, *[job["site"]] * len(spots)]
    circuit.cell_height = [height] * (cells + len(spots))
    circuit.cell_is_fixed = [False] * cells + [True] * len(spots)
    circuit.cell_is_obstruction = [False] * (cells + len(spots))
    circuit.setup_rows(coloquinte.Rectangle(0, job["across"], 0, job["up"]), height, True, True)
    circuit.cell_x = [*job["x"], *(spot[0] for spot in spots)]
    circuit.cell_y = [*job["y"], *(spot[1] for spot in spots)]
    for members in job["nets"]:
        offsets = [(widths[m] // 2, height // 2) if m < cells else (0, 0) for m in members]
        circuit.add_net(members, [a for a, _ in offsets], [b for _, b in offsets])
    parameters = coloquinte.ColoquinteParameters(job["effort"], job["seed"])
    if job["from_scratch"]:
        circuit.place_global(parameters)
    circuit.legalize(parameters)
    circuit.place_detailed(parameters)
    return {"x": circuit.cell_x[:cells], "y": circuit.cell_y[:cells]}


def main(job: str, result: str) -> None:
    """Read the job, place, write the result."""
    Path(result).write_text(json.dumps(placed(json.loads(Path(job).read_text()))))


if __name__ == "__main__":
    main(*sys.argv[1:])
