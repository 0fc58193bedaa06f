"""docs/ as a site: built without a warning and without a network; read, and searched, from a folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from aesmith import api
from aesmith.api import listing
from aesmith.cli import VERBS
from aesmith.cores.specification import families

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "scripts" / "site" / "mkdocs.yml"
LOOKED_AT = (
    "index",
    "gallery",
    "getting-started",
    "glossary",
    "cli",
    "reference/commands",
    "tables/ueno-table1",
    "peers",
)

pytestmark = pytest.mark.slow


def build(folder: Path, config: Path) -> subprocess.CompletedProcess[str]:
    """Without a network: what asks for one gets an address where nobody answers."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "-d", str(folder)]
    nowhere = {f"{scheme}_proxy": "http://127.0.0.1:9" for scheme in ("http", "https")}
    environment = {**os.environ, **nowhere, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = build(folder, CONFIG)
    assert built.returncode == 0, built.stderr
    assert not re.search("WARNING|ERROR", built.stderr), built.stderr
    return folder


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that must not fail, and must not ask any other host."""
    opened = browser.new_page()
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else wrong.append(asked.url))
    yield opened
    opened.close()
    assert wrong == []


def complaints(page: Page) -> list[tuple[str, str]]:
    """What axe-core finds against WCAG 2.1 A and AA: rule and first place."""
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
    found = page.evaluate("rules => axe.run(document, {runOnly: rules})", rules)
    return [(one["id"], str(one["nodes"][0]["target"])) for one in found["violations"]]


def test_a_page_that_leads_nowhere_is_no_site(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Here\n\n[nowhere](there.md)\n")
    text = "site_name: x\ndocs_dir: docs\nvalidation: {links: {not_found: warn}}\n"
    (tmp_path / "mkdocs.yml").write_text(text)
    built = build(tmp_path / "out", tmp_path / "mkdocs.yml")
    assert built.returncode != 0
    assert "there.md" in built.stderr


def test_every_page_of_the_docs_is_there(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs")).with_suffix(".html").is_file(), page


def test_the_reference_has_every_verb_architecture_and_name(site: Path) -> None:
    text = {
        name: (site / "reference" / f"{name}.html").read_text() for name in ("commands", "specification", "api", "json")
    }
    for what in listing.SCHEMAS:
        assert f">aesmith list {what}" in text["json"]
        assert (site / "reference" / "schemas" / f"list-{what}.json").is_file()
    for verb in VERBS:
        assert f">aesmith {verb}" in text["commands"], verb
    for family in families().values():
        for preset, specification in family.presets.items():
            assert f"<code>{preset}</code>" in text["specification"], preset
            assert (site / "reference" / "schemas" / f"{specification.architecture}.json").is_file()
    for name in api.__all__:
        assert re.search(rf'id="aesmith\.(api|errors)\.{name}"', text["api"]), name


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|iframe)[^>]*src="([^"]+)"', page.read_text())
        loaded += re.findall(r'<link[^>]*rel="(?:stylesheet|preconnect|icon)"[^>]*href="([^"]+)"', page.read_text())
        assert not [address for address in loaded if address.startswith(("http", "//"))], page


@pytest.mark.parametrize("width", [1280, 360])
def test_no_page_is_wider_than_the_window(site: Path, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for name in LOOKED_AT:
        page.goto(f"file://{site}/{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
@pytest.mark.parametrize(
    "name", ["index", "gallery", "reference/commands", "tables/ueno-table1", "teaching", "researchers"]
)
def test_a_page_can_be_read_without_mouse_and_with_weak_eyes(
    site: Path, browser: Browser, name: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    opened = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    opened.goto(f"file://{site}/{name}.html")
    opened.wait_for_selector(".md-typeset__scrollwrap[tabindex], .md-typeset:not(:has(table))", state="attached")
    assert complaints(opened) == []
    opened.close()


def test_a_page_that_cannot_is_found(browser: Browser) -> None:
    opened = browser.new_page()
    opened.set_content('<html lang="en"><title>x</title><main><img src="x.png"><p style="color: #ccc">pale</p></main>')
    assert {name for name, _ in complaints(opened)} == {"image-alt", "color-contrast"}
    opened.close()


def test_search_finds_pages_without_a_server(site: Path, page: Page) -> None:
    page.goto(f"file://{site}/index.html")
    page.click("input.md-search__input")
    page.keyboard.type("glitch-extended")
    page.wait_for_selector(".md-search-result__link")
    found = page.locator(".md-search-result__link").evaluate_all("links => links.map((link) => link.href)")
    assert any("/masking.html" in address for address in found)
