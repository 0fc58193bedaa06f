"""A front is what comparing every point with every other gives, whatever the figures and their senses."""

import itertools
import random

import numpy as np
import pandas as pd
import pytest

from aesmith.errors import RequestError
from aesmith.explore.points import on_front, pareto_front


def dominated(row: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(b <= a for a, b in zip(row, other, strict=True)) and row != other


@pytest.mark.parametrize("seed", range(60))
def test_the_front_is_what_comparing_all_pairs_gives(seed: int) -> None:
    """Figures of few values, so that there are ties and equal rows; some are missing."""
    rng = random.Random(seed)
    columns = [f"f{i}" for i in range(rng.randint(1, 4))]
    minimise = [name for name in columns if rng.random() < 0.5]
    maximise = [name for name in columns if name not in minimise]
    values = [1.5, 2, 3, 4.25, 7, float("nan")] if rng.random() < 0.5 else [rng.random() for _ in range(99)]
    rows = [[rng.choice(values) for _ in columns] for _ in range(rng.randint(0, 40))]
    frame = pd.DataFrame(rows, columns=columns, index=rng.sample(range(1000), len(rows)), dtype=float)
    costs = [tuple(v if name in minimise else -v for name, v in zip(columns, row, strict=True)) for row in rows]
    whole = [not any(np.isnan(cost)) for cost in costs]
    expected = [
        complete
        and not any(
            other_complete and dominated(cost, other) for other, other_complete in zip(costs, whole, strict=True)
        )
        for cost, complete in zip(costs, whole, strict=True)
    ]
    found = on_front(frame, minimise=minimise, maximise=maximise)
    assert list(found.index) == list(frame.index)
    assert list(found) == expected


def test_the_front_of_two_figures_is_a_staircase() -> None:
    frame = pd.DataFrame({"area": [3, 1, 2, 2, 9], "speed": [5, 1, 4, 3, 5]}, index=list("abcde"))
    front = pareto_front(frame, minimise=["area"], maximise=["speed"])
    assert list(front.index) == ["b", "c", "a"]
    assert all(a < b for a, b in itertools.pairwise(front["speed"]))


@pytest.mark.parametrize(
    ("minimise", "maximise", "message"),
    [
        ([], [], "needs one figure"),
        (["area"], ["area"], "each named once"),
        (["weight"], [], "have area"),
        (["name"], [], "area"),
    ],
)
def test_figures_that_there_are_not_are_refused(minimise: list[str], maximise: list[str], message: str) -> None:
    frame = pd.DataFrame({"area": [1.0], "name": ["x"]})
    with pytest.raises(RequestError, match=message):
        on_front(frame, minimise=minimise, maximise=maximise)
