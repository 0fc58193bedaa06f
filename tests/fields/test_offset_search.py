"""The exhaustive search over towers and offsets gives the figures of Ueno et al. (TC 2020)."""

import numpy as np
import pytest

from aesmith.errors import RequestError
from aesmith.fields.families import inverter_bases, tower_bases
from aesmith.fields.offset import OffsetMaps
from aesmith.fields.offset_search import (
    ALL_OFFSETS,
    MAPS,
    NO_OFFSET,
    MapTables,
    MapWeights,
    OffsetCandidate,
    SearchResult,
    depth_at_most,
    hamming,
    heaviest_row,
    map_weights,
    search_offsets,
)

ALL_TOWERS = tower_bases("NB/RRB")
INVERTER_TOWERS = inverter_bases("ueno2015")


def best_of(result: SearchResult) -> OffsetCandidate:
    assert result.best is not None
    return result.best


def matrices(maps: OffsetMaps) -> dict[str, tuple[int, ...]]:
    found = {"delta": maps.delta, "delta_inverse": maps.delta_inverse, "phi": maps.phi}
    found |= {f"omega{k}": maps.omega(k) for k in range(2)} | {f"lambda{k}": maps.lambda_(k) for k in range(4)}
    found["decryption_load"] = maps.decryption_load
    return {name: matrix.row_weights for name, matrix in found.items()}


def test_the_published_weights_for_the_inverter() -> None:
    without = best_of(search_offsets(INVERTER_TOWERS, NO_OFFSET))
    result = search_offsets(INVERTER_TOWERS, top=2)
    with_offset = best_of(result)
    assert (without.score, without.basis.alpha) == (4416, 0x1E)
    assert (with_offset.score, with_offset.basis.alpha, with_offset.gamma) == (4016, 0xFE, 0x43)
    assert result.ranked[1].score > 4016
    assert (result.candidates, result.solutions) == (1020, 1020)


def test_the_weights_over_all_towers() -> None:
    assert best_of(search_offsets(ALL_TOWERS, NO_OFFSET)).score == 4232
    best = best_of(search_offsets(ALL_TOWERS))
    assert (best.score, best.basis.alpha, best.gamma) == (3896, 0x4B, 0x98)


def test_phi_in_two_levels_needs_an_offset() -> None:
    two_levels = depth_at_most({"phi": 2})
    assert search_offsets(ALL_TOWERS, NO_OFFSET, constraint=two_levels).solutions == 0
    result = search_offsets(ALL_TOWERS, constraint=two_levels, top=1000)
    assert result.solutions == len(result.ranked) == 155
    assert all(max(candidate.maps.phi.row_weights) <= 4 for candidate in result.ranked)
    assert (best_of(result).score, best_of(result).basis.alpha, best_of(result).gamma) == (3920, 0x16, 0xDB)


def test_the_candidate_of_the_encryption_core_is_among_them() -> None:
    result = search_offsets(ALL_TOWERS, constraint=depth_at_most({"phi": 2, "omega1": 2}), top=1000)
    pairs = {(candidate.basis.alpha, candidate.gamma) for candidate in result.ranked}
    assert (0x09, 0x69) in pairs or (0x08, 0x69) in pairs


@pytest.mark.parametrize(
    ("family", "without", "with_offset"),
    [("PB/RRB", 4168, 3848), ("PB/PB", 3196, 2812), ("NB/PB/PB", 3180, 2856), ("NB/NB/NB", 3296, 3040)],
)
def test_the_weights_of_other_families(family: str, without: int, with_offset: int) -> None:
    bases = tower_bases(family)
    assert best_of(search_offsets(bases, NO_OFFSET)).score == without
    assert best_of(search_offsets(bases)).score == with_offset


def test_the_whole_space_is_searched() -> None:
    counts = []
    result = search_offsets(tower_bases(), top=1, progress=lambda done, total: counts.append((done, total)))
    assert result.candidates == 24_840 * 255
    assert counts[-1] == (24_840, 24_840)
    best = best_of(result)
    assert (best.score, best.basis.family, best.basis.alpha, best.gamma) == (2812, "PB/PB", 0xEF, 0xB7)


@pytest.mark.parametrize("gamma", [1, 0x43, 0xFF])
def test_the_compiled_weights_are_those_of_the_matrices(gamma: int) -> None:
    bases = tower_bases()[::1733]
    weights = map_weights(bases, MapTables.of([gamma]))
    for b, basis in enumerate(bases):
        for name, rows in matrices(basis.maps(gamma)).items():
            assert weights.weight(name)[b, 0] == sum(rows)
            assert weights.heaviest_row(name)[b, 0] == max(rows)


def test_the_multiplicities_decide() -> None:
    result = search_offsets(INVERTER_TOWERS, objective=hamming({"delta": 1, "phi": 3}))
    weights = best_of(result).weights
    assert best_of(result).score == weights["delta"] + 3 * weights["phi"]


def test_the_heaviest_row_can_be_the_objective() -> None:
    best = best_of(search_offsets(ALL_TOWERS, objective=heaviest_row(["phi", "omega1"])))
    assert max(best.heaviest_rows["phi"], best.heaviest_rows["omega1"]) == int(best.score) == 4


def test_an_objective_of_ones_own() -> None:
    def lightest_load(weights: MapWeights) -> np.ndarray:
        return weights.weight("decryption_load") * 2

    best = best_of(search_offsets(ALL_TOWERS, objective=lightest_load))
    assert best.score == 2 * best.weights["decryption_load"]


@pytest.mark.parametrize("top", [1, 7, 300])
def test_the_ranking_is_that_of_a_full_sort(top: int) -> None:
    everything = search_offsets(INVERTER_TOWERS, top=10_000).ranked
    assert search_offsets(INVERTER_TOWERS, top=top).ranked == everything[:top]
    assert [c.score for c in everything] == sorted(c.score for c in everything)


def test_wrong_requests_are_refused() -> None:
    with pytest.raises(RequestError, match="gamma: the multiplicative offset must be 1 to 255, not 0"):
        search_offsets(INVERTER_TOWERS, [0])
    with pytest.raises(RequestError, match="top: must be at least 1"):
        search_offsets(INVERTER_TOWERS, top=0)
    with pytest.raises(RequestError, match=r"map: must be one of delta, .*, not 'psi'"):
        hamming({"psi": 1})
    with pytest.raises(RequestError, match="objective: must give scores of shape"):
        search_offsets(INVERTER_TOWERS, objective=lambda weights: weights.weight("phi")[:1])
    assert len(MAPS) == 10
    assert len(ALL_OFFSETS) == 255
