"""No test touches the store or the cache of whoever runs the tests; libraries that the project may not ship."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aesmith.cache import ENVIRONMENT as CACHE
from aesmith.cli import YOUNG_OBJECTS
from aesmith.explore.store import ENVIRONMENT as STORE
from aesmith.processes import adopt_orphans, children, end_children
from aesmith.technology.library import Library
from aesmith.technology.reader import read_library

from . import tiers
from .object_cache import VERILATED, object_cache

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PDK = Path(__file__).parents[2] / "shared" / "pdk"

TIMES = "AESMITH_TEST_TIMES"
"""Environment variable: a file that gets a line *seconds of processor, test* for each test."""

TIER = "tier"
"""Of a report's properties, the tier of its test."""

_KEPT_TIMES = "aesmith/seconds"
_BEGAN = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    tiers.add_options(parser)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tiers.choose(config, items, _known_times(config))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    return tiers.show_in_the_place_of_running(session)


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
        report.user_properties.append((TIER, tiers.tier(item)))
    return report


class _Times:
    """Where all reports arrive (with pytest-xdist that is one process), what each test took is kept."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._seconds: dict[str, float] = {}
        self._tiers: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            said = dict(report.user_properties)
            self._seconds[report.nodeid] = round(said[TIMES], 2)
            self._tiers[report.nodeid] = said[TIER]

    def pytest_sessionfinish(self) -> None:
        cache = getattr(self._config, "cache", None)
        if cache is not None:
            cache.set(_KEPT_TIMES, _known_times(self._config) | self._seconds)
        if TIMES in os.environ:
            with open(os.environ[TIMES], "a", encoding="utf-8") as file:
                file.writelines(f"{seconds:.2f}\t{test}\n" for test, seconds in self._seconds.items())
        if self._config.getoption("record"):
            tiers.write_record(tiers.record_of(self._seconds, self._tiers))


def pytest_collection_finish() -> None:
    """What is there when the tests begin stays: the collector of garbage need not look through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)


def pytest_configure(config: pytest.Config) -> None:
    # A shell has what it starts in the background ignore SIGINT, and programs inherit that: tests interrupt some.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Times(config))
        # Who stops the run with SIGTERM, as `timeout` does, stops also what its tests started.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        adopt_orphans()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        end_children()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None, None, None]:
    """What a missing tool or library left unchecked is said, test by test; last, what to run alone after a failure."""
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
    yield
    tiers.say_what_to_run_alone(terminalreporter)


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
        # One recipe for all simulators of a run: what the compiler hears of makes others.
        for name, value in object_cache().items():
            patch.setenv(name, value)
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
