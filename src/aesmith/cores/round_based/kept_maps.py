"""The XOR programs of the cores' linear maps: found once by search, kept as data, checked at every use.

A map that is not in the file (another tower, another offset) gets a quick greedy program. `benchmarks/core_maps.py`
searches for all maps of the presets again and writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from aesmith.circuits.linear import LinearProgram, paar, smallest_depth
from aesmith.fields.bitmatrix import BitMatrix
from aesmith.sboxes.linear_maps import key_text, program

_FILE = "linear_maps.json"
_TRIES = 20


@cache
def shallow(matrix: BitMatrix) -> LinearProgram:
    """The smallest known program of the fewest XOR levels that the matrix can have."""
    return linear_map(matrix, smallest_depth(matrix))


@cache
def linear_map(matrix: BitMatrix, depth: int | None = None) -> LinearProgram:
    """The smallest known program of at most `depth` XOR levels.

    Raises RequestError if no program has so few levels, or if the kept one computes anything else.
    """
    sums = kept_programs().get(key_text(matrix, depth, None))
    if sums is None:
        return paar(matrix, depth, tries=_TRIES)
    return program(matrix, depth, None, sums)


@cache
def kept_programs() -> Mapping[str, Sequence[Sequence[int]]]:
    """The file: for each `key_text` the sums of its program."""
    text = resources.files("aesmith.cores.round_based").joinpath("data", _FILE).read_text(encoding="utf-8")
    programs: Mapping[str, Sequence[Sequence[int]]] = json.loads(text)
    return programs
