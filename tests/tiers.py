"""Which tests a run takes: the quick tier or all, one in n of the cases of long tests, what a budget suffices for.

Every number here is in seconds of processor. `seconds.csv` beside this file is the record of the last run that was
asked for one (`make test-record`, or with `TIER=thorough` for the other tier): what each test function takes with the
cases of its tier.
"""

from __future__ import annotations

import csv
import hashlib
import os
import shlex
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from importlib.resources import files
from pathlib import Path

import pytest

ALL_CASES = "AESMITH_ALL_CASES"
"""Environment variable: set to anything but nothing, it has all cases of all tests run."""

QUICK, THOROUGH = "quick", "thorough"
RECORD = Path(__file__).with_name("seconds.csv")
QUICK_SECONDS = 1080.0
"""What the quick tier may take by its record: of ten minutes of two processors all but setting up and linting."""

ALL_SECONDS = 3300.0
"""What both tiers may take by the record: of half an hour of two processors all but setting up and linting."""

PART = 3
"""One in so many cases of a thorough test without a mark of its own is taken by a run of the whole suite."""

_TOLD_APART = 0.5
_PLACE = pytest.StashKey[int]()
"""The place of a test among the cases of its function."""

UNKNOWN = 0.45
"""What a case takes that has never run: the mean of all, so that a new clone keeps within its time, too."""


def add_options(parser: pytest.Parser) -> None:
    """The options of the command line that choose tests."""
    group = parser.getgroup("tiers", "which tests a run takes")
    group.addoption(
        "--tier",
        nargs="?",
        const="show",
        choices=("show", QUICK, THOROUGH),
        help="run one tier only; without a value, list each test function with its tier and its recorded seconds",
    )
    group.addoption(
        "--within",
        type=float,
        metavar="SECONDS",
        help="only the tests that are not slow and together take so many seconds of processor, the cheapest first, by "
        "what they took when they last ran here",
    )
    group.addoption("--record", action="store_true", help=f"write what each test of this tier took to {RECORD.name}")


def tier(item: pytest.Item) -> str:
    """The tier of a test: `thorough` by its mark, unless the mark's `but` names its case or counts so far.

    Raises pytest.UsageError for a mark with other arguments.
    """
    mark = item.get_closest_marker(THOROUGH)
    if mark is None:
        return QUICK
    but = mark.kwargs.get("but", ())
    if mark.args or set(mark.kwargs) - {"but"} or not isinstance(but, int | tuple):
        given = mark.args or mark.kwargs
        raise pytest.UsageError(f"{item.nodeid}: thorough takes but=(case, ...) or but=number, not {given}")
    kept = item.stash.get(_PLACE, 0) < but if isinstance(but, int) else case_of(item.nodeid) in but
    return QUICK if kept else THOROUGH


def function_of(nodeid: str) -> str:
    """The test function of a test: its id without the case."""
    return nodeid.partition("[")[0]


def case_of(nodeid: str) -> str:
    """The case of a test: what stands in brackets in its id; empty for a test without cases."""
    return nodeid.partition("[")[2].removesuffix("]")


def unknown_cases(items: Iterable[pytest.Item]) -> list[str]:
    """Cases that a mark `thorough(but=...)` names and no collected test has, each behind its test function."""
    named: dict[str, set[str]] = defaultdict(set)
    seen: dict[str, set[str]] = defaultdict(set)
    for item in items:
        function = function_of(item.nodeid)
        seen[function].add(case_of(item.nodeid))
        mark = item.get_closest_marker(THOROUGH)
        if mark and isinstance(mark.kwargs.get("but"), tuple):
            named[function] |= set(mark.kwargs["but"])
    return [f"{function}[{case}]" for function, cases in named.items() for case in sorted(cases - seen[function])]


def choose(config: pytest.Config, items: list[pytest.Item], known: Mapping[str, float]) -> None:
    """Deselect what this run does not take, and put files with slow tests first, those that take longest before others.

    `known` has what tests took when they last ran here. Raises pytest.UsageError for a mark that names no case.
    """
    places: Counter[str] = Counter()
    for item in items:
        item.stash[_PLACE] = places[function_of(item.nodeid)]
        places[function_of(item.nodeid)] += 1
    # What the command line picks by name, expression or mark says nothing of the other cases.
    picked = any("::" in argument for argument in config.args)
    picked |= any(config.getoption(name, None) for name in ("keyword", "markexpr", "deselect", "lf"))
    if not picked and (missing := unknown_cases(items)):
        raise pytest.UsageError("thorough(but=...) names cases that there are not: " + ", ".join(missing))
    wanted = config.getoption("tier")
    if wanted in {QUICK, THOROUGH}:
        _keep(config, items, lambda item: tier(item) == wanted)
    _take_parts(config, items)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    takes: Counter[Path] = Counter()
    for item, seconds in zip(items, _seconds(items, known), strict=True):
        takes[item.path] += seconds
    items.sort(key=lambda item: (item.path not in slow, -takes[item.path]))
    budget = config.getoption("within")
    if budget is not None:
        within = _within(items, budget, known)
        _keep(config, items, lambda item: item.nodeid in within)


def _keep(config: pytest.Config, items: list[pytest.Item], wanted: Callable[[pytest.Item], bool]) -> None:
    kept = [item for item in items if wanted(item)]
    left = [item for item in items if not wanted(item)]
    if left:
        config.hook.pytest_deselected(items=left)
    items[:] = kept


def _within(items: Sequence[pytest.Item], budget: float, known: Mapping[str, float]) -> set[str]:
    """The cheapest quick tests that together take at most `budget`."""
    chosen, left = set(), budget
    quick = [item for item in items if item.get_closest_marker("slow") is None and tier(item) == QUICK]
    for seconds, item in sorted(zip(_seconds(quick, known), quick, strict=True), key=lambda pair: pair[0]):
        left -= seconds
        if left < 0:
            break
        chosen.add(item.nodeid)
    return chosen


def _seconds(items: Sequence[pytest.Item], known: Mapping[str, float]) -> list[float]:
    """What each test took when it last ran here; by the record what has not."""
    row_of = by_test(read_record())
    return [known.get(item.nodeid) or seconds_of(row_of, item) for item in items]


def _take_parts(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of each test that has `one_in(n)`, leave one in n of its cases; one without cases, if it has the mark itself and
    not from its file, in one of n runs. The mark of a file is one of its thorough tests. A thorough test without any
    has `one_in(PART)`, unless the command line names files or tests.

    AESMITH_GRID_SEED from 0 to n - 1 takes them all in as many runs, AESMITH_ALL_CASES in one. Without these the
    sources of aesmith choose: the same ones meet the same cases on any day, changed ones meet others. A case that a
    mark names as quick is always taken: it is the one that `make test` has.
    """
    if os.environ.get(ALL_CASES):
        return
    seed = os.environ.get("AESMITH_GRID_SEED")
    whole = {config.rootpath, *(config.rootpath / path for path in config.getini("testpaths"))}
    usual = PART if all(config.rootpath / argument in whole for argument in config.args) else 1
    marked = [(item.nodeid, part) for item in items if (part := _part(item, usual)) > 1]
    left = left_out(marked, int(seed) if seed is not None else _seed_of_the_sources())
    _keep(config, items, lambda item: item.nodeid not in left)


def _part(item: pytest.Item, usual: int) -> int:
    """One in how many cases of a test are taken, 1 for all; `usual` is that of a thorough test that does not say."""
    mark, thorough = item.get_closest_marker("one_in"), tier(item) == THOROUGH
    if mark is None:
        return usual if thorough else 1
    own = mark in item.own_markers
    if ("[" in item.nodeid or own) and (thorough or (own and not item.get_closest_marker(THOROUGH))):
        return int(mark.args[0])
    return 1


def left_out(marked: Sequence[tuple[str, int]], seed: int) -> set[str]:
    """Of tests, each with the n of its `one_in(n)`, those that a run with this seed leaves out.

    Of n runs with seeds in a row each test is in at least one, and of a test's cases each run has one at least.
    """
    cases = Counter(function_of(name) for name, _ in marked)
    seen: Counter[str] = Counter()
    left = set()
    for name, part in marked:
        test, bracket, _ = name.partition("[")
        of, place = (min(part, cases[test]), seen[test]) if bracket else (part, zlib.crc32(test.encode()))
        seen[test] += 1
        if place % of != seed % of:
            left.add(name)
    return left


def _seed_of_the_sources() -> int:
    package = Path(str(files("aesmith")))
    sources = sorted(path for path in package.rglob("*") if path.suffix in {".py", ".sv"})
    return int.from_bytes(hashlib.sha256(b"".join(path.read_bytes() for path in sources)).digest()[:3], "big")


@dataclass(frozen=True)
class Row:
    """What the cases of a tier of a test function took together; of a whole file, those that are not told apart."""

    test: str
    tier: str
    cases: int
    seconds: float


def read_record(file: Path = RECORD) -> list[Row]:
    """The record; nothing if there is none."""
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return [
            Row(row["test"], row["tier"], int(row["cases"]), float(row["seconds"])) for row in csv.DictReader(lines)
        ]


def record_of(took: Mapping[str, float], tiers: Mapping[str, str]) -> list[Row]:
    """The record of a run: `took` and `tiers` have the seconds and the tier of each test by its id.

    Functions below half a second stand together, a row a file.
    """
    by_function: dict[tuple[str, str], list[float]] = defaultdict(list)
    for name, seconds in took.items():
        by_function[function_of(name), tiers[name]].append(seconds)
    rows: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (function, of), times in by_function.items():
        rows[function if sum(times) >= _TOLD_APART else function.partition("::")[0], of] += times
    return [Row(test, of, len(times), round(sum(times), 1)) for (test, of), times in sorted(rows.items())]


def write_record(rows: Sequence[Row], file: Path = RECORD) -> None:
    """Write the record of the tiers that ran; of another it keeps what it has."""
    ran = {row.tier for row in rows}
    rows = sorted([*rows, *(row for row in read_record(file) if row.tier not in ran)], key=lambda row: row.test)
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(field.name for field in fields(Row))
        writer.writerows(astuple(row) for row in rows)


def seconds_of(row_of: Mapping[tuple[str, str], Row], item: pytest.Item, unknown: float = UNKNOWN) -> float:
    """What a test takes by the record; `unknown` if neither its function nor its file is in it."""
    function, of = function_of(item.nodeid), tier(item)
    row = row_of.get((function, of)) or row_of.get((function.partition("::")[0], of))
    return row.seconds / row.cases if row else unknown


def by_test(rows: Iterable[Row]) -> dict[tuple[str, str], Row]:
    """The rows by test and tier."""
    return {(row.test, row.tier): row for row in rows}


def recorded_seconds(items: Iterable[pytest.Item], rows: Sequence[Row], tiers: Sequence[str]) -> float:
    """What these tiers take by the record, and by the mean what of them was collected and is not in the record."""
    row_of = by_test(rows)
    new = [item for item in items if tier(item) in tiers and seconds_of(row_of, item, unknown=-1.0) < 0]
    return sum(row.seconds for row in rows if row.tier in tiers) + UNKNOWN * len(new)


def say_what_to_run_alone(terminalreporter: pytest.TerminalReporter) -> None:
    """The last lines of a run in which a test failed: the command that runs what failed."""
    failed = [report.nodeid for kind in ("failed", "error") for report in terminalreporter.stats.get(kind, [])]
    if failed:
        terminalreporter.section("to run what failed alone")
        terminalreporter.line(f".venv/bin/pytest {' '.join(map(shlex.quote, dict.fromkeys(failed)))}")


def show_in_the_place_of_running(session: pytest.Session) -> bool | None:
    """For `--tier` without a value: a line for each test function and tier, the longest first, and nothing is run.

    A line has the tier, the recorded seconds, the number of cases, the test.
    """
    if session.config.getoption("tier") != "show":
        return None
    row_of = by_test(read_record())
    listed: dict[tuple[str, str], list[float]] = defaultdict(list)
    for item in session.items:
        listed[function_of(item.nodeid), tier(item)].append(seconds_of(row_of, item))
    print()
    for (function, of), times in sorted(listed.items(), key=lambda entry: -sum(entry[1])):
        print(f"{of:8}  {sum(times):7.1f} s  {len(times):4}  {function}")
    for of in (QUICK, THOROUGH):
        times = [seconds for (_, each), several in listed.items() if each == of for seconds in several]
        print(f"{of}: {len(times)} tests, {sum(times):.0f} s of processor by the record ({RECORD.name})")
    return True
