"""No test touches the store or the cache of whoever runs the tests; libraries that the project may not ship."""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aesmith.cache import ENVIRONMENT as CACHE
from aesmith.cli import YOUNG_OBJECTS
from aesmith.explore.store import ENVIRONMENT as STORE
from aesmith.processes import children
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library

from .object_cache import VERILATED

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PDK = Path(__file__).parents[2] / "shared" / "pdk"

TIMES = "AESMITH_TEST_TIMES"
"""Environment variable: a file that gets a line *seconds of processor, test* for each test."""

ALL_CASES = "AESMITH_ALL_CASES"
"""Environment variable: set to anything, it has all cases of all tests run (`make test-all`)."""

_KEPT_TIMES = "aesmith/seconds"
_UNKNOWN_S = 0.45
"""What a test takes that has not run here: the mean of all, so that a new clone keeps within its time, too."""
_BEGAN = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--within",
        type=float,
        metavar="SECONDS",
        help="only the tests that are not slow and together take so many seconds of processor, the cheapest first, by "
        "what they took when they last ran here",
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no process is left with one at the end."""
    _take_parts(config, items)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
    budget = config.getoption("within")
    if budget is None:
        return
    known = _known_times(config)
    chosen, left = set(), budget
    quick = [item for item in items if item.get_closest_marker("slow") is None]
    for item in sorted(quick, key=lambda item: known.get(item.nodeid, _UNKNOWN_S)):
        left -= known.get(item.nodeid, _UNKNOWN_S)
        if left < 0:
            break
        chosen.add(item)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = [item for item in items if item in chosen]


def _take_parts(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of each test that has `one_in(n)`, leave one in n of its cases; one without cases, if it has the mark itself and
    not from its file, in one of n runs.

    AESMITH_GRID_SEED from 0 to n - 1 takes them all in as many runs, AESMITH_ALL_CASES in one. Without these the
    sources of aesmith choose: the same ones meet the same cases on any day, changed ones meet others.
    """
    if ALL_CASES in os.environ:
        return
    seed = os.environ.get("AESMITH_GRID_SEED")
    marked = [
        (item.nodeid, mark.args[0])
        for item in items
        if (mark := item.get_closest_marker("one_in")) and ("[" in item.nodeid or mark in item.own_markers)
    ]
    left = left_out(marked, int(seed) if seed is not None else _seed_of_the_sources())
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left])
    items[:] = [item for item in items if item.nodeid not in left]


def left_out(marked: Sequence[tuple[str, int]], seed: int) -> set[str]:
    """Of tests, each with the n of its `one_in(n)`, those that a run with this seed leaves out.

    Of n runs with seeds in a row each test is in at least one, and of a test's cases each run has one at least.
    """
    cases = Counter(name.partition("[")[0] for name, _ in marked)
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


def _known_times(config: pytest.Config) -> dict[str, float]:
    cache = getattr(config, "cache", None)  # -p no:cacheprovider
    return dict(cache.get(_KEPT_TIMES, {})) if cache is not None else {}


def _processor_seconds() -> float:
    """Of this process and those it started, whether they ended or serve on: on a busy machine, the clock misleads.

    Of what these started in turn, only what has ended.
    """
    living = 0
    for child in children():
        with suppress(OSError):
            living += sum(map(int, Path("/proc", str(child), "stat").read_text().rpartition(")")[2].split()[11:15]))
    return sum(os.times()[:4]) + living / os.sysconf("SC_CLK_TCK")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_BEGAN] = _processor_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        report.user_properties.append((TIMES, _processor_seconds() - item.stash[_BEGAN]))
    return report


class _Times:
    """Where all reports arrive (with pytest-xdist that is one process), what each test took is kept."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            self._seconds[report.nodeid] = round(dict(report.user_properties)[TIMES], 2)

    def pytest_sessionfinish(self) -> None:
        cache = getattr(self._config, "cache", None)
        if cache is not None:
            cache.set(_KEPT_TIMES, _known_times(self._config) | self._seconds)
        if TIMES in os.environ:
            with open(os.environ[TIMES], "a", encoding="utf-8") as file:
                file.writelines(f"{seconds:.2f}\t{test}\n" for test, seconds in self._seconds.items())


def pytest_collection_finish() -> None:
    """What is there when the tests begin stays: the collector of garbage need not look through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Times(config))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What a missing tool or library left unchecked is said, test by test."""
    skipped: dict[str, list[str]] = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        skipped.setdefault(reason.removeprefix("Skipped: "), []).append(report.nodeid)
    if skipped:
        terminalreporter.section("not checked here")
    for reason, tests in sorted(skipped.items()):
        terminalreporter.line(f"{reason}:")
        for test in tests:
            terminalreporter.line(f"  {test}")


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the whole run: all processes of pytest-xdist have the same."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session", autouse=True)
def _apart_from_the_user(
    tmp_path_factory: pytest.TempPathFactory, run_folder: Path, request: pytest.FixtureRequest
) -> Iterator[None]:
    """A store for shared fixtures, and a cache for the whole run, empty at first but for Verilator's own library."""
    kept = getattr(request.config, "cache", None)  # -p no:cacheprovider
    if kept is not None:
        (run_folder / "cache").mkdir(exist_ok=True)
        with suppress(FileExistsError):
            (run_folder / "cache" / VERILATED).symlink_to(kept.mkdir(f"aesmith-{VERILATED}"), target_is_directory=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(STORE, str(tmp_path_factory.mktemp("store") / "results.sqlite"))
        patch.setenv(CACHE, str(run_folder / "cache"))
        yield


@pytest.fixture(autouse=True)
def _store_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store for each test, outside its `tmp_path`: what one test measured, another must measure again."""
    folder = Path(os.environ[STORE]).parent
    monkeypatch.setenv(STORE, str(folder / os.urandom(8).hex() / "results.sqlite"))


@pytest.fixture(scope="session")
def pdk() -> Callable[[str], Path]:
    """The file of a library that is not part of the project; the test is skipped where it is missing."""

    def path(name: str) -> Path:
        file = PDK / f"{name}.lib.gz"
        if not file.is_file():
            pytest.skip(f"the library {file.name} is not in {PDK.name}/ beside the checkout")
        return file

    return path


@pytest.fixture(scope="session")
def pdk_library(pdk: Callable[[str], Path]) -> Callable[[str], Library]:
    """A library that is not part of the project, read once a session."""
    read: dict[str, Library] = {}

    def library(name: str) -> Library:
        if name not in read:
            read[name] = read_library(pdk(name))
        return read[name]

    return library


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window, for pages and pictures."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - few tests open one

    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no chromium on the path; on Debian: apt install chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()
