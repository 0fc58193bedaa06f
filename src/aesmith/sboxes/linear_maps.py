"""The XOR programs of the catalogue's linear maps: found once by long search, kept as data, checked at every use.

A map that is not in the file is searched for when asked for, which takes about a second. `benchmarks/sbox_maps.py`
searches for all maps of the catalogue again and writes the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from aesmith.circuits.linear import LinearProgram, best
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix

_FILE = "linear_maps.json"


def linear_map(matrix: BitMatrix, depth: int | None = None, arrivals: tuple[int, ...] | None = None) -> LinearProgram:
    """The smallest known XOR program of `matrix`, of at most `depth` XOR levels, inputs coming at level `arrivals`.

    Raises RequestError if no program has so few levels, or if the kept one computes anything else.
    """
    sums = kept_programs().get(key_text(matrix, depth, arrivals))
    if sums is None:
        return best(matrix, depth, arrivals=arrivals)
    return program(matrix, depth, arrivals, sums)


def program(
    matrix: BitMatrix, depth: int | None, arrivals: tuple[int, ...] | None, sums: Sequence[Sequence[int]]
) -> LinearProgram:
    """The program with these sums. Raises RequestError unless it computes the matrix within the depth."""
    signals = LinearProgram(matrix.width, tuple((pair[0], pair[1]) for pair in sums), ())
    where = {form: signal for signal, form in reversed(list(enumerate(signals.forms)))}
    if missing := [row for row in matrix.rows if row and row not in where]:
        raise RequestError(f"linear map: the kept program does not compute the row {missing[0]:#x}")
    found = LinearProgram(matrix.width, signals.sums, tuple(where[row] if row else None for row in matrix.rows))
    if depth is not None and max(found.levels(arrivals)) > depth:
        raise RequestError(f"linear map: the kept program has {max(found.levels(arrivals))} levels, not {depth}")
    return found


def parse_key(text: str) -> tuple[BitMatrix, int | None, tuple[int, ...] | None]:
    """Matrix, depth bound and arrival levels of a name that `key_text` gave."""
    request, _, levels = text.partition(" from ")
    request, _, depth = request.partition(" @")
    width, _, rows = request.partition(": ")
    matrix = BitMatrix(tuple(int(row, 16) for row in rows.split()), int(width))
    return matrix, int(depth) if depth else None, tuple(map(int, levels.split())) or None


def key_text(matrix: BitMatrix, depth: int | None, arrivals: tuple[int, ...] | None) -> str:
    """The name under which a map's program is kept: width, rows in hexadecimal, depth bound, arrival levels."""
    text = f"{matrix.width}: " + " ".join(format(row, "x") for row in matrix.rows)
    if depth is not None:
        text += f" @{depth}"
    return text if arrivals is None else text + " from " + " ".join(map(str, arrivals))


@cache
def kept_programs() -> Mapping[str, Sequence[Sequence[int]]]:
    """The sums of every program in the file, by the name of its map."""
    text = resources.files("aesmith.sboxes").joinpath("data", _FILE).read_text(encoding="utf-8")
    programs: Mapping[str, Sequence[Sequence[int]]] = json.loads(text)
    return programs
