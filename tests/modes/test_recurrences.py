"""Clocks of GCM and OCB3 by recurrences: with whole beats they are those of the closed formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aesmith.cores.design import Direction
from aesmith.modes.clocks import mean_clocks, passing, run
from aesmith.modes.engine import TURNS, StreamEngine
from aesmith.modes.gcm_engine import GcmEngine
from aesmith.modes.ocb_engine import OcbEngine

BOTH = (Direction.ENCRYPT, Direction.DECRYPT)
ENGINES: tuple[tuple[Any, tuple[Any, ...], dict[str, Any]], ...] = (
    (GcmEngine, (10, 11), {}),
    (GcmEngine, (10, 11), {"cores": 3, "digit": 16}),
    (GcmEngine, (3, 7), {"cores": 2, "digit": 64, "release": "cut-through"}),
    (GcmEngine, (1, 11), {"digit": 128, "splits": "oooo", "ghash_stages": 2, "release": "cut-through"}),
    (OcbEngine, (10, 11, BOTH), {"entries": 24}),
    (OcbEngine, (10, 11, BOTH), {"cores": 3, "release": "cut-through"}),
    (OcbEngine, (14, 15, BOTH), {"cores": 4, "entries": 40}),
    (OcbEngine, (2, 9), {"cores": 2}),
    (OcbEngine, (1, 31, BOTH), {"entries": 64}),
)


def mean_of(design: StreamEngine, headers: int, texts: int, encrypt: bool) -> float:
    """By the recurrence, in words of the engine's stream."""
    assert design.recurrence is not None
    sent, way = design.plain(headers, texts, encrypt=encrypt), design.encrypts(asked=encrypt)
    message = passing(sent, design.stream_bits // 8, encrypt=way, opens=False)
    return mean_clocks(design.recurrence, message, TURNS * design.cores)


@pytest.mark.parametrize(("engine", "core", "how"), ENGINES)
def test_with_whole_beats_the_recurrence_has_the_clocks_of_the_formula(
    engine: Any, core: tuple[Any, ...], how: dict[str, Any], stand_ins: Any
) -> None:
    design = engine("engine", stand_ins[0](*core), **how)
    for headers, texts, encrypt in design.kinds():
        assert mean_of(design, headers, texts, encrypt) == design.message_cycles(headers, texts, encrypt=encrypt)


def test_in_words_a_message_takes_more_than_the_clocks_of_beats_and_those_of_words(stand_ins: Any) -> None:
    """What waits for the words of a header does nothing for the text behind it: no maximum of two formulas is it."""
    design = GcmEngine("gcm", stand_ins[0](10, 11), cores=2, digit=32, stream_bits=8)
    slower = max(replace(design, stream_bits=128).message_cycles(1, 1), len(design.plain(1, 1).beats))
    assert design.message_cycles(1, 1) == mean_of(design, 1, 1, True) == max(design.demands(1, 1).values())
    assert design.message_cycles(1, 1) > slower


def test_parts_that_wait_for_one_another_are_told() -> None:
    clocks: list[int] = []

    def part() -> Any:
        clocks.append((yield clocks, 0))

    with pytest.raises(AssertionError, match="waits for another"):
        run([part()])
