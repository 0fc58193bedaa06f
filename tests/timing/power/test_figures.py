"""A plan is checked before any work, and a list of blocks line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from aesmith.errors import RequestError
from aesmith.timing.power.figures import PowerPlan, PowerStimulus, clock_of, read_blocks

KEY, BLOCK = "00" * 16, "0f" * 16


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"clock_mhz": 0.0}, "clock_mhz: must be 0.001 to 100000, not 0"),
        ({"precision": 0.9}, "precision: must be 0.01 % to 50 %, not 90 %"),
        ({"most_batches": 0}, "most_batches: must be at least 1, not 0"),
        ({"seed": -1}, "seed: must be at least 0, not -1"),
        ({"stimulus": PowerStimulus.LISTED}, "listed: the stimulus 'listed' needs blocks"),
    ],
)
def test_a_wrong_plan_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        PowerPlan(**fields)  # type: ignore[arg-type]


def test_a_key_holds_until_the_next(tmp_path: Path) -> None:
    file = tmp_path / "blocks"
    file.write_text(f"# key and block\n{KEY} {BLOCK}\n{BLOCK.upper()}  # same key\n\n{BLOCK} {KEY}\n")
    key, block = bytes.fromhex(KEY), bytes.fromhex(BLOCK)
    assert read_blocks(file, (128,)) == ((key, block), (key, block), (block, key))


@pytest.mark.parametrize("line", [BLOCK, f"{KEY} {BLOCK} {BLOCK}", f"{KEY[:-2]} {BLOCK}", f"{KEY} {BLOCK[:-1]}x", "x"])
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "blocks"
    file.write_text(f"\n{line}\n")
    with pytest.raises(RequestError, match=r"line 2: must be a key of 32 hexadecimal digits"):
        read_blocks(file, (128,))


def test_a_list_without_blocks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none").write_text("# nothing\n")
    with pytest.raises(RequestError, match="has no block"):
        read_blocks(tmp_path / "none", (128,))
    with pytest.raises(RequestError, match="cannot be read"):
        read_blocks(tmp_path / "missing", (128,))


@pytest.mark.parametrize(
    ("clock", "period", "simulated"),
    [
        (None, None, 100.0),
        (None, 1.5, 100.0),
        (None, 10.0, 100.0),
        (None, 21.192, 47.1),
        (None, 2119.2, 0.471),
        (40.0, 21.192, 40.0),
        (666.0, 1.5, 666.0),
    ],
)
def test_the_clock_is_the_one_given_or_one_that_the_netlist_reaches(
    clock: float | None, period: float | None, simulated: float
) -> None:
    assert clock_of(PowerPlan(clock_mhz=clock), period) == pytest.approx(simulated)


def test_a_clock_faster_than_the_netlist_is_refused_with_the_one_that_serves() -> None:
    says = r"clock: 100 MHz is a period of 10 ns, but the netlist needs 21\.19 ns; give 47\.1 MHz or less"
    with pytest.raises(RequestError, match=says):
        clock_of(PowerPlan(clock_mhz=100.0), 21.192)
    assert clock_of(PowerPlan(clock_mhz=100.0, zero_delay=True), 21.192) == 100


def test_no_clock_is_kept_under_the_name_of_the_usual_one() -> None:
    """What was measured at 100 MHz before there was a choice is found again."""
    assert PowerPlan().identity == PowerPlan(clock_mhz=100.0).identity
    assert PowerPlan(clock_mhz=50.0).identity != PowerPlan().identity
