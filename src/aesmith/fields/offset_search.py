"""Exhaustive search over towers, isomorphisms and multiplicative offsets for the lightest merged maps.

The inner loop, compiled, has the row weights of all merged maps for many bases and offsets at once. A column of a
merged map Δ·M·Δ' is the word of one field element, so the weights of a map's eight rows are the sum of eight to ten
table entries: for each element, its word with every bit spread to a byte of its own.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aesmith.errors import RequestError, not_one_of
from aesmith.fields import aes
from aesmith.fields.families import TowerBasis
from aesmith.fields.offset import OffsetMaps
from aesmith.lazy import compiled, compiled_with_arrays

MAPS = (
    "delta",
    "delta_inverse",
    "omega0",
    "omega1",
    "phi",
    "lambda0",
    "lambda1",
    "lambda2",
    "lambda3",
    "decryption_load",
)
"""Δγ, Δ'γ⁻¹, Ω0, Ω1, Φ (= Ω2 = Ω3), Λ0 to Λ3 and the map before the first decryption round, as in `OffsetMaps`."""

_FROM_FIELD, _FROM_REGISTER, _FROM_INVERTED = 0, 1, 2
_SOURCES = np.array(
    [_FROM_FIELD, _FROM_REGISTER] + [_FROM_INVERTED] * 7 + [_FROM_REGISTER],
    dtype=np.int64,
)
_TO_FIELD = 1


@dataclass(frozen=True)
class MapWeights:
    """Weights of the maps of some bases at some offsets; every array has the shape (bases, offsets)."""

    weights: NDArray[np.uint8]
    heaviest: NDArray[np.uint8]

    def weight(self, name: str) -> NDArray[np.int64]:
        """Hamming weight (number of ones) of a map of `MAPS`."""
        return self.weights[:, :, MAPS.index(name)].astype(np.int64)

    def heaviest_row(self, name: str) -> NDArray[np.int64]:
        """Weight of the heaviest row of a map of `MAPS`; a row of weight w needs ceil(log2 w) XOR levels."""
        return self.heaviest[:, :, MAPS.index(name)].astype(np.int64)


@dataclass(frozen=True)
class MapTables:
    """For each offset and map, the image of each field element before it is expressed in the register basis."""

    images: NDArray[np.uint8]

    @classmethod
    def of(cls, gammas: Sequence[int]) -> MapTables:
        """Tables for these offsets (1 to 255)."""
        elements = range(256)
        product = np.array([[aes.FIELD.multiply(a, b) for b in elements] for a in elements], dtype=np.uint8)
        affine = np.array([aes.AFFINE.apply(a) for a in elements], dtype=np.uint8)
        inverse_affine = np.array([aes.INVERSE_AFFINE.apply(a) for a in elements], dtype=np.uint8)
        images = np.empty((len(gammas), len(MAPS), 256), dtype=np.uint8)
        for g, gamma in enumerate(gammas):
            by, back = product[gamma], product[aes.FIELD.inverse(gamma)]
            images[g, 0] = by
            images[g, 1] = back
            for k in range(3):
                images[g, 2 + k] = by[product[aes.MIX_COLUMNS[k]][affine[by]]]
            for k in range(4):
                images[g, 5 + k] = back[inverse_affine[product[aes.INVERSE_MIX_COLUMNS[k]][back]]]
            images[g, 9] = back[inverse_affine[back]]
        return cls(images)


def map_weights(bases: Sequence[TowerBasis], tables: MapTables) -> MapWeights:
    """Weights of all maps for every basis and every offset of the tables."""
    register = np.array([basis.register_elements for basis in bases], dtype=np.uint8)
    inverted = np.zeros((len(bases), 10), dtype=np.uint8)
    for row, basis in zip(inverted, bases, strict=True):
        elements = basis.inverted_elements
        row[: len(elements)] = elements
    shape = (len(bases), tables.images.shape[0], len(MAPS))
    weights, heaviest = np.empty(shape, np.uint8), np.empty(shape, np.uint8)
    _weigh(register, inverted, tables.images, _SOURCES, weights, heaviest)
    return MapWeights(weights, heaviest)


@compiled
def _spread(word: int) -> np.uint64:
    total = np.uint64(0)
    for bit in range(8):
        if word >> bit & 1:
            total |= np.uint64(1) << np.uint64(8 * bit)
    return total


@compiled_with_arrays
def _weigh(  # noqa: PLR0917 - compiled code takes no keyword arguments
    register: NDArray[np.uint8],
    inverted: NDArray[np.uint8],
    images: NDArray[np.uint8],
    sources: NDArray[np.int64],
    weights: NDArray[np.uint8],
    heaviest: NDArray[np.uint8],
) -> None:
    spread_bits = np.zeros(256, np.uint64)
    for word in range(256):
        spread_bits[word] = _spread(word)
    spread_words = np.zeros(256, np.uint64)
    columns = np.zeros((3, 10), np.uint8)
    for j in range(8):
        columns[0, j] = 1 << j
    ones = np.uint64(0x0101010101010101)
    for b in range(register.shape[0]):
        for word in range(256):
            element = np.uint8(0)
            for bit in range(8):
                if word >> bit & 1:
                    element ^= register[b, bit]
            spread_words[element] = spread_bits[word]
        columns[1, :8] = register[b]
        columns[2] = inverted[b]
        for g in range(images.shape[0]):
            for m in range(images.shape[1]):
                spread = spread_bits if m == _TO_FIELD else spread_words
                source = sources[m]
                total = np.uint64(0)
                for j in range(10 if source == _FROM_INVERTED else 8):
                    total += spread[images[g, m, columns[source, j]]]
                weights[b, g, m] = (total * ones) >> np.uint64(56)
                most = np.uint64(0)
                for bit in range(8):
                    most = max(most, (total >> np.uint64(8 * bit)) & np.uint64(0xFF))
                heaviest[b, g, m] = most


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
