"""A run takes a tier, of tests marked `one_in` a part, and runs with seeds in a row take everything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.tiers import (
    ALL_SECONDS,
    PART,
    QUICK,
    QUICK_SECONDS,
    THOROUGH,
    Row,
    left_out,
    read_record,
    record_of,
    recorded_seconds,
    write_record,
)

ROOT = Path(__file__).parents[1]

MARKED = [(f"test_a.py::test_many[{number}]", 3) for number in range(7)]
MARKED += [(f"test_a.py::test_few[{name}]", 4) for name in ("one", "two")]
MARKED += [("test_b.py::test_without_cases", 3), ("test_b.py::test_of_one_case[here]", 5)]


@pytest.mark.parametrize("first", [0, 5, 0x2FFFD])
def test_runs_in_a_row_take_every_case(first: int) -> None:
    left = [left_out(MARKED, first + seed) for seed in range(4)]
    assert not set.intersection(*left)
    assert set.union(*left) == {name for name, _ in MARKED if "of_one_case" not in name}


@pytest.mark.parametrize("seed", range(12))
def test_a_run_takes_a_part_of_a_tests_cases_and_never_none(seed: int) -> None:
    left = left_out(MARKED, seed)
    for test, most in (("test_many", 3), ("test_few", 1), ("test_of_one_case", 1)):
        taken = sum(f"::{test}[" in name for name, _ in MARKED if name not in left)
        assert 1 <= taken <= most, test


def test_a_test_without_cases_is_in_one_of_three_runs() -> None:
    assert sum("test_b.py::test_without_cases" not in left_out(MARKED, seed) for seed in range(9)) == 3


SUITE = """
import pytest

@pytest.mark.thorough
def test_long(): ...

@pytest.mark.thorough(but=("small",))
@pytest.mark.parametrize("size", ["small", "large"])
def test_sizes(size): ...

def test_cheap(): ...

@pytest.mark.one_in(2)
@pytest.mark.thorough(but=("a",))
@pytest.mark.parametrize("case", ["a", "b", "c"])
def test_parts(case): ...

@pytest.mark.thorough(but=2)
@pytest.mark.parametrize("case", ["one", "two", "three"])
def test_counted(case): ...

def test_that_fails():
    assert RIGHT
"""


@pytest.fixture
def suite(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a small suite with the plugin of this one; arguments are pytest's."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n thorough: of all\n slow: long\n one_in: part\n")
    (tmp_path / "conftest.py").write_text(
        "import pytest\nfrom tests import tiers\n"
        "def pytest_addoption(parser): tiers.add_options(parser)\n"
        "def pytest_collection_modifyitems(config, items): tiers.choose(config, items, {})\n"
        "@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_runtestloop(session): return tiers.show_in_the_place_of_running(session)\n"
        "@pytest.hookimpl(wrapper=True, tryfirst=True)\n"
        "def pytest_terminal_summary(terminalreporter):\n"
        "    yield\n"
        "    tiers.say_what_to_run_alone(terminalreporter)\n"
    )

    def run(
        *arguments: str, text: str = SUITE, right: bool = True, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        (tmp_path / "test_it.py").write_text(f"RIGHT = {right}\n{text}")
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", *arguments]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        environment |= {"PYTHONPATH": str(ROOT), "AESMITH_GRID_SEED": "0"} | variables
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run


def ran(said: str) -> set[str]:
    """The tests that passed, without their file."""
    return set(re.findall(r"::(test_\S+) PASSED", said))


def test_a_tier_is_run_by_its_mark_and_cases_that_a_mark_names_are_quick(
    suite: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    quick = {"test_sizes[small]", "test_cheap", "test_parts[a]", "test_that_fails", "test_counted[one]"}
    quick |= {"test_counted[two]"}
    assert ran(suite("--tier=quick").stdout) == quick
    thorough = suite("--tier=thorough", AESMITH_ALL_CASES="1").stdout
    assert {"test_long", "test_sizes[large]", "test_counted[three]"} < ran(thorough)
    assert not ran(thorough) & quick
    everything = ran(suite(AESMITH_ALL_CASES="1").stdout)
    assert everything == quick | {
        "test_long",
        "test_sizes[large]",
        "test_parts[b]",
        "test_parts[c]",
        "test_counted[three]",
    }
    assert ran(suite().stdout) < everything


PLAIN = """
import pytest

@pytest.mark.thorough
@pytest.mark.parametrize("case", range(7))
def test_many(case): ...

@pytest.mark.thorough
def test_long(): ...

def test_cheap(): ...
"""


def test_a_whole_run_takes_one_in_three_thorough_cases_and_a_named_file_all(
    suite: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    every = {"test_cheap", "test_long", *(f"test_many[{number}]" for number in range(7))}
    parts = [ran(suite(text=PLAIN, AESMITH_GRID_SEED=str(seed)).stdout) for seed in range(PART)]
    assert set.union(*parts) == every
    assert set.intersection(*parts) == {"test_cheap"}
    assert all(2 <= sum("many" in name for name in part) <= 3 for part in parts)
    assert sum("test_long" in part for part in parts) == 1
    assert ran(suite("test_it.py", text=PLAIN).stdout) == every
    assert ran(suite("test_it.py::test_long", text=PLAIN).stdout) == {"test_long"}


FILE = """
import pytest

pytestmark = pytest.mark.one_in(2)

@pytest.mark.parametrize("case", [1, 2])
def test_quick(case): ...

@pytest.mark.thorough
@pytest.mark.parametrize("case", [1, 2])
def test_parts(case): ...

@pytest.mark.thorough
def test_whole(): ...
"""


@pytest.mark.parametrize("seed", [0, 1])
def test_a_file_leaves_out_cases_of_its_thorough_tests_alone(
    seed: int, suite: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    taken = {"test_quick[1]", "test_quick[2]", f"test_parts[{seed + 1}]", "test_whole"}
    assert ran(suite(text=FILE, AESMITH_GRID_SEED=str(seed)).stdout) == taken


def test_the_file_that_takes_longest_runs_first(
    suite: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "test_a.py").write_text("def test_one(): ...\n")
    said = suite("--tier=quick").stdout
    assert said.index("test_it.py::") < said.index("test_a.py::")


def test_tiers_are_shown_without_running(suite: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    shown = suite("--tier").stdout
    assert re.search(r"^thorough +0\.5 s +1  test_it\.py::test_long$", shown, re.MULTILINE)
    assert re.search(r"^quick +0\.5 s +1  test_it\.py::test_sizes$", shown, re.MULTILINE)
    assert not ran(shown)


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ('thorough(but=("smal",))', "names cases that there are not: test_it.py::test_sizes[smal]"),
        ('thorough("small")', "thorough takes but=(case, ...)"),
    ],
)
def test_a_mark_that_says_nothing_right_is_refused(
    mark: str, words: str, suite: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    refused = suite("--tier=quick", text=SUITE.replace('thorough(but=("small",))', mark))
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR
    assert words in refused.stdout + refused.stderr


def test_cases_that_are_picked_by_an_expression_are_no_reason_to_refuse_a_mark(
    suite: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    assert ran(suite("-k", "test_sizes and large").stdout) == {"test_sizes[large]"}


def test_a_failing_run_ends_with_what_to_run_alone(suite: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    said = suite("--tier=quick", right=False)
    assert said.returncode == 1
    assert ".venv/bin/pytest test_it.py::test_that_fails" in said.stdout.splitlines()[-2]
    assert "pytest test_it.py" not in suite("--tier=quick").stdout


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    took = {
        "tests/a.py::test_x[1]": 2.0,
        "tests/a.py::test_x[2]": 3.0,
        "tests/a.py::test_y": 0.1,
        "tests/a.py::test_z": 0.2,
    }
    of = dict.fromkeys(took, "quick") | {"tests/a.py::test_x[2]": "thorough"}
    rows = record_of(took, of)
    assert rows == [
        Row("tests/a.py", "quick", 2, 0.3),
        Row("tests/a.py::test_x", "quick", 1, 2.0),
        Row("tests/a.py::test_x", "thorough", 1, 3.0),
    ]
    file = tmp_path / "seconds.csv"
    write_record(rows, file)
    assert read_record(file) == rows
    assert read_record(tmp_path / "nothing.csv") == []
    # A run of one tier keeps the record of the other.
    again = Row("tests/a.py", "quick", 1, 0.7)
    write_record([again], file)
    assert read_record(file) == [again, rows[2]]


@pytest.mark.parametrize(("tiers", "most"), [((QUICK,), QUICK_SECONDS), ((QUICK, THOROUGH), ALL_SECONDS)])
def test_the_tiers_fit_into_their_minutes_of_two_processors(
    tiers: tuple[str, ...], most: float, request: pytest.FixtureRequest
) -> None:
    """By the record; what is collected beside and not in it counts as the mean."""
    assert recorded_seconds(request.session.items, read_record(), tiers) <= most
    grown = [*read_record(), Row("tests/fields/test_new.py::test_more", tiers[-1], 10, most)]
    assert recorded_seconds(request.session.items, grown, tiers) > most
