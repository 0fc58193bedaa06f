"""Exhaustive search over towers, isomorphisms and multiplicative offsets for the lightest merged maps."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aesmith.errors import RequestError, not_one_of
from aesmith.fields.families import TowerBasis
from aesmith.fields.map_weights import MAPS, MapTables, MapWeights, map_weights
from aesmith.fields.offset import OffsetMaps

Objective = Callable[[MapWeights], NDArray[np.int64] | NDArray[np.float64]]
"""Scores of candidates, shape (bases, offsets); the smallest is the best."""

Constraint = Callable[[MapWeights], NDArray[np.bool_]]
"""Which candidates are allowed, shape (bases, offsets)."""

ALL_OFFSETS = tuple(range(1, 256))
NO_OFFSET = (1,)

DATA_PATH = dict.fromkeys(MAPS[2:9], 16) | {"phi": 20}
"""How often each map stands in the data path of Ueno et al. (TC 2020): Ω0, Ω1, Φ and Λ0 to Λ3 for each of the 16
bytes of the state, and Φ for the four S-boxes of the key schedule. With these multiplicities the weights without and
with offset that the paper gives, 4,416 and 4,016, come out exactly."""

_CHUNK = 240


@dataclass(frozen=True)
class OffsetCandidate:
    """One basis with one offset: its score, and weight and heaviest row of each map, by the names of `MAPS`."""

    basis: TowerBasis
    gamma: int
    score: float
    weights: Mapping[str, int]
    heaviest_rows: Mapping[str, int]

    @property
    def maps(self) -> OffsetMaps:
        """The merged maps themselves."""
        return self.basis.maps(self.gamma)


@dataclass(frozen=True)
class SearchResult:
    """How many candidates there were, how many of them the constraint allowed, and the best ones, best first."""

    candidates: int
    solutions: int
    ranked: tuple[OffsetCandidate, ...]

    @property
    def best(self) -> OffsetCandidate | None:
        """The best allowed candidate, if there is one."""
        return self.ranked[0] if self.ranked else None


def hamming(multiplicities: Mapping[str, int] = DATA_PATH) -> Objective:
    """Total Hamming weight, each map counted as often as `multiplicities` says. Raises RequestError for other names."""
    _check_names(multiplicities)
    factors = np.array([multiplicities.get(name, 0) for name in MAPS], dtype=np.int64)
    if min(factors) < 0 or not factors.any():
        raise RequestError(f"multiplicities: must be 0 or more, and one of them 1 or more, not {dict(multiplicities)}")

    def score(weights: MapWeights) -> NDArray[np.int64]:
        total = np.zeros(weights.weights.shape[:2], np.int64)
        for m in np.flatnonzero(factors):
            total += weights.weights[:, :, m] * factors[m]
        return total

    return score


def heaviest_row(names: Sequence[str] = MAPS[2:9]) -> Objective:
    """Weight of the heaviest row of the named maps, then their total Hamming weight as the fraction /1024."""
    _check_names(names)

    def score(weights: MapWeights) -> NDArray[np.float64]:
        heaviest = np.stack([weights.heaviest_row(name) for name in names]).max(axis=0)
        total = np.stack([weights.weight(name) for name in names]).sum(axis=0)
        return np.asarray(heaviest + total / 1024.0, dtype=np.float64)

    return score


def depth_at_most(bounds: Mapping[str, int]) -> Constraint:
    """Each named map has at most so many XOR levels: no row heavier than 2^levels."""
    _check_names(bounds)

    def allowed(weights: MapWeights) -> NDArray[np.bool_]:
        result = np.ones(weights.weights.shape[:2], np.bool_)
        for name, levels in bounds.items():
            result &= weights.heaviest_row(name) <= 1 << levels
        return result

    return allowed


def objective_in(file: str, function: str) -> Objective:
    """The objective that a function of a Python file is: from `MapWeights` to an array of scores.

    Raises RequestError for a file that is not there or fails, or that has no such function.
    """
    if not Path(file).is_file():
        raise RequestError(f"objective: there is no file {file}")
    specification = importlib.util.spec_from_file_location("aesmith_user_objective", file)
    if specification is None or specification.loader is None:
        raise RequestError(f"objective: {file} is no Python module")
    module = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise RequestError(f"objective: {file} fails when it is run ({type(error).__name__}: {error})") from error
    score = getattr(module, function, None)
    if not callable(score):
        raise RequestError(f"objective: {file} has no function {function!r}")
    return score  # type: ignore[no-any-return]


def search_offsets(
    bases: Sequence[TowerBasis],
    gammas: Sequence[int] = ALL_OFFSETS,
    *,
    objective: Objective | None = None,
    constraint: Constraint | None = None,
    top: int = 10,
    progress: Callable[[int, int], None] | None = None,
) -> SearchResult:
    """Score every basis with every offset; the `top` best, ties in order of bases, then offsets.

    `objective` defaults to `hamming()`. `progress` is called with the number of bases done and of all. Raises
    RequestError for an offset outside 1 to 255, or a `top` below 1.
    """
    if wrong := [gamma for gamma in gammas if not 1 <= gamma <= 255]:
        raise RequestError(f"gamma: the multiplicative offset must be 1 to 255, not {wrong[0]}")
    if top < 1:
        raise RequestError(f"top: must be at least 1, not {top}")
    score = objective or hamming()
    tables = MapTables.of(gammas)
    ranked: list[OffsetCandidate] = []
    solutions = 0
    for begin in range(0, len(bases), _CHUNK):
        chunk = bases[begin : begin + _CHUNK]
        weights = map_weights(chunk, tables)
        scores = np.asarray(score(weights), dtype=np.float64)
        if scores.shape != (len(chunk), len(gammas)):
            raise RequestError(f"objective: must give scores of shape {(len(chunk), len(gammas))}, not {scores.shape}")
        if constraint is not None:
            scores = np.where(constraint(weights), scores, np.inf)
        flat = scores.ravel()
        limit = ranked[-1].score if len(ranked) == top else np.inf
        solutions += int(np.isfinite(flat).sum())
        better = np.flatnonzero(flat < limit)
        if len(better) > top:
            better = better[np.argsort(flat[better], kind="stable")[:top]]
        for index in better:
            b, g = divmod(int(index), len(gammas))
            ranked.append(_candidate(chunk[b], gammas[g], float(flat[index]), weights, (b, g)))
        ranked = sorted(ranked, key=lambda candidate: candidate.score)[:top]
        if progress is not None:
            progress(begin + len(chunk), len(bases))
    return SearchResult(len(bases) * len(gammas), solutions, tuple(ranked))


def _candidate(
    basis: TowerBasis, gamma: int, score: float, weights: MapWeights, at: tuple[int, int]
) -> OffsetCandidate:
    return OffsetCandidate(
        basis,
        gamma,
        score,
        {name: int(weights.weights[(*at, m)]) for m, name in enumerate(MAPS)},
        {name: int(weights.heaviest[(*at, m)]) for m, name in enumerate(MAPS)},
    )


def _check_names(names: Sequence[str] | Mapping[str, int]) -> None:
    if unknown := [name for name in names if name not in MAPS]:
        raise not_one_of("map", unknown[0], MAPS)
