"""Measure the areas of multipliers of GF(2^128) that docs/evidence/multipliers.md states.

    python benchmarks/multiplier_areas.py LIBRARY [CIRCUIT ...]

LIBRARY is a registered library or a Liberty file. A circuit is a word of splits, or a digit and a word (`16bbb`). Each
is mapped bare by recipe `keep`; a line has its gates, levels, area in GE and delay in ns.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from aesmith.circuits.cost import depth
from aesmith.circuits.multipliers.field_128 import digit_step, multiplier
from aesmith.cores.leaf import bare
from aesmith.flow.measure import measure
from aesmith.flow.measurement import Optimise
from aesmith.flow.recipes import one_recipe
from aesmith.technology.registry import library_by

CIRCUITS = ("", "oooo", "ooooo", "ooobb", "bbbbb", "1", "8", "16bbb", "32bbbb", "64bbbb")


def main(arguments: list[str]) -> None:
    """Measure and print."""
    library = library_by(arguments[0])
    for asked in arguments[1:] or CIRCUITS:
        digit, splits = re.fullmatch(r"(\d*)(\D*)", asked).groups()  # type: ignore[union-attr]
        circuit = (digit_step(int(digit), splits) if digit else multiplier(splits)).circuit
        with tempfile.TemporaryDirectory() as work:
            found = measure(bare(circuit, circuit.name), library, Optimise.AREA, Path(work), plan=one_recipe("keep"))
        figures = f"{len(circuit.gates)} gates, {depth(circuit):.0f} levels, {found.area_ge:.1f} GE"
        print(f"{circuit.name}: {figures}, {found.input_to_output_ns:.3f} ns", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
