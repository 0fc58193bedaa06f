"""Candidates of the offset search by what their maps really cost: XOR gates with all sharing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from aesmith.circuits.linear.search import best
from aesmith.errors import RequestError
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.fields.offset import OffsetMaps
from aesmith.fields.offset_search import SearchResult

DEFAULT_MAPS = ("omega1", "phi", "lambda0", "lambda1", "lambda2", "lambda3")
"""The maps that one inverter output enters in a core for both directions."""


def stacked_maps(maps: OffsetMaps, names: Sequence[str] = DEFAULT_MAPS) -> BitMatrix:
    """The named maps of the inverter's output (omega0, omega1, phi, lambda0 to lambda3), one above the other."""
    known = {"omega0": maps.omega(0), "omega1": maps.omega(1), "phi": maps.phi}
    known |= {f"lambda{k}": maps.lambda_(k) for k in range(4)}
    if unknown := [name for name in names if name not in known]:
        raise RequestError(f"map: must be one of {', '.join(known)}, not {unknown[0]!r}")
    return stack(known[name] for name in names)


def rank_by_xors(
    result: SearchResult,
    shortlist: int,
    depth: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    names: Sequence[str] = DEFAULT_MAPS,
) -> SearchResult:
    """The first `shortlist` candidates ranked again by the XOR gates of one circuit of the named maps.

    Hamming weight predicts XOR gates well but not exactly, so the shortlist should be longer than what is wanted of
    it. Raises RequestError for a depth that no circuit of a candidate's maps can meet.
    """
    ranked = []
    for count, candidate in enumerate(result.ranked[:shortlist], start=1):
        program = best(stacked_maps(candidate.maps, names), depth)
        ranked.append(replace(candidate, score=float(program.xors)))
        if progress is not None:
            progress(count, min(shortlist, len(result.ranked)))
    return SearchResult(result.candidates, result.solutions, tuple(sorted(ranked, key=lambda found: found.score)))
