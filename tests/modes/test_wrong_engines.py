"""Every wrong engine of the tests can be made, whichever of them are simulated."""

from __future__ import annotations

from tests.docs.scripts import script as script_of
from tests.modes import conftest, test_chained_engine
from tests.modes.engine_bench import wrong_engine


def test_the_text_of_every_wrong_engine_differs_from_the_right_one_in_one_place() -> None:
    """What is left out of a run would hide that the sources have moved on."""
    right_bytes, right_blocks = test_chained_engine.right_ones(conftest.stand_in)
    lists = [(right, each) for right, each, _ in script_of("engine_traffic").wrong_lists()]
    lists += [(right, test_chained_engine.WRONG) for right in (right_bytes, right_blocks)]
    gone = []
    for right, each in lists:
        for name, fault in each.items():
            try:
                wrong_engine(right, "wrong", *fault)
            except AssertionError as error:
                gone.append((right.title, name, str(error)))
    assert gone == []
