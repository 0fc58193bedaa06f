"""From a requirement to a package by clicks; Ctrl-C ends the server and all that it has started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from importlib.resources import files
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from aesmith.explore.points import points_by

REFUSED = "Failed to load resource"

pytestmark = pytest.mark.slow


def until(holds: Callable[[], object], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class Serving:
    """`aesmith serve` as a program of its own."""

    def __init__(self, folder: Path) -> None:
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        command = [sys.executable, "-m", "aesmith", "serve", "--no-browser", "--store", "s.sqlite"]
        environment = os.environ | {"TMPDIR": str(self.scratch)}
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    def below(self) -> set[int]:
        """All processes below the server."""
        found, new = set[int](), {self.process.pid}
        while new:
            found |= new
            new = {child for pid in new for child in children(pid)} - found
        return found - {self.process.pid}

    def end(self) -> int:
        """As Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(60)


def children(pid: int) -> list[int]:
    try:
        return [int(text) for file in Path(f"/proc/{pid}/task").glob("*/children") for text in file.read_text().split()]
    except OSError:
        return []


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    started = Serving(tmp_path)
    yield started
    if started.process.poll() is None:
        started.end()


@pytest.fixture
def page(browser: Browser, serving: Serving) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1500, "height": 950})
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    # What a script of the page says, or the browser of its policy; that a request was refused is no error of the page.
    opened.on(
        "console", lambda said: wrong.append(said.text) if said.type == "error" and REFUSED not in said.text else None
    )
    opened.goto(serving.url)
    yield opened
    opened.close()
    assert wrong == []


def complaints(page: Page) -> list[tuple[str, str]]:
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']})")
    return [(one["id"], str(one["nodes"][0]["target"])) for one in found["violations"]]


@pytest.mark.thorough
def test_from_a_requirement_to_a_package(page: Page, tmp_path: Path) -> None:
    page.click("#need summary")
    page.get_by_label("At most: area").fill("4kGE")
    expect(page.locator("#need-said")).to_have_text("Recommended: serial-bit-enc")
    page.get_by_role("button", name="Build and measure").click()
    expect(page.locator("#work-list li")).to_have_attribute("data-state", "at work", timeout=60_000)
    page.get_by_role("button", name="Build and measure").click()
    expect(page.locator("#work-list li").first).to_contain_text("1 before it", timeout=60_000)
    page.get_by_role("button", name="Cancel serial_bit_enc").first.click()
    expect(page.locator("#work-list li").first).to_have_attribute("data-state", "cancelled")
    work = page.locator("#work-list li").last
    expect(work).to_have_attribute("data-state", "done", timeout=180_000)
    expect(page.locator("#live")).to_contain_text("serial_bit_enc in generic45, compress: done")
    expect(work).to_contain_text("library generic45")
    expect(work.locator("dl")).to_contain_text("GE")
    with page.expect_download() as fetched:
        work.get_by_role("button", name="Download").click()
    file = tmp_path / fetched.value.suggested_filename
    fetched.value.save_as(file)
    with zipfile.ZipFile(file) as archive:
        manifest = json.loads(archive.read("serial_bit_enc/manifest.json"))
        names = set(archive.namelist())
    assert manifest["top"] == "serial_bit_enc"
    assert {f"serial_bit_enc/{name}" for name in ("datasheet.md", "serial_bit_enc.v")} <= names
    looks: tuple[tuple[int, Literal["light", "dark"]], ...] = ((1500, "light"), (360, "dark"), (360, "light"))
    for width, scheme in looks:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert complaints(page) == []


def test_engines_can_be_built_and_designs_on_a_device_are_shown_only(page: Page) -> None:
    page.select_option("#kind", "engine")
    page.click("#need summary")
    expect(page.locator("#need-said")).to_have_text("Recommended: gcm-small")
    buttons = [page.locator("#need").get_by_role("button", name=name) for name in ("Build and", "Measure what")]
    for button in buttons:
        expect(button).to_be_visible()
    page.select_option("#kind", "device")
    expect(page.locator("#need-said")).to_contain_text("Recommended: ")
    for button in buttons:
        expect(button).to_have_count(0)


def test_what_is_refused_and_that_the_server_has_ended_are_said_in_words(page: Page, serving: Serving) -> None:
    page.click("#need summary")
    page.locator("#work-minutes").fill("0")
    page.get_by_role("button", name="Measure what is lacking").click()
    expect(page.locator("#work-said")).to_contain_text("minutes: must be above 0 and at most 240, not 0")
    assert serving.end() == 0
    page.locator("#work-minutes").fill("5")
    page.get_by_role("button", name="Measure what is lacking").click()
    expect(page.locator("#work-said")).to_contain_text("does not answer any more: it was ended")


def test_a_core_is_begun_and_ctrl_c_leaves_nothing(serving: Serving) -> None:
    address = urlsplit(serving.url)
    connection = HTTPConnection(str(address.hostname), address.port, timeout=60)
    token = address.query.removeprefix("token=")
    points = points_by("presets")
    point = str(points.loc[points["design"].eq("zhang2004-r7-enc-bare"), "key"].iloc[0])
    body = json.dumps({"kind": "core", "point": point, "library": "generic45", "optimise": "area"})
    origin = f"http://{address.netloc}"
    headers = {"X-Aesmith-Token": token, "Origin": origin, "Content-Type": "application/json"}
    connection.request("POST", "/api/work", body, headers)
    assert connection.getresponse().status == 202
    until(serving.below)
    below = serving.below()
    assert serving.end() == 0
    until(lambda: all(gone(pid) for pid in below), 10)
    assert list(serving.scratch.iterdir()) == []
