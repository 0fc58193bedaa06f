"""The offset search over whole groups of towers, without and with offset, and its candidates by their real cost.

What maps cost is XOR gates with all sharing, which Hamming weights only estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from aesmith.circuits.linear.search import best
from aesmith.errors import not_one_of
from aesmith.fields.bitmatrix import BitMatrix, stack
from aesmith.fields.families import TowerBasis, inverter_bases, tower_bases, tower_families
from aesmith.fields.offset import OffsetMaps
from aesmith.fields.offset_search import ALL_OFFSETS, NO_OFFSET, Constraint, Objective, SearchResult, search_offsets

DEFAULT_MAPS = ("omega1", "phi", "lambda0", "lambda1", "lambda2", "lambda3")
"""The maps that one inverter output enters in a core for both directions."""


def stacked_maps(maps: OffsetMaps, names: Sequence[str] = DEFAULT_MAPS) -> BitMatrix:
    """The named maps of the inverter's output (omega0, omega1, phi, lambda0 to lambda3), one above the other."""
    known = {"omega0": maps.omega(0), "omega1": maps.omega(1), "phi": maps.phi}
    known |= {f"lambda{k}": maps.lambda_(k) for k in range(4)}
    if unknown := [name for name in names if name not in known]:
        raise not_one_of("map", unknown[0], known)
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


def tower_groups(inverter: str | None, chosen: Sequence[str] | None) -> dict[str, tuple[TowerBasis, ...]]:
    """The towers to search by group: an inverter's own, if one is named, and all of the chosen families.

    Without a choice that is the inverter's family, else every family. Raises RequestError for unknown names.
    """
    groups: dict[str, tuple[TowerBasis, ...]] = {}
    if inverter is not None:
        groups["inverter_towers"] = inverter_bases(inverter)
        chosen = chosen or [groups["inverter_towers"][0].family]
    names = dict.fromkeys(chosen or tower_families())
    groups["all_towers"] = tuple(basis for name in names for basis in tower_bases(name))
    return groups


def search_groups(
    groups: Mapping[str, Sequence[TowerBasis]],
    objective: Objective,
    constraint: Constraint | None = None,
    *,
    shortlist: int | None = None,
    depth: int | None = None,
    top: int = 10,
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[str, dict[str, SearchResult]]:
    """The `top` best of each group, `without_offset` and `with_offset`.

    With a `shortlist` as many of the best are ranked again by XOR gates, in at most `depth` levels if it is given.
    `progress` is called with what is searched, the number of bases done and of all. Raises as `search` does.
    """
    found: dict[str, dict[str, SearchResult]] = {}
    for name, bases in groups.items():
        found[name] = {}
        for which, gammas in (("without_offset", NO_OFFSET), ("with_offset", ALL_OFFSETS)):
            told = None if progress is None else partial(progress, f"{name}, {which}".replace("_", " "))
            keep = top if shortlist is None else max(top, shortlist)
            result = search_offsets(bases, gammas, objective=objective, constraint=constraint, top=keep, progress=told)
            if shortlist is not None:
                result = rank_by_xors(result, shortlist, depth, told)
            found[name][which] = SearchResult(result.candidates, result.solutions, result.ranked[:top])
    return found
